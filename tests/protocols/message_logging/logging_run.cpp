// SPDX-License-Identifier: Apache-2.0
#include "tests/protocols/message_logging/logging_run.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "sim/core/invariant.hpp"
#include "tests/support/drawn_machine.hpp"
#include "tests/support/shrinking.hpp"

namespace faultline::message_logging {

namespace {

test::DeathSpec draw_death(Stream& random, const LoggingRun& run, std::uint64_t events) {
  test::DeathSpec death;
  death.victim = static_cast<Rank>(random.below(run.processes));
  const std::uint64_t manner = random.below(4);
  if (manner < 2) {
    death.event = 1 + random.below(events);
  } else if (manner == 2) {
    death.mark = "checkpoint";
    death.value = static_cast<std::int64_t>(
        random.below(1 + run.exchange.iterations /
                             std::max<std::uint64_t>(1, run.exchange.iterations_per_checkpoint)));
  } else {
    death.mark = "recovery";
    death.value = 1;
  }
  return death;
}

std::string judge(const LoggingRun& run, const test::Seen& seen, const test::Seen& truth,
                  std::size_t survives) {
  if (!seen.result.violations.empty())
    return seen.result.violations.front().kind + ": " + seen.result.violations.front().detail;
  const double struck = run.deaths.empty() ? 0.0 : seen.metric("faults_struck");
  switch (seen.result.outcome) {
    case engine::Outcome::finished:
      for (Rank rank = 0; rank < run.processes; ++rank) {
        const test::Values ends = seen.values(rank, "end");
        if (ends.empty()) return "finished without an end";
        if (!run.exchange.ordered && ends.back() != truth.values(rank, "end").back())
          return "another end than without faults";
      }
      if (!run.deaths.empty() && seen.metric("failed_ranks") != 0) return "finished without a rank";
      return {};
    case engine::Outcome::fatal_reported:
      return struck > static_cast<double>(survives) ? std::string()
                                                    : "gave up: " + seen.result.fatal_reason;
    case engine::Outcome::all_failed:
      return struck >= run.processes ? std::string() : "all failed";
    default:
      return std::string("the run ended as ") + engine::outcome_word(seen.result.outcome);
  }
}

/// Every way to make one field simpler.
std::vector<LoggingRun> simpler_runs(const LoggingRun& run) {
  std::vector<LoggingRun> simpler;
  const auto propose = [&](auto change) {
    LoggingRun changed = run;
    change(changed);
    if (describe(changed) != describe(run)) simpler.push_back(changed);
  };
  for (std::size_t i = 0; i < run.deaths.size(); ++i)
    propose(
        [i](LoggingRun& r) { r.deaths.erase(r.deaths.begin() + static_cast<std::ptrdiff_t>(i)); });
  propose([](LoggingRun& r) { r.processes_per_node = 1; });
  propose([](LoggingRun& r) { r.random_costs = false; });
  propose([](LoggingRun& r) { r.ordering = scenario::Ordering::fifo; });
  propose([](LoggingRun& r) { r.unordered_delay_s = 1e-5; });
  propose([](LoggingRun& r) { r.exchange.iterations = (r.exchange.iterations + 1) / 2; });
  propose([](LoggingRun& r) { r.exchange.neighbours = 1; });
  propose([](LoggingRun& r) { r.exchange.to_itself = false; });
  propose([](LoggingRun& r) { r.exchange.compute_s = 0.0; });
  propose([](LoggingRun& r) { r.exchange.checkpoint_at_end = false; });
  propose([](LoggingRun& r) { r.notice_spread_s = 0.0; });
  propose([](LoggingRun& r) { r.restart_delay_s = 0.0; });
  propose([](LoggingRun& r) {
    r.processes -= r.processes > 2 && r.processes > r.exchange.neighbours + 1 ? 1 : 0;
    for (test::DeathSpec& death : r.deaths) death.victim %= r.processes;
  });
  for (std::size_t i = 0; i < run.deaths.size(); ++i) {
    propose([i](LoggingRun& r) { r.deaths[i].event -= r.deaths[i].event > 1 ? 1 : 0; });
    propose([i](LoggingRun& r) { r.deaths[i].event = (r.deaths[i].event + 1) / 2; });
  }
  return simpler;
}

}  // namespace

void use_logging(test::Job& job, const std::string& name, OptionValues options) {
  for (const OptionSpec& option : find_registration(Family::message_logging, name)->options)
    if (option.source.starts_with("calibrated")) options.emplace(option.name, 0.0);
  job.use(Family::message_logging, name, options);
}

void use_exchange(test::Job& job, const Exchange& exchange, bool notes) {
  job.own(
      Family::workload,
      [exchange, to = notes ? &job : nullptr](ActorId) {
        return std::make_unique<ExchangeProgram>(exchange, to);
      },
      {.traits = WorkloadTraits{.finishes = true, .has_images = true, .driven_by_messages = true},
       .marks = {&kExchangeMark}});
  job.spec.stop.when = scenario::StopWhen::finished;
}

LoggingRun draw_logging_run(std::uint64_t seed, const ProtocolUnderTest& protocol) {
  Stream random(seed, 0, Purpose::message_logging, 0);
  const auto among = [&random](auto... values) {
    const std::array list{values...};
    return list[random.below(list.size())];
  };
  LoggingRun run;
  run.seed = seed;
  run.processes = 2 + static_cast<std::uint32_t>(random.below(7));
  run.processes_per_node =
      1 + static_cast<std::uint32_t>(random.below(std::min(3U, run.processes - 1)));
  run.exchange = {
      .iterations = 1 + random.below(6),
      .iterations_per_checkpoint = random.below(4),
      .neighbours = 1 + static_cast<std::uint32_t>(random.below(std::min(3U, run.processes - 1))),
      .to_itself = random.chance(0.5),
      .ordered = protocol.any_order && random.chance(0.7),
      .compute_s = among(0.0, 0.0, 1e-5),
      .checkpoint_at_end = random.chance(0.5)};
  run.random_costs = random.chance(0.5);
  run.ordering = protocol.needs_fifo
                     ? scenario::Ordering::fifo
                     : among(scenario::Ordering::fifo, scenario::Ordering::unordered);
  run.unordered_delay_s = among(1e-5, 1e-4, 1e-3);
  run.notice_delay_s = among(1e-6, 1e-5, 1e-4);
  run.notice_spread_s = among(0.0, 1e-5, 1e-4);
  run.restart_delay_s = among(0.0, 1e-5, 1e-3);
  const std::uint64_t events = make_run(run, protocol, scenario::EngineKind::loggp).result.events;
  const std::uint64_t deaths = 1 + random.below(3);
  run.deaths.reserve(deaths);
  for (std::uint64_t i = 0; i < deaths; ++i) run.deaths.push_back(draw_death(random, run, events));
  return run;
}

std::string describe(const LoggingRun& run) {
  std::ostringstream text;
  text << "{.seed = " << run.seed << ", .processes = " << run.processes
       << ", .processes_per_node = " << run.processes_per_node
       << ", .exchange = {.iterations = " << run.exchange.iterations
       << ", .iterations_per_checkpoint = " << run.exchange.iterations_per_checkpoint
       << ", .neighbours = " << run.exchange.neighbours << std::boolalpha
       << ", .to_itself = " << run.exchange.to_itself << ", .ordered = " << run.exchange.ordered
       << ", .compute_s = " << run.exchange.compute_s
       << ", .checkpoint_at_end = " << run.exchange.checkpoint_at_end
       << "}, .random_costs = " << run.random_costs << ", .ordering = Ordering::"
       << (run.ordering == scenario::Ordering::fifo ? "fifo" : "unordered")
       << ", .unordered_delay_s = " << run.unordered_delay_s
       << ", .notice_delay_s = " << run.notice_delay_s
       << ", .notice_spread_s = " << run.notice_spread_s
       << ", .restart_delay_s = " << run.restart_delay_s << ", .deaths = {";
  for (const test::DeathSpec& death : run.deaths) text << test::describe(death) << ", ";
  text << "}}";
  return text.str();
}

test::Seen make_run(const LoggingRun& run, const ProtocolUnderTest& protocol,
                    scenario::EngineKind engine) {
  test::Job job(run.processes, test::machine_of(run.seed, run.random_costs));
  job.spec.platform.processes_per_node = run.processes_per_node;
  job.spec.platform.ordering = run.ordering;
  job.spec.platform.unordered_delay_s = run.unordered_delay_s;
  job.spec.platform.restart_delay_s = run.restart_delay_s;
  job.spec.stop.events = 1000000;
  use_exchange(job, run.exchange, true);
  use_logging(job, protocol.name, protocol.options);
  job.use(Family::failure_detection, "oracle",
          {{"delay_s", run.notice_delay_s}, {"spread_s", run.notice_spread_s}});
  for (const test::DeathSpec& death : run.deaths) job.spec.faults.push_back(test::fault_of(death));
  if (protocol.change) protocol.change(job.spec);
  return job.run(engine, run.seed);
}

std::string broken_promise(const LoggingRun& run, const ProtocolUnderTest& protocol,
                           scenario::EngineKind engine) {
  try {
    LoggingRun peaceful = run;
    peaceful.deaths.clear();
    const test::Seen truth =
        run.exchange.ordered ? test::Seen{} : make_run(peaceful, protocol, engine);
    return judge(run, make_run(run, protocol, engine), truth, protocol.survives);
  } catch (const BrokenInvariant& broken) {
    return std::string("broken invariant: ") + broken.what();
  }
}

std::string counterexample(const ProtocolUnderTest& protocol, scenario::EngineKind engine,
                           std::uint64_t runs) {
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    const LoggingRun run = draw_logging_run(seed, protocol);
    std::string promise = broken_promise(run, protocol, engine);
    if (promise.empty()) continue;
    const auto found = test::shrunk(
        test::BrokenRun<LoggingRun>{run, std::move(promise)}, simpler_runs,
        [&](const LoggingRun& simpler) { return broken_promise(simpler, protocol, engine); });
    return describe(found.run) + ": " + found.promise;
  }
  return {};
}

}  // namespace faultline::message_logging
