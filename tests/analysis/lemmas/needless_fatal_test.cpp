// SPDX-License-Identifier: Apache-2.0

// A detector that gives up must have a reason: mutants of every detector that give up without one,
// and the real ones, which never do, in single runs and in all that `run` and `sweep` simulate.

#include "analysis/lemmas/needless_fatal.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "analysis/runs/replications.hpp"
#include "sim/json/json_reader.hpp"
#include "tests/platform/in_child.hpp"
#include "tests/support/job.hpp"
#include "tests/support/pass_through.hpp"

namespace faultline::lemmas {

using namespace test;

namespace {

/// A real detector that gives up when its rank is told of a death for the n-th time; for 0, as soon
/// as it starts.
class GivesUp final : public PassThrough<GivesUp, TerminationDetector> {
 public:
  GivesUp(std::unique_ptr<Component> real, std::uint32_t notices)
      : PassThrough(std::move(real)), left_(notices) {}
  void start(TerminationContext& context) override {
    PassThrough::start(context);
    if (left_ == 0) context.fatal("a mistake");
  }
  void on_peer_failed(TerminationContext& context, Incarnation peer) override {
    PassThrough::on_peer_failed(context, peer);
    if (--left_ == 0) context.fatal("a mistake");
  }

 private:
  void digest_state(Digest& into) const override {
    PassThrough::digest_state(into);
    into.add(left_);
  }
  std::uint32_t left_;
};

/// Puts such a detector in the place of the job's; `mistaken` outlives the job.
void let_give_up(Job& job, std::uint32_t notices, Registration& mistaken) {
  make_mistaken<GivesUp>(job.spec, Family::termination, mistaken, notices);
}

/// As `run` and `sweep` do it: the outcome, and the violation if there is one.
std::string simulated_as(const Job& job, scenario::EngineKind engine, std::uint64_t seed) {
  scenario::Scenario scenario;
  scenario.engine = engine;
  scenario.seed = seed;
  scenario.points = {job.spec};
  scenario.point_labels = {""};
  const auto simulate = [&] {
    const runs::ReplicationRecord record = runs::simulated(scenario, 0, 0);
    if (!record.run) return "error: " + record.error;
    std::string text = engine::outcome_word(record.run->outcome);
    for (const audit::Violation& violation : record.run->violations) text += ", " + violation.kind;
    return text;
  };
  return engine == scenario::EngineKind::loggp ? simulate() : platform::in_child(simulate);
}

std::vector<std::string> detectors_that(bool survive_deaths) {
  std::vector<std::string> names;
  for (const Registration& registration : registrations())
    if (registration.family == Family::termination &&
        (registration.tolerates_faults() || !survive_deaths))
      names.push_back(registration.name);
  return names;
}

void flood(Job& job, const std::string& detector) {
  job.workload("flood", {{"fanout", std::int64_t{2}}, {"compute_s", 1.0}}).detector(detector);
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-3}});
}

}  // namespace

TEST_CASE("a detector that gives up though nobody has died breaks its promise") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string& detector : detectors_that(false)) {
      Job job(9, quick_machine());
      flood(job, detector);
      INFO(engine_word(engine) << ' ' << detector);
      CHECK(simulated_as(job, engine, 1) == "terminated");
      Registration mistaken;
      let_give_up(job, 0, mistaken);
      CHECK(simulated_as(job, engine, 1) == "violated, needless-fatal");
    }
}

TEST_CASE("a detector that gives up at any death breaks its promise") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string& detector : detectors_that(true)) {
      Job job(9, quick_machine());
      flood(job, detector);
      job.kill(0.5, {8});
      INFO(engine_word(engine) << ' ' << detector);
      CHECK(simulated_as(job, engine, 1) == "terminated");
      Registration mistaken;
      let_give_up(job, 1, mistaken);
      CHECK(simulated_as(job, engine, 1) == "violated, needless-fatal");
    }
}

TEST_CASE("a detector that gives up because it was told that the root is dead has a reason") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string detector : {"indep", "rel-lazy", "rel-eager"}) {
      Job job(3, quick_machine());
      flood(job, detector);
      job.use(Family::failure_detection, "erring-oracle",
              {{"reporter", std::int64_t{1}}, {"accused", std::int64_t{0}}, {"report_s", 0.5}});
      INFO(engine_word(engine) << ' ' << detector);
      CHECK(simulated_as(job, engine, 1) == "fatal-reported");
      // To give up before that is as wrong as ever.
      Registration mistaken;
      let_give_up(job, 0, mistaken);
      CHECK(simulated_as(job, engine, 1) == "violated, needless-fatal");
    }
}

TEST_CASE("adoption: giving up at two deaths that it survives breaks the promise") {
  std::size_t survived = 0;
  std::size_t given_up = 0;
  for (const scenario::EngineKind engine : engines())
    for (const std::string detector : {"indep", "rel-lazy", "rel-eager"})
      for (Rank a = 1; a < 9; ++a)
        for (Rank b = a + 1; b < 9; b += engine == scenario::EngineKind::loggp ? 1 : 3) {
          Job job(9, quick_machine());
          flood(job, detector);
          job.kill(0.5, {a, b});
          INFO(engine_word(engine) << ' ' << detector << ", deaths of " << a << " and " << b);
          const std::string real = simulated_as(job, engine, 1);
          if (real == "fatal-reported") {
            ++given_up;
            continue;
          }
          REQUIRE(real == "terminated");
          ++survived;
          Registration mistaken;
          let_give_up(job, 2, mistaken);
          CHECK(simulated_as(job, engine, 1) == "violated, needless-fatal");
        }
  CHECK(survived > 20);
  CHECK(given_up > 20);
}

TEST_CASE("no real detector is found to give up without need, in phases and where nodes die") {
  std::size_t given_up = 0;
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t seed = 0; seed < sample_of(150, engine); ++seed)
      for (const std::string& detector : detectors_that(true)) {
        Stream draw(seed, 0, Purpose::faults, 0);
        const auto nodes = 4 + static_cast<std::uint32_t>(draw.below(8));
        Job job(2 * nodes, quick_machine());
        job.spec.platform.processes_per_node = 2;
        job.spec.platform.progress = static_cast<scenario::Progress>(draw.below(3));
        job.detector(detector)
            .use(Family::failure_detection, "oracle",
                 {{"delay_s", draw.exponential(1e-4)},
                  {"spread_s", draw.chance(0.5) ? 0.0 : draw.exponential(1e-4)}})
            .workload("work-stealing", {{"preset", std::string("tensor-contraction")},
                                        {"tasks", std::int64_t{200}},
                                        {"task_compute_s", 1e-4}});
        for (std::uint64_t deaths = 1 + draw.below(3); deaths > 0; --deaths)
          job.kill(draw.uniform() * 4e-3, {}, {static_cast<NodeId>(draw.below(nodes))});
        const std::string end = simulated_as(job, engine, seed);
        INFO(engine_word(engine) << ' ' << detector << ", seed " << seed);
        CHECK((end == "terminated" || end == "fatal-reported"));
        given_up += end == "fatal-reported" ? 1 : 0;
      }
  CHECK(given_up > 100);
}

TEST_CASE("above message logging nobody has to give up, since the dead come back below") {
  Job job(3, quick_machine());
  flood(job, "indep");
  CHECK(gives_up_by_messages(job.spec));
  job.use(Family::message_logging, "checkpoint-restart");
  CHECK_FALSE(gives_up_by_messages(job.spec));
}

TEST_CASE("a run that is made twice to be judged has the record of one that is made once") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(9, quick_machine());
    flood(job, "indep");
    job.kill(0.5, {0});
    const Seen once = job.run(engine);
    scenario::Scenario scenario;
    scenario.engine = engine;
    scenario.points = {job.spec};
    scenario.point_labels = {""};
    const auto metrics = [&] {
      return json::to_json(runs::metrics_json(*runs::simulated(scenario, 0, 0).run));
    };
    const auto text =
        engine == scenario::EngineKind::loggp ? metrics() : platform::in_child(metrics);
    const auto read = nlohmann::json::parse(text);
    INFO(engine_word(engine));
    REQUIRE(once.result.outcome == engine::Outcome::fatal_reported);
    CHECK(read["outcome"] == "fatal-reported");
    CHECK(read["fatal_reason"] == once.result.fatal_reason);
    for (const auto& [name, value] : once.result.metrics.values())
      CHECK(read[name] == (value ? nlohmann::json(*value) : nlohmann::json()));
  }
}

}  // namespace faultline::lemmas
