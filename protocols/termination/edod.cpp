// SPDX-License-Identifier: Apache-2.0
#include "protocols/termination/edod.hpp"

#include <utility>

#include "protocols/termination/detector_statistics.hpp"
#include "sim/core/invariant.hpp"

namespace faultline::termination {

namespace {

enum Kind : std::uint16_t { kStop, kResume, kAcknowledge, kAnnounce };

OptionSet<EdodOptions> options() {
  return OptionSet<EdodOptions>()
      .option(
          "child_state", &EdodOptions::child_state,
          {.doc =
               "what a parent remembers of a child: `flag`: a RESUME erases the STOP; `counter`: "
               "it counts both, and takes the child for idle above 0, so that a RESUME may "
               "overtake a STOP",
           .source = "termination-2022 section 3.3 (flag); the published module counts, but "
                     "takes any number but 0 for idle",
           .choices = {"flag", "counter"}})
      .option("control_bytes", &EdodOptions::control_bytes,
              {.doc = "size of a control message", .unit = "B", .source = "assumed: two words"})
      .option("as_printed", &EdodOptions::as_printed,
              {.doc = "points at which the detector does what the paper prints, although it is "
                      "wrong (gallery.md). `early-confirmation`: an active process acknowledges, "
                      "and stops, while its own RESUME is still on its way",
               .source = "termination-2022 section 3.3",
               .choices = {"early-confirmation"}});
}

const Registered registered{registration<Edod>(
    {.family = Family::termination,
     .name = "edod",
     .summary = "every message is acknowledged; STOP and RESUME on a control tree",
     .source = "termination-2022 section 3.3",
     .traits = TerminationTraits{.needs_fifo = true, .announces = true, .has_images = true},
     .message_kinds = {"stop", "resume", "acknowledge", "announce"},
     .metrics = detector_metrics()},
    options())};

}  // namespace

Edod::Edod(std::shared_ptr<const Options> options, const JobShape& job, Rank self)
    : options_(std::move(options)),
      tree_{job.processes},
      self_(self),
      confirms_early_(names(options_->as_printed, "early-confirmation")) {}

std::unique_ptr<Component> Edod::clone() const { return std::make_unique<Edod>(*this); }

void Edod::on_sends(TerminationContext& context, std::span<Message* const> batch, bool) {
  unacknowledged_ += static_cast<std::int64_t>(batch.size());
  for (Message* message : batch) context.forward(*message);
}

// "When r is active, it acknowledges the reception using a direct ACK. When r is idle, it becomes
// active and sends a RESUME to its parent." Resolution: idle means that STOP has been sent. A
// process that has no work but has not stopped acknowledges at once, and what a process sends to
// itself needs no message.
Passage Edod::on_receive(TerminationContext& context, Message& message) {
  if (message.from == self_)
    got_acknowledgement();
  else
    answer(context, {message.from, self_});
  return Passage::deliver;
}

// Resolution: a process that has sent RESUME acknowledges nothing until the ACK has come down. Up
// to then an ancestor may still take it for idle, and an acknowledgement may let the root announce.
// As printed, the process is active again and acknowledges at once.
void Edod::answer(TerminationContext& context, const PrimaryMessage& primary) {
  if (stopped_ && !is_root()) {
    stopped_ = false;
    resuming_ = !confirms_early_;
    send(context, ControlTree::parent(self_), kResume, primary);
  } else if (resuming_) {
    withheld_.push_back(primary);
  } else {
    pass_back(context, primary);
  }
}

void Edod::on_idle(TerminationContext& context) { try_stop(context); }

void Edod::on_message(TerminationContext& context, const Message& message) {
  switch (message.kind) {
    case kStop:
      on_stop(context, message.from);
      break;
    case kResume:
      on_resume(context, message.from, message.payload.get<PrimaryMessage>());
      break;
    case kAcknowledge:
      on_acknowledge(context, message.payload.get<PrimaryMessage>());
      break;
    default:
      invariant(message.kind == kAnnounce, "a control message has an unknown kind");
      announce(context);
      return;
  }
  if (!context.active()) try_stop(context);
}

std::int32_t& Edod::stops_of(Rank child) {
  invariant(ControlTree::parent(child) == self_, "a rank that is no child sends a signal");
  return child_stops_[(child + 1) % 2];
}

void Edod::on_stop(TerminationContext&, Rank child) {
  std::int32_t& stops = stops_of(child);
  stops = options_->child_state == "flag" ? 1 : stops + 1;
}

// A stopped parent "becomes active, forgets the reception of the STOP message from that child, and
// forwards the RESUME"; an active one forgets and sends the ACK back "following the inverse path".
void Edod::on_resume(TerminationContext& context, Rank child, const PrimaryMessage& primary) {
  std::int32_t& stops = stops_of(child);
  stops = options_->child_state == "flag" ? 0 : stops - 1;
  answer(context, primary);
}

void Edod::on_acknowledge(TerminationContext& context, const PrimaryMessage& primary) {
  if (primary.sender == self_) return got_acknowledgement();
  resuming_ = false;
  pass_back(context, primary);
  for (const PrimaryMessage& other : std::exchange(withheld_, {})) pass_back(context, other);
}

// "... then r sends the ACK to s directly."
void Edod::pass_back(TerminationContext& context, const PrimaryMessage& primary) {
  if (primary.receiver == self_)
    send(context, primary.sender, kAcknowledge, primary);
  else
    send(context, ControlTree::child_towards(self_, primary.receiver), kAcknowledge, primary);
}

void Edod::got_acknowledgement() {
  invariant(unacknowledged_ > 0, "an acknowledgement that nobody owes");
  --unacknowledged_;
}

void Edod::send(TerminationContext& context, Rank to, std::uint16_t kind,
                const PrimaryMessage& primary) {
  context.send(to, kind, options_->control_bytes).payload.put(primary);
}

// A process stops when it is idle, all that it sent has been acknowledged and its children have
// stopped. Resolution: it also waits for the ACK of its RESUME, so that each ACK that comes down is
// that of the latest RESUME.
void Edod::try_stop(TerminationContext& context) {
  if (stopped_ || resuming_ || unacknowledged_ > 0 || children_at_work() > 0) return;
  stopped_ = true;
  if (is_root())
    announce(context);
  else
    context.send(ControlTree::parent(self_), kStop, options_->control_bytes);
}

std::uint32_t Edod::children_at_work() const {
  std::uint32_t at_work = 0;
  tree_.for_each_child(self_,
                       [&](Rank child) { at_work += child_stops_[(child + 1) % 2] > 0 ? 0U : 1U; });
  return at_work;
}

void Edod::announce(TerminationContext& context) const {
  tree_.announce(context, kAnnounce, options_->control_bytes);
}

void Edod::report(MetricTotals& totals) const { DetectorStatistics{}.report(totals); }

std::string Edod::waiting_for() const {
  if (unacknowledged_ > 0) return std::to_string(unacknowledged_) + " acknowledgements";
  if (resuming_) return "the ACK of its RESUME";
  const std::uint32_t missing = children_at_work();
  return missing > 0 ? std::to_string(missing) + " STOP of its children" : std::string();
}

}  // namespace faultline::termination
