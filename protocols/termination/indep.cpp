// SPDX-License-Identifier: Apache-2.0
#include "protocols/termination/indep.hpp"

#include <algorithm>

#include "sim/core/invariant.hpp"

namespace faultline::termination {

namespace {

const Registered registered{registration<Indep>(
    {.family = Family::termination,
     .name = "indep",
     .summary = "parental responsibility with adoption by grandparents: survives failures of "
                "processes that have not sent to each other",
     .source = "adoption-2013 section 5",
     .traits = TerminationTraits{.tolerates_faults = true,
                                 .needs_detection = true,
                                 .announces = true,
                                 .has_images = true,
                                 .may_give_up = adoption_may_give_up},
     .message_kinds = adoption_kinds(5),
     .metrics = adoption_metrics()},
    OptionSet<IndepOptions>()
        .option("control_bytes", &IndepOptions::control_bytes,
                {.doc = "size of a control message; a reply has 4 bytes more for each rank that it "
                        "names",
                 .unit = "B",
                 .source = "assumed: two words"})
        .option("as_printed", &IndepOptions::as_printed,
                {.doc = "points at which the protocol does what the paper prints, although it is "
                        "wrong (gallery.md)",
                 .source = "adoption-2013 sections 2 and 5",
                 .choices = {"cornet", "old-notes", "late-notes", "child-flush"}}))};

}  // namespace

// ---- section 5.1: execution without faults ------------------------------------------------------

void Indep::on_sends(TerminationContext& context, std::span<Message* const> batch, bool) {
  for (Message* message : batch) {
    adoption_.stamp(context, *message);
    if (will_send_to(context, message->to)) context.fence(*message);
    context.forward(*message);
  }
  adoption_.keep_statistics(context);
}

// def willSendTo(successor). True: a fence is due before the message. The dead owe nothing.
bool Indep::will_send_to(TerminationContext& context, Rank successor) {
  if (adoption_.failed.contains(successor)) return false;
  return adoption_.tell_parent(context, adoption_.owed_by(successor), false);
}

// def gotMsg(predecessor)
Passage Indep::on_receive(TerminationContext& context, Message& message) {
  adoption_.got_message(context, message);
  return Passage::deliver;
}

void Indep::on_message(TerminationContext& context, const Message& message) {
  const bool known = adoption_.handle(context, message);
  invariant(known, "a control message has an unknown kind");
  while (const auto held = adoption_.take_unflushed()) try_engage_grandchild(context, *held);
  settle(context);
}

// def tryDisengage(), guarded by pendingRecoveryEvents
void Indep::try_disengage(TerminationContext& context) {
  if (adoption_.may_not_disengage()) return;
  if (adoption_.is_root())
    adoption_.announce(context);
  else if (adoption_.is_engaged())
    adoption_.disengage(context);
}

void Indep::settle(TerminationContext& context) {
  if (!context.active()) try_disengage(context);
  adoption_.keep_statistics(context);
}

// ---- section 5.3: recovery ----------------------------------------------------------------------

void Indep::on_peer_failed(TerminationContext& context, Incarnation peer) {
  if (adoption_.peer_failed(context, peer.actor)) context.flush(peer);
  adoption_.keep_statistics(context);
}

void Indep::on_flushed(TerminationContext& context, Incarnation peer) {
  while (const auto held = adoption_.take_held(peer.actor)) try_engage_grandchild(context, *held);
  if (adoption_.failed.contains(peer.actor)) failure_happened(context, peer.actor);
  settle(context);
}

// def failureHappened(failedProcess)
void Indep::failure_happened(TerminationContext& context, Rank failed) {
  for (const PendingRecovery& recovery : adoption_.pending_recoveries)
    if (recovery.grandchild.rank == failed) context.fatal("a potential grandchild has failed too");
  const auto written_off = adoption_.write_off(failed);
  if (!written_off) return;
  for (const PotentialChild& grandchild : written_off->potential_children) {
    if (adoption_.failed.contains(grandchild.rank))
      return context.fatal("a potential grandchild has failed before");
    adoption_.pending_recoveries.push_back({failed, written_off->engagement, grandchild});
    const bool fence = will_send_to(context, grandchild.rank);
    Message& query = adoption_.send_recovery(context, grandchild.rank, kTryEngageGrandchild);
    query.payload.put(TryEngageGrandchild{
        .failed = failed,
        .failed_engagement = written_off->engagement,
        .engagement = adoption_.number(),
    });
    if (fence) context.fence(query);
  }
}

// def tryEngageGrandchild(gp, failedParent). Anything owed to the failed process as a sender other
// than the parent has been acknowledged at once.
void Indep::try_engage_grandchild(TerminationContext& context, const HeldQuery& held) {
  const bool engage = adoption_.is_orphan_of(held.query);
  if (engage) adoption_.adopted_by(held);
  adoption_.reply(context, held, engage);
}

}  // namespace faultline::termination
