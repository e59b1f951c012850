// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/packed_message.hpp"

#include <array>

namespace faultline {

namespace {

using FieldWords = std::array<std::uint64_t, 2>;
using PayloadWords = std::array<std::uint64_t, Payload::kBytes / sizeof(std::uint64_t)>;

constexpr unsigned kOfSender = kNotifySent | kFence | kBackground;

}  // namespace

bool PackedMessage::fits(const Message& message) {
  const auto words = message.payload.get<PayloadWords>();
  return message.channel == Family::workload && message.phase == 0 && message.bytes <= UINT32_MAX &&
         (message.flags & kOfSender) == 0 && message.attachments.empty() &&
         words[0] <= UINT32_MAX && words[1] <= UINT8_MAX && words[3] == 0 &&
         message.transactions.get<std::uint64_t>() == 0 &&
         message.termination.get<FieldWords>() == FieldWords{};
}

PackedMessage::Common PackedMessage::common_of(const Message& message) {
  const auto words = message.payload.get<PayloadWords>();
  return {words[2], static_cast<std::uint32_t>(words[0]), message.from_object};
}

PackedMessage::Own::Own(const Message& message)
    : to_object_(message.to_object),
      bytes_(static_cast<std::uint32_t>(message.bytes)),
      second_word_(static_cast<std::uint8_t>(message.payload.get<PayloadWords>()[1])),
      kind_(static_cast<std::uint8_t>(message.kind)) {}

void PackedMessage::Own::unpack_into(Message& message) const {
  auto words = message.payload.get<PayloadWords>();
  words[1] = second_word_;
  message.payload.put(words);
  message.to_object = to_object_;
  message.bytes = bytes_;
  message.kind = kind_;
}

Message PackedMessage::unpacked(const Common& common, const Own& own) {
  Message message;
  message.payload.put(PayloadWords{common.first_word, 0, common.third_word, 0});
  message.from_object = common.from_object;
  own.unpack_into(message);
  return message;
}

}  // namespace faultline
