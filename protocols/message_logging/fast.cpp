// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/fast.hpp"

#include <algorithm>

#include "sim/core/invariant.hpp"
#include "sim/core/prefetch.hpp"

namespace faultline {

namespace {

OptionSet<FastOptions> options() {
  OptionSet<FastOptions> set;
  add_logging_options(set);
  set.option("identifier", &FastOptions::identifier,
             {.doc = "identity of a message between two objects. `ssn`: a sequence number of the "
                     "sender, for programs that send in a fixed order; `iteration-type` and "
                     "`type-tag`: the program's tag and the kind of message",
              .source = "fast-message-logging section 4.1",
              .choices = {"ssn", "iteration-type", "type-tag"}})
      .option("helpers", &FastOptions::helpers,
              {.doc = "ranks on which the objects of a dead rank recover, those that follow it. At "
                      "most `objects_per_process`, and one less than there are processes. 0: they "
                      "recover where the rank restarts",
               .source = "fast-message-logging section 4.1, procedure Recovery"});
  return set;
}

std::vector<OptionProblem> check_helpers(const OptionValues& values, const JobShape& job) {
  const auto helpers = std::get<std::int64_t>(values.at("helpers"));
  if (helpers < job.processes) return {};
  return {{"helpers", "expected at most " + std::to_string(job.processes - 1) + " with " +
                          std::to_string(job.processes) + " processes, got " +
                          std::to_string(helpers)}};
}

/// More helpers than objects would have nothing to do.
std::vector<OptionProblem> check_objects(const OptionValues& own, const Registration& workload,
                                         const OptionValues& options_of_workload) {
  const auto helpers = std::get<std::int64_t>(own.at("helpers"));
  const auto given = options_of_workload.find("objects_per_process");
  if (given == options_of_workload.end()) {
    if (helpers == 0) return {};
    return {{"helpers", "expected 0, because " + workload.name + " has no objects"}};
  }
  const auto objects = std::get<std::int64_t>(given->second);
  if (helpers <= objects) return {};
  return {{"helpers", "expected at most " + std::to_string(objects) +
                          ", the objects_per_process of the workload, got " +
                          std::to_string(helpers)}};
}

const Registered registered{registration<Fast>(
    {.family = Family::message_logging,
     .name = "fast",
     .summary = "messages are logged at their senders; programs that take them in by their tags "
                "need no more",
     .source = "fast-message-logging section 4, Algorithm 1",
     .traits = {.tolerates_faults = true,
                .needs_detection = true,
                .takes_images = true,
                .needs_order_free = true,
                .needs_no_layer_above = true},
     .message_kinds = logging_kinds({"object", "hosted", "homecoming"}),
     .metrics = logging_metrics(),
     .marks = checkpoint_marks(),
     .check = check_helpers,
     .check_with_workload = check_objects},
    options())};

/// Who has sent a message, whoever has passed it on.
Incarnation sender_of(const Context& context, const Message& message) {
  const auto* sender = context.attached<Incarnation>(message);
  return sender != nullptr ? *sender : Incarnation{message.from, message.from_incarnation};
}

}  // namespace

KindChannel Fast::channel_of(const Message& message, Rank sender) const {
  const std::uint32_t kind =
      numbers_messages() ? 0
                         : (static_cast<std::uint32_t>(message.channel) << 16U) + message.kind + 1;
  return {faultline::channel_of(message, sender), kind};
}

// def Receive(alpha, msg, beta), lines 17 to 22
CheckpointedLayer::Verdict Fast::admit_current(Context& context, Message& message) {
  if (!emigrants_.empty() || !immigrants_.empty())
    if (const auto verdict = admit_moved(context, message)) return *verdict;
  return is_new(context, message) ? Verdict::deliver : Verdict::discard;
}

bool Fast::is_new(Context& context, const Message& message) {
  const Incarnation sender = sender_of(context, message);
  const std::uint64_t number = message.logging.get<LoggingStamp>().id;
  invariant(may_repeat() || sender.number == 0, "a rank sends before all know it");
  // A program can use a tag twice. Programs of objects do not.
  if (!may_repeat() && (numbers_messages() || is_between_objects(message))) {
    come_.note(channel_of(message, sender.actor), number, sender.actor);
    return true;
  }
  const bool is_first = come_.insert(channel_of(message, sender.actor), number, sender);
  if (behind_since_s_ && come_.behind() == 0) catch_up(context);
  return is_first;
}

void Fast::fetch_ahead(const Message&, Ahead what) const {
  if (what == Ahead::state)
    prefetch_lines(&emigrants_, 1);
  else if (what == Ahead::content)
    come_.fetch_ahead();
}

// def Checkpoint, line 28
void Fast::on_committed(Context& context) {
  LoggedLayer::on_committed(context);
  if (behind_since_s_) catch_up(context);
  come_.clear();
  invariant(
      std::all_of(emigrants_.begin(), emigrants_.end(),
                  [](const Emigrant& object) { return object.stage == Emigrant::Stage::back; }),
      "a checkpoint is committed while an object is away");
  emigrants_.clear();
  lost_.clear();
  resent_.clear();
  std::erase_if(immigrants_, [this](const Immigrant& object) { return object.epoch < epoch(); });
  program_waits_ = false;
}

void Fast::digest_state(Digest& into) const {
  LoggedLayer::digest_state(into);
  into.add(come_, emigrants_, immigrants_, lost_, resent_, homecomings_, moving_, program_waits_,
           awaits_helpers_);
}

}  // namespace faultline
