// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "protocols/termination/failed_ranks.hpp"
#include "sim/core/component.hpp"

namespace faultline::termination {

/// What a leader of Venkatesan's detector knows of all processes, whose states it simulates: which
/// of them have been idle, and on which channels the numbers of sent and received messages differ.
class LeaderView {
 public:
  /// `keeps` is true at a leader. Elsewhere the view stays empty.
  LeaderView(const JobShape& job, bool keeps);
  /// Takes in a signal of an idle process: the words of its tally.
  void signal(Rank from, const std::vector<std::uint64_t>& words, const FailedRanks& failed);
  /// Stops counting the channels of the dead process. If it died in this phase, every survivor must
  /// report that everything that the dead process sent to it has arrived.
  void died(Rank rank, bool in_this_phase);
  void require_flushes(Rank dead);
  /// True if all work is over: every live process has been idle, every channel between two of them
  /// is balanced, and the flushes that deaths require are reported.
  [[nodiscard]] bool terminated() const;
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] std::string waiting_for() const;
  void digest(Digest& into) const;

 private:
  /// The processes that have reported that all that a dead process sent to them has arrived.
  struct Flushes {
    std::vector<bool> by;
    std::uint32_t live = 0;  ///< number of live ones among them
    bool required = false;   ///< this leader has been told of the death

    void digest(Digest& into) const { into.add(by, live, required); }
  };

  void one_less_untold();
  [[nodiscard]] std::uint64_t missing_flushes() const;
  Flushes& flushes_of(Rank dead);
  void move(Rank from, Rank to, std::int64_t messages);

  std::uint32_t processes_;
  std::uint32_t live_;
  std::uint32_t untold_ = 0;  ///< live processes that have not been idle
  std::vector<bool> told_;    ///< by rank
  std::map<std::pair<Rank, Rank>, std::int64_t> channels_;  ///< sent less received, if not 0
  std::map<Rank, Flushes> flushes_;                         ///< by dead rank
};

}  // namespace faultline::termination
