// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/job.hpp"

namespace faultline::termination {

/// All that a random run under a detector depends on. Fewer and smaller is simpler, field by field,
/// so that a counterexample can be shrunk.
struct RandomRun {
  std::uint64_t seed = 1;  ///< of tasks, costs and the engine
  std::uint32_t processes = 2;
  std::uint32_t processes_per_node = 1;
  std::uint32_t worker_cores = 1;
  std::uint32_t tasks = 10;  ///< of a phase: at rank 0, or shared out among all ranks
  std::uint32_t phases = 1;
  bool starts_at_root = true;
  bool random_costs = false;  ///< of the machine; else those of quick_machine
  scenario::Mapping mapping = scenario::Mapping::block;
  scenario::Ordering ordering = scenario::Ordering::fifo;
  scenario::Progress progress = scenario::Progress::dedicated;
  std::int64_t initial_credit = std::int64_t{1} << 32;  ///< of a detector that has any
};

/// The run that a seed stands for; each tenth is wide, of 18 to 64 processes.
RandomRun draw_run(std::uint64_t seed);

/// In words, so that a failure can be replayed by hand.
std::string describe(const RandomRun& run);

/// A detector that is searched for counterexamples.
struct DetectorUnderTest {
  std::string name;
  std::function<void(test::Job&, const RandomRun&)> install;
  std::optional<scenario::Ordering> ordering = {};  ///< of all its runs; else drawn
  /// What must hold between its message counts in a run that went well; "" if it does.
  std::function<std::string(const RandomRun&, const test::Seen&)> relation = {};
  std::string looks_for = {};  ///< only promises that are broken in these words count
};

/// A registered detector with some options changed, in the order of messages that it needs. Its
/// initial credit is the run's, unless the options state it or it has none.
DetectorUnderTest registered(const std::string& name, const OptionValues& options = {});

/// Makes the run. Tasks are messages: a task computes, waits or does nothing, and sends on the
/// tasks below it, in one batch or in two. How many there are depends on the run's fields alone,
/// never on the order in which things happen.
test::Seen make_run(const RandomRun& run, const DetectorUnderTest& detector,
                    scenario::EngineKind engine);

/// "" if the detector has kept every promise in it, else the first that it broke.
std::string broken_promise(const RandomRun& run, const DetectorUnderTest& detector,
                           scenario::EngineKind engine);

/// A run in which a promise is broken.
struct Counterexample {
  RandomRun run;
  std::string promise;
};

/// Tries the runs of seeds 1 to `runs`; the first that breaks a promise is shrunk.
std::optional<Counterexample> search(const DetectorUnderTest& detector, scenario::EngineKind engine,
                                     std::uint64_t runs);

/// "" if a search finds nothing, else what it found, for a failing test to show.
std::string counterexample(const DetectorUnderTest& detector, scenario::EngineKind engine,
                           std::uint64_t runs);

}  // namespace faultline::termination
