// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <vector>

#include "analysis/exploration/counterexample.hpp"
#include "analysis/exploration/exploration.hpp"
#include "tests/protocols/message_logging/logging_run.hpp"
#include "tests/protocols/message_logging/racing_program.hpp"

namespace faultline::message_logging {

/// A tiny job all orders of which are tried out.
struct ExploredLogging {
  std::uint32_t processes = 2;
  scenario::Ordering ordering = scenario::Ordering::fifo;
  std::uint32_t faults = 1;
  Exchange exchange = {.iterations = 2,
                       .iterations_per_checkpoint = 1,
                       .neighbours = 1,
                       .to_itself = false,
                       .ordered = true};
  Race race = {};  ///< in place of the exchange, among as many ranks as it has senders
  exploration::CrashPlaces crash = exploration::CrashPlaces::anywhere;
  std::vector<ActorId> victims = {};
};

inline exploration::ExplorationResult explored(const ProtocolUnderTest& protocol,
                                               const ExploredLogging& tiny) {
  const bool races = !tiny.race.words.empty();
  test::Job job(races ? static_cast<std::uint32_t>(tiny.race.words.size()) : tiny.processes);
  if (races)
    use_race(job, tiny.race);
  else
    use_exchange(job, tiny.exchange);
  job.use(Family::message_logging, protocol.name, protocol.options);
  job.use(Family::failure_detection, "oracle");
  job.spec.platform.ordering = tiny.ordering;
  if (protocol.change) protocol.change(job.spec);
  constexpr std::uint64_t kStates = 3000000;
  return exploration::explore({.spec = exploration::explored_spec(job.spec),
                               .faults = tiny.faults,
                               .crash = tiny.crash,
                               .victims = tiny.victims,
                               .states = kStates});
}

/// No order of the job breaks a promise; with one death, none makes the protocol give up.
inline void check_exhausted(const ProtocolUnderTest& protocol, const ExploredLogging& tiny) {
  const exploration::ExplorationResult result = explored(protocol, tiny);
  CAPTURE(protocol.name, tiny.processes, tiny.ordering, tiny.faults, result.states, result.wall_s);
  for (const auto& [end, count] : result.ends) UNSCOPED_INFO(end << " " << count);
  if (result.refutation) UNSCOPED_INFO(result.refutation->violations.front().detail);
  CHECK(result.verdict == exploration::ExplorationResult::Verdict::exhausted);
  CHECK(result.progress_checked);
  CHECK(result.ends.contains("finished"));
  if (tiny.faults == 1) CHECK(!result.ends.contains("fatal-reported"));
}

}  // namespace faultline::message_logging
