#include "protocols/message_logging/message_log.hpp"

#include <algorithm>
#include <memory>

namespace faultline {

void MessageLog::add(const Message& message, std::uint32_t receiver, std::uint32_t note) {
  Entry& entry = entries_.add();
  if (receiver < kWhole && PackedMessage::fits(message)) {
    std::construct_at(&entry.packed, message);
    entry.receiver = static_cast<std::uint16_t>(receiver);
    entry.note = note;
    return;
  }
  entry = {};
  entry.note = note;
  whole_.push_back({entries_.size() - 1, message, receiver});
}

const MessageLog::WholeMessage& MessageLog::whole_at(std::size_t place) const {
  return *std::lower_bound(
      whole_.begin(), whole_.end(), place,
      [](const WholeMessage& one, std::size_t wanted) { return one.place < wanted; });
}

Message MessageLog::message(std::size_t place) const {
  const Entry& entry = entries_[place];
  return entry.receiver == kWhole ? whole_at(place).message : entry.packed.unpacked();
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
