// SPDX-License-Identifier: Apache-2.0
#include "tests/protocols/termination/random_run.hpp"

#include <array>
#include <deque>
#include <map>
#include <sstream>
#include <utility>

#include "sim/core/invariant.hpp"
#include "tests/support/drawn_machine.hpp"

namespace faultline::termination {

namespace {

/// A task with all that will ever come of it: itself and `tasks - 1` below it.
struct Task {
  std::uint64_t key = 0;
  std::uint32_t tasks = 0;
  std::uint32_t unused = 0;
};

/// What is left to do, known from outside the engine, the auditor and the detector.
struct Truth {
  std::vector<std::int64_t> tasks_left;  ///< by phase
};

/// What a rank has begun and will go on with when its computation or timer ends.
struct Unfinished {
  std::vector<Task> below;
  std::uint32_t phase = 0;
};

Stream stream_of(std::uint64_t key) { return {key, 0, Purpose::workload, 0}; }

/// The tasks that a rank begins a phase with, the top one included.
std::uint32_t share_of(const RandomRun& run, Rank rank, std::uint32_t phase) {
  if (run.starts_at_root) return rank == 0 ? run.tasks : 0;
  Stream random(run.seed, phase, Purpose::faults, rank);
  return static_cast<std::uint32_t>(random.below(2 * (run.tasks / run.processes) + 2));
}

std::vector<Task> deal(std::uint32_t tasks, Stream& random) {
  std::vector<Task> dealt;
  const std::uint64_t most = 1 + random.below(4);
  while (tasks > 0) {
    const bool last = dealt.size() + 1 == most;
    const auto part = last ? tasks : static_cast<std::uint32_t>(1 + random.below(tasks));
    dealt.push_back({random.next(), part});
    tasks -= part;
  }
  return dealt;
}

/// The workload of one rank.
class TaskTree {
 public:
  TaskTree(std::shared_ptr<const RandomRun> run, std::shared_ptr<Truth> truth)
      : run_(std::move(run)), truth_(std::move(truth)) {}

  void start(test::ScriptContext& context) { begin(context, phase_++); }

  /// What a handler sends belongs to the phase in which it began, hence the computation. A wrong
  /// detector can announce the next phase before that has ended.
  void go_to_next_phase(test::ScriptContext& context) {
    if (phase_ == run_->phases) return;
    context.start_phase();
    const std::uint32_t phase = phase_++;
    if (share_of(*run_, context.self(), phase) == 0) return;
    beginning_.push_back(phase);
    context.compute(1e-6, kBegin);
  }

  void execute(test::ScriptContext& context, const Task& task, std::uint32_t phase) {
    Stream random = stream_of(task.key);
    std::vector<Task> below = deal(task.tasks - 1, random);
    const std::uint64_t manner = random.below(5);
    const double duration_s = random.chance(0.2) ? 0.0 : random.exponential(2e-5);
    if (manner < 2) return complete(context, below, phase);
    if (manner == 2 && below.size() > 1) {  // sends while it computes
      send(context, below.back());
      below.pop_back();
    }
    unfinished_[++last_] = {std::move(below), phase};
    if (manner == 4) {
      context.declare_work(1);
      context.set_timer(last_, duration_s);
    } else {
      context.compute(duration_s, last_);
    }
  }

  void go_on(test::ScriptContext& context, std::uint64_t number) {
    if (number == kBegin) {
      const std::uint32_t phase = beginning_.front();
      beginning_.pop_front();
      return begin(context, phase);
    }
    const Unfinished rest = std::exchange(unfinished_[number], {});
    unfinished_.erase(number);
    complete(context, rest.below, rest.phase);
  }

 private:
  static constexpr std::uint64_t kBegin = 0;

  void begin(test::ScriptContext& context, std::uint32_t phase) {
    const std::uint32_t tasks = share_of(*run_, context.self(), phase);
    Stream random(run_->seed, phase, Purpose::workload, context.self());
    if (tasks > 0) execute(context, {random.next(), tasks}, phase);
  }

  void complete(test::ScriptContext& context, const std::vector<Task>& below, std::uint32_t phase) {
    for (const Task& task : below) send(context, task);
    --truth_->tasks_left[phase];
  }

  static void send(test::ScriptContext& context, const Task& task) {
    Stream random = stream_of(task.key ^ 1U);
    const std::uint32_t processes = context.job().processes;
    const auto to =
        random.chance(0.2) ? context.self() : static_cast<Rank>(random.below(processes));
    const std::uint64_t bytes = random.chance(0.1) ? 20000 : 200;
    context.send(to, 0, static_cast<std::uint32_t>(random.below(bytes))).payload.put(task);
  }

  std::shared_ptr<const RandomRun> run_;
  std::shared_ptr<Truth> truth_;
  std::map<std::uint64_t, Unfinished> unfinished_;
  std::uint64_t last_ = kBegin;
  std::uint32_t phase_ = 0;              ///< the next to be gone to
  std::deque<std::uint32_t> beginning_;  ///< those whose begin is being computed
};

test::Handlers handlers_of_rank(test::Job& job, const std::shared_ptr<const RandomRun>& run,
                                const std::shared_ptr<Truth>& truth) {
  const auto tree = std::make_shared<TaskTree>(run, truth);
  test::Handlers handlers;
  handlers.start = [tree](test::ScriptContext& context) { tree->start(context); };
  handlers.message = [tree](test::ScriptContext& context, const Message& message) {
    tree->execute(context, message.payload.get<Task>(), message.phase);
  };
  handlers.compute_done = [tree](test::ScriptContext& context, std::uint64_t tag) {
    tree->go_on(context, tag);
  };
  handlers.timer = [tree](test::ScriptContext& context, std::uint64_t key) {
    context.declare_work(-1);
    tree->go_on(context, key);
  };
  handlers.announced = [=, &job](test::ScriptContext& context, std::uint32_t phase) {
    job.note(context, "announced", truth->tasks_left[phase]);
    tree->go_to_next_phase(context);
  };
  return handlers;
}

double messages_of(const RandomRun& run) {
  std::uint64_t messages = 0;
  for (std::uint32_t phase = 0; phase < run.phases; ++phase)
    for (Rank rank = 0; rank < run.processes; ++rank) {
      const std::uint32_t share = share_of(run, rank, phase);
      messages += share > 0 ? share - 1 : 0;
    }
  return static_cast<double>(messages);
}

std::string judge(const RandomRun& run, const DetectorUnderTest& detector, const test::Seen& seen) {
  for (const test::Entry& entry : seen.log)
    if (entry.value != 0)
      return "announced to rank " + std::to_string(entry.actor) + " with " +
             std::to_string(entry.value) + " tasks left";
  if (!seen.result.violations.empty())
    return seen.result.violations.front().kind + ": " + seen.result.violations.front().detail;
  if (seen.result.outcome != engine::Outcome::terminated)
    return std::string("the run ended as ") + engine::outcome_word(seen.result.outcome);
  if (seen.log.size() != std::size_t{run.processes} * run.phases)
    return "announced " + std::to_string(seen.log.size()) + " times";
  if (seen.metric("application_messages") != messages_of(run))
    return "another number of application messages than the tasks make";
  if (seen.metric("application_messages_lost") != 0) return "lost application messages";
  if (seen.metric("detection_latency_s") < 0) return "announced before the end";
  return detector.relation ? detector.relation(run, seen) : std::string();
}

/// Every way to make one field simpler.
std::vector<RandomRun> simpler_runs(const RandomRun& run) {
  std::vector<RandomRun> simpler;
  const auto propose = [&](auto change) {
    RandomRun changed = run;
    change(changed);
    if (describe(changed) != describe(run)) simpler.push_back(changed);
  };
  propose([](RandomRun& r) { r.processes = (r.processes + 1) / 2; });
  propose([](RandomRun& r) { r.tasks /= 2; });
  propose([](RandomRun& r) { r.phases = 1; });
  propose([](RandomRun& r) { r.starts_at_root = true; });
  propose([](RandomRun& r) { r.processes_per_node = 1; });
  propose([](RandomRun& r) { r.worker_cores = 1; });
  propose([](RandomRun& r) { r.random_costs = false; });
  propose([](RandomRun& r) { r.mapping = scenario::Mapping::block; });
  propose([](RandomRun& r) { r.ordering = scenario::Ordering::fifo; });
  propose([](RandomRun& r) { r.progress = scenario::Progress::dedicated; });
  propose([](RandomRun& r) { r.initial_credit = RandomRun{}.initial_credit; });
  propose([](RandomRun& r) { r.processes -= r.processes > 1 ? 1 : 0; });
  propose([](RandomRun& r) { r.tasks -= r.tasks > 0 ? 1 : 0; });
  return simpler;
}

/// A simpler run that breaks a promise too. Fewer tasks are other tasks, so that a few seeds are
/// tried for each.
std::optional<Counterexample> simplify(const RandomRun& run, const DetectorUnderTest& detector,
                                       scenario::EngineKind engine) {
  constexpr std::uint64_t kSeeds = 100;
  for (const RandomRun& simpler : simpler_runs(run)) {
    if (detector.ordering.value_or(simpler.ordering) != simpler.ordering) continue;
    for (std::uint64_t seed = 1; seed <= test::sample_of(kSeeds, engine); ++seed) {
      RandomRun tried = simpler;
      tried.seed = seed;
      std::string promise = broken_promise(tried, detector, engine);
      if (!promise.empty()) return Counterexample{tried, std::move(promise)};
    }
  }
  return std::nullopt;
}

}  // namespace

RandomRun draw_run(std::uint64_t seed) {
  Stream random(seed, 0, Purpose::termination, 0);
  const auto among = [&random](auto... values) {
    const std::array list{values...};
    return list[random.below(list.size())];
  };
  RandomRun run;
  run.seed = seed;
  run.processes = 1 + static_cast<std::uint32_t>(random.below(17));
  run.processes_per_node = 1 + static_cast<std::uint32_t>(random.below(4));
  run.tasks = static_cast<std::uint32_t>(random.below(among(3U, 20U, 60U, 200U)));
  run.phases = among(1U, 1U, 2U, 3U);
  run.starts_at_root = random.chance(0.5);
  run.random_costs = random.chance(0.7);
  run.mapping =
      among(scenario::Mapping::block, scenario::Mapping::round_robin, scenario::Mapping::random);
  run.ordering = among(scenario::Ordering::fifo, scenario::Ordering::unordered);
  run.progress =
      among(scenario::Progress::dedicated, scenario::Progress::shared, scenario::Progress::between);
  run.initial_credit = among(std::int64_t{1}, std::int64_t{3}, std::int64_t{100},
                             std::int64_t{1} << 20, std::int64_t{1} << 32);
  if (seed % 10 != 0) return run;
  run.processes = 18 + static_cast<std::uint32_t>(random.below(47));
  run.processes_per_node = 1 + static_cast<std::uint32_t>(random.below(16));
  run.worker_cores = 1 + static_cast<std::uint32_t>(random.below(3));
  return run;
}

std::string describe(const RandomRun& run) {
  const char* const mappings[] = {"block", "round_robin", "random"};
  const char* const progresses[] = {"dedicated", "shared", "between"};
  std::ostringstream text;
  text << "{.seed = " << run.seed << ", .processes = " << run.processes
       << ", .processes_per_node = " << run.processes_per_node
       << ", .worker_cores = " << run.worker_cores << ", .tasks = " << run.tasks
       << ", .phases = " << run.phases << std::boolalpha
       << ", .starts_at_root = " << run.starts_at_root << ", .random_costs = " << run.random_costs
       << ", .mapping = Mapping::" << mappings[static_cast<std::size_t>(run.mapping)]
       << ", .ordering = Ordering::"
       << (run.ordering == scenario::Ordering::fifo ? "fifo" : "unordered")
       << ", .progress = Progress::" << progresses[static_cast<std::size_t>(run.progress)]
       << ", .initial_credit = " << run.initial_credit << "}";
  return text.str();
}

DetectorUnderTest registered(const std::string& name, const OptionValues& options) {
  return {
      .name = name,
      .install =
          [name, options](test::Job& job, const RandomRun& run) {
            OptionValues values = options;
            for (const OptionSpec& option : find_registration(Family::termination, name)->options)
              if (option.name == "initial_credit") values.emplace(option.name, run.initial_credit);
            job.detector(name, values);
          },
      .ordering = test::needed_ordering(name)};
}

test::Seen make_run(const RandomRun& run, const DetectorUnderTest& detector,
                    scenario::EngineKind engine) {
  test::Job job(run.processes, test::machine_of(run.seed, run.random_costs));
  job.spec.platform.processes_per_node = run.processes_per_node;
  job.spec.platform.worker_cores = run.worker_cores;
  job.spec.platform.mapping = run.mapping;
  job.spec.platform.ordering = run.ordering;
  job.spec.platform.progress = run.progress;
  job.spec.stop.grace_s = 0.05;
  job.spec.stop.events = 3000000;
  const auto shared_run = std::make_shared<const RandomRun>(run);
  const auto truth = std::make_shared<Truth>();
  for (std::uint32_t phase = 0; phase < run.phases; ++phase) {
    truth->tasks_left.push_back(0);
    for (Rank rank = 0; rank < run.processes; ++rank)
      truth->tasks_left.back() += share_of(run, rank, phase);
  }
  job.script(
      Family::workload, [&](ActorId) { return handlers_of_rank(job, shared_run, truth); },
      WorkloadTraits{.starts_at_root = run.starts_at_root});
  detector.install(job, run);
  return job.run(engine, run.seed);
}

std::string broken_promise(const RandomRun& run, const DetectorUnderTest& detector,
                           scenario::EngineKind engine) {
  std::string promise;
  try {
    promise = judge(run, detector, make_run(run, detector, engine));
  } catch (const BrokenInvariant& broken) {
    promise = std::string("broken invariant: ") + broken.what();
  }
  return promise.find(detector.looks_for) != std::string::npos ? promise : std::string();
}

std::optional<Counterexample> search(const DetectorUnderTest& detector, scenario::EngineKind engine,
                                     std::uint64_t runs) {
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    RandomRun run = draw_run(seed);
    run.ordering = detector.ordering.value_or(run.ordering);
    std::string promise = broken_promise(run, detector, engine);
    if (promise.empty()) continue;
    Counterexample found{run, std::move(promise)};
    while (auto simpler = simplify(found.run, detector, engine)) found = std::move(*simpler);
    return found;
  }
  return std::nullopt;
}

std::string counterexample(const DetectorUnderTest& detector, scenario::EngineKind engine,
                           std::uint64_t runs) {
  const auto found = search(detector, engine, runs);
  return found ? describe(found->run) + ": " + found->promise : std::string();
}

}  // namespace faultline::termination
