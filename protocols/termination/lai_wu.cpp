// SPDX-License-Identifier: Apache-2.0
#include "protocols/termination/lai_wu.hpp"

#include <algorithm>
#include <utility>

#include "protocols/termination/detector_statistics.hpp"
#include "sim/core/invariant.hpp"

namespace faultline::termination {

namespace {

enum Kind : std::uint16_t { kAcknowledge, kQuery, kAnnounce };

struct Query {
  Rank failed = kNobody;
  std::uint32_t unused = 0;
  double noticed_s = 0.0;  ///< when the root was told, for the report
};

const Registered registered{registration<LaiWu>(
    {.family = Family::termination,
     .name = "lai-wu",
     .summary = "Dijkstra-Scholten until a rank dies; then every survivor talks to the root",
     .source = "cost model of adoption-2013 section 3 on Lai and Wu, IEEE TPDS 6(1), 1995",
     .traits = TerminationTraits{.tolerates_faults = true,
                                 .needs_detection = true,
                                 .announces = true,
                                 .is_cost_model = true,
                                 .needs_logging_off = true,
                                 .may_give_up =
                                     [](const OptionValues&, const JobShape&,
                                        const std::vector<ActorId>& dead) {
                                       return std::count(dead.begin(), dead.end(), 0U) > 0;
                                     }},
     .message_kinds = {"acknowledge", "query", "announce"},
     .metrics =
         detector_metrics({&kRecoveryMessages, &kRecoveryTime, &kStateBytesMax, &kStateBytesMean})},
    OptionSet<LaiWuOptions>().option(
        "control_bytes", &LaiWuOptions::control_bytes,
        {.doc = "size of a control message", .unit = "B", .source = "assumed: two words"}))};

}  // namespace

LaiWu::LaiWu(std::shared_ptr<const Options> options, const JobShape& job, Rank self)
    : options_(std::move(options)),
      self_(self),
      processes_(job.processes),
      announcement_(job.processes, self, kAnnounce, options_->control_bytes) {
  if (job.starts_at_root) return;
  // As in dijkstra-scholten: the root has engaged all others before time zero.
  if (is_root())
    for (Rank rank = 1; rank < processes_; ++rank) will_send_to(rank);
  else
    parent_ = 0;
}

std::unique_ptr<Component> LaiWu::clone() const { return std::make_unique<LaiWu>(*this); }

// A rank whose death was already known at the start died in an earlier phase.
void LaiWu::start(TerminationContext&) {
  started_ = true;
  announcement_.begin();
}

LaiWu::Debtor& LaiWu::successor(Rank rank) {
  if (Debtor* known = successors_.find(rank)) return *known;
  return successors_.insert(rank) = {.rank = rank};
}

void LaiWu::will_send_to(Rank rank) {
  ++D_;
  ++successor(rank).acks_owed;
}

// After a false report the root may ask this process to write off a rank that lives, and that this
// process has not heard of.
bool LaiWu::is_written_off(Rank rank) {
  if (!failed_.contains(rank)) return false;
  const Debtor* debtor = successors_.find(rank);
  return debtor == nullptr || debtor->acks_owed == 0;
}

void LaiWu::got_acknowledgement(Rank rank, std::uint32_t count) {
  Debtor& debtor = successor(rank);
  invariant(count <= debtor.acks_owed, "an acknowledgement that nobody owes");
  D_ -= count;
  debtor.acks_owed -= count;
}

// ---- without faults: Dijkstra and Scholten ------------------------------------------------------

void LaiWu::on_sends(TerminationContext& context, std::span<Message* const> batch, bool) {
  if (!is_root() && parent_ == kNobody)
    context.fatal("a rank outside the diffusing computation sent a message");
  for (Message* message : batch) {
    if (!failed_.contains(message->to)) will_send_to(message->to);
    context.forward(*message);
  }
}

// Handlers are atomic: a message is processed in the turn in which it arrives, so only the parent's
// message is not acknowledged at once.
Passage LaiWu::on_receive(TerminationContext& context, Message& message) {
  if (!is_root() && parent_ == kNobody)
    parent_ = message.from;
  else
    acknowledge(context, message.from);
  return Passage::deliver;
}

void LaiWu::acknowledge(TerminationContext& context, Rank predecessor) {
  if (!failed_.contains(predecessor))
    context.send(predecessor, kAcknowledge, options_->control_bytes);
}

void LaiWu::on_idle(TerminationContext& context) { try_disengage(context); }

void LaiWu::try_disengage(TerminationContext& context) {
  if (D_ != 0 || !awaited_flushes_.empty()) return;
  if (is_root())
    announcement_.announce(context, failed_);
  else if (parent_ != kNobody)
    acknowledge(context, std::exchange(parent_, kNobody));
}

void LaiWu::on_message(TerminationContext& context, const Message& message) {
  switch (message.kind) {
    case kAcknowledge:
      if (is_written_off(message.from)) return;
      got_acknowledgement(message.from, 1);
      break;
    case kQuery:
      if (is_root()) {
        survivor_asks(context, message.payload.get<Query>().failed);
        return;
      }
      await_flush(context, message.payload.get<Query>().failed);
      noticed_s_ = message.payload.get<Query>().noticed_s;
      return;
    default:
      invariant(message.kind == kAnnounce, "a control message has an unknown kind");
      announcement_.announce(context, failed_);
      return;
  }
  if (!context.active()) try_disengage(context);
}

// ---- a rank has died ----------------------------------------------------------------------------

void LaiWu::on_peer_failed(TerminationContext& context, Incarnation peer) {
  if (peer.actor >= processes_) return;
  failed_.insert(peer.actor);
  if (peer.actor == 0) {
    context.fatal("the root has died");
    return;
  }
  announcement_.peer_failed(context, failed_, peer.actor);
  if (!started_ || announcement_.announced()) return;
  if (is_root())
    query_survivors(context, peer.actor);
  else if (context.phase() > 0)
    ask_root(context, peer.actor);
}

// The root may have known of a death when the phase began, while this process did not. Then nobody
// would write off what this process has sent to the dead since.
void LaiWu::ask_root(TerminationContext& context, Rank failed) {
  const Debtor* debtor = successors_.find(failed);
  if (debtor == nullptr || debtor->acks_owed == 0) return;
  ++recovery_messages_;
  context.send(0, kQuery, options_->control_bytes)
      .payload.put(Query{.failed = failed, .noticed_s = context.now_s()});
}

void LaiWu::survivor_asks(TerminationContext& context, Rank failed) {
  if (failed_.contains(failed) && !queried_.contains(failed)) query_survivors(context, failed);
}

// From here on the survivors owe the root, so the root cannot announce until each of them is its
// child or idle. Processes below the dead one in the tree owe the root as well.
void LaiWu::query_survivors(TerminationContext& context, Rank failed) {
  queried_.insert(failed);
  await_flush(context, failed);
  for (Rank rank = 1; rank < processes_; ++rank) {
    if (failed_.contains(rank)) continue;
    will_send_to(rank);
    ++recovery_messages_;
    context.send(rank, kQuery, options_->control_bytes)
        .payload.put(Query{.failed = failed, .noticed_s = context.now_s()});
  }
}

// The dead can be written off only when everything that it has sent has arrived.
void LaiWu::await_flush(TerminationContext& context, Rank failed) {
  failed_.insert(failed);
  awaited_flushes_.push_back(failed);
  context.flush(failed);
}

void LaiWu::on_flushed(TerminationContext& context, Incarnation peer) {
  const auto awaited = std::find(awaited_flushes_.begin(), awaited_flushes_.end(), peer.actor);
  if (awaited == awaited_flushes_.end()) return;
  awaited_flushes_.erase(awaited);
  got_acknowledgement(peer.actor, successor(peer.actor).acks_owed);
  if (!is_root()) become_child_of_root(context);
  if (!context.active()) try_disengage(context);
}

void LaiWu::become_child_of_root(TerminationContext& context) {
  ++recovery_messages_;  // the acknowledgement of the query, now or at disengagement
  if (parent_ != kNobody) acknowledge(context, parent_);
  parent_ = 0;
  recovery_s_ = std::max(recovery_s_, context.now_s() - noticed_s_);
}

void LaiWu::report(MetricTotals& totals) const {
  DetectorStatistics{}.report(totals);
  totals.put(kRecoveryMessages, recovery_messages_);
  totals.put(kRecoveryTime, recovery_s_);
  const std::size_t bytes = successors_.size() * sizeof(Debtor);
  totals.put(kStateBytesMax, bytes);
  totals.put(kStateBytesMean, bytes);
}

// A rank that owes nothing is like one that this process has never sent to; the order in which
// flushes come does not matter. Messages of recovery and times are only for the report.
void LaiWu::digest_state(Digest& into) const {
  const auto owes = [](const Debtor& debtor) { return debtor.acks_owed > 0; };
  into.add(parent_, D_, failed_, queried_, announcement_, started_);
  into.add(std::count_if(successors_.begin(), successors_.end(), owes));
  for (const Debtor& debtor : successors_)
    if (owes(debtor)) into.add(debtor.rank, debtor.acks_owed);
  into.add_sorted(awaited_flushes_);
}

std::string LaiWu::waiting_for() const {
  return D_ > 0 ? std::to_string(D_) + " acknowledgements" : std::string();
}

}  // namespace faultline::termination
