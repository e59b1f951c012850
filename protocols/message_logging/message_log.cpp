#include "protocols/message_logging/message_log.hpp"

#include <algorithm>
#include <memory>

namespace faultline {

namespace {

using FieldWords = std::array<std::uint64_t, 2>;
using PayloadWords = std::array<std::uint64_t, Payload::kBytes / sizeof(std::uint64_t)>;

}  // namespace

bool MessageLog::fits(const Message& message, std::uint32_t receiver) {
  const auto words = message.payload.get<PayloadWords>();
  return message.channel == Family::workload && message.phase == 0 && message.kind < kWhole &&
         receiver <= UINT16_MAX && message.attachments.empty() && words[0] <= UINT32_MAX &&
         words[1] <= UINT8_MAX && words[3] == 0 && message.transactions.get<std::uint64_t>() == 0 &&
         message.termination.get<FieldWords>() == FieldWords{};
}

void MessageLog::add(const Message& message, std::uint32_t receiver, std::uint32_t note) {
  if (fits(message, receiver)) {
    const auto words = message.payload.get<PayloadWords>();
    entries_.add() = {words[2],
                      static_cast<std::uint32_t>(words[0]),
                      message.from_object,
                      message.to_object,
                      message.bytes,
                      note,
                      static_cast<std::uint16_t>(receiver),
                      static_cast<std::uint8_t>(words[1]),
                      static_cast<std::uint8_t>(message.kind)};
    return;
  }
  entries_.add() = {.third_word = whole_.size(), .note = note, .kind = kWhole};
  whole_.push_back({message, receiver});
}

Message MessageLog::message(std::size_t place) const {
  const Entry& entry = entries_[place];
  if (entry.kind == kWhole) return whole_[entry.third_word].message;
  Message message;
  message.payload.put(PayloadWords{entry.first_word, entry.second_word, entry.third_word, 0});
  message.from_object = entry.from_object;
  message.to_object = entry.to_object;
  message.bytes = entry.bytes;
  message.kind = entry.kind;
  return message;
}

void MessageLog::clear() {
  entries_.clear();
  whole_.clear();
}

void MessageLog::digest_of(std::uint32_t receiver, Digest& into) const {
  std::uint64_t messages = 0;
  for (std::size_t place = 0; place < size(); ++place)
    if (is_for(receiver, place)) ++messages;
  into.add(messages);
  for (std::size_t place = 0; place < size(); ++place)
    if (is_for(receiver, place)) into.add(message(place), note(place));
}

}  // namespace faultline
