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

namespace faultline {

/// The ground truth of a program that goes back to earlier states: what has been sent and consumed
/// on every channel, in the histories that its ranks stand on now. The ledger of a rank goes with
/// its images, so a rank that is put back has sent and consumed what it had then, and that of an
/// object goes with the object. When the program
/// has come to its end, both ends of each channel must have the same messages: then none is lost,
/// none was consumed twice, and none that was sent again differs from the copy that its receiver
/// still stands on. Knows nothing of any protocol.
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
  /// The rank hosts an object from now on, which had that ledger when it was packed.
  void host(Rank rank, const Endpoint& object, EndpointLedger ledger) {
    ranks_[rank][object] = std::move(ledger);
  }
  void remove(Rank rank, const Endpoint& object) { ranks_[rank].erase(object); }
  /// The rank goes on from a state in which this was its ledger; an empty one at its start.
  void put_back(Rank rank, RankLedger ledger) { ranks_[rank] = std::move(ledger); }

  /// The rank has died, and will do again what it has done. Asked by `was_over` only.
  void died(Rank rank, bool was_active);
  /// Was the program over when ranks died that do now again what they had done then? Nobody had
  /// anything to do, and all that had been sent was consumed. `is_active` says so of a rank now.
  [[nodiscard]] bool was_over(const std::function<bool(Rank)>& is_active) const;

  /// The first channel, by its ends, whose ends do not have the same messages, in words; nothing if
  /// there is none. `some_in_flight`: messages may still be on their way, so that fewer may have
  /// been consumed than sent.
  [[nodiscard]] std::optional<std::string> first_difference(bool some_in_flight) const;

  void digest(Digest& into) const { into.add(ranks_, at_death_); }

 private:
  /// What a rank stood on when it died.
  struct AtDeath {
    RankLedger ledger;
    bool active = false;

    void digest(Digest& into) const { into.add(ledger, active); }
  };

  std::vector<RankLedger> ranks_;
  std::map<Rank, AtDeath> at_death_;
};

}  // namespace faultline
