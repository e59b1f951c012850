// SPDX-License-Identifier: Apache-2.0
#include "protocols/termination/four_counter.hpp"

#include <utility>

#include "protocols/termination/detector_statistics.hpp"
#include "sim/core/invariant.hpp"

namespace faultline::termination {

namespace {

enum Kind : std::uint16_t { kStop, kRepeat, kAnnounce };

struct Counters {
  std::int64_t sent;
  std::int64_t received;
};

OptionSet<FourCounterOptions> options() {
  return OptionSet<FourCounterOptions>()
      .option("restart", &FourCounterOptions::restart,
              {.doc = "when a process passes a REPEAT on: `immediate`, even while it is active, or "
                      "`idle-paced`, once it is idle",
               .source = "termination-2022 section 3.2 (immediate; PaRSEC and vt as well); Charm++ "
                         "lets control messages wait for idleness",
               .choices = {"immediate", "idle-paced"}})
      .option("control_bytes", &FourCounterOptions::control_bytes,
              {.doc = "size of a control message", .unit = "B", .source = "assumed: three words"});
}

const Registered registered{registration<FourCounter>(
    {.family = Family::termination,
     .name = "four-counter",
     .summary = "4C: waves over a binary tree until four sums of two waves are equal",
     .source = "termination-2022 section 3.2",
     .traits = TerminationTraits{.announces = true, .has_images = true},
     .message_kinds = {"stop", "repeat", "announce"},
     .metrics = detector_metrics()},
    options())};

}  // namespace

FourCounter::FourCounter(std::shared_ptr<const Options> options, const JobShape& job, Rank self)
    : options_(std::move(options)), tree_{job.processes}, self_(self) {}

std::unique_ptr<Component> FourCounter::clone() const {
  return std::make_unique<FourCounter>(*this);
}

void FourCounter::on_sends(TerminationContext& context, std::span<Message* const> batch, bool) {
  sent_ += static_cast<std::int64_t>(batch.size());
  for (Message* message : batch) context.forward(*message);
}

Passage FourCounter::on_receive(TerminationContext&, Message&) {
  idle_ = false;
  ++received_;
  return Passage::deliver;
}

void FourCounter::on_idle(TerminationContext& context) {
  idle_ = true;
  if (std::exchange(repeat_waits_, false))
    repeat(context);
  else
    try_stop(context);
}

void FourCounter::on_message(TerminationContext& context, const Message& message) {
  if (message.kind == kStop) {
    const auto counters = message.payload.get<Counters>();
    invariant(state_ == State::up && stops_ < tree_.child_count(self_),
              "a STOP that this wave does not wait for");
    ++stops_;
    subtree_sent_ += counters.sent;
    subtree_received_ += counters.received;
    try_stop(context);
  } else if (message.kind == kRepeat) {
    repeat_waits_ = options_->restart == "idle-paced" && !idle_;
    if (!repeat_waits_) repeat(context);
  } else {
    invariant(message.kind == kAnnounce, "a control message has an unknown kind");
    announce(context);
  }
}

// "When it becomes idle in the UP state and has received a STOP message from all of its children,
// it enters the DOWN state and propagates the counters to its parent."
void FourCounter::try_stop(TerminationContext& context) {
  if (state_ == State::down || !idle_ || stops_ < tree_.child_count(self_)) return;
  // A single process sees the messages that it sends to itself, so it needs no waves.
  if (tree_.processes == 1 && sent_ != received_) return;
  state_ = State::down;
  if (self_ == 0) {
    decide(context);
    return;
  }
  context.send(ControlTree::parent(self_), kStop, options_->control_bytes)
      .payload.put(Counters{subtree_sent_ + sent_, subtree_received_ + received_});
}

// Resolution: no sums precede the first wave (PaRSEC, Charm++), so at least two waves run, except
// that a single process needs none.
void FourCounter::decide(TerminationContext& context) {
  ++waves_;
  const Counters sums{subtree_sent_ + sent_, subtree_received_ + received_};
  const bool equal = sums.sent == sums.received && sums.sent == previous_sent_ &&
                     sums.received == previous_received_;
  if (equal || tree_.processes == 1) {
    announce(context);
    return;
  }
  previous_sent_ = sums.sent;
  previous_received_ = sums.received;
  repeat(context);
}

void FourCounter::repeat(TerminationContext& context) {
  state_ = State::up;
  stops_ = 0;
  subtree_sent_ = subtree_received_ = 0;
  tree_.for_each_child(self_,
                       [&](Rank child) { context.send(child, kRepeat, options_->control_bytes); });
  try_stop(context);
}

void FourCounter::announce(TerminationContext& context) const {
  tree_.announce(context, kAnnounce, options_->control_bytes);
}

void FourCounter::report(MetricTotals& totals) const {
  DetectorStatistics{.waves = waves_}.report(totals);
}

// Leaves out waves, which are only for the report.
void FourCounter::digest_state(Digest& into) const {
  into.add(state_, idle_, repeat_waits_, stops_, sent_, received_, subtree_sent_, subtree_received_,
           previous_sent_, previous_received_);
}

std::string FourCounter::waiting_for() const {
  if (state_ == State::down) return self_ == 0 ? "" : "the end of the wave";
  const std::uint32_t missing = tree_.child_count(self_) - stops_;
  return missing > 0 ? std::to_string(missing) + " STOP of its children" : std::string();
}

}  // namespace faultline::termination
