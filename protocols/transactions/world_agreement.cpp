// SPDX-License-Identifier: Apache-2.0
#include "protocols/transactions/world_agreement.hpp"

#include <utility>
#include <vector>

namespace faultline::transactions {

void WorldAgreement::enter(RecoveryContext& context, const WorldMembers& members,
                           AgreementSteps& steps) {
  agreement_ = Agreement(algorithm_, members.rank(), members.world().size());
  AgreementOutput output;
  for (const Incarnation& life : members.dead())
    agreement_.on_peer_failed(*members.world().rank_of(life.actor), output);
  steps.carry_out(context, output);
}

void WorldAgreement::contribute(RecoveryContext& context, std::uint64_t number,
                                AgreementValue value, const WorldMembers& members,
                                AgreementSteps& steps) {
  value.success = value.success && members.dead().empty();
  AgreementOutput output;
  agreement_.contribute(number, std::move(value), output);
  steps.carry_out(context, output);
}

void WorldAgreement::on_message(RecoveryContext& context, const Message& message,
                                const WorldMembers& members, AgreementSteps& steps) {
  AgreementOutput output;
  agreement_.on_message(*members.world().rank_of(message.from), received(context, message), output);
  steps.carry_out(context, output);
}

void WorldAgreement::on_death(RecoveryContext& context, Rank dead, AgreementSteps& steps) {
  AgreementOutput output;
  agreement_.on_peer_failed(dead, output);
  steps.carry_out(context, output);
}

void WorldAgreement::send(RecoveryContext& context, const AgreementOutput& output,
                          const WorldMembers& members) {
  sent_ += output.sends.size();
  for (const AgreementOutput::Send& send : output.sends) {
    const AgreementMessage& content = send.message;
    const auto kind =
        static_cast<std::uint16_t>(AgreementKind::up + static_cast<std::uint16_t>(content.kind));
    Message& message =
        context.send(members.world().actor_of(send.to), kind, agreement_bytes(content));
    message.payload.put(AgreementWords{members.epoch(), content.sweep,
                                       content.value.success ? 1U : 0U, content.value.codes});
    if (!content.value.failed.empty()) context.attach(message, content.value.failed);
  }
}

AgreementMessage WorldAgreement::received(RecoveryContext& context, const Message& message) {
  const auto words = message.payload.get<AgreementWords>();
  AgreementMessage received;
  received.kind = static_cast<AgreementMessageKind>(message.kind - AgreementKind::up);
  received.sweep = words.sweep;
  received.value.success = words.success != 0;
  received.value.codes = static_cast<std::uint32_t>(words.codes);
  if (const auto* failed = context.attached<std::vector<Rank>>(message))
    received.value.failed = *failed;
  return received;
}

void WorldAgreement::report(MetricTotals& totals) const { totals.put(kAgreementMessages, sent_); }

}  // namespace faultline::transactions
