// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/message_log.hpp"

#include <algorithm>
#include <iterator>

namespace faultline {

void MessageLog::add(const Message& message, std::uint32_t receiver, std::uint32_t note) {
  const std::size_t place = entries_.size();
  if (receiver >= kWhole || !PackedMessage::fits(message)) {
    entries_.push_back({.own = {}, .receiver = kWhole, .note = note});
    whole_.push_back({place, message, receiver});
    return;
  }
  entries_.push_back({.own = PackedMessage::Own(message),
                      .receiver = static_cast<std::uint16_t>(receiver),
                      .note = note});
  const PackedMessage::Common common = PackedMessage::common_of(message);
  if (runs_.empty() || !(common == runs_.back().common)) runs_.push_back({common, place});
}

const MessageLog::WholeMessage& MessageLog::whole_at(std::size_t place) const {
  return *std::lower_bound(
      whole_.begin(), whole_.end(), place,
      [](const WholeMessage& one, std::size_t wanted) { return one.place < wanted; });
}

/// The last run that begins there or before.
const PackedMessage::Common& MessageLog::common_at(std::size_t place) const {
  return std::prev(std::upper_bound(
                       runs_.begin(), runs_.end(), place,
                       [](std::size_t wanted, const Run& run) { return wanted < run.first; }))
      ->common;
}

Message MessageLog::message(std::size_t place) const {
  const Entry& entry = entries_[place];
  if (entry.receiver == kWhole) return whole_at(place).message;
  return PackedMessage::unpacked(common_at(place), entry.own);
}

void MessageLog::clear() {
  entries_.clear();
  runs_.clear();
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
