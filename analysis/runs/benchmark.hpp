#pragma once

#include <cstdint>
#include <string>

#include "sim/scenario/scenario.hpp"

namespace faultline {

struct BenchmarkSettings {
  EngineKind engine = EngineKind::loggp;
  std::string machine = "intrepid";
  std::string termination;  ///< "" for none
  std::uint32_t processes = 1024;
  std::uint32_t in_flight = 1024;
  std::uint64_t messages = 3000000;
  unsigned rounds = 3;
};

/// What a benchmark measured: medians over the rounds. Rates are per second of wall time.
struct BenchmarkResult {
  double messages_per_s = 0.0;          ///< application messages
  double carried_messages_per_s = 0.0;  ///< application and control messages
  double bare_messages_per_s = 0.0;     ///< the same traffic without the detector, if there is one
  double layer_ratio = 0.0;             ///< of carried to bare, in a round
  double reference_heap_events_per_s = 0.0;
  double ratio = 0.0;                        ///< messages_per_s to the heap's rate, in a round
  double bare_simgrid_messages_per_s = 0.0;  ///< engine simgrid: SimGrid without our code
  double simgrid_ratio = 0.0;                ///< messages_per_s to bare SimGrid's, in a round
  std::int64_t peak_rss_bytes = 0;
  double bytes_per_process = 0.0;  ///< what the simulation adds to an empty program
  std::uint64_t messages = 0;      ///< application messages delivered in each round
};

/// Measures the speed of uniform traffic, and in each round also what to compare it with:
/// - a bare event queue: a std::priority_queue of 32-byte events, as many pending as messages are
///   in flight; each step pops one and pushes one at a random later time;
/// - the same traffic without the detector, if there is one;
/// - SimGrid's own speed, for the simgrid engine.
/// Each measurement has a process of its own. Throws UsageError if the machine is too small for the
/// job, and RunError if a measurement fails.
BenchmarkResult run_benchmark(const BenchmarkSettings& settings);

}  // namespace faultline
