// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "protocols/message_logging/checkpointed_layer.hpp"
#include "protocols/message_logging/logging_costs.hpp"
#include "protocols/message_logging/message_log.hpp"
#include "protocols/message_logging/object_channel.hpp"
#include "protocols/message_logging/rank_table.hpp"

namespace faultline {

/// What the protocols that log messages at their sender have in common: options.
struct MessageLogOptions : CheckpointOptions {
  double log_message_s = kLogMessage_s;
  double log_byte_s = kLogByte_s;
  double bookkeeping_s = kBookkeeping_s;
};

/// A layer that logs every message to another rank at its sender. Only a rank that dies goes back
/// to its checkpoint; the others send it what they have logged, and it sends again what it has sent
/// before, which they discard. Messages are numbered on each channel between two objects, anew
/// after each checkpoint: several objects of a rank can send in another order than before, each of
/// them cannot.
class LoggedLayer : public CheckpointedLayer {
 public:
  void on_sends(Context& context, std::span<Message* const> batch, bool still_active) override;
  void fetch_ahead(const Message& message, Ahead what) const override;
  void report(MetricTotals& totals) const final;

 protected:
  enum Kind : std::uint16_t { kLogEnd = kOwnKinds, kLoggedKinds };

  /// What a rank knows of another one since the last checkpoint. Two of them lie in a cache line.
  struct alignas(kCacheLine / 2) Peer {
    Rank rank = kNobody;
    std::uint16_t served = 0;  ///< the latest incarnation that has got the log
    std::uint32_t number = 0;  ///< in the log
    std::uint64_t sent = 0;
    /// Messages from it that were delivered. Protocols with determinants count from a restart on.
    std::uint64_t taken_in = 0;
  };
  static_assert(sizeof(Peer) == kCacheLine / 2);

  /// By what the receiver of a message knows that it has come before.
  enum class Identity : std::uint8_t {
    number,  ///< on its channel
    tag,     ///< of the program
  };

  LoggedLayer(const MessageLogOptions& options, const JobShape& job, Rank self,
              Identity identity = Identity::number)
      : CheckpointedLayer(options, job, self),
        bookkeeping_s_(options.bookkeeping_s),
        identity_(identity),
        log_message_s_(options.log_message_s),
        log_byte_s_(options.log_byte_s) {}

  // ---- the protocol's part --------------------------------------------------------------------
  /// A message of this epoch, from an incarnation that is not out of date.
  virtual Verdict admit_current(Context& context, Message& message) = 0;
  /// Must such a message wait until something else has come? It is offered again then.
  [[nodiscard]] virtual bool must_wait(Context&, const Message&) { return false; }
  /// What the protocol notes of a message in the log.
  [[nodiscard]] virtual std::uint32_t note(std::uint64_t /*identity*/) const { return 0; }
  /// Is the object elsewhere that a message to this rank itself is for?
  [[nodiscard]] virtual bool is_elsewhere(const Message&) const { return false; }
  virtual void log(const Peer& to, const Message& message, std::uint64_t identity) {
    log_.add(message, to.number, note(identity));
  }
  /// Something goes before a message to another rank, or with it. Returns the second word of its
  /// stamp.
  virtual std::uint32_t before(Context&, Message&) { return 0; }
  /// The same before a log that is sent again.
  virtual std::uint32_t before_log(Context&, Rank /*to*/) { return 0; }
  /// Does this rank, which has restarted, still depend on what the others know?
  [[nodiscard]] virtual bool is_recovering() const = 0;
  /// Can several ranks recover at a time?
  [[nodiscard]] virtual bool recovers_several() const { return false; }
  /// `iterations`: the weight of a mean over all ranks; 0 for what is not the whole of a rank.
  virtual void report_counts(MetricTotals&, double /*iterations*/) const {}
  virtual void on_log_message(Context&, const Message&) {}
  /// The peer has restarted, and all have agreed on that.
  virtual void serve(Context& context, Peer& peer) { resend_log(context, peer); }

  void on_joined(Context& context, Rank root, RestartReport& report) override;
  void on_reports(Context& context, const RestartReport& reports) override;
  void on_agreed(Context& context) override;
  void on_committed(Context& context) override;
  void on_up(Context& context) override;
  void on_resumed(Context& context) override;

  /// Takes processor time.
  void spend(Context& context, CostFactor on, double duration_s);
  Peer& peer(Context& context, Rank rank) {
    Peer* found = peers_.find(rank);
    return found != nullptr ? *found : add_peer(rank, context.known(rank).number);
  }
  /// The same of a rank that was known when nobody had restarted.
  Peer& old_peer(Rank rank) {
    Peer* found = peers_.find(rank);
    return found != nullptr ? *found : add_peer(rank, 0);
  }
  [[nodiscard]] const RankTable<Peer>& peers() const { return peers_; }
  [[nodiscard]] bool numbers_messages() const { return identity_ == Identity::number; }
  /// An object that begins here from an image has sent nothing yet.
  void forget_sent_by(ObjectId object);
  void resend_log(Context& context, Peer& peer);
  /// Visits the messages in a log in their order: visit(message, its number on its channel, note).
  template <class Visit>
  void for_each_logged(const Peer& to, Visit visit) const;
  /// `number`: its place among those of its channel, if messages are numbered. `second`: of the
  /// stamp.
  void resend(Context& context, const Message& logged, std::uint64_t number,
              std::uint32_t second) const;
  void try_recovered(Context& context);
  /// Has an earlier incarnation of this rank not sent the latest message to that peer, as far as
  /// this one knows?
  [[nodiscard]] bool sends_first(const Peer& to) const {
    return recovered_ || (has_ended(to) && to.sent > goal_of(to));
  }
  [[nodiscard]] bool has_recovered() const { return recovered_; }
  [[nodiscard]] std::uint64_t partners() const { return partners_; }
  /// A peer that this rank has exchanged messages with before its death has that many of it.
  void has_log_of(Context& context, Rank from, std::uint64_t received);
  [[nodiscard]] std::uint64_t remote_messages() const { return remote_messages_; }
  void digest_state(Digest& into) const override;

 private:
  Verdict admit(Context& context, Message& message) final;
  void stamp(Context& context, Message& message) final;
  void on_own_message(Context& context, const Message& message) final;
  void send_to_other(Context& context, Message& message);
  std::uint64_t identity_of(const Message& message);
  [[nodiscard]] std::uint64_t goal_of(const Peer& peer) const {
    return has_ended(peer) ? goals_[peer.number] : 0;
  }
  /// Has the end of its log come?
  [[nodiscard]] bool has_ended(const Peer& peer) const {
    return peer.number < goals_.size() && goals_[peer.number] != kNoGoal;
  }
  [[nodiscard]] const char* why_not_several(const Placement& placement, Rank other) const;
  [[nodiscard]] std::uint64_t lost_log_ends(Context& context) const;
  Peer& add_peer(Rank rank, std::uint16_t served);

  // What every message that comes looks at lies in one cache line.
  double bookkeeping_s_;
  std::array<double, kCostFactors> spent_s_{};  ///< by this incarnation
  bool recovered_ = true;
  Identity identity_;
  double log_message_s_;
  double log_byte_s_;
  std::uint64_t remote_messages_ = 0;
  RankTable<Peer> peers_;
  ChannelTable<ObjectChannel, std::uint64_t> sent_;
  MessageLog log_;
  std::uint64_t partners_ = 0;    ///< ranks whose log is to come
  std::uint64_t log_ends_ = 0;    ///< ranks whose log has come
  std::uint64_t goals_open_ = 0;  ///< peers that have more from the old incarnation
  static constexpr std::uint64_t kNoGoal = UINT64_MAX;
  /// By number of the peer, until this rank has recovered: how much it has from the old
  /// incarnation, or kNoGoal until the end of its log has come.
  std::vector<std::uint64_t> goals_;
  std::vector<Incarnation> earlier_restarts_;  ///< that there had been when this rank restarted
};

template <class Visit>
void LoggedLayer::for_each_logged(const Peer& to, Visit visit) const {
  ChannelTable<ObjectChannel, std::uint64_t> numbers;
  for (std::size_t place = 0; place < log_.size(); ++place) {
    if (!log_.is_for(to.number, place)) continue;
    Message message = log_.message(place);
    message.from = self();
    message.to = to.rank;
    const std::uint64_t number = ++numbers[channel_of(message)];
    visit(message, number, log_.note(place));
  }
}

template <class Options>
void add_logging_options(OptionSet<Options>& set) {
  add_checkpoint_options(set);
  set.option("log_message_s", inherited<Options>(&MessageLogOptions::log_message_s),
             {.doc = "processor time to log a message to another rank",
              .unit = "s",
              .source = kLoggingCostSource,
              .minimum = 0,
              .maximum = 1})
      .option("log_byte_s", inherited<Options>(&MessageLogOptions::log_byte_s),
              {.doc = "the same for each of its bytes",
               .unit = "s",
               .source = "calibrated: Intrepid's local bandwidth, 3.4 GB/s",
               .minimum = 0,
               .maximum = 1})
      .option("bookkeeping_s", inherited<Options>(&MessageLogOptions::bookkeeping_s),
              {.doc = "processor time for the identity of each message that is sent or arrives",
               .unit = "s",
               .source = kLoggingCostSource,
               .minimum = 0,
               .maximum = 1});
}

std::vector<std::string> logging_kinds(const std::vector<std::string>& own = {});
/// The metrics that all these protocols have, and behind them those of one of them.
MetricSpecs logging_metrics(const MetricSpecs& own = {});

}  // namespace faultline
