// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/registry.hpp"
#include "sim/engine/engine.hpp"
#include "tests/support/script.hpp"

namespace faultline::test {

/// Do the tests that every engine must pass also run on the simgrid engine?
inline constexpr bool kSimGridEngine = FAULTLINE_SIMGRID != 0;

/// The engines that these tests run on.
inline std::vector<scenario::EngineKind> engines() {
  if (kSimGridEngine) return {scenario::EngineKind::loggp, scenario::EngineKind::simgrid};
  return {scenario::EngineKind::loggp};
}

inline const char* engine_word(scenario::EngineKind engine) {
  return engine == scenario::EngineKind::loggp ? "loggp" : "simgrid";
}

/// The number of runs that an engine makes in a long loop: a tenth on simgrid, which needs a
/// process for each run.
inline std::uint64_t sample_of(std::uint64_t runs, scenario::EngineKind engine) {
  return engine == scenario::EngineKind::loggp ? runs : (runs + 9) / 10;
}

/// The relative error that a time may have, compared to the one computed by hand.
inline double time_tolerance(scenario::EngineKind engine) {
  return engine == scenario::EngineKind::loggp ? 1e-12 : 1e-6;
}

/// A machine with round costs. A message of k bytes between two nodes is handled 12 + k/100 s after
/// its send began (o_s 1, latency 10 of which 2 hops, o_r 1); within a node, 4 + k/1000 s after.
platform::Machine round_machine();

/// A machine with costs like those of a real one.
platform::Machine quick_machine(std::uint32_t nodes = 2048);

/// A fault that kills `ranks` when a rank first sets this mark with this value.
faults::FaultSpec at_mark(const std::string& name, std::int64_t value, std::vector<Rank> ranks);

/// A note that a script made.
struct Entry {
  double time_s = 0.0;
  ActorId actor = kNobody;
  std::string what;
  std::int64_t value = 0;

  bool operator==(const Entry&) const = default;
};

/// What came out of a run: its result, and the notes of its scripts in order.
struct Seen {
  engine::RunResult result;
  std::vector<Entry> log;

  [[nodiscard]] std::size_t count(const std::string& what) const;
  /// The times at which an actor noted `what`.
  [[nodiscard]] std::vector<double> times_s(ActorId actor, const std::string& what) const;
  /// The values with which an actor noted `what`.
  [[nodiscard]] std::vector<std::int64_t> values(ActorId actor, const std::string& what) const;
  /// A metric, which must exist and have a value.
  [[nodiscard]] double metric(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> violations() const;
};

using Words = std::vector<std::string>;
using Values = std::vector<std::int64_t>;
using Times = std::vector<double>;

/// Are two lists of times equal within the engine's tolerance?
bool close(const std::vector<double>& times_s, const std::vector<double>& expected_s,
           scenario::EngineKind engine);

/// All of what came out of a run, as a child process sends it.
std::string to_text(const Seen& seen);
Seen from_text(const std::string& text);

/// The parts of a registration of the test's own components besides how they are made. Where they
/// live and what notices they get is said here for detectors, instead of in their traits.
struct OwnTerms {
  Traits traits = {};
  Residence residence = Residence::ranks;
  std::optional<ExitNotice> exit_notice = {};
  MetricSpecs metrics = {};
  Marks marks = {};
  std::vector<StateProperty> properties = {};
};

/// A run that a test describes. Components are given by name, by script or as a class of the test's
/// own. Everything else has defaults that let the run reach its own end. Scripts keep a reference
/// to the job for their notes.
class Job {
 public:
  explicit Job(std::uint32_t processes = 2, platform::Machine machine = round_machine());
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job();

  scenario::RunSpec spec;

  /// Uses a registered component with some of its options changed. Throws if its checks refuse
  /// them.
  Job& use(Family family, const std::string& name, const OptionValues& changes = {});
  Job& workload(const std::string& name, const OptionValues& changes = {}) {
    return use(Family::workload, name, changes);
  }
  Job& detector(const std::string& name, const OptionValues& changes = {}) {
    return use(Family::termination, name, changes);
  }

  /// Uses components of the test's own, which `make` makes for each actor.
  Job& own(Family family, const ComponentFactory& make, const OwnTerms& terms = {});

  /// Uses components that a script of the test defines.
  Job& script(Family family, const Scripts& scripts, const OwnTerms& terms = {});
  Job& script(Family family, const Scripts& scripts, const Traits& traits);

  Job& kill(double time_s, std::vector<Rank> ranks, std::vector<NodeId> nodes = {},
            std::vector<NodeId> daemons = {});

  /// Lets a script note that something happened.
  void note(const Context& context, std::string what, std::int64_t value = 0);

  /// Runs the job. The simgrid engine runs in a child process, as SimGrid allows one simulation per
  /// process. Throws BrokenInvariant.
  Seen run(scenario::EngineKind engine = scenario::EngineKind::loggp, std::uint64_t seed = 1,
           std::uint64_t replication = 0);

 private:
  void choose(Family family, const Registration& registration, OptionValues values);
  Seen run_here(scenario::EngineKind engine, std::uint64_t seed, std::uint64_t replication);

  std::list<Registration> own_;  ///< a list, so that addresses stay valid
  std::vector<Entry> log_;
};

/// The names of the termination detectors.
const std::vector<std::string>& detectors();

/// The order of messages that a detector needs; nothing if any will do.
std::optional<scenario::Ordering> needed_ordering(const std::string& detector);

}  // namespace faultline::test
