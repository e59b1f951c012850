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
  return {{"helpers", "at most " + std::to_string(job.processes - 1) + " with " +
                          std::to_string(job.processes) + " processes"}};
}

/// More helpers than objects would have nothing to do.
std::vector<OptionProblem> check_objects(const OptionValues& own, const Registration&,
                                         const OptionValues& workload) {
  const auto given = workload.find("objects_per_process");
  const std::int64_t objects = given == workload.end() ? 0 : std::get<std::int64_t>(given->second);
  if (std::get<std::int64_t>(own.at("helpers")) <= objects) return {};
  return {{"helpers",
           "at most " + std::to_string(objects) + ", the objects_per_process of the workload"}};
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
     .check = check_helpers,
     .check_with_workload = check_objects},
    options())};

/// Who has sent a message, whoever has passed it on.
Incarnation sender_of(const Context& context, const Message& message) {
  const auto* sender = context.attached<Incarnation>(message);
  return sender != nullptr ? *sender : Incarnation{message.from, message.from_incarnation};
}

/// The first word of what the program says, its tag; counted from 1.
std::uint64_t tag_of(const Message& message) { return message.payload.get<std::uint64_t>() + 1; }

}  // namespace

KindChannel Fast::channel_of(const Message& message, Rank sender) const {
  const std::uint32_t kind =
      counts_ ? 0 : (static_cast<std::uint32_t>(message.channel) << 16U) + message.kind + 1;
  return {faultline::channel_of(message, sender), kind};
}

// def Send(alpha, msg, beta), line 2
std::uint64_t Fast::identity(const Message& message) {
  return counts_ ? LoggedLayer::identity(message) : tag_of(message);
}

/// An object that has come from elsewhere in the middle of an epoch has not logged all here that it
/// has sent, so its numbers are noted.
std::uint64_t Fast::identity_again(const Message& message, std::uint64_t noted) const {
  return counts_ ? noted : tag_of(message);
}

// def Receive(alpha, msg, beta), lines 17 to 22
CheckpointedLayer::Verdict Fast::admit_current(Context& context, Message& message) {
  if (!emigrants_.empty() || !immigrants_.empty())
    if (const auto verdict = admit_moved(context, message)) return *verdict;
  return is_new(context, message) ? Verdict::deliver : Verdict::discard;
}

bool Fast::is_new(Context& context, const Message& message) {
  const Incarnation sender = sender_of(context, message);
  const KindChannel channel = channel_of(message, sender.actor);
  const std::uint64_t number = message.logging.get<LoggingStamp>().id;
  // Only what goes back to an earlier state sends again, and it does so after all have joined the
  // restart. So nothing comes twice before this rank has joined one, unless a program uses the same
  // tag again. Programs of objects do not.
  may_repeat_ = may_repeat_ || sender.number > 0;
  if (!may_repeat_ && (counts_ || is_between_objects(message))) {
    come_.note(channel, number, sender.actor);
    return true;
  }
  const bool is_first = come_.insert(channel, number, sender);
  if (behind_since_s_ && come_.behind() == 0) catch_up(context);
  return is_first;
}

void Fast::fetch_ahead(const Message&, Ahead what) const {
  constexpr std::size_t kOftenUsedOfTable = 48;  // the list of what it has noted
  const auto* const begin = reinterpret_cast<const char*>(&emigrants_);
  const auto* const end = reinterpret_cast<const char*>(&come_) + kOftenUsedOfTable;
  if (what == Ahead::state)
    prefetch(begin, static_cast<std::size_t>(end - begin));
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
