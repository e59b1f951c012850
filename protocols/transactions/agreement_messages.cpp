// SPDX-License-Identifier: Apache-2.0
#include "protocols/transactions/agreement_messages.hpp"

#include <vector>

namespace faultline {

void send_agreement(Context& context, const AgreementOutput& output, std::uint16_t first_kind,
                    const WorldEpoch& epoch, const World& world) {
  for (const AgreementOutput::Send& send : output.sends) {
    const AgreementMessage& content = send.message;
    const auto kind =
        static_cast<std::uint16_t>(first_kind + static_cast<std::uint16_t>(content.kind));
    Message& message = context.send(world.actor_of(send.to), kind, agreement_bytes(content));
    message.payload.put(
        AgreementWords{epoch, content.sweep, content.value.success ? 1U : 0U, content.value.codes});
    if (!content.value.failed.empty()) context.attach(message, content.value.failed);
  }
}

AgreementMessage received_agreement(Context& context, const Message& message,
                                    std::uint16_t first_kind) {
  const auto words = message.payload.get<AgreementWords>();
  AgreementMessage received;
  received.kind = static_cast<AgreementMessageKind>(message.kind - first_kind);
  received.sweep = words.sweep;
  received.value.success = words.success != 0;
  received.value.codes = static_cast<std::uint32_t>(words.codes);
  if (const auto* failed = context.attached<std::vector<Rank>>(message))
    received.value.failed = *failed;
  return received;
}

}  // namespace faultline
