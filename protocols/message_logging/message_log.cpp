// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/message_log.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace faultline::message_logging {

namespace {

using FieldWords = std::array<std::uint64_t, 2>;
using PayloadWords = std::array<std::uint64_t, Payload::kBytes / sizeof(std::uint64_t)>;

constexpr unsigned kOfSender = kNotifySent | kFence | kBackground;

/// Does a message say no more than an entry and its run can?
bool fits(const Message& message, const PayloadWords& words) {
  return message.channel == Family::workload && message.phase == 0 && message.bytes <= UINT32_MAX &&
         (message.flags & kOfSender) == 0 && message.attachments.empty() &&
         words[0] <= UINT32_MAX && words[1] <= UINT8_MAX && words[3] == 0 &&
         message.transactions.get<std::uint64_t>() == 0 &&
         message.termination.get<FieldWords>() == FieldWords{};
}

}  // namespace

void MessageLog::add(const Message& message, std::uint32_t receiver, std::uint32_t note) {
  const std::size_t place = entries_.size();
  const auto words = message.payload.get<PayloadWords>();
  if (receiver >= kWhole || !fits(message, words)) {
    entries_.push_back({.note = note});
    whole_.push_back({place, message, receiver});
    return;
  }
  entries_.push_back({.to_object = message.to_object,
                      .bytes = static_cast<std::uint32_t>(message.bytes),
                      .note = note,
                      .receiver = static_cast<std::uint16_t>(receiver),
                      .second_word = static_cast<std::uint8_t>(words[1]),
                      .kind = static_cast<std::uint8_t>(message.kind)});
  const auto first_word = static_cast<std::uint32_t>(words[0]);
  if (runs_.empty() || runs_.back().third_word != words[2] ||
      runs_.back().first_word != first_word || runs_.back().from_object != message.from_object)
    runs_.push_back({words[2], first_word, message.from_object, place});
}

const MessageLog::WholeMessage& MessageLog::whole_at(std::size_t place) const {
  return *std::ranges::lower_bound(whole_, place, {}, &WholeMessage::place);
}

/// The last run that begins there or before.
const MessageLog::Run& MessageLog::run_at(std::size_t place) const {
  return *std::prev(std::ranges::upper_bound(runs_, place, {}, &Run::first));
}

Message MessageLog::message(std::size_t place) const {
  const Entry& entry = entries_[place];
  if (entry.receiver == kWhole) return whole_at(place).message;
  const Run& run = run_at(place);
  Message message;
  message.payload.put(PayloadWords{run.first_word, entry.second_word, run.third_word, 0});
  message.from_object = run.from_object;
  message.to_object = entry.to_object;
  message.bytes = entry.bytes;
  message.kind = entry.kind;
  return message;
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

}  // namespace faultline::message_logging
