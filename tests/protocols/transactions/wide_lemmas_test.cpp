// SPDX-License-Identifier: Apache-2.0

// The protocols of transactions under wide random schedules: up to 32 ranks, several of them and
// whole nodes dead at once, and new processes that die again, over every detector that watches
// them.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "protocols/failure_detection/connection_loss.hpp"
#include "tests/support/pass_through.hpp"
#include "tests/support/schedules.hpp"

namespace faultline::transactions {

using namespace test;
using Catch::Matchers::Contains;

namespace {

const lemmas::LemmaSubject& wide_subject(const std::string& name) {
  for (const lemmas::LemmaSubject& subject : lemmas::wide_block_subjects())
    if (subject.name == name) return subject;
  FAIL("no subject " << name);
  return lemmas::wide_block_subjects().front();
}

/// Passes on nothing of what it is told about new lives.
class IgnoresNewLives final : public PassThrough<IgnoresNewLives, Detector> {
 public:
  using PassThrough::PassThrough;
  void on_message(DetectorContext& context, const Message& message) override {
    if (message.kind != failure_detection::kLossLives) PassThrough::on_message(context, message);
  }
};

/// How often each process dies in a run.
class SeenDeaths final : public audit::RunObserver {
 public:
  void see(const audit::Sight& sight) override {
    if (sight.kind != audit::Sight::Kind::died) return;
    ++count_[sight.actor];
    ++at_once_[sight.time_s];
  }
  [[nodiscard]] bool any_again(std::uint32_t ranks) const {
    return std::any_of(count_.begin(), count_.end(),
                       [=](const auto& one) { return one.first < ranks && one.second > 1; });
  }
  [[nodiscard]] bool any_four_at_once() const {
    return std::any_of(at_once_.begin(), at_once_.end(),
                       [](const auto& one) { return one.second >= 4; });
  }

 private:
  std::map<ActorId, int> count_;
  std::map<double, int> at_once_;
};

}  // namespace

TEST_CASE("transactions keep their promises under wide random schedules") {
  for (const lemmas::LemmaSubject& subject : lemmas::wide_block_subjects()) {
    check_schedules(subject, scenario::EngineKind::loggp, 1, 301);
    check_schedules(subject, scenario::EngineKind::simgrid, 1, 3);
  }
}

TEST_CASE("transactions keep their promises in many more wide schedules", "[.soak]") {
  for (const lemmas::LemmaSubject& subject : lemmas::wide_block_subjects())
    check_schedules(subject, scenario::EngineKind::loggp, 301, 20000);
}

TEST_CASE("wide schedules have what small ones cannot have") {
  const lemmas::LemmaSubject& subject = wide_subject("fampi wide over connection-loss of ranks");
  std::uint32_t most_processes = 0;
  int again = 0;
  int four_at_once = 0;
  int nodes_of_several = 0;
  for (std::uint64_t number = 1; number <= 300; ++number) {
    const lemmas::FaultSchedule schedule = subject.draw(number);
    SeenDeaths deaths;
    engine::run_simulation(lemmas::run_spec(schedule, subject.stack), scenario::EngineKind::loggp,
                           schedule.seed, 0, &deaths);
    most_processes = std::max(most_processes, schedule.processes);
    again += deaths.any_again(schedule.processes) ? 1 : 0;
    four_at_once += deaths.any_four_at_once() ? 1 : 0;
    const bool node =
        std::any_of(schedule.faults.begin(), schedule.faults.end(),
                    [](const faults::FaultSpec& fault) { return !fault.nodes.empty(); });
    nodes_of_several += node && schedule.processes_per_node > 1 ? 1 : 0;
  }
  CHECK(most_processes >= 30);
  CHECK(again > 30);
  CHECK(four_at_once > 30);
  CHECK(nodes_of_several > 30);
}

TEST_CASE("wide schedules find that nobody is told of a process that lives again") {
  Registration mistaken;
  const std::string found = found_in_mutant(
      wide_subject("fampi wide over connection-loss of ranks"),
      [&](scenario::RunSpec& spec) {
        make_mistaken<IgnoresNewLives>(spec, Family::failure_detection, mistaken);
      },
      5000);
  CHECK_THAT(found, Contains("hung"));
}

TEST_CASE("a wide schedule is replayed from its files") {
  for (const lemmas::LemmaSubject& subject : lemmas::wide_block_subjects())
    check_replays(subject, 5);
}

}  // namespace faultline::transactions
