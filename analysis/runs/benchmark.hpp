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
  double bare_messages_per_s = 0.0;     ///< with a detector: the same traffic without it
  double layer_ratio = 0.0;             ///< of carried to bare, within a round
  double reference_heap_events_per_s = 0.0;
  double ratio = 0.0;                        ///< of the two, within a round
  double bare_simgrid_messages_per_s = 0.0;  ///< engine simgrid: actors without any of our code
  double simgrid_ratio = 0.0;                ///< to that, within a round
  std::int64_t peak_rss_bytes = 0;
  double bytes_per_process = 0.0;  ///< what the simulation adds to an empty program
  std::uint64_t messages = 0;      ///< of the application, delivered in each round
};

/// Runs uniform traffic and, in each round after it, the bare event queue: std::priority_queue of
/// 32-byte events, as many pending as messages in flight, one popped and one pushed at a random
/// later time; with a detector also the same traffic without it, for the simgrid engine also
/// SimGrid's own speed. Each measurement has a process of
/// its own. Throws UsageError for a job that the machine does not have, RunError if a measurement
/// fails.
BenchmarkResult run_benchmark(const BenchmarkSettings& settings);

}  // namespace faultline
