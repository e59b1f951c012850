// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/message.hpp"
#include "sim/core/rank_ledger.hpp"
#include "sim/core/types.hpp"

namespace faultline::audit {

/// The ground truth of a program that goes back to earlier states: what has been sent and consumed
/// on every channel, in the histories that its ranks stand on now. The ledger of a rank goes with
/// its images, so a rank that is put back has sent and consumed what it had then, and the ledger of
/// an object goes with the object. When the program has come to its end, both ends of each channel
/// must have the same messages: then none is lost, none was consumed twice, and none that was sent
/// again differs from the copy that its receiver still stands on. It knows nothing of any protocol.
class ChannelLedgers {
 public:
  explicit ChannelLedgers(std::uint32_t processes) : ranks_(processes) {}

  /// The workload of the rank sends a message, before any layer has seen it.
  void sent(Rank rank, Endpoint from, Endpoint to, const Message& message) {
    ranks_[rank][from].sent[to].add(message);
  }
  /// The workload of the rank is about to handle a message, after all layers.
  void consumed(Rank rank, Endpoint from, Endpoint to, const Message& message) {
    ranks_[rank][to].consumed[from].add(message);
  }

  [[nodiscard]] const RankLedger& of(Rank rank) const { return ranks_[rank]; }
  [[nodiscard]] EndpointLedger of(Rank rank, const Endpoint& endpoint) const;
  /// The rank hosts an object from now on. `ledger` is the one that the object had when it was
  /// packed.
  void host(Rank rank, const Endpoint& object, EndpointLedger ledger) {
    ranks_[rank][object] = std::move(ledger);
  }
  void remove(Rank rank, const Endpoint& object) { ranks_[rank].erase(object); }
  /// The rank goes on from a state in which this was its ledger; at its start, the ledger is empty.
  void put_back(Rank rank, RankLedger ledger) { ranks_[rank] = std::move(ledger); }

  /// The rank has died, or is about to be put back, and will repeat what it has done. Only
  /// `was_over` needs this.
  void goes_back(Rank rank, bool was_active);
  /// True if the program was over before ranks went back to repeat what they had done: nobody had
  /// anything to do, and all sent messages were consumed. Called when the rank `by` announces the
  /// end, with that rank in its state of now. `is_active` tells whether a rank is active now.
  [[nodiscard]] bool was_over(Rank by, const std::function<bool(Rank)>& is_active) const;

  /// Describes the first channel, by its ends, whose ends do not have the same messages; nothing if
  /// there is none. `some_in_flight`: messages may still be on their way, so fewer may have been
  /// consumed than sent.
  [[nodiscard]] std::optional<std::string> first_difference(bool some_in_flight) const;

  void digest(Digest& into) const { into.add(ranks_, gone_back_); }

 private:
  /// The state of a rank before it went back.
  struct Before {
    RankLedger ledger;
    bool active = false;

    void digest(Digest& into) const { into.add(ledger, active); }
  };

  /// For a rank that has done other things since, as many as before: which of the two are meant.
  enum class History : std::uint8_t { before, since };
  /// A state in which a rank is or was.
  struct Standing {
    const RankLedger* ledger;
    std::optional<bool> was_active;  ///< before the rank went back, if it was in this state then
    bool is_now;                     ///< it is in this state, or has done no more
  };
  [[nodiscard]] Standing standing_of(Rank rank, bool announces, History history) const;
  [[nodiscard]] bool agree_at_end(Rank by, History history,
                                  const std::function<bool(Rank)>& is_active) const;

  std::vector<RankLedger> ranks_;
  std::map<Rank, Before> gone_back_;
};

}  // namespace faultline::audit
