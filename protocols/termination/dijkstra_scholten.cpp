// SPDX-License-Identifier: Apache-2.0
#include "protocols/termination/dijkstra_scholten.hpp"

#include <utility>

#include "protocols/termination/detector_statistics.hpp"
#include "sim/core/invariant.hpp"

namespace faultline::termination {

namespace {

enum Kind : std::uint16_t { kAcknowledge, kAnnounce };

const Registered registered{registration<DijkstraScholten>(
    {.family = Family::termination,
     .name = "dijkstra-scholten",
     .summary = "parental responsibility: every message is acknowledged, the engaging one last",
     .source = "adoption-2013 section 2; Dijkstra and Scholten, Inf. Proc. Letters 11(1), 1980",
     .traits = TerminationTraits{.announces = true, .has_images = true},
     .message_kinds = {"acknowledge", "announce"},
     .metrics = detector_metrics({&kEngagements}),
     .properties =
         {{.name = "deficits-add-up",
           .doc = "the deficits of all processes add up to the messages and acknowledgements in "
                  "flight and the messages that a process has still to acknowledge",
           .holds = DijkstraScholten::deficits_add_up},
          {.name = "tree",
           .doc = "the engaged processes form a tree with rank 0 as its root, which includes all "
                  "active processes",
           .holds = DijkstraScholten::is_tree},
          {.name = "all-engaged",
           .doc = "every process is engaged",
           .use = StateProperty::Use::predicate,
           .holds = DijkstraScholten::all_engaged}}},
    OptionSet<DijkstraScholtenOptions>()
        .option("control_bytes", &DijkstraScholtenOptions::control_bytes,
                {.doc = "size of a control message", .unit = "B", .source = "assumed: two words"})
        .option("as_printed", &DijkstraScholtenOptions::as_printed,
                {.doc = "points at which the detector does what the paper prints, although it is "
                        "wrong (gallery.md). `cornet`: a further message of the parent is added to "
                        "the parent's entry",
                 .source = "adoption-2013 section 2",
                 .choices = {"cornet"}}))};

}  // namespace

DijkstraScholten::DijkstraScholten(const std::shared_ptr<const Options>& options,
                                   const JobShape& job, Rank self)
    : control_bytes_(options->control_bytes),
      tree_{job.processes},
      self_(self),
      printed_cornet_(names(options->as_printed, "cornet")) {
  if (job.starts_at_root) return;
  // Where every rank has work at the start, there is no diffusing computation. The usual
  // transformation: the root has engaged all others before time zero.
  if (is_root())
    D_ = std::int64_t{job.processes} - 1;
  else
    parent_ = 0;
}

std::unique_ptr<Component> DijkstraScholten::clone() const {
  return std::make_unique<DijkstraScholten>(*this);
}

// def willSendTo(successor): D++
void DijkstraScholten::on_sends(TerminationContext& context, std::span<Message* const> batch,
                                bool) {
  if (!is_engaged()) context.fatal("a rank outside the diffusing computation sent a message");
  D_ += static_cast<std::int64_t>(batch.size());
  for (Message* message : batch) context.forward(*message);
}

// gotMessage and processedMessage. Handlers are atomic: a process consumes a message in the turn in
// which it arrives. So only the parent's entry of the cornet outlives a turn; everything else that
// the process owes (C reaches it at once) is acknowledged here. The work that the message starts
// keeps the rank active, and a rank disengages only when idle.
// Deviations: a further message of the parent gets an entry of its own. Merged into the parent's
// entry, as printed, it makes C 2, and the process, which disengages with C = 1, never does (vt,
// ds.cc keeps them apart too). The root is its own parent and owes itself nothing, so it owes an
// acknowledgement for all that it receives.
Passage DijkstraScholten::on_receive(TerminationContext& context, Message& message) {
  if (printed_cornet_ && message.from == parent_) {
    ++merged_;
  } else if (is_engaged()) {
    acknowledge(context, message.from);
  } else {
    parent_ = message.from;
    ++engagements_;
  }
  return Passage::deliver;
}

void DijkstraScholten::acknowledge(TerminationContext& context, Rank predecessor) const {
  context.send(predecessor, kAcknowledge, control_bytes_);
}

void DijkstraScholten::try_disengage(TerminationContext& context) {
  if (D_ != 0 || merged_ != 0) return;
  if (is_root())
    announce(context);
  else if (parent_ != kNobody)
    acknowledge(context, std::exchange(parent_, kNobody));
}

void DijkstraScholten::on_idle(TerminationContext& context) { try_disengage(context); }

void DijkstraScholten::on_message(TerminationContext& context, const Message& message) {
  if (message.kind == kAnnounce) {
    announce(context);
    return;
  }
  invariant(message.kind == kAcknowledge, "a control message has an unknown kind");
  invariant(D_ > 0, "an acknowledgement that nobody owes");
  --D_;
  if (!context.active()) try_disengage(context);
}

void DijkstraScholten::announce(TerminationContext& context) const {
  tree_.announce(context, kAnnounce, control_bytes_);
}

// Nobody acknowledges what a dead process has received.
bool DijkstraScholten::deficits_add_up(const WholeState& whole) {
  if (!whole.all_live()) return true;
  std::int64_t owed = 0;
  for (const Message* message : whole.messages()) {
    const bool is_counted = message->channel < Family::termination;
    const bool acknowledges =
        message->channel == Family::termination && message->kind == kAcknowledge;
    if (is_counted || acknowledges) ++owed;
  }
  std::int64_t deficits = 0;
  for (Rank rank = 0; rank < whole.processes(); ++rank) {
    const auto& process = whole.as<DijkstraScholten>(rank);
    deficits += process.D_;
    owed += static_cast<std::int64_t>(process.merged_);
    if (process.parent_ != kNobody) ++owed;
  }
  return deficits == owed;
}

bool DijkstraScholten::is_tree(const WholeState& whole) {
  if (!whole.all_live()) return true;
  for (Rank rank = 0; rank < whole.processes(); ++rank) {
    if (whole.active(rank) && !whole.as<DijkstraScholten>(rank).is_engaged()) return false;
    Rank above = rank;
    for (Rank steps = 0; whole.as<DijkstraScholten>(above).parent_ != kNobody; ++steps) {
      if (steps == whole.processes()) return false;
      above = whole.as<DijkstraScholten>(above).parent_;
    }
    if (above != rank && above != 0) return false;
  }
  return true;
}

bool DijkstraScholten::all_engaged(const WholeState& whole) {
  for (Rank rank = 0; rank < whole.processes(); ++rank)
    if (!whole.lives(rank) || !whole.as<DijkstraScholten>(rank).is_engaged()) return false;
  return true;
}

// Leaves out engagements, which are only for the report.
void DijkstraScholten::digest_state(Digest& into) const {
  into.add(parent_, D_);
  if (printed_cornet_) into.add(merged_);
}

void DijkstraScholten::report(MetricTotals& totals) const {
  DetectorStatistics{}.report(totals);
  totals.put(kEngagements, engagements_);
}

std::string DijkstraScholten::waiting_for() const {
  return D_ > 0 ? std::to_string(D_) + " acknowledgements" : std::string();
}

}  // namespace faultline::termination
