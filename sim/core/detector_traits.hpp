// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>

#include "sim/core/options.hpp"
#include "sim/core/types.hpp"

namespace faultline {

/// The actors that have a component.
enum class Residence : std::uint8_t { ranks, daemons, ranks_and_daemons };

/// When each listener hears of a death from the resource manager: `delay_s` after it, and up to
/// `spread_s` later, uniformly.
struct ExitNotice {
  double delay_s = 0.0;
  double spread_s = 0.0;
};

/// What messages cost on the machine of a job if nothing else is under way.
struct MessageCosts {
  double each_s = 0.0;     ///< time of processors and NICs for a message
  double byte_s = 0.0;     ///< and for each byte of it
  double latency_s = 0.0;  ///< on the longest way through the network

  /// How long so much keeps a processor or a NIC busy.
  [[nodiscard]] double busy_s(double messages, double bytes) const {
    return messages * each_s + bytes * byte_s;
  }
  /// The longest time from the handler that sends such a message to the one that gets it: a hundred
  /// times what it takes alone, and at least a millisecond.
  [[nodiscard]] double longest_s(double bytes) const {
    constexpr double kUnderLoad = 100.0;
    constexpr double kLeast_s = 1e-3;
    return std::max(kLeast_s, kUnderLoad * (latency_s + busy_s(1.0, bytes)));
  }
};

/// The death of a rank that a failure detector has to find, in a job that nothing disturbs: no
/// message is lost, and none takes longer than MessageCosts::longest_s.
struct DetectionCase {
  JobShape job;
  /// How often the process that died, and the daemon of its node, had been started again.
  std::uint16_t process_life = 0;
  std::uint16_t daemon_life = 0;
  bool with_daemon = true;  ///< the daemon of its node has died, too, and may have told nobody
  /// Its node, or another one that is dead meanwhile, has failed: nobody was left to close its
  /// connections.
  bool silent = true;
  /// The deaths, this one included, of processes and of nodes that happen before the bound is over,
  /// and that others may not know, or after which the process or node is still dead.
  std::uint32_t deaths = 1;
  std::uint32_t dead_nodes = 1;
  std::uint64_t all_deaths = 1;  ///< of processes and daemons, since the job began
  /// Something has disturbed the job before, so that the detector may have to mend what it
  /// believes.
  bool disturbed = false;
  MessageCosts message = {};
  double local_exit_s = 0.0;        ///< until a node's daemon hears of a process that has died
  double link_lost_s = 0.0;         ///< until the holder of a connection hears that it broke
  double silent_link_lost_s = 0.0;  ///< until it hears that, if the peer's node has failed
};

/// The time after a death from which every rank that lived then, and still does, knows of it.
struct DetectionBound {
  double within_s = kNever;
  /// Why nobody watches a process in that life. Then its death is missed if it is not known within
  /// that time, whatever else is promised. "" if somebody watches it.
  std::string unwatched = {};
  /// Why the detector promises nothing in this case, as published or by its nature. "" if it does.
  std::string unpromised = {};
};

/// The bound of a detector with these messages: their processors and NICs have no time for others.
inline DetectionBound no_bound_under_load() {
  return {.unpromised = "its own messages keep processors or the network busy"};
}

/// What a failure detector promises, and what it asks of the resource manager.
struct DetectorTraits {
  bool accurate = false;  ///< it never reports a live process
  /// Whether a process that is declared dead and lives may deny that, where reports are not final
  /// (JobShape::reports_are_final). Words of its detector then reach also the actors that refuse
  /// all else of it. If empty: no.
  std::function<bool(const OptionValues&)> takes_back = {};
  /// Where the components live. If empty: on the ranks.
  std::function<Residence(const OptionValues&)> residence = {};
  /// When the resource manager reports deaths to it (on_exit_notice). If empty: never.
  std::function<ExitNotice(const OptionValues&)> exit_notice = {};
  /// Its bound. If empty: it states none, and no death that it misses is held against it.
  std::function<DetectionBound(const OptionValues&, const DetectionCase&)> bound = {};
};

}  // namespace faultline
