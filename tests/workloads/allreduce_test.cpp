// SPDX-License-Identifier: Apache-2.0

// Collectives: right for every number of processes and order of messages, with the known count.

#include <bit>
#include <catch2/catch.hpp>

#include "sim/core/random.hpp"
#include "tests/workloads/observed.hpp"
#include "workloads/collectives.hpp"

namespace faultline::workloads {

using namespace test;

namespace {

/// log2 of the largest power of two for each rank of it, and two for each rank beyond it.
std::uint64_t messages_of(std::uint32_t processes) {
  const std::uint32_t core = std::bit_floor(processes);
  return std::uint64_t{core} * static_cast<std::uint32_t>(std::countr_zero(core)) +
         2 * std::uint64_t{processes - core};
}

/// All ranks of a few operations in a row, their messages delivered in random order.
class Group {
 public:
  Group(std::uint32_t processes, std::uint32_t operations, std::uint64_t seed)
      : random_(seed, 0, Purpose::workload, processes), sums_(operations, 0.0) {
    for (Rank rank = 0; rank < processes; ++rank) {
      reductions_.emplace_back(rank, processes);
      values_.emplace_back();
      for (double& sum : sums_) {
        values_.back().push_back(static_cast<double>(random_.below(1000)));
        sum += values_.back().back();
      }
    }
    done_.resize(processes, 0);
    for (Rank rank = 0; rank < processes; ++rank) begin(rank);
  }

  /// Runs to the end; true if every rank had every sum right.
  bool run() {
    while (!network_.empty()) {
      std::swap(network_[random_.below(network_.size())], network_.back());
      const RecursiveDoubling::Send next = network_.back();
      network_.pop_back();
      send(reductions_[next.to].take(next.part));
      complete(next.to);
    }
    for (const std::size_t done : done_) right_ = right_ && done == sums_.size();
    return right_;
  }
  [[nodiscard]] std::uint64_t messages() const { return messages_; }

 private:
  void begin(Rank rank) {
    send(reductions_[rank].begin(values_[rank][done_[rank]]));
    complete(rank);
  }
  void complete(Rank rank) {
    const auto sum = reductions_[rank].sum();
    if (!sum || done_[rank] == sums_.size()) return;
    right_ = right_ && *sum == sums_[done_[rank]];
    if (++done_[rank] < sums_.size()) begin(rank);
  }
  void send(const std::vector<RecursiveDoubling::Send>& sends) {
    messages_ += sends.size();
    network_.insert(network_.end(), sends.begin(), sends.end());
  }

  Stream random_;
  std::vector<double> sums_;  ///< by operation, added up by hand
  std::vector<RecursiveDoubling> reductions_;
  std::vector<std::vector<double>> values_;  ///< by rank, then operation
  std::vector<std::size_t> done_;
  std::vector<RecursiveDoubling::Send> network_;
  std::uint64_t messages_ = 0;
  bool right_ = true;
};

}  // namespace

TEST_CASE("recursive doubling adds up all values, whatever the order of messages") {
  for (std::uint32_t processes = 1; processes <= 33; ++processes)
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      Group group(processes, 4, seed);
      INFO(processes << " processes, seed " << seed);
      CHECK(group.run());
      CHECK(group.messages() == 4 * messages_of(processes));
    }
}

TEST_CASE("allreduce: every sum is right and the messages are those of the algorithm") {
  for (const scenario::EngineKind engine : engines())
    for (std::uint32_t processes = 1; processes <= 33; ++processes) {
      if (engine == scenario::EngineKind::simgrid && processes % 8 > 1) continue;
      for (const scenario::Ordering ordering :
           {scenario::Ordering::fifo, scenario::Ordering::unordered}) {
        Job job(processes, quick_machine());
        job.spec.platform.processes_per_node = 2;
        job.spec.platform.ordering = ordering;
        job.spec.stop.when = scenario::StopWhen::finished;
        job.workload("allreduce", {{"repetitions", 6}});
        const Seen seen = job.run(engine);
        INFO(engine_word(engine) << ", " << processes << " processes");
        CHECK(seen.result.outcome == engine::Outcome::finished);
        CHECK(seen.metric("wrong_sums") == 0);
        CHECK(seen.metric("application_messages") ==
              static_cast<double>(6 * messages_of(processes)));
      }
    }
}

TEST_CASE("allreduce of a power of two takes log2 P messages, one after the other") {
  for (const scenario::EngineKind engine : engines())
    for (const std::uint32_t exponent : {0U, 1U, 2U, 3U, 4U}) {
      Job job(1U << exponent);
      job.spec.stop.when = scenario::StopWhen::finished;
      job.workload("allreduce", {{"repetitions", 5}, {"bytes", 100}, {"compute_s", 2}});
      CHECK(job.run(engine).metric("allreduce_time_s") ==
            Approx(5 * (2 + 13.0 * exponent)).epsilon(time_tolerance(engine)));
    }
}

}  // namespace faultline::workloads
