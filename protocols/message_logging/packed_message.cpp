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
  return message.channel == Family::workload && message.phase == 0 && message.kind <= UINT8_MAX &&
         (message.flags & kOfSender) == 0 && message.attachments.empty() &&
         words[0] <= UINT32_MAX && words[1] <= UINT8_MAX && words[3] == 0 &&
         message.transactions.get<std::uint64_t>() == 0 &&
         message.termination.get<FieldWords>() == FieldWords{};
}

PackedMessage::PackedMessage(const Message& message)
    : from_object_(message.from_object),
      to_object_(message.to_object),
      bytes_(message.bytes),
      kind_(static_cast<std::uint8_t>(message.kind)) {
  const auto words = message.payload.get<PayloadWords>();
  first_word_ = static_cast<std::uint32_t>(words[0]);
  second_word_ = static_cast<std::uint8_t>(words[1]);
  third_word_ = words[2];
}

Message PackedMessage::unpacked() const {
  Message message;
  message.payload.put(PayloadWords{first_word_, second_word_, third_word_, 0});
  message.from_object = from_object_;
  message.to_object = to_object_;
  message.bytes = bytes_;
  message.kind = kind_;
  return message;
}

}  // namespace faultline
