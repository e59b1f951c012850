// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/logged_layer.hpp"

#include <algorithm>
#include <numeric>

#include "sim/core/prefetch.hpp"

namespace faultline {

namespace {

/// With how many messages between them what is known of a receiver is fetched, and used.
constexpr std::size_t kPeersAhead = 2;

/// The first word of what the program says, its tag; counted from 1.
std::uint64_t tag_of(const Message& message) { return message.payload.get<std::uint64_t>() + 1; }

/// Ends the log that a rank sends again.
struct LogEnd {
  std::uint64_t received = 0;  ///< messages that this rank has from the receiver
};

constexpr MetricSpec kSpent{"logging_cost_s", Merge::mean,
                            "processor time that logging takes, per process and iteration; the "
                            "messages of the protocol cost time beside it"};
/// By CostFactor.
constexpr MetricSpec kShares[kCostFactors] = {
    {"logging_share_determinants", Merge::mean, "share of that time: to make determinants"},
    {"logging_share_piggybacking", Merge::mean, "the same: to send determinants with messages"},
    {"logging_share_log", Merge::mean, "the same: to log messages"},
    {"logging_share_bookkeeping", Merge::mean, "the same: for the identities of messages"}};

}  // namespace

MetricSpecs logging_metrics(const MetricSpecs& own) {
  MetricSpecs metrics{&kSpent};
  for (const MetricSpec& share : kShares) metrics.push_back(&share);
  metrics.insert(metrics.end(), own.begin(), own.end());
  return checkpoint_metrics(metrics);
}

std::vector<std::string> logging_kinds(const std::vector<std::string>& own) {
  std::vector<std::string> kinds{"log-end"};
  kinds.insert(kinds.end(), own.begin(), own.end());
  return checkpoint_kinds(kinds);
}

/// A rank that is added gets everything from the first message on.
LoggedLayer::Peer& LoggedLayer::add_peer(Rank rank, std::uint16_t served) {
  Peer fresh;
  fresh.rank = rank;
  fresh.served = served;
  fresh.number = static_cast<std::uint32_t>(peers_.size());
  return peers_.add(fresh);
}

void LoggedLayer::spend(Context& context, CostFactor on, double duration_s) {
  if (duration_s <= 0.0) return;
  context.spend(duration_s);
  spent_s_[static_cast<std::size_t>(on)] += duration_s;
}

// ---- sends and receptions ---------------------------------------------------------------------

void LoggedLayer::on_sends(Context& context, std::span<Message* const> batch, bool) {
  // The objects of a rank take turns, in no usual order. Each sends in an order of its own.
  if (numbers_messages()) sent_.expect(channel_of(*batch.front()));
  for (std::size_t i = 0; i < std::min(kPeersAhead, batch.size()); ++i)
    peers_.prefetch(batch[i]->to);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (i + kPeersAhead < batch.size()) peers_.prefetch(batch[i + kPeersAhead]->to);
    if (has_detector() && !goes_down(context, *batch[i])) continue;
    stamp(context, *batch[i]);
    context.forward(*batch[i]);
  }
  if (!recovered_) try_recovered(context);
}

void LoggedLayer::stamp(Context& context, Message& message) {
  spend(context, CostFactor::bookkeeping, bookkeeping_s_);
  if (message.to != self() || is_elsewhere(message))
    send_to_other(context, message);
  else
    message.logging.put(LoggingStamp{static_cast<std::uint32_t>(epoch()), 0, identity_of(message)});
}

/// Under `fast`: line 2 of def Send(alpha, msg, beta), Algorithm 1 of fast-message-logging.
std::uint64_t LoggedLayer::identity_of(const Message& message) {
  return numbers_messages() ? ++sent_[channel_of(message)] : tag_of(message);
}

void LoggedLayer::send_to_other(Context& context, Message& message) {
  Peer& to = peer(context, message.to);
  const std::uint64_t id = identity_of(message);
  ++to.sent;
  log(to, message, id);
  if (sends_first(to))
    ++remote_messages_;
  else if (to.sent == goal_of(to))
    --goals_open_;
  spend(context, CostFactor::logging, log_message_s_ + log_byte_s_ * message.bytes);
  const std::uint32_t second = before(context, message);
  message.logging.put(LoggingStamp{static_cast<std::uint32_t>(epoch()), second, id});
}

CheckpointedLayer::Verdict LoggedLayer::admit(Context& context, Message& message) {
  if (message.from != self() && is_of_old_incarnation(context, message)) return Verdict::discard;
  const auto stamp = message.logging.get<LoggingStamp>();
  if (stamp.epoch < epoch()) return Verdict::discard;
  if (stamp.epoch > epoch()) return Verdict::hold;
  if (must_wait(context, message)) return Verdict::hold;
  spend(context, CostFactor::bookkeeping, bookkeeping_s_);
  const Verdict verdict = admit_current(context, message);
  if (has_detector() && verdict == Verdict::deliver) received(context);
  return verdict;
}

void LoggedLayer::fetch_ahead(const Message&, Ahead what) const {
  if (what == Ahead::state) prefetch_between(&log_message_s_, &partners_);
}

void LoggedLayer::forget_sent_by(ObjectId object) {
  sent_.for_each([object](const ObjectChannel& channel, std::uint64_t& sent) {
    if (channel.from == Endpoint{.object = object}) sent = 0;
  });
}

void LoggedLayer::on_committed(Context& context) {
  for (Peer& of : peers_) of.sent = of.taken_in = 0;
  goals_.clear();
  log_.clear();
  sent_.reset();
  if (!recovered_) recovered(context, context.death_s());
  recovered_ = true;
}

/// A program that starts anew before anything was delivered has nothing to do again.
void LoggedLayer::on_up(Context& context) {
  if (epoch() == 0) try_recovered(context);
}

void LoggedLayer::on_resumed(Context& context) {
  release_held(context);
  try_recovered(context);
}

// ---- restarts ---------------------------------------------------------------------------------

/// The ranks of a node that has failed restart on one node, too.
const char* LoggedLayer::why_not_several(const Placement& placement, Rank other) const {
  if (placement.node_of(self()) == placement.node_of(other))
    return "a rank has died while another one of its node was recovering: this protocol brings "
           "back one rank at a time, and does not survive a node that fails with several";
  return "a rank has died while another was recovering: this protocol brings back one rank at a "
         "time";
}

void LoggedLayer::on_joined(Context& context, Rank root, RestartReport& report) {
  if (root != self() && is_recovering() && !recovers_several())
    return context.fatal(why_not_several(context.placement(), root));
  if (root == self()) recovered_ = false;
  const Peer* entry = peers_.find(root);
  if (entry != nullptr && entry->served < context.known(root).number) report.partners = 1;
}

void LoggedLayer::on_reports(Context&, const RestartReport& reports) {
  partners_ = reports.partners;
  log_ends_ = goals_open_ = 0;
  wave().for_each_restarted([this](Incarnation life) { earlier_restarts_.push_back(life); });
}

void LoggedLayer::on_agreed(Context& context) {
  for (Peer& other : peers_) {
    // It may know of a later one already, which will ask for the log in a wave of its own.
    const std::uint16_t incarnation = wave().incarnation_of(other.rank);
    if (incarnation <= other.served) continue;
    other.served = incarnation;
    serve(context, other);
  }
  release_held(context);
  try_recovered(context);
}

void LoggedLayer::resend_log(Context& context, Peer& to) {
  const std::uint32_t second = to.sent > 0 ? before_log(context, to.rank) : 0;
  for_each_logged(to, [&](const Message& logged, std::uint64_t number, std::uint32_t) {
    resend(context, logged, number, second);
  });
  context.send(to.rank, kLogEnd, control_bytes()).payload.put(LogEnd{to.taken_in});
}

void LoggedLayer::resend(Context& context, const Message& logged, std::uint64_t number,
                         std::uint32_t second) const {
  const std::uint64_t id = numbers_messages() ? number : tag_of(logged);
  context.resend(logged).logging.put(LoggingStamp{static_cast<std::uint32_t>(epoch()), second, id});
}

void LoggedLayer::on_own_message(Context& context, const Message& message) {
  if (message.kind != kLogEnd) return on_log_message(context, message);
  has_log_of(context, message.from, message.payload.get<LogEnd>().received);
}

void LoggedLayer::has_log_of(Context& context, Rank rank, std::uint64_t received) {
  if (recovered_) return;
  ++log_ends_;
  Peer& from = peer(context, rank);
  if (from.number >= goals_.size()) goals_.resize(from.number + std::size_t{1}, kNoGoal);
  goals_[from.number] = received;
  if (from.sent < received) ++goals_open_;
  try_recovered(context);
}

/// Who has died before the end of its log came has nothing from the old incarnation any more.
std::uint64_t LoggedLayer::lost_log_ends(Context& context) const {
  std::uint64_t lost = 0;
  for (const Peer& peer : peers_) {
    const auto earlier = std::ranges::find(earlier_restarts_, peer.rank, &Incarnation::actor);
    const std::uint16_t number = earlier == earlier_restarts_.end() ? 0 : earlier->number;
    if (!has_ended(peer) && context.known(peer.rank).number > number) ++lost;
  }
  return lost;
}

/// It has sent again all that anybody has from its old incarnation.
void LoggedLayer::try_recovered(Context& context) {
  if (recovered_ || is_recovering() || goals_open_ > 0) return;
  if (log_ends_ < partners_ && log_ends_ + lost_log_ends(context) < partners_) return;
  recovered_ = true;
  recovered(context, context.death_s());
}

// ---- seen from outside ------------------------------------------------------------------------

void LoggedLayer::report(MetricTotals& totals) const {
  CheckpointedLayer::report(totals);
  const double all_s = std::accumulate(spent_s_.begin(), spent_s_.end(), 0.0);
  const double iterations = iterations_to_report(totals);
  totals.put_weighted(kSpent, all_s, iterations);
  for (std::size_t factor = 0; factor < kCostFactors; ++factor)
    totals.put_weighted(kShares[factor], spent_s_[factor], all_s);
  report_counts(totals, iterations);
}

void LoggedLayer::digest_state(Digest& into) const {
  CheckpointedLayer::digest_state(into);
  into.add(peers_.size());
  for (const Peer& peer : peers_) {
    into.add(peer.rank, peer.served, peer.sent, peer.taken_in);
    log_.digest_of(peer.number, into);
  }
  into.add(sent_);
}

}  // namespace faultline
