#include "protocols/message_logging/message_log.hpp"

#include <array>

namespace faultline {

namespace {

using PayloadWords = std::array<std::uint64_t, Payload::kBytes / sizeof(std::uint64_t)>;

Message of_entry(std::uint64_t first_word, std::uint64_t second_word) {
  Message message;
  message.payload.put(PayloadWords{first_word, second_word});
  return message;
}

}  // namespace

void MessageLog::add(const Message& message) {
  const auto words = message.payload.get<PayloadWords>();
  const Message fits = of_entry(words[0], words[1]);
  if (message.channel == Family::workload && message.phase == 0 && message.attachments.empty() &&
      message.payload == fits.payload && message.transactions == fits.transactions &&
      message.termination == fits.termination) {
    entries_.push_back({words[0], words[1], message.from_object, message.to_object, message.bytes,
                        message.kind, 0});
    return;
  }
  entries_.push_back({whole_.size(), 0, 0, 0, 0, 0, 1});
  whole_.push_back(message);
}

Message MessageLog::message(std::size_t place) const {
  const Entry& entry = entries_[place];
  if (entry.is_whole == 1) return whole_[entry.first_word];
  Message message = of_entry(entry.first_word, entry.second_word);
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
  for (std::size_t place = 0; place < entries_.size(); ++place) into.add(message(place));
}

}  // namespace faultline
