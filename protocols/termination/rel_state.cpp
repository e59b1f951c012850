// SPDX-License-Identifier: Apache-2.0
#include "protocols/termination/rel_state.hpp"

#include <utility>

namespace faultline::termination {

OptionSet<RelOptions> rel_options(const ChosenWords& as_printed) {
  ChosenWords points{"cornet", "old-notes", "child-flush"};
  points.insert(points.end(), as_printed.begin(), as_printed.end());
  return OptionSet<RelOptions>()
      .option("control_bytes", &RelOptions::control_bytes,
              {.doc = "size of a control message; a reply has 4 bytes more for each rank that it "
                      "names",
               .unit = "B",
               .source = "assumed: two words"})
      .option("exterior_signal", &RelOptions::exterior_signal,
              {.doc = "when a process tells its grandparent that it is exterior: as soon as all "
                      "its messages are acknowledged, or when it disengages",
               .source = "section 6.1",
               .choices = {"aggressive", "at-disengagement"}})
      .option(
          "as_printed", &RelOptions::as_printed,
          {.doc = "points at which the protocol does what the paper prints, although it is wrong "
                  "(gallery.md)",
           .source = "adoption-2013 sections 2, 5 and 6",
           .choices = points});
}

// ---- section 6.1: execution without faults ------------------------------------------------------

void RelState::send(TerminationContext& context, std::span<Message* const> batch,
                    std::uint32_t version) {
  for (Message* message : batch) {
    adoption.stamp(context, *message);
    message->termination.put(SenderState{adoption.number(), version, adoption.parent});
    if (will_send_to(context, message->to)) context.fence(*message);
    context.forward(*message);
  }
  adoption.keep_statistics(context);
}

bool RelState::will_send_to(TerminationContext& context, Rank successor) {
  if (adoption.failed.contains(successor)) return false;
  const Successor& entry = adoption.owed_by(successor);
  const bool fence = !informed_interior && inform_interior(context);
  return adoption.tell_parent(context, entry, fence);
}

// Without a grandparent (the root, and processes engaged to it) no signal is sent: the root is
// assumed not to fail.
bool RelState::inform_interior(TerminationContext& context) {
  informed_interior = true;
  if (grandparent == kNobody) return false;
  adoption.send(context, grandparent, kInformInterior)
      .payload.put(Signal{adoption.parents_engagement, adoption.parent});
  return true;
}

bool RelState::inform_exterior(TerminationContext& context) {
  if (!informed_interior) return false;
  informed_interior = false;
  if (grandparent == kNobody) return false;
  adoption.send(context, grandparent, kInformExterior)
      .payload.put(Signal{adoption.parents_engagement, adoption.parent});
  return true;
}

void RelState::grandchild_informs(const Message& message, std::int32_t change) {
  const auto signal = message.payload.get<Signal>();
  if (Successor* child = adoption.successors.find(signal.other)) {
    if (adoption.is_present(*child, signal.engagement))
      adoption.successors.potential_child(*child, message.from).interior += change;
  } else if (PendingRecovery* recovery = adoption.pending(signal.other, message.from)) {
    if (recovery->failed_engagement == signal.engagement) recovery->grandchild.interior += change;
  }
}

bool RelState::handle(TerminationContext& context, const Message& message) {
  if (message.kind == kInformInterior)
    grandchild_informs(message, 1);
  else if (message.kind == kInformExterior)
    grandchild_informs(message, -1);
  else
    return adoption.handle(context, message);
  return true;
}

void RelState::settle(TerminationContext& context) {
  if (adoption.D == 0 && !late_exterior) inform_exterior(context);
  if (!context.active()) try_disengage(context);
  adoption.keep_statistics(context);
}

// def tryDisengage(), guarded by pendingRecoveryEvents
void RelState::try_disengage(TerminationContext& context) {
  if (adoption.may_not_disengage()) return;
  if (adoption.is_root()) return adoption.announce(context);
  if (!adoption.is_engaged()) return;
  const bool fence = inform_exterior(context);
  adoption.disengage(context, fence);
}

// The parent's parent is forgotten with the parent.
void RelState::digest(Digest& into) const {
  into.add(adoption, informed_interior);
  if (adoption.parent != kNobody) into.add(grandparent);
}

// ---- section 6.2: recovery ----------------------------------------------------------------------

bool RelState::write_off_grandchild(TerminationContext& context, Rank failed) {
  for (const PendingRecovery& recovery : adoption.pending_recoveries) {
    const PotentialChild& grandchild = recovery.grandchild;
    if (grandchild.rank != failed || (grandchild.interior <= 0 && !grandchild.unknown)) continue;
    context.fatal(grandchild.unknown ? "a process and a child of unknown condition have failed"
                                     : "a process and an interior child have failed");
    return false;
  }
  std::erase_if(adoption.pending_recoveries, [failed](const PendingRecovery& recovery) {
    return recovery.grandchild.rank == failed;
  });
  return true;
}

// Flushes a process that is known to be dead instead of querying it: the signals that it has sent
// decide.
void RelState::query_potential_children(TerminationContext& context, const Successor& failed,
                                        std::uint32_t version) {
  for (const PotentialChild& grandchild : failed.potential_children) {
    if (grandchild.recovered) continue;
    adoption.pending_recoveries.push_back({failed.rank, failed.engagement, grandchild});
    if (adoption.failed.contains(grandchild.rank)) {
      context.flush(grandchild.rank);
      continue;
    }
    const bool fence = will_send_to(context, grandchild.rank);
    Message& query = adoption.send_recovery(context, grandchild.rank, kTryEngageGrandchild);
    query.payload.put(TryEngageGrandchild{failed.rank, failed.engagement, adoption.number(),
                                          adoption.parent, version});
    if (fence) context.fence(query);
  }
}

// Deviation: in the paper nobody tells the new grandparent that the adopted process is interior. If
// that process failed together with the one that adopted it, its children would be lost under
// RELEAGER; RELLAZY gives up there in any case.
void RelState::adopted_by(TerminationContext& context, const HeldQuery& held,
                          Rank new_grandparent) {
  adoption.adopted_by(held);
  grandparent = new_grandparent;
  if (silent_adoption) return;
  if (std::exchange(informed_interior, false) && adoption.D > 0) inform_interior(context);
}

}  // namespace faultline::termination
