// SPDX-License-Identifier: Apache-2.0
#include "protocols/termination/adoption.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "protocols/termination/detector_statistics.hpp"
#include "sim/core/invariant.hpp"

namespace faultline::termination {

std::vector<std::string> adoption_kinds(std::size_t count) {
  std::vector<std::string> kinds{
      "acknowledge",      "potential-grandchild", "try-engage-grandchild", "reply-to-grandparent",
      "announce",         "inform-interior",      "inform-exterior",       "new-grandparent",
      "answer-to-parent", "grandchild-recovered"};
  kinds.resize(count);
  return kinds;
}

namespace {

constexpr MetricSpec kAdoptions{"adoptions", Merge::sum,
                                "how often a rank was adopted by its grandparent"};
constexpr MetricSpec kFanoutMax{"fanout_max", Merge::maximum,
                                "the most distinct other ranks that a rank has sent to"};
constexpr MetricSpec kFanoutSum{
    "fanout_sum", Merge::sum,
    "distinct other ranks that a rank has sent to, summed over the ranks"};
constexpr MetricSpec kInteriorMean{
    "interior_fraction_mean", Merge::mean,
    "share of its time during which a rank waits for acknowledgements, over all ranks and phases"};
constexpr MetricSpec kInterior{"interior_fraction", Merge::sample,
                               "distribution of acknowledgement_wait over the ranks and phases"};

}  // namespace

MetricSpecs adoption_metrics() {
  return detector_metrics({&kEngagements, &kAdoptions, &kRecoveryMessages, &kRecoveryTime,
                           &kStateBytesMax, &kStateBytesMean, &kFanoutMax, &kFanoutSum,
                           &kInteriorMean, &kInterior});
}

bool adoption_may_give_up(const OptionValues&, const JobShape& job,
                          const std::vector<ActorId>& dead) {
  const auto is_rank = [&job](ActorId peer) { return peer < job.processes; };
  return std::count(dead.begin(), dead.end(), 0U) > 0 ||
         std::count_if(dead.begin(), dead.end(), is_rank) > 1;
}

AdoptionAsPrinted::AdoptionAsPrinted(const ChosenWords& points)
    : cornet(names(points, "cornet")),
      old_notes(names(points, "old-notes")),
      late_notes(old_notes || names(points, "late-notes")),
      child_flush(names(points, "child-flush")) {}

Adoption::Adoption(const JobShape& job, Rank self_rank, std::uint64_t bytes,
                   const AdoptionAsPrinted& as_printed)
    : self(self_rank),
      control_bytes(bytes),
      processes(job.processes),
      printed(as_printed),
      announcement(job.processes, self_rank, kAnnounce, bytes) {
  if (is_root()) engagement = 1;
  if (job.starts_at_root) return;
  // Where every rank has work at the start, there is no diffusing computation. The usual
  // transformation: the root has engaged all others before time zero.
  if (!is_root()) {
    parent = 0;
    parents_engagement = engagement = 1;
  }
  for (Rank rank = 1; is_root() && rank < job.processes; ++rank) owed_by(rank);
}

// ---- section 2 and 5.1: execution without faults ------------------------------------------------

void Adoption::start(TerminationContext& context) {
  announcement.begin();
  begin_s_ = last_s_ = context.now_s();
}

void Adoption::stamp(TerminationContext& context, Message& message) {
  if (message.to != self) partner(message.to).sent_to = true;
  if (!is_engaged()) context.fatal("a rank outside the diffusing computation sent a message");
  message.termination.put(SenderState{.engagement = number()});
}

Partner& Adoption::partner(Rank rank) {
  Partner* known = partners_.find(rank);
  return known != nullptr ? *known : partners_.insert(rank) = {.rank = rank};
}

// As printed, a further message of the parent is added to the parent's entry of the cornet:
// "cornet[predecessor].acksOwed++". Then C is 2, and tryDisengage waits for C = 1.
bool Adoption::got_message(TerminationContext& context, const Message& message) {
  if (printed.cornet && message.from == parent) {
    ++merged;
    return false;
  }
  if (is_engaged()) {
    send(context, message.from, kAcknowledge).payload.put(Acknowledgement{.count = 1});
    return false;
  }
  parent = message.from;
  parents_engagement = message.termination.get<SenderState>().engagement;
  ++engagement;
  return true;
}

Successor& Adoption::owed_by(Rank successor) {
  ++D;
  Successor& entry = successors[successor];
  ++entry.acks_owed;
  return entry;
}

// A message to itself engages nobody.
bool Adoption::tell_parent(TerminationContext& context, const Successor& successor,
                           bool fence) const {
  if (successor.acks_owed != 1 || is_root() || successor.rank == self) return fence;
  Message& note = send(context, parent, kPotentialGrandchild);
  note.payload.put(Signal{number(), successor.rank});
  if (fence) context.fence(note);
  return true;
}

void Adoption::got_ack(Successor& successor, std::uint32_t count) {
  invariant(count <= successor.acks_owed, "an acknowledgement that nobody owes");
  D -= count;
  successor.acks_owed -= count;
  if (successor.acks_owed == 0) successors.erase(successor.rank);
}

void Adoption::got_ack(const Message& message) {
  Successor* successor = successors.find(message.from);
  if (successor == nullptr) return;
  const auto ack = message.payload.get<Acknowledgement>();
  if (ack.over != 0) {
    successors.is_present(*successor, ack.over + 1);
    Partner& known = partner(message.from);
    known.over = std::max(known.over, ack.over);
  }
  got_ack(*successor, ack.count);
}

// Deviation: "when q's debt goes to 0 [...] any potential grandchildren it might have introduced
// are forgotten", but a note about one may come after that. This process would count that
// grandchild for the next debt, and give up because of a grandchild that it does not have. So it
// remembers the number of the engagement that is over.
bool Adoption::is_present(Successor& successor, std::uint32_t its_engagement) {
  if (!printed.late_notes && successor.engagement == 0) {
    const Partner* known = partners_.find(successor.rank);
    if (known != nullptr && its_engagement <= known->over) return false;
  }
  return successors.is_present(successor, its_engagement);
}

// Deviation: messages may come in any order, so a note may come after the acknowledgement that
// ended its engagement. If the child were queried in the name of a later engagement, it could be
// adopted by a process that is not its ancestor, perhaps by a descendant.
void Adoption::potential_grandchild(const Message& message) {
  const auto signal = message.payload.get<Signal>();
  Successor* child = successors.find(message.from);
  if (child == nullptr || !is_present(*child, signal.engagement)) return;
  if (signal.other != self) successors.potential_child(*child, signal.other);
}

void Adoption::disengage(TerminationContext& context, bool fence) {
  invariant(parent != kNobody, "a process disengages that is not engaged");
  Message& ack = send(context, parent, kAcknowledge);
  ack.payload.put(Acknowledgement{1, printed.old_notes ? 0 : engagement});
  if (fence) context.fence(ack);
  parent = kNobody;
}

bool Adoption::handle(TerminationContext& context, const Message& message) {
  switch (message.kind) {
    case kAcknowledge:
      got_ack(message);
      return true;
    case kPotentialGrandchild:
      potential_grandchild(message);
      return true;
    case kTryEngageGrandchild:
      hold(context, message);
      return true;
    case kReplyToGrandparent:
      got_reply(context, message);
      return true;
    case kAnnounce:
      announce(context);
      return true;
    default:
      return false;
  }
}

// ---- section 5.3: recovery ----------------------------------------------------------------------

bool Adoption::peer_failed(TerminationContext& context, ActorId peer) {
  if (peer >= processes) return false;
  failed.insert(peer);
  // The paper assumes that the root does not fail (section 4).
  if (peer == 0 && !announcement.announced()) context.fatal("the root has failed");
  announcement.peer_failed(context, failed, peer);
  if (!successors.contains(peer)) return false;
  recovering_since_s_ = std::min(recovering_since_s_, context.now_s());
  return true;
}

std::optional<Successor> Adoption::write_off(Rank failed_rank) {
  Successor* successor = successors.find(failed_rank);
  if (successor == nullptr) return std::nullopt;
  Successor written_off = *successor;
  D -= successor->acks_owed;
  successors.erase(failed_rank);
  return written_off;
}

PendingRecovery* Adoption::pending(Rank failed_rank, Rank grandchild) {
  const auto found = std::find_if(
      pending_recoveries.begin(), pending_recoveries.end(), [=](const PendingRecovery& recovery) {
        return recovery.failed == failed_rank && recovery.grandchild.rank == grandchild;
      });
  return found == pending_recoveries.end() ? nullptr : &*found;
}

void Adoption::no_longer_pending(Rank failed_rank, Rank grandchild) {
  std::erase_if(pending_recoveries, [=](const PendingRecovery& recovery) {
    return recovery.failed == failed_rank && recovery.grandchild.rank == grandchild;
  });
}

void Adoption::hold(TerminationContext& context, const Message& message) {
  held_queries.push_back({message.from, message.payload.get<TryEngageGrandchild>()});
  if (!printed.child_flush) context.flush(held_queries.back().query.failed);
}

std::optional<HeldQuery> Adoption::take_held(Rank failed_rank) {
  const auto found =
      std::find_if(held_queries.begin(), held_queries.end(),
                   [=](const HeldQuery& held) { return held.query.failed == failed_rank; });
  if (found == held_queries.end()) return std::nullopt;
  const HeldQuery held = *found;
  held_queries.erase(found);
  return held;
}

std::optional<HeldQuery> Adoption::take_unflushed() {
  if (!printed.child_flush || held_queries.empty()) return std::nullopt;
  return take_held(held_queries.front().query.failed);
}

void Adoption::adopted_by(const HeldQuery& held) {
  parent = held.grandparent;
  parents_engagement = held.query.engagement;
  merged = 0;
  ++adoptions_;
}

void Adoption::reply(TerminationContext& context, const HeldQuery& held, bool engaged,
                     bool actual_children) {
  Message& reply = send_recovery(context, held.grandparent, kReplyToGrandparent);
  reply.payload.put(ReplyToGrandparent{held.query.failed, engaged ? 1U : 0U, number()});
  context.fence(reply);
  if (!engaged) return;
  auto keys = std::make_shared<std::vector<std::uint64_t>>();
  for (const Successor& successor : successors) {
    if (successor.rank == held.query.failed || successor.rank == held.grandparent ||
        successor.rank == self)
      continue;
    if (actual_children && successor.condition == Successor::kNotEngaged) continue;
    const std::uint64_t interior = successor.condition == Successor::kInterior ? 1 : 0;
    keys->push_back(successor.rank | interior << kInteriorBit);
  }
  reply.add_bytes(4 * keys->size());
  context.attach(reply, AttachedWords(std::move(keys)));
}

// A query makes an acknowledgement due: the reply of a grandchild that is not engaged, or else the
// one with which the grandchild disengages. The order of the two messages makes no difference.
Successor* Adoption::got_reply(const TerminationContext& context, const Message& message) {
  const auto reply = message.payload.get<ReplyToGrandparent>();
  no_longer_pending(reply.failed, message.from);
  Successor* child = successors.find(message.from);
  if (child == nullptr) return nullptr;
  if (reply.debt == 0) {
    got_ack(*child, 1);
    return nullptr;
  }
  if (!is_present(*child, reply.engagement)) return nullptr;
  for (const std::uint64_t key : context.attached_words(message))
    successors.potential_child(*child, static_cast<Rank>(key));
  return child;
}

Message& Adoption::send_recovery(TerminationContext& context, Rank to, std::uint16_t kind) {
  ++recovery_messages_;
  return send(context, to, kind);
}

// ---- seen from outside --------------------------------------------------------------------------

void Adoption::keep_statistics(TerminationContext& context) {
  invariant(D >= 0 && (D == 0) == successors.empty(), "the deficit is not what the successors owe");
  last_s_ = context.now_s();
  const std::size_t bytes = successors.bytes() +
                            pending_recoveries.size() * sizeof(PendingRecovery) +
                            held_queries.size() * sizeof(HeldQuery);
  state_bytes_ = std::max(state_bytes_, bytes);
  if (D > 0) {
    interior_since_s_ = std::min(interior_since_s_, last_s_);
  } else if (interior_since_s_ != kNever) {
    interior_s_ += last_s_ - interior_since_s_;
    interior_since_s_ = kNever;
  }
  if (recovering_since_s_ == kNever || !pending_recoveries.empty() || any_successor_failed())
    return;
  recovery_s_ = std::max(recovery_s_, last_s_ - recovering_since_s_);
  recovering_since_s_ = kNever;
}

/// This is called with every message of a recovery, and a root can have as many successors as there
/// are ranks.
bool Adoption::any_successor_failed() {
  if (failed.size() < successors.size())
    return std::any_of(failed.begin(), failed.end(),
                       [this](Rank rank) { return successors.contains(rank); });
  return std::any_of(successors.begin(), successors.end(),
                     [this](const Successor& entry) { return failed.contains(entry.rank); });
}

void Adoption::report(MetricTotals& totals) const {
  DetectorStatistics{}.report(totals);
  totals.put(kEngagements, is_root() ? 0 : engagement);
  totals.put(kAdoptions, adoptions_);
  totals.put(kRecoveryMessages, recovery_messages_);
  totals.put(kRecoveryTime, recovery_s_);
  totals.put(kStateBytesMax, state_bytes_);
  totals.put(kStateBytesMean, state_bytes_);
  const auto fanout = std::count_if(partners_.begin(), partners_.end(),
                                    [](const Partner& known) { return known.sent_to; });
  totals.put(kFanoutMax, static_cast<std::uint64_t>(fanout));
  totals.put(kFanoutSum, static_cast<std::uint64_t>(fanout));
  const double open_s = interior_since_s_ == kNever ? 0.0 : last_s_ - interior_since_s_;
  const double phase_s = last_s_ - begin_s_;
  totals.put_weighted(kInteriorMean, interior_s_ + open_s, phase_s);
  totals.put(kInterior, phase_s > 0.0 ? (interior_s_ + open_s) / phase_s : 0.0);
}

void HeldQuery::digest(Digest& into) const {
  into.add(grandparent, query.failed, query.failed_engagement, query.engagement, query.parent,
           query.version);
}

// Queries about different failed processes, and recoveries of different grandchildren, never meet:
// only the order among those about the same one makes a difference. A process without a parent has
// forgotten which engagement of the last parent it was. Counts, times and sizes are only for the
// report. The partners are only for the judgement whether giving up was right; but which of their
// engagements are over, that decides nothing as printed.
void Adoption::digest(Digest& into) const {
  into.add(parent);
  if (parent != kNobody) into.add(parents_engagement);
  into.add(engagement, D, successors, failed, announcement);
  if (printed.cornet) into.add(merged);
  for (const Partner& known : partners_)
    if (known.over != 0) into.add(known.rank, known.over);
  into.add(kNobody);
  into.add_sorted(pending_recoveries,
                  [](const PendingRecovery& recovery) { return recovery.grandchild.rank; });
  into.add_sorted(held_queries, [](const HeldQuery& held) { return held.query.failed; });
}

std::string Adoption::waiting_for() const {
  std::string text = D > 0 ? std::to_string(D) + " acknowledgements" : std::string();
  if (!pending_recoveries.empty())
    text += (text.empty() ? "" : " and ") + std::to_string(pending_recoveries.size()) +
            " replies of potential grandchildren";
  return text;
}

}  // namespace faultline::termination
