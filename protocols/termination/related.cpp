#include "protocols/termination/related.hpp"

#include <utility>

namespace faultline {

OptionSet<RelatedOptions> related_options() {
  return OptionSet<RelatedOptions>()
      .option("control_bytes", &RelatedOptions::control_bytes,
              {.doc = "size of a control message; a reply has 4 bytes more for each rank that it "
                      "names",
               .unit = "B",
               .source = "assumed: two words"})
      .option("exterior_signal", &RelatedOptions::exterior_signal,
              {.doc = "when a process tells its grandparent that it is exterior: as soon as all "
                      "is acknowledged, or when it disengages",
               .source = "section 6.1",
               .choices = {"aggressive", "at-disengagement"}});
}

// ---- section 6.1: execution without faults ------------------------------------------------------

void Related::send(Context& context, std::span<Message* const> batch, std::uint32_t version) {
  for (Message* message : batch) {
    its.stamp(context, *message);
    message->termination.first |= std::uint64_t{version} << 32;
    message->termination.second = its.parent;
    if (will_send_to(context, message->to)) message->flags |= kFence;
    context.forward(*message);
  }
  its.observe(context);
}

bool Related::will_send_to(Context& context, Rank successor) {
  if (its.failed.contains(successor)) return false;
  const Successor& entry = its.owed_by(successor);
  const bool fence = !informed_interior && inform_interior(context);
  return its.tell_parent(context, entry, fence);
}

// Without a grandparent (the root, and who is engaged to it) no signal is sent: the root is assumed
// not to fail.
bool Related::inform_interior(Context& context) {
  informed_interior = true;
  if (grandparent == kNobody) return false;
  its.send(context, grandparent, kInformInterior)
      .payload.put(Signal{its.parents_engagement, its.parent});
  return true;
}

bool Related::inform_exterior(Context& context) {
  if (!informed_interior) return false;
  informed_interior = false;
  if (grandparent == kNobody) return false;
  its.send(context, grandparent, kInformExterior)
      .payload.put(Signal{its.parents_engagement, its.parent});
  return true;
}

void Related::grandchild_informs(const Message& message, std::int32_t change) {
  const auto signal = message.payload.get<Signal>();
  if (Successor* child = its.successors.find(signal.other)) {
    if (its.successors.is_present(*child, signal.engagement))
      its.successors.potential_child(*child, message.from).interior += change;
  } else if (PendingRecovery* recovery = its.pending(signal.other, message.from)) {
    if (recovery->failed_engagement == signal.engagement) recovery->grandchild.interior += change;
  }
}

void Related::settle(Context& context) {
  if (its.D == 0 && !late_exterior) inform_exterior(context);
  if (!context.active()) try_disengage(context);
  its.observe(context);
}

// def tryDisengage(), guarded by pendingRecoveryEvents
void Related::try_disengage(Context& context) {
  if (its.D != 0 || !its.pending_recoveries.empty()) return;
  if (its.is_root()) return its.announce(context);
  if (!its.is_engaged()) return;
  const bool fence = inform_exterior(context);
  its.disengage(context, fence);
}

// ---- section 6.2: recovery ----------------------------------------------------------------------

bool Related::write_off_grandchild(Context& context, Rank failed) {
  for (const PendingRecovery& recovery : its.pending_recoveries) {
    const PotentialChild& grandchild = recovery.grandchild;
    if (grandchild.rank != failed || (grandchild.interior <= 0 && !grandchild.unknown)) continue;
    context.fatal(grandchild.unknown ? "a process and a child of unknown condition have failed"
                                     : "a process and an interior child have failed");
    return false;
  }
  std::erase_if(its.pending_recoveries, [failed](const PendingRecovery& recovery) {
    return recovery.grandchild.rank == failed;
  });
  return true;
}

// Who is known to be dead is flushed instead of queried: what it has told decides.
void Related::query_potential_children(Context& context, const Successor& failed,
                                       std::uint32_t version) {
  for (const PotentialChild& grandchild : failed.potential_children) {
    if (grandchild.recovered) continue;
    its.pending_recoveries.push_back({failed.rank, failed.engagement, grandchild});
    if (its.failed.contains(grandchild.rank)) {
      context.flush(grandchild.rank);
      continue;
    }
    const bool fence = will_send_to(context, grandchild.rank);
    Message& query = its.send_recovery(context, grandchild.rank, kTryEngageGrandchild);
    query.payload.put(
        TryEngageGrandchild{failed.rank, failed.engagement, its.engagement, its.parent, version});
    if (fence) query.flags |= kFence;
  }
}

// Deviation: the paper lets nobody tell the adopted process's new grandparent that it is interior.
// Should it fail together with the process that has adopted it, its children would be lost.
void Related::adopted_by(Context& context, const HeldQuery& held, Rank new_grandparent) {
  its.adopted_by(held);
  grandparent = new_grandparent;
  if (std::exchange(informed_interior, false) && its.D > 0) inform_interior(context);
}

}  // namespace faultline
