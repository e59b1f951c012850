// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "protocols/transactions/agreement.hpp"
#include "protocols/transactions/world_members.hpp"
#include "sim/core/mark.hpp"
#include "sim/core/metrics.hpp"
#include "sim/core/recovery_context.hpp"

namespace faultline::transactions {

/// The kinds of messages of an agreement: those of AgreementMessageKind. A protocol's own come
/// behind them.
struct AgreementKind {
  enum Kind : std::uint16_t { up = WorldMessage::kinds, down, result_request, kinds };
};

/// What a message of an agreement carries besides the failed members, which are attached.
struct AgreementWords {
  WorldEpoch epoch;
  std::uint64_t sweep = 0;
  std::uint64_t success = 0;
  std::uint64_t codes = 0;
};

/// What a protocol does with what follows from an event of its agreements: it marks decisions, has
/// the messages sent (WorldAgreement::send), and acts on the decisions then.
class AgreementSteps {
 public:
  virtual void carry_out(RecoveryContext& context, const AgreementOutput& output) = 0;

 protected:
  ~AgreementSteps() = default;
};

/// One rank's part in the agreements of the ranks of its world, over messages.
class WorldAgreement {
 public:
  WorldAgreement(AgreementAlgorithm algorithm, Rank self, std::uint32_t processes)
      : algorithm_(algorithm), agreement_(algorithm, self, processes) {}

  /// Agreements begin anew in the world that the rank has entered.
  void enter(RecoveryContext& context, const WorldMembers& members, AgreementSteps& steps);
  /// Contributes to the agreement of that number. A rank that knows of a death has not succeeded.
  void contribute(RecoveryContext& context, std::uint64_t number, AgreementValue value,
                  const WorldMembers& members, AgreementSteps& steps);
  /// What a message of another rank says.
  static AgreementMessage received(RecoveryContext& context, const Message& message);
  void on_message(RecoveryContext& context, const Message& message, const WorldMembers& members,
                  AgreementSteps& steps);
  void on_death(RecoveryContext& context, Rank dead, AgreementSteps& steps);
  /// Sends the messages of an output.
  void send(RecoveryContext& context, const AgreementOutput& output, const WorldMembers& members);
  /// Nobody needs the agreements up to that number any more.
  void forget_through(std::uint64_t number) { agreement_.forget_through(number); }

  // ---- seen from outside ----------------------------------------------------------------------
  [[nodiscard]] std::string waiting_for() const { return agreement_.waiting_for(); }
  void report(MetricTotals& totals) const;
  void digest(Digest& into) const { into.add(agreement_); }

 private:
  AgreementAlgorithm algorithm_;
  Agreement agreement_;
  std::uint64_t sent_ = 0;
};

inline constexpr MetricSpec kAgreementMessages{"agreement_messages", Merge::sum,
                                               "`up`, `down` and `result-request`"};
inline constexpr Mark kContributedMark{
    "contributed",
    "a rank contributes to a TryBlock: its number in the epoch, from 1; 0: to a recovery"};
inline constexpr Mark kDecidedMark{
    "decided", "a rank has a decision, and has told nobody yet: the number, as for `contributed`"};

}  // namespace faultline::transactions
