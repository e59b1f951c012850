// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sim/core/invariant.hpp"
#include "tests/support/job.hpp"

/// What the tests of detectors above message logging ask of a run.
namespace faultline::message_logging {

/// "" if the end was announced when it had come, and not before, else what is wrong, and who died.
inline std::string wrong_in(const test::Job& job, const test::Seen& seen) {
  if (seen.result.outcome == engine::Outcome::terminated && seen.violations().empty()) return "";
  std::string words = engine::outcome_word(seen.result.outcome);
  for (const faults::FaultSpec& fault : job.spec.faults) {
    words += ", rank " + std::to_string(fault.ranks.front());
    if (fault.event) words += " at event " + std::to_string(*fault.event);
  }
  for (const audit::Violation& violation : seen.result.violations) words += ", " + violation.detail;
  return words + ", " + seen.result.fatal_reason;
}

/// Lets a rank die at moments all over the run, one in each of so many runs. `set_up(job)` says
/// what the job of so many ranks runs; its cores and its progress are chosen here. What goes wrong
/// first;
/// "" if nothing does.
template <class SetUp>
std::string wrong_under_deaths(std::uint32_t ranks, SetUp set_up, scenario::EngineKind engine,
                               std::uint64_t runs) {
  const std::uint64_t deaths = test::sample_of(runs, engine);
  std::uint64_t events = 0;
  for (std::uint64_t death = 0; death <= deaths; ++death) {
    constexpr scenario::Progress kProgresses[] = {
        scenario::Progress::dedicated, scenario::Progress::shared, scenario::Progress::between};
    test::Job job(ranks, test::quick_machine());
    set_up(job);
    job.spec.platform.worker_cores = 1 + static_cast<std::uint32_t>(death % 2);
    job.spec.platform.progress = kProgresses[death % 3];
    if (death > 0) {
      faults::FaultSpec fault;
      fault.event = death * events / deaths;
      fault.ranks = {static_cast<Rank>(death % ranks)};
      job.spec.faults.push_back(fault);
    }
    try {
      const test::Seen seen = job.run(engine, 1 + death);
      if (death == 0) events = seen.result.events;
      std::string wrong = wrong_in(job, seen);
      if (!wrong.empty()) return wrong;
    } catch (const BrokenInvariant& broken) {
      return broken.what();
    }
  }
  return "";
}

}  // namespace faultline::message_logging
