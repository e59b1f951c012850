// SPDX-License-Identifier: Apache-2.0
#include "tests/protocols/message_logging/helped_run.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "sim/core/invariant.hpp"
#include "sim/scenario/canonical.hpp"
#include "tests/support/drawn_machine.hpp"
#include "tests/support/shrinking.hpp"

namespace faultline::message_logging {

namespace {

/// Half of the deaths strike at a mark. Of the later ones, half strike a helper of the first
/// victim, and some that victim again.
test::DeathSpec draw_death(Stream& random, const HelpedRun& run, std::uint64_t events) {
  test::DeathSpec death;
  death.victim = static_cast<Rank>(random.below(run.processes));
  if (!run.deaths.empty() && random.chance(0.5))
    death.victim = static_cast<Rank>((run.deaths.front().victim + 1 + random.below(run.helpers)) %
                                     run.processes);
  else if (!run.deaths.empty() && random.chance(0.4))
    death.victim = run.deaths.front().victim;
  if (random.chance(0.5)) {
    death.event = 1 + random.below(events + events / 2);
  } else if (random.chance(0.5)) {
    death.mark = "checkpoint";
    death.value = static_cast<std::int64_t>(random.below(
        1 + static_cast<std::uint64_t>(run.iterations / run.iterations_per_checkpoint)));
  } else {
    death.mark = "recovery";
    death.value = 1;
  }
  return death;
}

/// Every way to make one field simpler.
std::vector<HelpedRun> simpler_runs(const HelpedRun& run) {
  std::vector<HelpedRun> simpler;
  const auto propose = [&](auto change) {
    HelpedRun changed = run;
    change(changed);
    if (describe(changed) != describe(run)) simpler.push_back(changed);
  };
  for (std::size_t i = 0; i < run.deaths.size(); ++i)
    propose(
        [i](HelpedRun& r) { r.deaths.erase(r.deaths.begin() + static_cast<std::ptrdiff_t>(i)); });
  propose([](HelpedRun& r) { r.processes_per_node = 1; });
  propose([](HelpedRun& r) { r.random_costs = false; });
  propose([](HelpedRun& r) { r.progress = scenario::Progress::dedicated; });
  propose([](HelpedRun& r) { r.ordering = scenario::Ordering::fifo; });
  propose([](HelpedRun& r) { r.preset = "none"; });
  propose([](HelpedRun& r) { r.identifier = "iteration-type"; });
  propose([](HelpedRun& r) { r.synchronization = "tags"; });
  propose([](HelpedRun& r) { r.iterations = (r.iterations + 1) / 2; });
  propose([](HelpedRun& r) { r.objects = std::max<std::int64_t>(r.helpers, r.objects / 2); });
  propose([](HelpedRun& r) { r.helpers -= r.helpers > 1 ? 1 : 0; });
  propose([](HelpedRun& r) { r.compute_s = 0.0; });
  propose([](HelpedRun& r) { r.notice_spread_s = 0.0; });
  propose([](HelpedRun& r) { r.restart_delay_s = 0.0; });
  propose([](HelpedRun& r) {
    r.processes -= r.processes > 2 && r.processes > r.helpers + 1 ? 1 : 0;
    for (test::DeathSpec& death : r.deaths) death.victim %= r.processes;
  });
  for (std::size_t i = 0; i < run.deaths.size(); ++i) {
    propose([i](HelpedRun& r) { r.deaths[i].event -= r.deaths[i].event > 1 ? 1 : 0; });
    propose([i](HelpedRun& r) { r.deaths[i].event = (r.deaths[i].event + 1) / 2; });
  }
  return simpler;
}

}  // namespace

std::string describe(const HelpedRun& run) {
  std::ostringstream text;
  text << "{.seed = " << run.seed << ", .processes = " << run.processes
       << ", .processes_per_node = " << run.processes_per_node << ", .helpers = " << run.helpers
       << ", .objects = " << run.objects << ", .preset = \"" << run.preset << "\", .identifier = \""
       << run.identifier << "\", .synchronization = \"" << run.synchronization
       << "\", .iterations = " << run.iterations
       << ", .iterations_per_checkpoint = " << run.iterations_per_checkpoint
       << ", .compute_s = " << run.compute_s << std::boolalpha
       << ", .random_costs = " << run.random_costs
       << ", .progress = Progress::" << scenario::word_of(run.progress)
       << ", .ordering = Ordering::"
       << (run.ordering == scenario::Ordering::fifo ? "fifo" : "unordered")
       << ", .notice_delay_s = " << run.notice_delay_s
       << ", .notice_spread_s = " << run.notice_spread_s
       << ", .restart_delay_s = " << run.restart_delay_s << ", .deaths = {";
  for (const test::DeathSpec& death : run.deaths) text << test::describe(death) << ", ";
  text << "}}";
  return text.str();
}

test::Seen make_run(const HelpedRun& run, scenario::EngineKind engine, Mistake mistake) {
  test::Job job(run.processes, test::machine_of(run.seed, run.random_costs));
  job.spec.platform.processes_per_node = run.processes_per_node;
  job.spec.platform.progress = run.progress;
  job.spec.platform.ordering = run.ordering;
  job.spec.platform.restart_delay_s = run.restart_delay_s;
  job.spec.stop.events = 2000000;
  job.spec.stop.when = scenario::StopWhen::finished;
  job.workload("stencil", {{"preset", run.preset},
                           {"objects_per_process", run.objects},
                           {"iterations", run.iterations},
                           {"checkpoint_iterations", run.iterations_per_checkpoint},
                           {"synchronization", run.synchronization},
                           {"compute_s", run.compute_s},
                           {"bytes", std::int64_t{500}},
                           {"object_bytes", std::int64_t{1000}}});
  job.use(Family::message_logging, "fast",
          {{"helpers", std::int64_t{run.helpers}}, {"identifier", run.identifier}});
  job.use(Family::failure_detection, "oracle",
          {{"delay_s", run.notice_delay_s}, {"spread_s", run.notice_spread_s}});
  if (mistake != nullptr)
    job.spec.components[index_of(Family::message_logging)].registration = mistake;
  for (const test::DeathSpec& death : run.deaths) job.spec.faults.push_back(test::fault_of(death));
  return job.run(engine, run.seed);
}

std::string broken_promise(const HelpedRun& run, scenario::EngineKind engine, Mistake mistake) {
  try {
    const test::Seen seen = make_run(run, engine, mistake);
    if (!seen.result.violations.empty())
      return seen.result.violations.front().kind + ": " + seen.result.violations.front().detail;
    const double struck = run.deaths.empty() ? 0.0 : seen.metric("faults_struck");
    if (seen.result.outcome == engine::Outcome::finished) {
      if (seen.metric("state_difference") != 0) return "another end than without an engine";
      return !run.deaths.empty() && seen.metric("failed_ranks") != 0 ? "finished without a rank"
                                                                     : "";
    }
    if (seen.result.outcome == engine::Outcome::all_failed && struck >= run.processes) return {};
    if (seen.result.outcome == engine::Outcome::fatal_reported && struck > 1) return {};
    return std::string("the run ended as ") + engine::outcome_word(seen.result.outcome) + ": " +
           seen.result.fatal_reason;
  } catch (const BrokenInvariant& broken) {
    return std::string("broken invariant: ") + broken.what();
  }
}

HelpedRun draw_helped_run(std::uint64_t seed) {
  Stream random(seed, 0, Purpose::message_logging, 0);
  const auto among = [&random](auto... values) {
    const std::array list{values...};
    return list[random.below(list.size())];
  };
  HelpedRun run;
  run.seed = seed;
  run.processes = 2 + static_cast<std::uint32_t>(random.below(7));
  run.processes_per_node =
      1 + static_cast<std::uint32_t>(random.below(std::min(3U, run.processes - 1)));
  run.objects = 1 + static_cast<std::int64_t>(random.below(8));
  run.helpers = 1 + static_cast<std::uint32_t>(random.below(std::min<std::uint64_t>(
                        static_cast<std::uint64_t>(run.objects), run.processes - 1)));
  run.preset = among("none", "wave2d", "jacobi3d", "lulesh");
  run.identifier = among("ssn", "iteration-type", "type-tag");
  run.synchronization = among("tags", "tags", "barrier");
  run.iterations = 1 + static_cast<std::int64_t>(random.below(7));
  run.iterations_per_checkpoint = 1 + static_cast<std::int64_t>(random.below(4));
  run.compute_s = among(0.0, 1e-5, 1e-4, 1e-3);
  run.random_costs = random.chance(0.5);
  run.progress =
      among(scenario::Progress::dedicated, scenario::Progress::shared, scenario::Progress::between);
  run.ordering = among(scenario::Ordering::fifo, scenario::Ordering::unordered);
  run.notice_delay_s = among(1e-6, 1e-5, 1e-4);
  run.notice_spread_s = among(0.0, 1e-5, 1e-4);
  run.restart_delay_s = among(0.0, 1e-5, 1e-3);
  const std::uint64_t events = make_run(run, scenario::EngineKind::loggp).result.events;
  const std::uint64_t deaths = 1 + random.below(3);
  for (std::uint64_t i = 0; i < deaths; ++i) run.deaths.push_back(draw_death(random, run, events));
  return run;
}

std::string helped_counterexample(scenario::EngineKind engine, std::uint64_t first,
                                  std::uint64_t last, Mistake mistake) {
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const HelpedRun run = draw_helped_run(seed);
    std::string promise = broken_promise(run, engine, mistake);
    if (promise.empty()) continue;
    const auto found = test::shrunk(
        test::BrokenRun<HelpedRun>{run, std::move(promise)}, simpler_runs,
        [&](const HelpedRun& simpler) { return broken_promise(simpler, engine, mistake); });
    return describe(found.run) + ": " + found.promise;
  }
  return {};
}

}  // namespace faultline::message_logging
