// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/sender_log.hpp"

#include <utility>

namespace faultline::message_logging {

namespace {

/// The first word of what the program says, its tag; counted from 1.
std::uint64_t tag_of(const Message& message) { return message.payload.get<std::uint64_t>() + 1; }

}  // namespace

std::vector<std::string> logging_kinds(const std::vector<std::string>& own) {
  std::vector<std::string> kinds{"log-end"};
  kinds.insert(kinds.end(), own.begin(), own.end());
  return checkpoints::checkpoint_kinds(kinds);
}

/// Under `fast`: line 2 of def Send(alpha, msg, beta), Algorithm 1 of fast-message-logging.
std::uint64_t SenderLog::identity_of(const Message& message) {
  return numbers_messages() ? ++sent_[channel_of(message)] : tag_of(message);
}

LogPeer& SenderLog::add(const RecoveryContext& context, const Message& message,
                        std::uint32_t note) {
  LogPeer& to = peer(context, message.to);
  ++to.sent;
  log_.add(message, to.number, note);
  return to;
}

void SenderLog::clear() {
  for (LogPeer& of : peers_) of.sent = of.taken_in = 0;
  log_.clear();
  sent_.reset();
}

void SenderLog::forget_sent_by(ObjectId object) {
  sent_.for_each([object](const ObjectChannel& channel, std::uint64_t& sent) {
    if (channel.from == Endpoint{.object = object}) sent = 0;
  });
}

/// A rank that is added gets everything from the first message on.
LogPeer& SenderLog::add_peer(Rank rank, std::uint16_t served) {
  const auto number = static_cast<std::uint32_t>(peers_.size());
  LogPeer& fresh = peers_.of(rank);
  fresh.served = served;
  fresh.number = number;
  return fresh;
}

bool SenderLog::is_partner(const RecoveryContext& context, Rank rank) {
  const LogPeer* entry = peers_.find(rank);
  return entry != nullptr && entry->served < context.known(rank).number;
}

void SenderLog::resend(RecoveryContext& context, const Message& logged, std::uint64_t number,
                       const LoggingStamp& stamp) const {
  LoggingStamp own = stamp;
  own.id = numbers_messages() ? number : tag_of(logged);
  context.resend(logged).logging.put(own);
}

void SenderLog::resend_all(RecoveryContext& context, const LogPeer& to, const LoggingStamp& stamp,
                           std::uint64_t control_bytes) const {
  for_each_logged(to, [&](const Message& logged, std::uint64_t number, std::uint32_t) {
    resend(context, logged, number, stamp);
  });
  context.send(to.rank, LogMessage::log_end, control_bytes).payload.put(LogEnd{to.taken_in});
}

void SenderLog::digest(Digest& into) const {
  into.add(peers_.size());
  for (const LogPeer& peer : peers_) {
    into.add(peer);
    log_.digest_of(peer.number, into);
  }
  into.add(sent_);
}

}  // namespace faultline::message_logging
