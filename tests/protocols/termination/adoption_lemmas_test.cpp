// SPDX-License-Identifier: Apache-2.0

// The adoption protocols under random schedules of deaths: never premature, never hung, and given
// up exactly where their own condition requires it.

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <set>

#include "analysis/lemmas/lemma_search.hpp"
#include "analysis/lemmas/lemma_subjects.hpp"
#include "tests/platform/in_child.hpp"
#include "tests/support/job.hpp"
#include "tests/support/pass_through.hpp"
#include "tests/support/schedules.hpp"

namespace faultline::termination {

using namespace test;

namespace {

/// Checks the lemmas of this detector, of which the search has that many variants.
void check_subjects_of(const std::string& detector, std::size_t variants) {
  std::size_t checked = 0;
  for (const lemmas::LemmaSubject& subject : lemmas::lemma_subjects()) {
    if (subject.stack.components.at(Family::termination).name != detector) continue;
    check_schedules(subject, scenario::EngineKind::loggp, 1, 5001);
    check_schedules(subject, scenario::EngineKind::simgrid, 1, 51);
    ++checked;
  }
  CHECK(checked == variants);
}

/// No detector of termination; notices take twice as long as the schedule states.
lemmas::ProtocolStack slow_oracle() {
  const auto delay = [](const lemmas::FaultSchedule& schedule) {
    return OptionValues{{"delay_s", 2 * schedule.notice_s}};
  };
  return {
      .components = {{Family::failure_detection, {.name = "oracle", .scheduled_options = delay}}},
      .stop_when = scenario::StopWhen::all_reported};
}

lemmas::FaultSchedule with_a_death(double notice_s) {
  lemmas::FaultSchedule schedule;
  schedule.notice_s = notice_s;
  schedule.faults.resize(1);
  schedule.faults[0].time_s = 0.0;
  schedule.faults[0].ranks = {2};
  return schedule;
}

class ReportsNothing final : public PassThrough<ReportsNothing, Detector> {
 public:
  using PassThrough::PassThrough;
  void on_exit_notice(DetectorContext&, Incarnation) override {}
};

}  // namespace

TEST_CASE("indep keeps the lemmas of section 5") { check_subjects_of("indep", 1); }

TEST_CASE("rel-lazy keeps the lemmas of section 6") { check_subjects_of("rel-lazy", 3); }

TEST_CASE("rel-eager keeps the lemmas of section 6") { check_subjects_of("rel-eager", 2); }

TEST_CASE("the condition for giving up is met in some runs and not in others") {
  for (const char* name : {"indep", "rel-lazy", "rel-eager"}) {
    std::size_t given_up = 0;
    std::size_t survived = 0;
    for (std::uint64_t number = 1; number <= 500; ++number) {
      const lemmas::LemmaRun run = lemmas::run_lemma(
          lemmas::draw_schedule(number), lemmas::under_oracle(name), scenario::EngineKind::loggp);
      given_up += run.result.outcome == engine::Outcome::fatal_reported ? 1 : 0;
      survived += run.struck && run.result.outcome == engine::Outcome::terminated ? 1 : 0;
    }
    INFO(name << ": " << given_up << " given up, " << survived << " survived");
    CHECK(given_up > 10);
    CHECK(survived > 100);
  }
}

TEST_CASE("wide schedules differ in everything that they may differ in") {
  std::set<std::string> seen;
  std::uint32_t most_processes = 0;
  std::size_t most_faults = 0;
  for (std::uint64_t number = 10; number <= 2000; number += 10) {
    const lemmas::FaultSchedule schedule = lemmas::draw_schedule(number);
    CHECK((schedule.processes >= 9 && schedule.processes <= 64));
    most_processes = std::max(most_processes, schedule.processes);
    seen.insert(schedule.workload);
    seen.insert("progress " + std::to_string(static_cast<int>(schedule.progress)));
    seen.insert("cores " + std::to_string(schedule.worker_cores));
    if (schedule.processes_per_node > 4) seen.insert("full nodes");
    if (schedule.to_itself > 0) seen.insert("messages to oneself");
    if (schedule.notice_s == 0) seen.insert("notice at once");
    std::size_t faults = 0;
    for (const faults::FaultSpec& fault : schedule.faults) {
      faults += fault.ranks.size() + fault.nodes.size();
      if (fault.time_s == 0.0) seen.insert("at the start");
      if (fault.event) seen.insert("at an event");
      if (fault.mark) seen.insert("at a mark");
      if (!fault.nodes.empty()) seen.insert("of a node");
      for (const faults::FaultSpec& other : schedule.faults)
        if (&other != &fault && lemmas::strike_together(fault, other)) seen.insert("together");
    }
    most_faults = std::max(most_faults, faults);
  }
  CHECK(seen.size() == 7 + 3 + 2 + 3 + 5);
  CHECK(most_processes > 56);
  CHECK(most_faults > 10);
}

TEST_CASE("wide schedules strike in recoveries, after all work, and between phases") {
  std::set<std::string> seen;
  for (std::uint64_t number = 10; number <= 3000; number += 10) {
    const lemmas::FaultSchedule schedule = lemmas::draw_schedule(number);
    const lemmas::LemmaRun run =
        lemmas::run_lemma(schedule, lemmas::under_oracle("rel-eager"), scenario::EngineKind::loggp);
    const auto& metrics = run.result.metrics.values();
    const auto metric = [&](const char* name) {
      const auto found = metrics.find(name);
      return found == metrics.end() ? 0.0 : found->second.value_or(0.0);
    };
    if (run.result.outcome != engine::Outcome::terminated) continue;
    if (metric("adoptions") > 0 && metric("faults_struck") > 2) seen.insert("recoveries");
    if (metric("phases") > 1) seen.insert("a phase for lost tasks");
    if (metric("phases") > 2) seen.insert("two phases for lost tasks");
    if (metric("detection_latency_s") > schedule.notice_s / 2 && schedule.notice_s > 1e-3)
      seen.insert("notices after the end");
    if (metric("failed_ranks") > 10) seen.insert("many dead");
  }
  CHECK(seen.size() == 5);
}

TEST_CASE("every kind of fault can be made simpler") {
  lemmas::FaultSchedule schedule;
  schedule.processes = 12;
  schedule.processes_per_node = 4;
  schedule.progress = scenario::Progress::between;
  schedule.worker_cores = 2;
  schedule.to_itself = 3;
  schedule.notice_s = 1;
  schedule.faults.resize(2);
  schedule.faults[0].mark = faults::MarkSpec{"step", 3};
  schedule.faults[0].nodes = {1, 2};
  schedule.faults[1].event = 7;
  schedule.faults[1].ranks = {5};
  const lemmas::Judge never_less =
      [](const lemmas::FaultSchedule& simpler) -> std::optional<lemmas::BrokenPromise> {
    if (simpler.faults.empty()) return std::nullopt;
    return lemmas::BrokenPromise{};
  };
  const lemmas::FaultSchedule simplest = lemmas::shrink({schedule, {}}, never_less, 1).schedule;
  REQUIRE(simplest.faults.size() == 1);
  CHECK(simplest.faults[0].time_s == 0.0);
  CHECK(simplest.faults[0].nodes.empty());
  CHECK(simplest.faults[0].ranks.size() == 1);
  CHECK(simplest.processes_per_node == 1);
  CHECK(simplest.progress == scenario::Progress::dedicated);
  CHECK(simplest.worker_cores == 1);
  CHECK(simplest.to_itself == 0);
  CHECK(simplest.notice_s <= 1e-4);
  CHECK(lemmas::victims_of(schedule, schedule.faults[0]) ==
        std::vector<Rank>{4, 5, 6, 7, 8, 9, 10, 11});
}

TEST_CASE("a schedule that is written as a scenario makes the same run") {
  const lemmas::ProtocolStack stack =
      lemmas::under_oracle("rel-lazy", {{"adopted_child_fails", std::string("fallback")}});
  for (std::uint64_t i = 1; i <= 80; ++i) {
    const std::uint64_t number = i <= 40 ? i : 10 * i;
    INFO("schedule " << number);
    check_replay(lemmas::draw_schedule(number), stack);
  }
}

TEST_CASE("a failure detector alone can be searched") {
  for (const double notice_s : {0.0, 1e-5, 1e-3}) {
    const lemmas::FaultSchedule schedule = with_a_death(notice_s);
    const lemmas::LemmaRun run =
        lemmas::run_lemma(schedule, slow_oracle(), scenario::EngineKind::loggp);
    INFO(notice_s << ' ' << (run.broken ? run.broken->text : "nothing is broken"));
    CHECK_FALSE(run.broken);
    CHECK(run.struck);
    CHECK(run.result.outcome == engine::Outcome::finished);
    CHECK(run.result.metrics.values().at("failure_report_latency_max_s") == 2 * notice_s);
    check_replay(schedule, slow_oracle());
  }
}

TEST_CASE("the search finds a failure detector that reports nothing") {
  Registration mistaken;
  const lemmas::Mutation mutation = [&mistaken](scenario::RunSpec& spec) {
    make_mistaken<ReportsNothing>(spec, Family::failure_detection, mistaken);
  };
  const auto broken =
      lemmas::run_lemma(with_a_death(1e-5), slow_oracle(), scenario::EngineKind::loggp, mutation)
          .broken;
  REQUIRE(broken);
  CHECK(broken->figure == lemmas::LemmaFigure::other);
  CHECK(broken->text.rfind("deadlock: ", 0) == 0);
}

TEST_CASE("the broken promise follows from the kind of a violation, not from its words") {
  const auto figure = [](const char* kind) {
    return lemmas::promise_broken_by(
               {.kind = kind, .time_s = 0, .actor = {}, .detail = "hung premature given up"})
        .figure;
  };
  CHECK(figure("premature") == lemmas::LemmaFigure::premature);
  CHECK(figure("hung") == lemmas::LemmaFigure::hung);
  CHECK(figure("needless-fatal") == lemmas::LemmaFigure::given_up);
  CHECK(figure("credit") == lemmas::LemmaFigure::other);
  std::set<std::string> words;
  for (const Family family : {Family::termination, Family::failure_detection})
    for (const lemmas::LemmaFigure each : lemmas::lemma_figures(family))
      words.insert(lemmas::lemma_figure_word(each));
  CHECK(words == std::set<std::string>{"false report", "given up", "hung", "missed", "not given up",
                                       "other", "premature", "told twice"});
}

}  // namespace faultline::termination
