// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/fast.hpp"

#include <algorithm>

#include "sim/core/checkpoint_request.hpp"
#include "sim/core/invariant.hpp"

namespace faultline::message_logging {

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
     .traits = RecoveryTraits{.needs_detection = true,
                              .takes_images = true,
                              .needs_order_free = true,
                              .needs_no_layer_above = true,
                              .check_with_workload = check_objects},
     .message_kinds = logging_kinds({"object", "hosted", "homecoming"}),
     .metrics = logging_metrics(),
     .marks = program_marks(),
     .check = check_helpers},
    options())};

/// The sender of a message, whichever rank has passed it on.
Incarnation sender_of(const RecoveryContext& context, const Message& message) {
  const auto* sender = context.attached<Incarnation>(message);
  return sender != nullptr ? *sender : Incarnation{message.from, message.from_incarnation};
}

}  // namespace

Fast::Fast(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self)
    : ProgramLayer(*options, job, self, Survivors::go_on),
      processes_(job.processes),
      log_(self,
           options->identifier == "ssn" ? SenderLog::Identity::number : SenderLog::Identity::tag),
      time_(*options),
      helpers_(options->helpers) {}

// def Send(alpha, msg, beta), lines 1 to 6. Home also logs what it sends to its own objects
// elsewhere. An object that has come from elsewhere in the middle of an epoch has not logged all
// here that it has sent, so its numbers are noted.
void Fast::stamp(RecoveryContext& context, Message& message) {
  time_.bookkeep(context);
  LoggingStamp stamp = program_.stamp();
  stamp.id = log_.identity_of(message);
  if (message.to != self_ || emigrants_.find(message.to_object) != nullptr) {
    log_.add(context, message, log_.numbers_messages() ? static_cast<std::uint32_t>(stamp.id) : 0);
    time_.log(context, message);
  }
  message.logging.put(stamp);
}

// def Receive(alpha, msg, beta), lines 14 to 22
Admission Fast::admit(RecoveryContext& context, Message& message) {
  if (const auto turned_away = program_.turn_away(context, message)) return *turned_away;
  if (must_wait(context, message)) return Admission::hold;
  time_.bookkeep(context);
  if (const auto moved = admit_moved(context, message)) return *moved;
  if (!is_new(context, message)) return Admission::discard;
  if (program_.gate().counts()) program_.count_received(context);
  return Admission::deliver;
}

KindChannel Fast::channel_of(const Message& message, Rank sender) const {
  const std::uint32_t kind =
      log_.numbers_messages()
          ? 0
          : (static_cast<std::uint32_t>(message.channel) << 16U) + message.kind + 1;
  return {faultline::message_logging::channel_of(message, sender), kind};
}

bool Fast::is_new(RecoveryContext& context, const Message& message) {
  const Incarnation sender = sender_of(context, message);
  const std::uint64_t number = message.logging.get<LoggingStamp>().id;
  invariant(program_.may_repeat() || sender.number == 0, "a rank sends before all know it");
  const bool is_first = come_.insert(channel_of(message, sender.actor), number, sender);
  if (behind_since_s_ && come_.behind() == 0) catch_up(context);
  return is_first;
}

// def Checkpoint, lines 25 and 26: immigrants go home, and emigrants are awaited.
void Fast::on_request(RecoveryContext& context, const StackRequest& request) {
  if (request.is<CheckpointRequest>() && program_.is_up()) {
    program_waits_ = true;
    send_home(context);
  }
  const bool waited = program_.gate().is_resuming();
  ProgramLayer::on_request(context, request);
  if (!waited || program_.gate().is_resuming()) return;  // it has not had its answer just now
  for (const Message& message : std::exchange(homecomings_, {})) take_home(context, message);
  if (context.incarnation() > 0) come_up(context);
}

bool Fast::is_ready() const {
  return program_waits_ && moving_ == 0 && all_are(immigrants_, Immigrant::Stage::gone) &&
         all_are(emigrants_, Emigrant::Stage::back);
}

// def Checkpoint, line 28
void Fast::on_committed(RecoveryContext& context) {
  log_.clear();
  if (behind_since_s_) catch_up(context);
  come_.clear();
  invariant(all_are(emigrants_, Emigrant::Stage::back),
            "a checkpoint is committed while an object is away");
  emigrants_.clear();
  lost_.clear();
  resent_.clear();
  immigrants_.erase_if([this](const Immigrant& object) { return object.epoch < program_.epoch(); });
  program_waits_ = false;
}

// ---- seen from outside ------------------------------------------------------------------------

void Fast::report(MetricTotals& totals) const { time_.report(totals, program_.report(totals)); }

std::string Fast::waiting_for() const {
  if (awaits_helpers_) return "helpers to host its objects";
  std::string what = program_.waiting_for();
  const auto away = std::ranges::find_if(
      emigrants_, [](const Emigrant& object) { return object.stage != Emigrant::Stage::back; });
  if (away != emigrants_.end())
    what += (what.empty() ? "" : " and ") + ("object " + std::to_string(away->object)) + " on " +
            std::to_string(away->host.actor);
  return what;
}

void Fast::digest_state(Digest& into) const {
  into.add(program_, log_, come_, emigrants_, immigrants_, lost_, resent_, homecomings_, moving_,
           program_waits_, awaits_helpers_);
}

}  // namespace faultline::message_logging
