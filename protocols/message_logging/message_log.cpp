#include "protocols/message_logging/message_log.hpp"

#include <array>

namespace faultline {

namespace {

using FieldWords = std::array<std::uint64_t, 2>;
using PayloadWords = std::array<std::uint64_t, Payload::kBytes / sizeof(std::uint64_t)>;

}  // namespace

bool MessageLog::fits(const Message& message) {
  const auto words = message.payload.get<PayloadWords>();
  return message.channel == Family::workload && message.phase == 0 && message.kind != kWhole &&
         message.attachments.empty() && words[0] <= UINT32_MAX && words[1] <= UINT16_MAX &&
         words[3] == 0 && message.transactions.get<std::uint64_t>() == 0 &&
         message.termination.get<FieldWords>() == FieldWords{};
}

void MessageLog::add(const Message& message, std::uint32_t note) {
  if (fits(message)) {
    const auto words = message.payload.get<PayloadWords>();
    entries_.push_back({words[2], static_cast<std::uint32_t>(words[0]), message.from_object,
                        message.to_object, message.bytes, note,
                        static_cast<std::uint16_t>(words[1]), message.kind});
    return;
  }
  entries_.push_back({whole_.size(), 0, 0, 0, 0, note, 0, kWhole});
  whole_.push_back(message);
}

Message MessageLog::message(std::size_t place) const {
  const Entry& entry = entries_[place];
  if (entry.kind == kWhole) return whole_[entry.third_word];
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

void MessageLog::digest(Digest& into) const {
  into.add(entries_.size());
  for (std::size_t place = 0; place < entries_.size(); ++place)
    into.add(message(place), entries_[place].note);
}

}  // namespace faultline
