// SPDX-License-Identifier: Apache-2.0
#include "protocols/termination/venkatesan.hpp"

#include <algorithm>
#include <utility>

#include "protocols/termination/detector_statistics.hpp"
#include "sim/core/invariant.hpp"

namespace faultline::termination {

namespace {

enum Kind : std::uint16_t { kSignal, kQuery, kAnnounce };

OptionSet<VenkatesanOptions> options() {
  return OptionSet<VenkatesanOptions>()
      .option(
          "leaders", &VenkatesanOptions::leaders,
          {.doc =
               "k + 1, the lowest ranks, or all if there are fewer: detection survives as long as "
               "one of them lives",
           .source = "adoption-2013 section 3",
           .minimum = 1})
      .option("control_bytes", &VenkatesanOptions::control_bytes,
              {.doc = "size of a control message", .unit = "B", .source = "assumed: two words"})
      .option("entry_bytes", &VenkatesanOptions::entry_bytes,
              {.doc = "added for each channel that a signal reports",
               .unit = "B",
               .source = "assumed: a rank and a count",
               .maximum = 1e6});
}

bool all_leaders_among(const OptionValues& values, const JobShape& job,
                       const std::vector<ActorId>& dead) {
  const std::uint32_t leaders = std::min(options().read(values).leaders, job.processes);
  const auto is_leader = [leaders](ActorId peer) { return peer < leaders; };
  return std::count_if(dead.begin(), dead.end(), is_leader) == std::ptrdiff_t{leaders};
}

const Registered registered{registration<Venkatesan>(
    {.family = Family::termination,
     .name = "venkatesan",
     .summary = "k + 1 leaders receive every process's signals and simulate the states of all",
     .source =
         "cost model of adoption-2013 section 3 on Venkatesan, IEEE Trans. Reliability 38(1), "
         "1989",
     .traits = TerminationTraits{.needs_fifo = true,
                                 .tolerates_faults = true,
                                 .needs_detection = true,
                                 .announces = true,
                                 .is_cost_model = true,
                                 .needs_logging_off = true,
                                 .may_give_up = all_leaders_among},
     .message_kinds = {"signal", "query", "announce"},
     .metrics =
         detector_metrics({&kRecoveryMessages, &kRecoveryTime, &kStateBytesMax, &kStateBytesMean})},
    options())};

}  // namespace

// ---- the process --------------------------------------------------------------------------------

Venkatesan::Venkatesan(std::shared_ptr<const Options> options, const JobShape& job, Rank self)
    : options_(std::move(options)),
      self_(self),
      processes_(job.processes),
      leaders_(std::min(options_->leaders, job.processes)),
      told_(job.starts_at_root && self != 0),
      view_(job, is_leader()) {}

std::unique_ptr<Component> Venkatesan::clone() const { return std::make_unique<Venkatesan>(*this); }

// A rank whose death was already known at the start died in an earlier phase.
void Venkatesan::start(TerminationContext&) { started_ = true; }

void Venkatesan::on_sends(TerminationContext& context, std::span<Message* const> batch, bool) {
  for (Message* message : batch) {
    tally_.add(Tally::Entry::sent, message->to);
    context.forward(*message);
  }
}

Passage Venkatesan::on_receive(TerminationContext&, Message& message) {
  tally_.add(Tally::Entry::received, message.from);
  return Passage::deliver;
}

void Venkatesan::on_idle(TerminationContext& context) {
  if (!told_ || !tally_.empty()) signal(context);
}

void Venkatesan::signal(TerminationContext& context) {
  told_ = true;
  const AttachedWords words = std::make_shared<const std::vector<std::uint64_t>>(tally_.words());
  const std::uint64_t bytes = options_->entry_bytes * words->size();
  for (Rank leader = 0; leader < leaders_; ++leader) {
    if (leader == self_ || failed_.contains(leader)) continue;
    context.attach(context.send(leader, kSignal, options_->control_bytes + bytes), words);
  }
  tally_.clear();
  if (!is_leader()) return;
  view_.signal(self_, *words, failed_);
  try_announce(context);
}

void Venkatesan::on_message(TerminationContext& context, const Message& message) {
  switch (message.kind) {
    case kSignal:
      if (failed_.contains(message.from)) return;
      view_.signal(message.from, context.attached_words(message), failed_);
      state_bytes_ = std::max(state_bytes_, view_.bytes());
      try_announce(context);
      break;
    case kQuery:
      asked(context, message.payload.get<Question>());
      break;
    default:
      invariant(message.kind == kAnnounce, "a control message has an unknown kind");
      announced_ = true;
      // A dead leader may have told only some, this one among them.
      if (is_first_leader()) tell_all(context, context.phase());
      context.announce();
  }
}

// ---- a rank has died ----------------------------------------------------------------------------

void Venkatesan::on_peer_failed(TerminationContext& context, Incarnation peer) {
  if (peer.actor >= processes_ || failed_.contains(peer.actor)) return;
  const bool was_first = is_first_leader();
  failed_.insert(peer.actor);
  bool any = false;
  for (Rank leader = 0; leader < leaders_; ++leader) any = any || !failed_.contains(leader);
  if (!any) context.fatal("all leaders have died");
  if (!is_leader()) return;
  view_.died(peer.actor, started_);
  deaths_.push_back({.failed = peer.actor, .noticed_s = context.now_s()});
  if (!started_) return;
  if (is_first_leader() && !was_first)
    succeed(context);
  else if (is_first_leader())
    ask_all(context, deaths_.back());
  try_announce(context);
}

bool Venkatesan::is_first_leader() const {
  if (!is_leader()) return false;
  for (Rank leader = 0; leader < self_; ++leader)
    if (!failed_.contains(leader)) return false;
  return true;
}

void Venkatesan::ask_all(TerminationContext& context, const Question& question) {
  for (Rank rank = 0; rank < processes_; ++rank) {
    if (rank == self_ || failed_.contains(rank)) continue;
    ++recovery_messages_;
    context.send(rank, kQuery, options_->control_bytes).payload.put(question);
  }
  asked(context, question);
}

/// Repeats what the previous leader may have left half done: it may have asked and told only some
/// processes. That leader began this phase before this process did, so ranks that were dead when
/// this process began may have taken part in the phase.
void Venkatesan::succeed(TerminationContext& context) {
  for (const Question& question : deaths_) {
    view_.require_flushes(question.failed);
    ask_all(context, question);
  }
  const std::uint32_t phases = context.phase() + (announced_ ? 1 : 0);
  for (std::uint32_t phase = 0; phase < phases; ++phase) tell_all(context, phase);
}

void Venkatesan::asked(TerminationContext& context, const Question& question) {
  const bool again = std::any_of(asked_.begin(), asked_.end(), [&](const Question& other) {
    return other.failed == question.failed;
  });
  if (again) return;
  asked_.push_back(question);
  context.flush(question.failed);
}

void Venkatesan::on_flushed(TerminationContext& context, Incarnation peer) {
  const auto question = std::find_if(asked_.begin(), asked_.end(),
                                     [peer](const Question& q) { return q.failed == peer.actor; });
  if (question == asked_.end() || question->noticed_s == kNever) return;
  recovery_s_ = std::max(recovery_s_, context.now_s() - question->noticed_s);
  question->noticed_s = kNever;
  recovery_messages_ += leaders_;
  tally_.add(Tally::Entry::flushed, peer.actor);
  if (!context.active()) signal(context);
}

// ---- the end ------------------------------------------------------------------------------------

void Venkatesan::try_announce(TerminationContext& context) {
  if (announced_ || !view_.terminated()) return;
  announced_ = true;
  if (is_first_leader()) tell_all(context, context.phase());
  context.announce();
}

void Venkatesan::tell_all(TerminationContext& context, std::uint32_t phase) const {
  for (Rank rank = 0; rank < processes_; ++rank)
    if (rank != self_ && !failed_.contains(rank))
      context.send(rank, kAnnounce, options_->control_bytes).put_in_phase(phase);
}

void Venkatesan::report(MetricTotals& totals) const {
  DetectorStatistics{}.report(totals);
  totals.put(kRecoveryMessages, recovery_messages_);
  totals.put(kRecoveryTime, recovery_s_);
  totals.put(kStateBytesMax, state_bytes_);
  totals.put(kStateBytesMean, state_bytes_);
}

// A question matters as long as it is unanswered; when its asker heard of the death does not. The
// order of deaths is the one in which a leader asks about them when it succeeds the first leader;
// the first leader has asked already. Messages of recovery, times and sizes are only for the
// report.
void Venkatesan::digest_state(Digest& into) const {
  into.add(tally_, told_, failed_, view_, started_, announced_);
  if (is_leader() && !is_first_leader()) {
    into.add(deaths_.size());
    for (const Question& death : deaths_) into.add(death.failed);
  }
  std::vector<std::pair<Rank, bool>> asked;
  asked.reserve(asked_.size());
  for (const Question& question : asked_)
    asked.emplace_back(question.failed, question.noticed_s == kNever);
  into.add_sorted(asked);
}

std::string Venkatesan::waiting_for() const { return view_.waiting_for(); }

}  // namespace faultline::termination
