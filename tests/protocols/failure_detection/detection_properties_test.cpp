// SPDX-License-Identifier: Apache-2.0

// The failure detectors under random schedules of deaths and disturbances: they find every death,
// report no live process where nothing is wrong with the network, and tell everybody once. That
// the search would find it if they did not is tested in detection_mutants_test.cpp.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "analysis/lemmas/detection_subjects.hpp"
#include "sim/engine/engine.hpp"
#include "tests/platform/in_child.hpp"
#include "tests/support/job.hpp"
#include "tests/support/schedules.hpp"

namespace faultline::failure_detection {

using namespace test;

namespace {

std::string said_of_run(const std::optional<lemmas::BrokenPromise>& broken) {
  return broken ? lemmas::lemma_figure_word(broken->figure) + ": " + broken->text : std::string();
}

/// Counts deaths while a part of a broadcast is in the network and the rest is not.
class CutBroadcasts final : public audit::RunObserver {
 public:
  explicit CutBroadcasts(std::uint16_t report) : report_(report) {}

  [[nodiscard]] std::uint32_t seen() const { return seen_; }

  void see(const audit::Sight& sight) override {
    std::map<const Message*, double>& last = last_[sight.actor];
    const bool is_report = sight.message != nullptr &&
                           sight.message->channel == Family::failure_detection &&
                           sight.message->kind == report_;
    if (sight.kind == audit::Sight::Kind::sent && is_report) {
      if (begins_.insert(sight.actor).second) last.clear();
      last[sight.message] = sight.until_s;
    }
    if (sight.kind == audit::Sight::Kind::sending) begins_.erase(sight.actor);
    if (sight.kind == audit::Sight::Kind::injected && last.count(sight.message) > 0)
      last[sight.message] = sight.until_s;
    if (sight.kind != audit::Sight::Kind::died) return;
    const auto entered = std::count_if(last.begin(), last.end(), [&](const auto& report) {
      return report.second <= sight.time_s;
    });
    if (entered > 0 && static_cast<std::size_t>(entered) < last.size()) ++seen_;
  }

 private:
  std::uint16_t report_;
  std::set<ActorId> begins_;  ///< whose handler has sent reports, and may send more
  std::map<ActorId, std::map<const Message*, double>> last_;  ///< reports of its last such handler
  std::uint32_t seen_ = 0;
};

std::uint16_t report_kind(const scenario::RunSpec& spec) {
  const auto& kinds = spec.component(Family::failure_detection).registration->message_kinds;
  const auto report = std::find(kinds.begin(), kinds.end(), "report");
  REQUIRE(report != kinds.end());
  return static_cast<std::uint16_t>(report - kinds.begin());
}

}  // namespace

TEST_CASE("failure detectors find all deaths, err nowhere on a quiet network, and tell once") {
  for (const lemmas::LemmaSubject& subject : lemmas::detection_subjects()) {
    check_schedules(subject, scenario::EngineKind::loggp, 1, 401);
    check_schedules(subject, scenario::EngineKind::simgrid, 1, 6);
  }
}

TEST_CASE("schedules for failure detectors have deaths between two sends of a broadcast") {
  const std::map<std::string, std::uint32_t> least{
      {"rdaemon", 40}, {"rdaemon comparing", 40}, {"ulfm", 15}, {"connection-loss", 10}};
  for (const auto& [name, expected] : least) {
    const lemmas::LemmaSubject& subject = lemmas::detection_subject(name);
    std::uint32_t cut = 0;
    for (std::uint64_t number = 1; number <= 1000; ++number) {
      const lemmas::FaultSchedule schedule = subject.draw(number);
      const scenario::RunSpec spec = lemmas::run_spec(schedule, subject.stack);
      CutBroadcasts broadcasts(report_kind(spec));
      engine::run_simulation(spec, scenario::EngineKind::loggp, schedule.seed, 0, &broadcasts);
      if (broadcasts.seen() > 0) ++cut;
    }
    INFO(name << ": in " << cut << " of 1000 schedules");
    CHECK(cut >= expected);
  }
}

TEST_CASE("each failure detector promises much under many schedules with deaths") {
  for (const lemmas::LemmaSubject& subject : lemmas::detection_subjects()) {
    std::uint32_t accurate = 0;
    std::uint32_t complete = 0;
    std::uint32_t healed = 0;  // complete after a partition
    for (std::uint64_t number = 1; number <= 1000; ++number) {
      const lemmas::FaultSchedule schedule = subject.draw(number);
      if (schedule.faults.empty()) continue;
      const lemmas::DetectionPromise promise = subject.stack.detection(schedule);
      if (promise.accurate) ++accurate;
      if (promise.complete_after_s) ++complete;
      if (promise.complete_after_s && !schedule.partitions.empty()) ++healed;
    }
    const bool bears_partitions =
        subject.name == "rdaemon comparing" || subject.name.rfind("swim", 0) == 0;
    INFO(subject.name << ": accurate " << accurate << ", complete " << complete << ", healed "
                      << healed);
    CHECK(accurate >= 300);
    CHECK(complete >= 500);
    CHECK((healed >= 40) == bears_partitions);
  }
}

TEST_CASE("schedules for failure detectors differ in everything that they may differ in") {
  std::set<std::string> seen;
  for (std::uint64_t number = 1; number <= 1000; ++number) {
    const lemmas::FaultSchedule schedule = lemmas::draw_detection_schedule(number, {});
    CHECK((lemmas::nodes_of(schedule) >= 3 && lemmas::nodes_of(schedule) <= 16));
    seen.insert(schedule.workload);
    if (schedule.processes_per_node > 1) seen.insert("full nodes");
    if (schedule.loss_probability > 0) seen.insert("loss");
    if (schedule.delay_noise_s > 0) seen.insert("delay");
    if (schedule.start_delay_s > 0) seen.insert("late start");
    if (schedule.os_noise) seen.insert("interruptions");
    if (!schedule.partitions.empty()) seen.insert("partition");
    if (!schedule.slow.empty()) seen.insert("slow");
    if (schedule.until_reported) seen.insert("until all is reported");
    for (const faults::FaultSpec& fault : schedule.faults) {
      if (fault.time_s == 0.0) seen.insert("at the start");
      if (fault.event) seen.insert("at an event");
      if (fault.mark) seen.insert("at a mark");
      if (!fault.ranks.empty()) seen.insert("of a rank");
      if (!fault.nodes.empty()) seen.insert("of a node");
      if (!fault.daemons.empty()) seen.insert("of a daemon");
    }
  }
  CHECK(seen.size() == 4 + 8 + 6);
}

TEST_CASE("a schedule for a failure detector is replayed from its files") {
  for (const lemmas::LemmaSubject& subject : lemmas::detection_subjects())
    check_replays(subject, 40);
}

// What the search has found: a rank dies, and its node before its daemon has told anybody.
TEST_CASE("a rank that hears of a node's death hears of the ranks that have died there before") {
  for (const scenario::EngineKind engine : engines())
    for (const char* name : {"rdaemon", "swim of daemons", "connection-loss"}) {
      lemmas::FaultSchedule schedule;
      schedule.processes = 8;
      schedule.processes_per_node = 2;
      schedule.silent_loss_s = 0.05;
      schedule.faults.resize(2);
      schedule.faults[0].time_s = 0.1;
      schedule.faults[0].ranks = {5};
      schedule.faults[1].time_s = 0.1 + schedule.exit_delay_s / 2;
      schedule.faults[1].nodes = {2};
      const auto judged = [&] {
        return said_of_run(
            lemmas::run_lemma(schedule, lemmas::detection_subject(name).stack, engine).broken);
      };
      INFO(engine_word(engine) << " " << name);
      CHECK((engine == scenario::EngineKind::loggp ? judged() : platform::in_child(judged)) == "");
    }
}

}  // namespace faultline::failure_detection
