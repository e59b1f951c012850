// SPDX-License-Identifier: Apache-2.0

// Programs of TryBlocks under message logging: one program ends alike under every recovery,
// whoever dies and when.

#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "sim/core/invariant.hpp"
#include "sim/core/random.hpp"
#include "tests/support/job.hpp"
#include "workloads/program.hpp"

namespace faultline::workloads {

using namespace test;

namespace {

constexpr std::uint32_t kProcesses = 8;

const std::vector<std::string>& loggers() {
  static const std::vector<std::string> names{"checkpoint-restart", "causal", "pessimistic",
                                              "send-deterministic", "fast"};
  return names;
}

/// Short runs of all programs of TryBlocks. Every kind of step is in one of them.
const std::map<std::string, OptionValues>& programs() {
  static const std::map<std::string, OptionValues> options{
      {"minife",
       {{"nx", std::int64_t{8}},
        {"ny", std::int64_t{8}},
        {"nz", std::int64_t{8}},
        {"memory_bandwidth_Bps", 1e9}}},
      {"lulesh-mpi", {{"zones_per_side", std::int64_t{3}}, {"iterations_per_block", 2}}},
      {"try-blocks",
       {{"compute_s", 2e-5}, {"allreduces", std::int64_t{2}}, {"state_bytes", std::int64_t{500}}}},
      {"try-script",
       {{"steps", Words{"allreduce 8 B among 1-6", "try", "compute 2e-5 s among 0-4",
                        "exchange 1000 B with -1 +1 among 0-4", "try local among 3-7",
                        "exchange 70000 B with +2 among 3-7", "finish", "allreduce 8 B", "finish",
                        "exchange 10 B with +3", "checkpoint"}},
        {"state_bytes", std::int64_t{500}}}}};
  return options;
}

void use_program(Job& job, const std::string& name, std::int64_t iterations,
                 std::int64_t checkpoint_iterations) {
  OptionValues options = programs().at(name);
  options["iterations"] = iterations;
  options["checkpoint_iterations"] = checkpoint_iterations;
  job.workload(name, options);
  job.spec.stop.when = scenario::StopWhen::finished;
}

void use_oracle(Job& job, double delay_s = 1e-5) {
  job.use(Family::failure_detection, "oracle", {{"delay_s", delay_s}});
}

/// The digest of the right states: of a run without faults and without any recovery.
double right_digest(const std::string& program, std::int64_t iterations) {
  Job job(kProcesses, quick_machine());
  use_program(job, program, iterations, 1);
  const Seen seen = job.run();
  CHECK(seen.metric("state_difference") == 0.0);
  return seen.metric("state_digest");
}

}  // namespace

TEST_CASE("programs of TryBlocks end in the right states under message logging, without deaths") {
  for (const scenario::EngineKind engine : engines())
    for (const auto& [program, options] : programs())
      for (const std::string& logger : loggers()) {
        Job job(kProcesses, quick_machine());
        use_program(job, program, 5, 2);
        job.use(Family::message_logging, logger);
        const Seen seen = job.run(engine);
        CAPTURE(engine_word(engine), program, logger);
        CHECK(seen.result.outcome == engine::Outcome::finished);
        CHECK(seen.violations().empty());
        CHECK(seen.metric("state_digest") == right_digest(program, 5));
      }
}

TEST_CASE("programs of TryBlocks end in the right states, whichever rank dies and when") {
  constexpr std::uint64_t kDeaths = 20;
  for (const scenario::EngineKind engine : engines())
    for (const auto& [program, options] : programs()) {
      const double right = right_digest(program, 7);
      for (const std::string& logger : loggers())
        for (std::uint64_t death = 0; death < sample_of(kDeaths, engine); ++death) {
          Job job(kProcesses, quick_machine());
          use_program(job, program, 7, 3);
          job.use(Family::message_logging, logger);
          use_oracle(job);
          const double end_s = job.run(engine).metric("end_time_s");
          job.kill(end_s * (static_cast<double>(death) + 0.5) / kDeaths,
                   {static_cast<Rank>(death * 3 % kProcesses)});
          const Seen seen = job.run(engine, 1 + death);
          CAPTURE(engine_word(engine), program, logger, death, seen.result.fatal_reason);
          CHECK(seen.result.outcome == engine::Outcome::finished);
          CHECK(seen.violations().empty());
          CHECK(seen.metric("faults_struck") == 1.0);
          CHECK(seen.metric("failed_ranks") == 0.0);
          CHECK(seen.metric("state_digest") == right);
        }
    }
}

namespace {

/// A program under message logging, with deaths, all drawn.
struct DrawnRun {
  std::string program;
  std::string logger;
  std::int64_t iterations = 1;
  std::int64_t checkpoint_iterations = 1;
  std::uint64_t deaths = 1;
};

DrawnRun draw(Stream& random) {
  DrawnRun run;
  auto program = programs().begin();
  std::advance(program, static_cast<std::ptrdiff_t>(random.below(programs().size())));
  run.program = program->first;
  run.logger = loggers()[random.below(loggers().size())];
  run.iterations = static_cast<std::int64_t>(1 + random.below(6));
  run.checkpoint_iterations = static_cast<std::int64_t>(1 + random.below(4));
  run.deaths = 1 + random.below(3);
  return run;
}

void set_up_drawn(Job& job, const DrawnRun& run, Stream& random) {
  const bool is_ordered = run.logger == "send-deterministic" || random.chance(0.5);
  job.spec.platform.ordering =
      is_ordered ? scenario::Ordering::fifo : scenario::Ordering::unordered;
  job.spec.platform.processes_per_node = static_cast<std::uint32_t>(1 + random.below(3));
  job.spec.platform.spare_nodes = 3;
  constexpr std::array kProgresses{scenario::Progress::dedicated, scenario::Progress::shared,
                                   scenario::Progress::between};
  job.spec.platform.progress = kProgresses[random.below(kProgresses.size())];
  job.spec.platform.restart_delay_s = random.chance(0.5) ? 0.0 : 1e-4;
  use_program(job, run.program, run.iterations, run.checkpoint_iterations);
  job.use(Family::message_logging, run.logger);
  use_oracle(job, random.chance(0.5) ? 1e-6 : 1e-4);
}

}  // namespace

// A protocol may give up where several ranks die: with the keeper of an image, or while another
// rank recovers. It then says so, and ends in no wrong state.
TEST_CASE("programs of TryBlocks keep their promises under random deaths") {
  std::uint64_t finished = 0;
  std::uint64_t recovered_from_several = 0;
  constexpr std::uint64_t kRuns = 600;
  for (std::uint64_t number = 1; number <= kRuns; ++number) {
    Stream random(number, 0, Purpose::workload, 0);
    const DrawnRun run = draw(random);
    Job job(kProcesses, quick_machine());
    set_up_drawn(job, run, random);
    const std::uint64_t events = job.run(scenario::EngineKind::loggp, number).result.events;
    for (std::uint64_t death = 0; death < run.deaths; ++death) {
      faults::FaultSpec fault;
      fault.event = 1 + random.below(events);
      fault.ranks = {static_cast<Rank>(random.below(kProcesses))};
      job.spec.faults.push_back(fault);
    }
    const Seen seen = job.run(scenario::EngineKind::loggp, number);
    CAPTURE(number, run.program, run.logger, run.deaths, seen.result.fatal_reason,
            engine::outcome_word(seen.result.outcome));
    CHECK(seen.violations().empty());
    if (seen.result.outcome == engine::Outcome::finished) {
      CHECK(seen.metric("state_digest") == right_digest(run.program, run.iterations));
      ++finished;
      if (seen.metric("faults_struck") > 1.0) ++recovered_from_several;
    } else {
      CHECK(seen.result.outcome == engine::Outcome::fatal_reported);
      CHECK(seen.metric("faults_struck") > 1.0);
    }
  }
  CHECK(finished > kRuns / 2);
  CHECK(recovered_from_several > kRuns / 10);
}

TEST_CASE("a program ends alike under every recovery after a death") {
  for (const auto& [program, options] : programs()) {
    const double right = right_digest(program, 6);
    const auto check = [&, name = program](Family family, const std::string& protocol,
                                           const OptionValues& more) {
      Job job(kProcesses, quick_machine());
      job.spec.platform.spare_nodes = 2;
      use_program(job, name, 6, 2);
      job.use(family, protocol, more);
      use_oracle(job);
      job.kill(1e-4, {5});
      const Seen seen = job.run();
      CAPTURE(name, protocol, seen.result.fatal_reason);
      CHECK(seen.result.outcome == engine::Outcome::finished);
      CHECK(seen.metric("faults_struck") == 1.0);
      CHECK(seen.metric("state_digest") == right);
    };
    for (const std::string& logger : loggers()) check(Family::message_logging, logger, {});
    const OptionValues copies{{"checkpoint", std::string("partner")},
                              {"checkpoint_iterations", std::int64_t{2}}};
    // Outside of TryBlocks nobody is told of a death, and what waits for the dead waits for ever.
    const bool has_messages_outside = program == "try-script";
    if (!has_messages_outside) check(Family::transactions, "ulfm", copies);
    if (!has_messages_outside) check(Family::transactions, "fampi", copies);
    check(Family::transactions, "relaunch", copies);
  }
}

namespace {

/// A detector above message logging, and a death at one of 40 moments.
Seen run_below_detector(const std::string& logger, const std::string& program,
                        std::uint64_t death) {
  Job job(kProcesses, quick_machine());
  use_program(job, program, 4, 2);
  job.spec.stop.when = scenario::StopWhen::announced;
  job.use(Family::termination, "four-counter");
  job.use(Family::message_logging, logger);
  use_oracle(job);
  const std::uint64_t events = job.run().result.events;
  faults::FaultSpec fault;
  fault.event = 1 + events * death / 40;
  fault.ranks = {static_cast<Rank>(death * 5 % kProcesses)};
  job.spec.faults.push_back(fault);
  return job.run();
}

}  // namespace

TEST_CASE("a detector of a program of TryBlocks announces its end where all ranks go back") {
  for (const auto& [program, options] : programs())
    for (std::uint64_t death = 0; death < 40; ++death) {
      const Seen seen = run_below_detector("checkpoint-restart", program, death);
      CAPTURE(program, death);
      CHECK(seen.result.outcome == engine::Outcome::terminated);
      CHECK(seen.violations().empty());
    }
}

namespace {

bool goes_wrong_below_detector(const std::string& logger, std::uint64_t death) {
  try {
    return run_below_detector(logger, "minife", death).result.outcome !=
           engine::Outcome::terminated;
  } catch (const BrokenInvariant&) {
    return true;
  }
}

}  // namespace

// So scenarios refuse that.
TEST_CASE("a detector of a program of TryBlocks goes wrong where a dead rank replays") {
  for (const std::string logger : {"causal", "pessimistic"}) {
    bool is_wrong = false;
    for (std::uint64_t death = 0; death < 40 && !is_wrong; ++death)
      is_wrong = goes_wrong_below_detector(logger, death);
    CAPTURE(logger);
    CHECK(is_wrong);
  }
}

TEST_CASE("a checkpoint is due at the first end of a TryBlock after so many iterations") {
  for (std::uint64_t least = 1; least <= 7; ++least)
    for (std::uint64_t block = 1; block <= 5; ++block) {
      Program program;
      program.iterations = 23;
      program.iterations_per_block = block;
      program.checkpoint_iterations = least;
      std::uint64_t last = 0;
      for (std::uint64_t done = 1; done < program.iterations; ++done) {
        const bool is_due = done % block == 0 && done - last >= least;
        CAPTURE(least, block, done);
        CHECK(program.is_saved_after(done - 1) == is_due);
        if (is_due) last = done;
      }
      CHECK(!program.is_saved_after(program.iterations - 1));  // the end has one of its own
    }
}

TEST_CASE("a rank that dies repeats its iterations since the last checkpoint, and no others") {
  // Alone on its node, and with sums that wait for all: the end moves by what one rank repeats.
  const auto end_s = [](std::int64_t checkpoint_iterations, bool dies) {
    Job job(2, quick_machine());
    job.workload("try-blocks", {{"iterations", std::int64_t{20}},
                                {"compute_s", 1.0},
                                {"allreduces", std::int64_t{1}},
                                {"state_bytes", std::int64_t{100}},
                                {"checkpoint_iterations", checkpoint_iterations}});
    job.spec.stop.when = scenario::StopWhen::finished;
    job.use(Family::message_logging, "causal");
    use_oracle(job);
    if (dies) job.kill(17.5, {1});  // 17 iterations are done, and half of another
    return job.run().metric("time_to_solution_s");
  };
  for (const auto& [iterations, repeated] :
       std::map<std::int64_t, double>{{1, 0}, {5, 2}, {20, 17}})
    CHECK(end_s(iterations, true) - end_s(iterations, false) ==
          Approx(repeated + 0.5).margin(0.01));
}

TEST_CASE("the image of a program has the bytes of its state") {
  const auto checkpoint_s = [](std::int64_t state_bytes) {
    Job job(2, round_machine());
    job.workload("try-blocks", {{"state_bytes", state_bytes},
                                {"iterations", std::int64_t{3}},
                                {"checkpoint_iterations", std::int64_t{1}}});
    job.spec.stop.when = scenario::StopWhen::finished;
    job.use(Family::message_logging, "checkpoint-restart", {{"image_bytes", std::int64_t{7000}}});
    return job.run().metric("checkpoint_time_s");
  };
  // A NIC passes 100 B in a second.
  CHECK(checkpoint_s(5000) - checkpoint_s(1000) == Approx(40.0).epsilon(1e-9));
  CHECK(checkpoint_s(0) == checkpoint_s(7000));
}

TEST_CASE("without message logging, checkpoints that a program asks for change nothing") {
  for (const auto& [program, options] : programs()) {
    Job with(kProcesses, quick_machine());
    use_program(with, program, 4, 1);
    Job without(kProcesses, quick_machine());
    use_program(without, program, 4, 1);
    without.spec.components[0].options["checkpoint_iterations"] = std::monostate();
    const Seen one = with.run();
    const Seen other = without.run();
    CAPTURE(program);
    CHECK(one.result.events == other.result.events);
    CHECK(one.metric("end_time_s") == other.metric("end_time_s"));
    CHECK(one.metric("state_digest") == other.metric("state_digest"));
    CHECK(other.metric("redone_iterations") == 0.0);
  }
}

}  // namespace faultline::workloads
