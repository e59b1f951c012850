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

namespace faultline::exploration {

/// Expands many states at once. With one job the caller's thread does it; with more, threads do,
/// each with its own Expander. The results do not depend on their number.
class Crew {
 public:
  /// States that differ by one of these exchanges of ranks count as one. The calling thread asks
  /// `may_go_on` several times a second.
  Crew(const ExplorationRequest& request, const std::vector<Start>& starts, const SeenStates& seen,
       std::vector<RankExchange> exchanges, MayGoOn may_go_on);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// The states after the start; nothing if the crew may not go on.
  std::vector<Expansion> begin();
  /// The successors of these states, in their order; nothing if the crew may not go on. The caller
  /// must not add to the seen states meanwhile.
  std::vector<Expansion> expand(std::span<const WaitingState> states);
  /// The number of states that are worth one call of expand().
  [[nodiscard]] std::size_t round() const;
  /// Where ranks may be exchanged: the digest that tells the state in which an engine is from
  /// others. Not to be called while expand() runs.
  [[nodiscard]] StateDigest digest(const engine::StepwiseEngine& engine);
  /// The bytes that the memory of steps and parts of states takes. Not to be called while expand()
  /// runs.
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
  std::atomic<bool> stopped_ = false;  ///< the rest of the round is left undone
  bool threaded_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::size_t busy_ = 0;
  std::uint64_t turn_ = 0;
  bool over_ = false;
};

}  // namespace faultline::exploration
