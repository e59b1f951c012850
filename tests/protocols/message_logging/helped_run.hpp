// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/protocols/message_logging/logging_run.hpp"

namespace faultline::message_logging {

/// All that a random run of a stencil depends on.
struct HelpedRun {
  std::uint64_t seed = 1;
  std::uint32_t processes = 3;
  std::uint32_t processes_per_node = 1;
  std::uint32_t helpers = 1;
  std::int64_t objects = 2;
  std::string preset = "none";
  std::string identifier = "iteration-type";
  std::string synchronization = "tags";
  std::int64_t iterations = 4;
  std::int64_t iterations_per_checkpoint = 4;
  double compute_s = 0.0;
  bool random_costs = false;
  scenario::Progress progress = scenario::Progress::dedicated;
  scenario::Ordering ordering = scenario::Ordering::fifo;
  double notice_delay_s = 1e-5;
  double notice_spread_s = 0.0;
  double restart_delay_s = 0.0;
  std::vector<test::DeathSpec> deaths;
};

/// The run that a seed stands for. Half of its deaths strike at a mark. Of those after the first,
/// half strike a helper of the first victim, and some that victim again.
HelpedRun draw_helped_run(std::uint64_t seed);

std::string describe(const HelpedRun& run);

/// A mutant's registration in the place of that of `fast`; null: none.
using Mistake = const Registration*;

test::Seen make_run(const HelpedRun& run, scenario::EngineKind engine, Mistake mistake = nullptr);

/// "" if the run keeps its promises, else what is wrong. A single death must be survived.
std::string broken_promise(const HelpedRun& run, scenario::EngineKind engine,
                           Mistake mistake = nullptr);

/// What the runs of seeds `first` to `last` have found, shrunk, in words; "" if nothing.
std::string helped_counterexample(scenario::EngineKind engine, std::uint64_t first,
                                  std::uint64_t last, Mistake mistake = nullptr);

}  // namespace faultline::message_logging
