// SPDX-License-Identifier: Apache-2.0

// What a scenario states that disturbs a job, and what of it lets a failure detector err.

#include "sim/scenario/stated_disturbance.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/job.hpp"

namespace faultline::scenario {

namespace {

using faultline::test::Job;

/// Changes a job, and what is then so.
struct StatedCase {
  std::string what;
  std::function<void(Job&)> state;
  bool disturbs = true;
  bool ends = true;  ///< at 5 s
  bool lets_err = true;
};

faults::FaultSpec fault_at(double time_s) {
  faults::FaultSpec fault;
  fault.time_s = time_s;
  return fault;
}

std::vector<StatedCase> stated_cases() {
  const auto platform = [](auto change) {
    return [change](Job& job) { change(job.spec.platform); };
  };
  return {
      {.what = "nothing", .state = [](Job&) {}, .disturbs = false, .lets_err = false},
      {.what = "a death",
       .state = [](Job& job) { job.kill(5, {1}); },
       .disturbs = false,
       .lets_err = false},
      {.what = "an error in data",
       .state =
           [](Job& job) {
             faults::FaultSpec fault = fault_at(5);
             fault.ranks = {1};
             fault.soft = true;
             job.spec.faults.push_back(fault);
           },
       .disturbs = false,
       .lets_err = false},
      {.what = "a stall",
       .state =
           [](Job& job) {
             faults::FaultSpec fault = fault_at(4);
             fault.ranks = {1};
             fault.stall_s = 1;
             job.spec.faults.push_back(fault);
           },
       .disturbs = false},
      {.what = "a cut",
       .state =
           [](Job& job) {
             job.spec.partitions = {{.groups = {{0}, {1}}, .from_s = 1, .to_s = 5}};
           }},
      {.what = "a cut for good",
       .state =
           [](Job& job) {
             job.spec.partitions = {{.groups = {{0}, {1}}, .from_s = 5}};
           },
       .ends = false},
      {.what = "a slow node",
       .state =
           [](Job& job) { job.spec.slow = {{.nodes = {0}, .factor = 2, .from_s = 1, .to_s = 5}}; }},
      {.what = "a late start", .state = platform([](PlatformSpec& of) { of.start_delay_s = 5; })},
      {.what = "losses",
       .state = platform([](PlatformSpec& of) { of.detection_loss_probability = 0.1; }),
       .ends = false},
      {.what = "late messages",
       .state = platform([](PlatformSpec& of) { of.delay_noise = DelayNoise{.mean_s = 1}; }),
       .ends = false},
      {.what = "processors that are away",
       .state = platform([](PlatformSpec& of) {
         of.os_noise = OsNoise{.interval_s = 2, .length_s = 1, .nodes = {}};
       }),
       .ends = false},
  };
}

}  // namespace

TEST_CASE("what disturbs a job is told from what kills or stops single ranks") {
  for (const StatedCase& one : stated_cases()) {
    INFO(one.what);
    Job job(4);
    one.state(job);
    CHECK(is_disturbed(job.spec) == one.disturbs);
    const Disturbance stated = stated_disturbance(job.spec);
    CHECK(stated.is_ever() == one.disturbs);
    CHECK(stated.is_endless == !one.ends);
    if (one.disturbs) CHECK_FALSE(stated.is_over(4.9));
    CHECK(stated.is_over(5) == one.ends);
  }
}

TEST_CASE("a disturbance lets only a detector err that is not accurate") {
  for (const StatedCase& one : stated_cases()) {
    INFO(one.what);
    for (const char* detector : {"swim", "connection-loss"}) {
      Job job(4);
      one.state(job);
      job.use(Family::failure_detection, detector);
      CHECK(can_err(job.spec) == one.lets_err);
      CHECK(disturbance_of(job.spec).is_ever() == one.disturbs);
    }
    Job accurate(4);
    one.state(accurate);
    CHECK_FALSE(can_err(accurate.spec));  // there is none
    accurate.use(Family::failure_detection, "oracle");
    CHECK_FALSE(can_err(accurate.spec));
    CHECK_FALSE(disturbance_of(accurate.spec).is_ever());
  }
}

TEST_CASE("routers that fail disturb a job, when nobody knows from the scenario alone") {
  Job job(4);
  faults::FaultSpec fault = fault_at(5);
  fault.cut_off = {1};
  job.spec.faults.push_back(fault);
  CHECK(is_disturbed(job.spec));
  CHECK_FALSE(stated_disturbance(job.spec).is_ever());
  const Disturbance drawn = stated_disturbance(job.spec, {{.node = 1, .from_s = 5, .to_s = 7}});
  CHECK_FALSE(drawn.is_over(6));
  CHECK(drawn.is_over(7));
}

}  // namespace faultline::scenario
