// SPDX-License-Identifier: Apache-2.0
#include "protocols/termination/rel_lazy.hpp"

#include "sim/core/invariant.hpp"

namespace faultline::termination {

namespace {

const Registered registered{registration<RelLazy>(
    {.family = Family::termination,
     .name = "rel-lazy",
     .summary = "INDEP that also survives failures of related processes, except of a process and "
                "an interior child; vulnerable until adopted children have disengaged",
     .source = "adoption-2013 section 6.2",
     .traits = TerminationTraits{.tolerates_faults = true,
                                 .needs_detection = true,
                                 .announces = true,
                                 .has_images = true,
                                 .may_give_up = adoption_may_give_up},
     .message_kinds = adoption_kinds(7),
     .metrics = adoption_metrics()},
    rel_options({}).option(
        "adopted_child_fails", &RelOptions::adopted_child_fails,
        {.doc = "strict: it gives up when an adopted child fails; fallback: it does so only when a "
                "process that the child named when it was adopted has failed, too",
         .source = "strict: section 6.2; fallback: the rule of INDEP",
         .choices = {"strict", "fallback"}}))};

}  // namespace

// ---- section 6.1: execution without faults ------------------------------------------------------

void RelLazy::on_sends(TerminationContext& context, std::span<Message* const> batch, bool) {
  state_.send(context, batch, 0);
}

// def gotMsg(predecessor)
Passage RelLazy::on_receive(TerminationContext& context, Message& message) {
  if (state_.adoption.got_message(context, message))
    state_.grandparent = message.termination.get<SenderState>().parent;
  return Passage::deliver;
}

void RelLazy::on_message(TerminationContext& context, const Message& message) {
  if (message.kind == kReplyToGrandparent) {
    reply_to_grandparent(context, message);
  } else {
    const bool known = state_.handle(context, message);
    invariant(known, "a control message has an unknown kind");
    while (const auto held = state_.adoption.take_unflushed())
      try_engage_grandchild(context, *held);
  }
  state_.settle(context);
}

// ---- section 6.2: recovery ----------------------------------------------------------------------

void RelLazy::on_peer_failed(TerminationContext& context, Incarnation peer) {
  if (state_.adoption.peer_failed(context, peer.actor)) context.flush(peer);
  state_.adoption.keep_statistics(context);
}

void RelLazy::on_flushed(TerminationContext& context, Incarnation peer) {
  while (const auto held = state_.adoption.take_held(peer.actor))
    try_engage_grandchild(context, *held);
  if (state_.adoption.failed.contains(peer.actor)) failure_happened(context, peer.actor);
  state_.settle(context);
}

// def failureHappened(failedProcess)
void RelLazy::failure_happened(TerminationContext& context, Rank failed) {
  if (!state_.write_off_grandchild(context, failed)) return;
  const auto written_off = state_.adoption.write_off(failed);
  if (!written_off) return;
  if (written_off->adopted && strict_) return context.fatal("an adopted child has failed");
  state_.query_potential_children(context, *written_off, 0);
}

// def tryEngageGrandchild(gp, failedParent)
void RelLazy::try_engage_grandchild(TerminationContext& context, const HeldQuery& held) {
  const bool engage = state_.adoption.is_orphan_of(held.query);
  if (engage) state_.adopted_by(context, held, held.query.parent);
  state_.adoption.reply(context, held, engage);
}

// def replyToGrandparent(child, debt, potentialChildren). The child is marked until it disengages,
// because its children have told another process whether they are interior.
void RelLazy::reply_to_grandparent(const TerminationContext& context, const Message& message) {
  Successor* child = state_.adoption.got_reply(context, message);
  if (child == nullptr) return;
  child->adopted = true;
  for (const std::uint64_t key : context.attached_words(message))
    state_.adoption.successors.potential_child(*child, static_cast<Rank>(key)).unknown = true;
}

}  // namespace faultline::termination
