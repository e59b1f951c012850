// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace faultline::runs {

struct BenchmarkSettings {
  scenario::EngineKind engine = scenario::EngineKind::loggp;
  std::string machine = "intrepid";
  std::string termination;      ///< "" for none
  std::string message_logging;  ///< "" for none; if there is one, the traffic is that of a stencil
  std::uint32_t processes = 1024;
  std::uint32_t in_flight = 1024;
  std::uint64_t messages = 3000000;
  unsigned rounds = 3;
};

/// What a benchmark measured: medians over the rounds. Rates are per second of wall time.
struct BenchmarkResult {
  double messages_per_s = 0.0;          ///< application messages
  double carried_messages_per_s = 0.0;  ///< application and control messages
  double bare_messages_per_s =
      0.0;                   ///< rate of the same traffic without the protocol, if there is one
  double layer_ratio = 0.0;  ///< ratio of carried to bare, in a round
  double reference_heap_events_per_s = 0.0;
  double ratio = 0.0;                        ///< messages_per_s to the heap's rate, in a round
  double bare_simgrid_messages_per_s = 0.0;  ///< engine simgrid: SimGrid without our code
  double simgrid_ratio = 0.0;                ///< messages_per_s to bare SimGrid's, in a round
  std::int64_t peak_rss_bytes = 0;
  double bytes_per_process = 0.0;  ///< memory that the simulation adds to an empty program
  std::uint64_t messages = 0;      ///< application messages delivered in each round
};

/// Objects of a process in the stencil that the benchmark runs under message logging.
inline constexpr std::uint32_t kBenchmarkObjects = 8;

/// Measures the speed of uniform traffic, or under message logging that of Jacobi3D, and in each
/// round also what to compare it with:
/// - a bare event queue: a std::priority_queue of 32-byte events, as many pending as messages are
///   in flight; each step pops one and pushes one at a random later time;
/// - the same traffic without the detector or the logging, if there is one;
/// - SimGrid's own speed, for the simgrid engine.
/// Each measurement has a process of its own. Throws UsageError if the machine is too small for the
/// job, and RunError if a measurement fails.
BenchmarkResult run_benchmark(const BenchmarkSettings& settings);

struct DetectionBenchmarkSettings {
  std::string failure_detection;
  std::string machine = "mira";
  std::uint32_t daemons = 49152;  ///< at least 4; one to a node, with one rank
  std::uint32_t simulated_s = 80;
  unsigned rounds = 1;
};

/// The period of the detectors that have heartbeats or probes, in the benchmark.
inline constexpr double kBenchmarkPeriod_s = 0.1;
inline constexpr double kBenchmarkTimeout_s = 0.2;
/// The time after which a connection to a dead node breaks, in the benchmark.
inline constexpr double kBenchmarkSilence_s = 1.0;

/// The measurements of a failure detector in one kind of run: rates and times are medians over the
/// rounds. A value is zero if there is none, because the detector has sent nothing.
struct DetectionBenchmarkRun {
  std::uint32_t deaths = 0;
  std::uint64_t messages = 0;  ///< messages of the detector
  std::uint64_t events = 0;
  double spent_s = 0.0;  ///< wall time from the first event on
  double messages_per_s = 0.0;
  double reference_heap_events_per_s = 0.0;
  double ratio = 0.0;  ///< messages_per_s to the heap's rate, in a round
  std::int64_t peak_rss_bytes = 0;
};

/// Measures the speed of a failure detector on `loggp` while the job does nothing: in a run without
/// deaths, and in one in which 18 nodes, but at most a quarter, die at once after half of the time.
/// In each round it also measures a bare event queue, with as many pending events as there are
/// daemons. Throws as run_benchmark() does, and UsageError if there is no such detector.
std::vector<DetectionBenchmarkRun> run_detection_benchmark(
    const DetectionBenchmarkSettings& settings);

struct TransactionsBenchmarkSettings {
  std::string transactions;
  std::string machine = "stampede";
  std::uint32_t processes = 1024;  ///< as many on each node as it has hardware threads
  std::uint64_t messages =
      3000000;  ///< least number of messages, roughly, and at least 20 iterations
  unsigned rounds = 1;
};

/// The measurements of transactions in one kind of run: rates and times are medians over the
/// rounds.
struct TransactionsBenchmarkRun {
  std::uint32_t deaths = 0;
  std::uint64_t iterations = 0;
  std::uint64_t messages = 0;  ///< messages of the program and of the protocol
  double spent_s = 0.0;        ///< wall time from the first event on
  double messages_per_s = 0.0;
  double bare_messages_per_s = 0.0;     ///< rate of the program alone
  double layer_ratio = 0.0;             ///< messages_per_s to that, in a round
  double traffic_messages_per_s = 0.0;  ///< rate of uniform traffic in the same job
  double traffic_ratio = 0.0;           ///< messages_per_s to that, in a round
  std::int64_t peak_rss_bytes = 0;
  double bytes_per_process = 0.0;  ///< memory that the simulation adds to an empty program
};

/// Measures the speed and the memory of minife, with the brick of fampi-2015 section 5, under a
/// protocol of transactions on `loggp`, in a run without deaths and in one in which a rank dies
/// after half of the time. In each round it measures the same program without the protocol, and
/// uniform traffic with a token for each rank. Throws as run_benchmark() does, and UsageError if
/// there is no such protocol.
std::vector<TransactionsBenchmarkRun> run_transactions_benchmark(
    const TransactionsBenchmarkSettings& settings);

}  // namespace faultline::runs
