// SPDX-License-Identifier: Apache-2.0
#include "protocols/termination/rel_eager.hpp"

#include <algorithm>

#include "sim/core/invariant.hpp"

namespace faultline::termination {

namespace {

const Registered registered{registration<RelEager>(
    {.family = Family::termination,
     .name = "rel-eager",
     .summary = "INDEP that also survives failures of related processes, except of a process and "
                "an interior child; recovery is complete with its last reply",
     .source = "adoption-2013 section 6.3",
     .traits = TerminationTraits{.tolerates_faults = true,
                                 .needs_detection = true,
                                 .announces = true,
                                 .has_images = true,
                                 .may_give_up = adoption_may_give_up},
     .message_kinds = adoption_kinds(10),
     .metrics = adoption_metrics()},
    rel_options({"silent-adoption", "aggregated-response", "message-label", "window"}))};

}  // namespace

// ---- section 6.1: execution without faults ------------------------------------------------------

void RelEager::on_sends(TerminationContext& context, std::span<Message* const> batch, bool) {
  state_.send(context, batch, version_);
}

// def gotMsg(predecessor)
Passage RelEager::on_receive(TerminationContext& context, Message& message) {
  if (state_.adoption.got_message(context, message)) {
    const auto sender = message.termination.get<SenderState>();
    const KnownParent of_parent = newest({message.from, sender.version, sender.parent});
    state_.grandparent = of_parent.parent;
    grandparents_version_ = of_parent.version;
    ++version_;
  }
  return Passage::deliver;
}

void RelEager::on_message(TerminationContext& context, const Message& message) {
  switch (message.kind) {
    case kNewGrandparent:
      new_grandparent(context, message);
      break;
    case kAnswerToParent:
      answer_to_parent(message);
      break;
    case kGrandchildRecovered:
      grandchild_recovered(message);
      break;
    case kReplyToGrandparent:
      reply_to_grandparent(context, message);
      break;
    default:
      const bool known = state_.handle(context, message);
      invariant(known, "a control message has an unknown kind");
      while (const auto held = state_.adoption.take_unflushed())
        try_engage_grandchild(context, *held);
  }
  settle(context);
}

void RelEager::settle(TerminationContext& context) {
  reply_when_all_have_answered(context);
  tell_parent_when_recovered(context);
  state_.settle(context);
}

// ---- section 6.3: recovery ----------------------------------------------------------------------

void RelEager::on_peer_failed(TerminationContext& context, Incarnation peer) {
  if (state_.adoption.peer_failed(context, peer.actor)) context.flush(peer);
  state_.adoption.keep_statistics(context);
}

void RelEager::on_flushed(TerminationContext& context, Incarnation peer) {
  while (const auto held = state_.adoption.take_held(peer.actor))
    try_engage_grandchild(context, *held);
  if (state_.adoption.failed.contains(peer.actor)) failure_happened(context, peer.actor);
  settle(context);
}

// def failureHappened(failedProcess)
void RelEager::failure_happened(TerminationContext& context, Rank failed) {
  if (!state_.write_off_grandchild(context, failed)) return;
  const auto written_off = state_.adoption.write_off(failed);
  if (!written_off) return;
  state_.query_potential_children(context, *written_off, version_);
  if (!written_off->potential_children.empty()) recovering_.push_back(failed);
}

// def tryEngageGrandchild(gp, failedParent). An adopted process tells all processes that it may
// have engaged about their new grandparent. If its own parent fails before they have answered, it
// starts again.
void RelEager::try_engage_grandchild(TerminationContext& context, const HeldQuery& held) {
  if (!state_.adoption.is_orphan_of(held.query)) return state_.adoption.reply(context, held, false);
  const KnownParent of_parent = newest({held.grandparent, held.query.version, held.query.parent});
  state_.adopted_by(context, held, of_parent.parent);
  grandparents_version_ = of_parent.version;
  unanswered_ = held;
  ++version_;
  for (Successor& successor : state_.adoption.successors) {
    if (successor.rank == state_.adoption.self) continue;
    successor.asked = version_;
    successor.condition = Successor::kNotEngaged;
    state_.adoption.send_recovery(context, successor.rank, kNewGrandparent)
        .payload.put(NewGrandparent{state_.adoption.number(), version_, held.grandparent});
  }
}

// Deviation: an interior process tells the new grandparent itself. In the paper it answers whether
// it is engaged, and whether it is interior, and its parent tells the grandparent in the aggregated
// response. But the parent could do so after the process has reported that it is exterior, or could
// forget it when the process disengages in between. In both cases the parity would be wrong from
// then on.
void RelEager::new_grandparent(TerminationContext& context, const Message& message) {
  const auto told = message.payload.get<NewGrandparent>();
  const auto known =
      std::find_if(known_parents_.begin(), known_parents_.end(),
                   [&](const KnownParent& entry) { return entry.rank == message.from; });
  const KnownParent newer{message.from, told.version, told.grandparent};
  if (known == known_parents_.end())
    known_parents_.push_back(newer);
  else if (known->version < newer.version)
    *known = newer;
  const bool is_child = state_.adoption.parent == message.from &&
                        state_.adoption.parents_engagement == told.engagement;
  if (is_child && grandparents_version_ < told.version) {
    state_.grandparent = told.grandparent;
    grandparents_version_ = told.version;
    if (state_.informed_interior && !printed_.aggregated_response) state_.inform_interior(context);
  }
  Message& answer = state_.adoption.send_recovery(context, message.from, kAnswerToParent);
  NewGrandparent answered = told;
  if (printed_.aggregated_response && is_child)
    answered.condition = state_.adoption.D > 0 ? Successor::kInterior : Successor::kExterior;
  answer.payload.put(answered);
  context.fence(answer);
}

void RelEager::answer_to_parent(const Message& message) {
  Successor* successor = state_.adoption.successors.find(message.from);
  const auto answer = message.payload.get<NewGrandparent>();
  if (successor == nullptr || successor->asked != answer.version) return;
  successor->asked = 0;
  successor->condition = static_cast<Successor::Condition>(answer.condition);
}

// Deviation: the reply also names successors that have answered that they are not engaged, because
// a message to them may be on its way. As printed, it has "the list of actually engaged children
// and an indicator of which of those children are interior".
void RelEager::reply_when_all_have_answered(TerminationContext& context) {
  if (!unanswered_) return;
  for (const Successor& successor : state_.adoption.successors)
    if (successor.asked == version_) return;
  state_.adoption.reply(context, *unanswered_, true, printed_.aggregated_response);
  unanswered_.reset();
}

// As printed, "the interior bits [are] used to initialize its view of each grandchild's
// interior/exterior parity".
void RelEager::reply_to_grandparent(const TerminationContext& context, const Message& message) {
  Successor* child = state_.adoption.got_reply(context, message);
  if (child == nullptr || !printed_.aggregated_response) return;
  for (const std::uint64_t key : context.attached_words(message))
    state_.adoption.successors.potential_child(*child, static_cast<Rank>(key)).interior =
        static_cast<std::int32_t>(key >> kInteriorBit);
}

// Deviation: in the paper nobody tells the grandparent. It would still treat the child and the
// failed process as a process and its interior child, and give up if the child failed later: when
// all replies have come, "the window of vulnerability is closed".
void RelEager::tell_parent_when_recovered(TerminationContext& context) {
  const auto is_over = [&](Rank failed) {
    const auto& pending = state_.adoption.pending_recoveries;
    if (std::any_of(pending.begin(), pending.end(), [failed](const PendingRecovery& recovery) {
          return recovery.failed == failed;
        }))
      return false;
    if (state_.adoption.parent != kNobody && !printed_.window)
      state_.adoption.send_recovery(context, state_.adoption.parent, kGrandchildRecovered)
          .payload.put(Signal{state_.adoption.number(), failed});
    return true;
  };
  std::erase_if(recovering_, is_over);
}

void RelEager::grandchild_recovered(const Message& message) {
  const auto signal = message.payload.get<Signal>();
  Successor* child = state_.adoption.successors.find(message.from);
  if (child != nullptr && state_.adoption.is_present(*child, signal.engagement))
    state_.adoption.successors.potential_child(*child, signal.other).recovered = true;
}

// What a process knows about its possible parent's parent can be newer than the message that
// engages it, which was sent before. As printed, "every message carries a note not just of the
// sender, but also of the sender's parent" (6.1), and a process goes by that note alone.
RelEager::KnownParent RelEager::newest(const KnownParent& told) const {
  if (printed_.message_label) return told;
  for (const KnownParent& known : known_parents_)
    if (known.rank == told.rank && known.version > told.version) return known;
  return told;
}

// A process looks up what it knows of parents by rank. It tells its parent of recoveries in their
// order; the root has nobody to tell.
void RelEager::digest_state(Digest& into) const {
  into.add(state_, version_, unanswered_);
  if (!state_.adoption.is_root()) into.add(recovering_);
  if (state_.adoption.parent != kNobody) into.add(grandparents_version_);
  into.add_sorted(known_parents_, &KnownParent::rank);
}

}  // namespace faultline::termination
