// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/component.hpp"
#include "workloads/binomial_tree.hpp"
#include "workloads/task_list.hpp"
#include "workloads/task_list_options.hpp"
#include "workloads/task_range.hpp"
#include "workloads/task_record.hpp"

namespace faultline::workloads {

struct WorkStealingOptions : TaskListOptions {
  std::string steal = "half";
  std::uint32_t steal_attempts = 2;
  std::uint64_t request_bytes = 32;
  std::uint64_t work_bytes = 256;
};

/// Work stealing over active messages (adoption-2013 section 7.1). All work begins at rank 0. A
/// process that has an empty deque and a free core asks random victims for some of their tasks.
/// After a number of refusals it asks its neighbours in a hypercube, its lifelines, to remember it,
/// and goes idle. A lifeline that gets work sends it a share.
///
/// Every process records the tasks that it gave to each other one. If ranks died in a phase, rank 0
/// starts another one, in which every process does again the tasks that it gave to dead thieves.
class WorkStealing final : public Workload {
 public:
  using Options = WorkStealingOptions;
  /// `list` has the tasks of the run. All ranks share it.
  WorkStealing(std::shared_ptr<const Options> options, std::shared_ptr<const TaskList> list,
               const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void start(WorkloadContext& context) override;
  void on_message(WorkloadContext& context, const Message& message) override;
  void on_compute_done(WorkloadContext& context, std::uint64_t tag) override;
  void on_peer_failed(WorkloadContext& context, Incarnation peer) override;
  void on_announced(WorkloadContext& context, std::uint32_t phase) override;
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

 private:
  /// The tasks that a thief was given. The giver does them again if the thief dies.
  struct Theft {
    Rank thief;
    TaskRange range;

    void digest(Digest& into) const { into.add(thief, range); }
  };

  void digest_state(Digest& into) const override;

  // owner and victim
  void take_over(const WorkloadContext& context, TaskRange range);
  void work(WorkloadContext& context);
  void run(WorkloadContext& context, std::uint32_t task);
  void requested(WorkloadContext& context, Rank thief);
  void give(WorkloadContext& context, Rank thief, bool answer);
  void share(WorkloadContext& context);

  // thief
  void search(WorkloadContext& context);
  void attempt(WorkloadContext& context);
  void answered(WorkloadContext& context);
  void end_search(WorkloadContext& context);
  void hang_on_lifelines(WorkloadContext& context);
  void take_in(WorkloadContext& context, const Message& message);

  // recovery
  void learn_of_death(WorkloadContext& context, Rank dead);
  void give_up_without_root(WorkloadContext& context) const;
  void start_recovery(WorkloadContext& context);
  void recover(WorkloadContext& context, const AttachedWords& dead);
  void pass_on_recovery(WorkloadContext& context, const AttachedWords& dead, Rank rank,
                        std::uint32_t bits);
  void queue_lost_again(WorkloadContext& context);
  [[nodiscard]] bool knows_dead(Rank rank) const;

  [[nodiscard]] bool out_of_work() const { return running_ == 0 && deque_.empty(); }
  void account_idle(double now_s);

  std::shared_ptr<const Options> options_;
  std::shared_ptr<const TaskList> list_;
  JobShape job_;
  Rank self_;

  TaskDeque deque_;
  std::uint32_t running_ = 0;  ///< tasks that compute here
  std::uint32_t waiting_ = 0;  ///< bit i: the neighbour self ^ 2^i hangs on this lifeline
  std::uint32_t hanging_ = 0;  ///< bit i: this process hangs on that of self ^ 2^i
  bool searching_ = false;
  std::uint32_t attempts_ = 0;  ///< requests of this search
  Rank victim_ = kNobody;       ///< the victim whose answer the search waits for

  std::vector<Theft> thefts_;
  std::vector<Rank> dead_;    ///< ranks known to be dead, in order
  bool unrecovered_ = false;  ///< a rank has died since the last recovery began
  bool announced_ = false;    ///< the current phase is over

  TaskRecord record_;
  std::uint64_t tasks_ = 0;
  std::uint64_t steals_ = 0;
  std::uint64_t failed_steals_ = 0;
  std::uint64_t lifeline_gifts_ = 0;
  std::uint64_t lost_steals_ = 0;
  std::uint64_t lost_tasks_ = 0;
  std::uint32_t phases_ = 1;
  double task_s_ = 0.0;
  double last_task_end_s_ = 0.0;
  double idle_s_ = 0.0;
  double idle_since_s_ = 0.0;
};

namespace {

enum Kind : std::uint16_t { kRequest, kNothing, kWork, kLifeline, kRecover };

constexpr std::uint64_t kBeginRecovery = std::uint64_t{1} << 32U;  // a tag beyond every task's

struct Work {
  TaskRange range;
  std::uint32_t answer;  ///< 1: to a request; 0: it comes along a lifeline
};

OptionSet<WorkStealingOptions> options() {
  return task_list_options<WorkStealingOptions>()
      .option("steal", &WorkStealingOptions::steal,
              {.doc = "what a thief gets: half of the tasks that the victim has not begun, or the "
                      "oldest entry of its deque with everything below it",
               .source = "half: Hendler and Shavit, Non-blocking steal-half work queues, PODC 2002",
               .choices = {"half", "one"}})
      .option("steal_attempts", &WorkStealingOptions::steal_attempts,
              {.doc = "requests to random victims before a thief hangs on its lifelines and goes "
                      "idle",
               .source = "adoption-2013 section 7.1 (random victims, active messages); lifelines: "
                         "Saraswat et al., Lifeline-based global load balancing, "
                         "PPoPP 2011"})
      .option("request_bytes", &WorkStealingOptions::request_bytes,
              {.doc = "size of a request, a refusal and a lifeline's message",
               .unit = "B",
               .source = "assumed"})
      .option("work_bytes", &WorkStealingOptions::work_bytes,
              {.doc = "size of a message that carries tasks", .unit = "B", .source = "assumed"});
}

std::vector<OptionProblem> check(const OptionValues& values, const JobShape&) {
  return task_list_problems(options().read(values));
}

constexpr MetricSpec kTasks{"tasks", Merge::sum, "tasks that were computed to their end"};
constexpr MetricSpec kTasksRepeated{"tasks_repeated", Merge::sum,
                                    "tasks that were not computed for the first time, or by a "
                                    "process that died before it ran out of work",
                                    Trend::may_fall};
constexpr MetricSpec kTasksLost{"tasks_lost", Merge::sum, "tasks that were queued again"};
constexpr MetricSpec kLostSteals{"lost_steals", Merge::sum, "thefts that were queued again"};
constexpr MetricSpec kTasksMissing{"tasks_missing", Merge::last,
                                   "tasks that no rank did: 0 in a run that comes to its end, "
                                   "which is otherwise `violated` (`lost-work`)"};
constexpr MetricSpec kPhases{"phases", Merge::maximum, "phases of the run"};
constexpr MetricSpec kSteals{"steals", Merge::sum, "requests that got work"};
constexpr MetricSpec kFailedSteals{"failed_steals", Merge::sum, "requests that got none"};
constexpr MetricSpec kLifelineGifts{"lifeline_gifts", Merge::sum,
                                    "shares that came along lifelines"};
constexpr MetricSpec kMakespan{"makespan_s", Merge::maximum, "end of the last task"};
constexpr MetricSpec kTaskTime{"task_time_s", Merge::sum, "time that all cores spent on tasks"};
constexpr MetricSpec kIdleTime{"idle_time_s", Merge::sum,
                               "time that ranks spent without a task, up to the last announcement"};

Registration work_stealing() {
  Registration registration{
      .family = Family::workload,
      .name = "work-stealing",
      .summary = "tasks that idle processes steal from random victims; lost ones run again",
      .source = "adoption-2013 section 7",
      .traits = WorkloadTraits{.starts_at_root = true,
                               .has_images = true,
                               .end_checks = {{&kTasksMissing, "lost-work"}},
                               .may_give_up =
                                   [](const OptionValues&, const JobShape&,
                                      const std::vector<ActorId>& dead) {
                                     return std::count(dead.begin(), dead.end(), 0U) > 0;
                                   }},
      .options = options().specs(),
      .message_kinds = {"request", "nothing", "work", "lifeline", "recover"},
      .metrics = {&kTasks, &kTasksRepeated, &kTasksLost, &kLostSteals, &kTasksMissing, &kPhases,
                  &kSteals, &kFailedSteals, &kLifelineGifts, &kMakespan, &kTaskTime, &kIdleTime},
      .check = check};
  registration.make = [](const OptionValues& values, const JobShape& job) -> ComponentFactory {
    auto chosen = std::make_shared<const WorkStealingOptions>(options().read(values));
    auto list = std::make_shared<const TaskList>(list_of(*chosen));
    return [chosen, list, job](ActorId self) -> std::unique_ptr<Component> {
      return std::make_unique<WorkStealing>(chosen, list, job, self);
    };
  };
  return registration;
}

const Registered registered{work_stealing()};

}  // namespace

// At the start, every rank hangs on the lifeline of its parent in the binomial tree, so that the
// work of rank 0 spreads by halves.
WorkStealing::WorkStealing(std::shared_ptr<const Options> options,
                           std::shared_ptr<const TaskList> list, const JobShape& job, Rank self)
    : options_(std::move(options)),
      list_(std::move(list)),
      job_(job),
      self_(self),
      waiting_(child_dimensions(self, job.processes)),
      hanging_(self & -self) {}

std::unique_ptr<Component> WorkStealing::clone() const {
  return std::make_unique<WorkStealing>(*this);
}

void WorkStealing::start(WorkloadContext& context) {
  if (self_ != 0) return;
  take_over(context, {0, list_->tasks()});
  work(context);
  share(context);
}

void WorkStealing::on_message(WorkloadContext& context, const Message& message) {
  switch (message.kind) {
    case kRequest:
      requested(context, message.from);
      break;
    case kNothing:
      if (message.from == victim_) answered(context);
      break;
    case kWork:
      take_in(context, message);
      break;
    case kLifeline:
      waiting_ |= self_ ^ message.from;
      share(context);
      break;
    default:
      recover(context, *message.attachments.get<AttachedWords>(Family::workload));
  }
}

// ---- the owner and the victim ------------------------------------------------------------------

void WorkStealing::take_over(const WorkloadContext& context, TaskRange range) {
  if (out_of_work()) account_idle(context.now_s());
  deque_.put(range);
}

/// Begins as many tasks as there are free cores; looks for more when none are left.
void WorkStealing::work(WorkloadContext& context) {
  while (running_ < job_.worker_cores && !deque_.empty()) run(context, deque_.take());
  if (running_ < job_.worker_cores && !searching_) search(context);
}

void WorkStealing::run(WorkloadContext& context, std::uint32_t task) {
  ++running_;
  record_.begin(task);
  context.compute(list_->compute_s(task), task);
}

void WorkStealing::on_compute_done(WorkloadContext& context, std::uint64_t tag) {
  if (tag == kBeginRecovery) {
    recover(context, std::make_shared<std::vector<std::uint64_t>>(dead_.begin(), dead_.end()));
    return;
  }
  --running_;
  ++tasks_;
  task_s_ += list_->compute_s(static_cast<std::uint32_t>(tag));
  last_task_end_s_ = context.now_s();
  if (out_of_work()) {
    record_.finish();
    idle_since_s_ = context.now_s();
  }
  work(context);
}

void WorkStealing::requested(WorkloadContext& context, Rank thief) {
  if (knows_dead(thief)) return;
  if (deque_.empty())
    context.send(thief, kNothing, options_->request_bytes);
  else
    give(context, thief, true);
}

void WorkStealing::give(WorkloadContext& context, Rank thief, bool answer) {
  const TaskRange range =
      options_->steal == "one" ? deque_.steal_one(list_->divergence) : deque_.steal_half();
  thefts_.push_back({thief, range});
  context.send(thief, kWork, options_->work_bytes).payload.put(Work{range, answer ? 1U : 0U});
}

/// Serves the highest dimension first: at the start it leads to the largest part of the binomial
/// tree.
void WorkStealing::share(WorkloadContext& context) {
  while (waiting_ != 0 && !deque_.empty()) {
    const std::uint32_t neighbour = largest_bit(waiting_);
    waiting_ &= ~neighbour;
    if (!knows_dead(self_ ^ neighbour)) give(context, self_ ^ neighbour, false);
  }
}

// ---- the thief ---------------------------------------------------------------------------------

/// A process that searches is active: it waits for an answer that may bring work.
void WorkStealing::search(WorkloadContext& context) {
  searching_ = true;
  attempts_ = 0;
  context.declare_work(1);
  attempt(context);
}

void WorkStealing::attempt(WorkloadContext& context) {
  const auto others_alive = job_.processes - 1 - static_cast<std::uint32_t>(dead_.size());
  if (attempts_ == options_->steal_attempts || others_alive == 0) {
    end_search(context);
    hang_on_lifelines(context);
    return;
  }
  ++attempts_;
  do {
    const auto other = static_cast<Rank>(random.below(job_.processes - 1));
    victim_ = other + static_cast<Rank>(other >= self_);
  } while (knows_dead(victim_));
  context.send(victim_, kRequest, options_->request_bytes);
}

/// The victim has nothing, or is dead. A lifeline may have brought work meanwhile.
void WorkStealing::answered(WorkloadContext& context) {
  ++failed_steals_;
  victim_ = kNobody;
  if (running_ == job_.worker_cores)
    end_search(context);
  else
    attempt(context);
}

void WorkStealing::end_search(WorkloadContext& context) {
  searching_ = false;
  victim_ = kNobody;
  context.declare_work(-1);
}

void WorkStealing::hang_on_lifelines(WorkloadContext& context) {
  for (std::uint32_t i = 0; dimension_bit(i) < job_.processes; ++i) {
    const Rank neighbour = self_ ^ dimension_bit(i);
    if ((hanging_ & dimension_bit(i)) != 0) continue;
    if (neighbour >= job_.processes || knows_dead(neighbour)) continue;
    hanging_ |= dimension_bit(i);
    context.send(neighbour, kLifeline, options_->request_bytes);
  }
}

void WorkStealing::take_in(WorkloadContext& context, const Message& message) {
  const auto got = message.payload.get<Work>();
  if (got.answer == 1) {
    ++steals_;
    if (message.from == victim_) end_search(context);
  } else {
    ++lifeline_gifts_;
    hanging_ &= ~(self_ ^ message.from);
  }
  take_over(context, got.range);
  work(context);
  share(context);
}

// ---- recovery ----------------------------------------------------------------------------------

void WorkStealing::on_peer_failed(WorkloadContext& context, Incarnation peer) {
  if (peer.actor < job_.processes) learn_of_death(context, peer.actor);
}

void WorkStealing::learn_of_death(WorkloadContext& context, Rank dead) {
  const auto place = std::lower_bound(dead_.begin(), dead_.end(), dead);
  if (place != dead_.end() && *place == dead) return;
  dead_.insert(place, dead);
  unrecovered_ = unrecovered_ || dead != 0;
  give_up_without_root(context);
  if (dead == victim_) answered(context);
  if (self_ == 0 && announced_) start_recovery(context);
}

/// Only rank 0 starts a recovery, and only its records cover all work. Once the phase is over, rank
/// 0 itself has left nothing undone.
void WorkStealing::give_up_without_root(WorkloadContext& context) const {
  if (knows_dead(0) && (!announced_ || unrecovered_))
    context.fatal("rank 0 has died, and no other rank can have lost work done again");
}

void WorkStealing::on_announced(WorkloadContext& context, std::uint32_t) {
  if (out_of_work()) account_idle(context.now_s());
  announced_ = true;
  if (self_ == 0 && unrecovered_) start_recovery(context);
}

/// What handlers send now belongs to the phase that is over: the new one begins with a computation
/// that takes no time.
void WorkStealing::start_recovery(WorkloadContext& context) {
  announced_ = false;
  unrecovered_ = false;
  ++phases_;
  context.start_phase();
  context.compute(0.0, kBeginRecovery);
}

/// All live ranks hear of the recovery, along the binomial tree of the live ranks. It names the
/// dead, of which a slower failure detector may not have told this rank yet.
void WorkStealing::recover(WorkloadContext& context, const AttachedWords& dead) {
  announced_ = false;
  for (const std::uint64_t rank : *dead) learn_of_death(context, static_cast<Rank>(rank));
  if (self_ != 0) unrecovered_ = dead_.size() > dead->size();
  pass_on_recovery(context, dead, self_, child_dimensions(self_, job_.processes));
  queue_lost_again(context);
  if (deque_.empty()) return;
  work(context);
  share(context);
}

void WorkStealing::pass_on_recovery(WorkloadContext& context, const AttachedWords& dead, Rank rank,
                                    std::uint32_t bits) {
  for (; bits != 0; bits &= ~largest_bit(bits)) {
    const Rank child = rank + largest_bit(bits);
    if (knows_dead(child)) {
      pass_on_recovery(context, dead, child, child_dimensions(child, job_.processes));
      continue;
    }
    const std::uint64_t bytes = sizeof(Rank) * dead->size();
    context.attach(context.send(child, kRecover, options_->request_bytes + bytes), dead);
  }
}

/// Records outlive their phase: a thief may die while it repeats tasks that another one lost.
void WorkStealing::queue_lost_again(WorkloadContext& context) {
  std::erase_if(thefts_, [&](const Theft& theft) {
    if (!knows_dead(theft.thief)) return false;
    ++lost_steals_;
    lost_tasks_ += theft.range.size();
    take_over(context, theft.range);
    return true;
  });
}

bool WorkStealing::knows_dead(Rank rank) const {
  return std::binary_search(dead_.begin(), dead_.end(), rank);
}

// ---- the report --------------------------------------------------------------------------------

void WorkStealing::account_idle(double now_s) {
  idle_s_ += now_s - idle_since_s_;
  idle_since_s_ = now_s;
}

void WorkStealing::report(MetricTotals& totals) const {
  totals.put(kTasks, tasks_);
  totals.put(kSteals, steals_);
  totals.put(kFailedSteals, failed_steals_);
  totals.put(kLifelineGifts, lifeline_gifts_);
  totals.put(kLostSteals, lost_steals_);
  totals.put(kTasksLost, lost_tasks_);
  totals.put(kPhases, phases_);
  totals.put(kTaskTime, task_s_);
  totals.put(kMakespan, last_task_end_s_);
  totals.put(kIdleTime, idle_s_);
  NumberSet& done = totals.numbers();
  totals.put(kTasksRepeated, tasks_ - record_.add_finished_to(done));
  totals.put(kTasksMissing, list_->tasks() - done.size());
}

// Counts and times are only for the report.
void WorkStealing::digest_state(Digest& into) const {
  into.add(deque_, running_, waiting_, hanging_, thefts_, dead_, unrecovered_, announced_);
  into.add(record_, searching_);
  if (searching_) into.add(attempts_, victim_);
}

std::string WorkStealing::waiting_for() const {
  return searching_ ? "an answer of rank " + std::to_string(victim_) : std::string();
}

}  // namespace faultline::workloads
