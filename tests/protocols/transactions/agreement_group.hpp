// SPDX-License-Identifier: Apache-2.0
#pragma once

// Members that agree without an engine: what each sends lies in a list, from which the test takes
// what arrives next.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "protocols/transactions/agreement.hpp"

namespace faultline::transactions {

/// A group whose messages arrive in the order of sending, and whose deaths are heard when the test
/// says so.
class AgreementGroup {
 public:
  struct Flight {
    Rank from = 0;
    Rank to = 0;
    AgreementMessage message;
  };

  AgreementGroup(AgreementAlgorithm algorithm, std::uint32_t members) : alive_(members, true) {
    for (Rank rank = 0; rank < members; ++rank) members_.emplace_back(algorithm, rank, members);
    decisions_.resize(members);
  }

  void contribute(Rank rank, std::uint64_t number, const AgreementValue& value = {}) {
    AgreementOutput output;
    members_[rank].contribute(number, value, output);
    take(rank, output);
  }
  void contribute_all(std::uint64_t number) {
    for (Rank rank = 0; rank < alive_.size(); ++rank)
      if (alive_[rank]) contribute(rank, number);
  }
  /// The oldest message arrives. False if there is none.
  bool deliver() {
    if (flights_.empty()) return false;
    const Flight flight = std::move(flights_.front());
    flights_.pop_front();
    if (!alive_[flight.to]) return true;
    AgreementOutput output;
    members_[flight.to].on_message(flight.from, flight.message, output);
    take(flight.to, output);
    return true;
  }
  void deliver_all() {
    while (deliver()) continue;
  }
  /// Messages that it has sent are still on their way.
  void kill(Rank rank) { alive_[rank] = false; }
  void hear(Rank listener, Rank dead) {
    if (!alive_[listener]) return;
    AgreementOutput output;
    members_[listener].on_peer_failed(dead, output);
    take(listener, output);
  }
  void all_hear(Rank dead) {
    for (Rank rank = 0; rank < alive_.size(); ++rank)
      if (rank != dead) hear(rank, dead);
  }

  [[nodiscard]] bool is_alive(Rank rank) const { return alive_[rank]; }
  [[nodiscard]] Agreement& member(Rank rank) { return members_[rank]; }
  [[nodiscard]] std::uint32_t members() const { return static_cast<std::uint32_t>(alive_.size()); }
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  /// What a member has decided, in its order.
  [[nodiscard]] const std::vector<AgreementOutput::Decision>& decisions(Rank rank) const {
    return decisions_[rank];
  }
  /// The decision of that number that all live members have reached alike; null if they have not.
  [[nodiscard]] std::optional<AgreementValue> common_decision(std::uint64_t number) const {
    std::optional<AgreementValue> common;
    for (Rank rank = 0; rank < alive_.size(); ++rank) {
      if (!alive_[rank]) continue;
      if (decisions_[rank].size() <= number || decisions_[rank][number].number != number)
        return std::nullopt;
      const AgreementValue& value = decisions_[rank][number].value;
      if (common && *common != value) return std::nullopt;
      common = value;
    }
    return common;
  }

 private:
  void take(Rank rank, const AgreementOutput& output) {
    for (const auto& decision : output.decisions) decisions_[rank].push_back(decision);
    for (const auto& send : output.sends) flights_.push_back({rank, send.to, send.message});
    messages_ += output.sends.size();
  }

  std::vector<Agreement> members_;
  std::vector<bool> alive_;
  std::deque<Flight> flights_;
  std::vector<std::vector<AgreementOutput::Decision>> decisions_;
  std::uint64_t messages_ = 0;
};

}  // namespace faultline::transactions
