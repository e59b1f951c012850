// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "analysis/exploration/expander.hpp"

namespace faultline {

/// Expands many states at once. With one job the caller's thread does it; else threads do, each
/// with an Expander that nobody else touches. What they find does not depend on their number.
class Crew {
 public:
  /// States that differ by one of these exchanges of ranks count as one. The thread that calls the
  /// crew asks `may_go_on` some times a second.
  Crew(const ExplorationRequest& request, const std::vector<Start>& starts, const SeenStates& seen,
       std::vector<RankExchange> exchanges, MayGoOn may_go_on);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// The states after the start; nothing if the crew may not go on.
  std::vector<Expansion> begin();
  /// The successors of these states, in their order; nothing if the crew may not go on. Meanwhile
  /// nothing may be added to the states that have been seen.
  std::vector<Expansion> expand(std::span<const WaitingState> states);
  /// How many states are worth one call of expand().
  [[nodiscard]] std::size_t round() const;
  /// By what states are told apart, where ranks may be exchanged: the digest of the state in which
  /// an engine is. Not to be called while expand() runs.
  [[nodiscard]] StateDigest digest(const engine::StepwiseEngine& engine);
  /// What is remembered of steps and parts of states. Not to be called while expand() runs.
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Member {
    std::unique_ptr<Expander> expander;
    std::function<void(Expander&)> task;
    std::exception_ptr error;
    std::thread thread;
  };
  void work(Member& member, const ExplorationRequest& request, const std::vector<Start>& starts,
            const SeenStates& seen);
  std::unique_ptr<Expander> new_expander(const ExplorationRequest& request,
                                         const std::vector<Start>& starts, const SeenStates& seen);
  void run_all();
  void do_until_stopped(const std::function<void()>& work);
  void ask_now_and_then();
  [[nodiscard]] std::size_t owner(std::size_t place, std::size_t places) const {
    return place * members_.size() / places;
  }

  PartTable parts_;
  StepMemory memory_{parts_};                ///< changes only between two rounds
  std::optional<ExchangedParts> exchanged_;  ///< if there are exchanges
  std::vector<Member> members_;
  MayGoOn may_go_on_;
  std::chrono::steady_clock::time_point asked_;
  std::atomic<bool> stopped_ = false;  ///< what is left of a round is not done any more
  bool threaded_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::size_t busy_ = 0;
  std::uint64_t turn_ = 0;
  bool over_ = false;
};

}  // namespace faultline
