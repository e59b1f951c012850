#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/job.hpp"

namespace faultline::test {

/// What strikes a rank in a random run, and when: a death, unless it says otherwise.
struct BlockFault {
  std::uint64_t event = 0;  ///< of the run, if there is no mark
  std::string mark;
  std::int64_t value = 0;
  Rank victim = 0;
  bool soft = false;
  double stall_s = 0.0;

  [[nodiscard]] bool kills() const { return !soft && stall_s == 0.0; }
};

/// All that a random run of a program under a protocol of transactions depends on. Fewer and
/// smaller is simpler, so that a counterexample can be shrunk.
struct TransactionsRun {
  std::uint64_t seed = 1;
  std::uint32_t processes = 3;
  std::uint32_t processes_per_node = 1;
  std::int64_t iterations = 1;
  std::int64_t iterations_per_block = 1;
  bool has_sums = true;
  bool is_lulesh = false;  ///< with TryBlocks inside TryBlocks, on 8 processes
  bool random_costs = false;
  Ordering ordering = Ordering::fifo;
  double notice_delay_s = 1e-5;
  double notice_spread_s = 0.0;
  double spawn_s = 0.0;
  std::string checkpoint = "none";
  std::int64_t checkpoint_iterations = 1;
  std::string rebuild_over = "star";
  std::string agreement = "era";
  std::string release = "timeout";  ///< under `invite`, requests never time out
  double wait_timeout_s = 1.0;
  /// `shrink`: of try-blocks, as the other programs need all their ranks.
  std::string recovery = "rebuild";
  std::string scope = "global";  ///< or `with-collective`, if there are sums
  std::vector<BlockFault> faults;

  /// The faults that kill.
  [[nodiscard]] std::vector<BlockFault> deaths() const;
};

/// The run that a seed stands for, under `fampi`, `ulfm` or `relaunch`.
TransactionsRun draw_transactions_run(std::uint64_t seed, const std::string& protocol);

std::string describe(const TransactionsRun& run);

/// What makes the protocol of a run a wrong one.
using MakeWrong = std::function<void(RunSpec&)>;

Seen make_run(const TransactionsRun& run, const std::string& protocol, EngineKind engine,
              const MakeWrong& make_wrong = {});

/// "" if the program has come to its right end, or the protocol had a reason to give up; else what
/// is wrong.
std::string broken_promise(const TransactionsRun& run, const std::string& protocol,
                           EngineKind engine, const MakeWrong& make_wrong = {});

/// Tries the runs of seeds 1 to `runs`. What it has found, shrunk, in words; "" if nothing.
std::string counterexample(const std::string& protocol, EngineKind engine, std::uint64_t runs,
                           const MakeWrong& make_wrong = {});

}  // namespace faultline::test
