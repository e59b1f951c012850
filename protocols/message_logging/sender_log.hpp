// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocols/checkpoints/sorted_table.hpp"
#include "protocols/message_logging/channel_table.hpp"
#include "protocols/message_logging/message_log.hpp"
#include "protocols/message_logging/object_channel.hpp"
#include "protocols/message_logging/protocol_steps.hpp"
#include "protocols/message_logging/restart_wave.hpp"

namespace faultline::message_logging {

/// What the protocols that log messages have beside the messages of checkpoints.
struct LogMessage {
  enum Kind : std::uint16_t { log_end = checkpoints::CheckpointMessage::kinds, kinds };
};
std::vector<std::string> logging_kinds(const std::vector<std::string>& own = {});

/// Ends the log that a rank sends again.
struct LogEnd {
  std::uint64_t received = 0;  ///< messages that this rank has from the receiver
};

/// What a rank knows of another one since the last checkpoint.
struct LogPeer {
  Rank rank = kNobody;
  std::uint16_t served = 0;  ///< the latest incarnation that has got the log
  std::uint32_t number = 0;  ///< in the log
  std::uint64_t sent = 0;
  /// Messages from it that were delivered. Protocols with determinants count from a restart on.
  std::uint64_t taken_in = 0;

  void digest(Digest& into) const { into.add(rank, served, sent, taken_in); }
};

/// The messages that a rank has sent to others since the last checkpoint, logged at their sender.
/// Only a rank that dies goes back to its checkpoint; the others send it what they have logged.
/// Messages are numbered on each channel between two objects, anew after each checkpoint: several
/// objects of a rank can send in another order than before, each of them cannot.
class SenderLog {
 public:
  /// By what the receiver of a message knows that it has come before.
  enum class Identity : std::uint8_t {
    number,  ///< on its channel
    tag,     ///< of the program
  };

  explicit SenderLog(Rank self, Identity identity = Identity::number)
      : self_(self), identity_(identity) {}

  [[nodiscard]] bool numbers_messages() const { return identity_ == Identity::number; }
  /// Of a message that is about to be sent for the first time. Each call is for the next one.
  std::uint64_t identity_of(const Message& message);
  /// Logs a message to another rank. `note`: a number of the protocol's.
  LogPeer& add(const RecoveryContext& context, const Message& message, std::uint32_t note);
  /// All is safe in a checkpoint.
  void clear();
  /// What that object has sent is not counted: it begins anew here.
  void forget_sent_by(ObjectId object);

  // ---- other ranks ----------------------------------------------------------------------------
  LogPeer& peer(const RecoveryContext& context, Rank rank) {
    LogPeer* found = peers_.find(rank);
    return found != nullptr ? *found : add_peer(rank, context.known(rank).number);
  }
  /// Of a rank that was known when nobody had restarted.
  LogPeer& old_peer(Rank rank) {
    LogPeer* found = peers_.find(rank);
    return found != nullptr ? *found : add_peer(rank, 0);
  }
  [[nodiscard]] const checkpoints::RankTable<LogPeer>& peers() const { return peers_; }
  /// A message from that rank is delivered.
  void count_taken_in(const RecoveryContext& context, Rank from) {
    if (from != self_) ++peer(context, from).taken_in;
  }
  /// Has this rank exchanged messages with an earlier incarnation of that one since the last
  /// checkpoint, and not served its latest?
  [[nodiscard]] bool is_partner(const RecoveryContext& context, Rank rank);
  /// Calls serve(peer) once for each peer that has restarted, as far as all have agreed.
  template <class Serve>
  void serve_restarted(const RestartWave& wave, Serve serve) {
    for (LogPeer& other : peers_) {
      // It may know of a later one already, which will ask for the log in a wave of its own.
      const std::uint16_t incarnation = wave.incarnation_of(other.rank);
      if (incarnation <= other.served) continue;
      other.served = incarnation;
      serve(other);
    }
  }

  /// The messages themselves.
  [[nodiscard]] MessageLog& messages() { return log_; }

  // ---- to send again --------------------------------------------------------------------------
  /// Visits what is logged for a peer, in the order of sending: visit(message, its number on its
  /// channel, note).
  template <class Visit>
  void for_each_logged(const LogPeer& to, Visit visit) const;
  /// `number`: its place among those of its channel, if messages are numbered.
  void resend(RecoveryContext& context, const Message& logged, std::uint64_t number,
              const LoggingStamp& stamp) const;
  /// Sends a peer all that is logged for it, and says that this is all.
  void resend_all(RecoveryContext& context, const LogPeer& to, const LoggingStamp& stamp,
                  std::uint64_t control_bytes) const;

  void digest(Digest& into) const;

 private:
  LogPeer& add_peer(Rank rank, std::uint16_t served);

  Rank self_;
  Identity identity_;
  checkpoints::RankTable<LogPeer> peers_;
  ChannelTable<ObjectChannel, std::uint64_t> sent_;
  MessageLog log_;
};

template <class Visit>
void SenderLog::for_each_logged(const LogPeer& to, Visit visit) const {
  ChannelTable<ObjectChannel, std::uint64_t> numbers;
  for (std::size_t place = 0; place < log_.size(); ++place) {
    if (!log_.is_for(to.number, place)) continue;
    Message message = log_.message(place);
    message.from = self_;
    message.to = to.rank;
    const std::uint64_t number = ++numbers[channel_of(message)];
    visit(message, number, log_.note(place));
  }
}

}  // namespace faultline::message_logging
