// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "analysis/lemmas/broken_promise.hpp"
#include "sim/audit/run_observer.hpp"
#include "sim/engine/verdict/run_result.hpp"

namespace faultline::lemmas {

/// What a failure detector promises of a run under a schedule.
struct DetectionPromise {
  /// If true, the processes that watch each other are the daemons of the nodes, else the ranks.
  bool of_daemons = true;
  bool accurate = false;  ///< no live process is reported dead
  /// The time without deaths and disturbances of the network after which every live rank knows of
  /// every dead one; nothing if that is not promised.
  std::optional<double> complete_after_s;
  /// ... if fewer members than this have died.
  std::uint32_t fewer_dead_than = UINT32_MAX;
  double calm_from_s = 0.0;  ///< from then on nothing disturbs the network
  double until_s = 0.0;      ///< length of the run, unless nothing is left to happen earlier
};

/// What an observer sees of deaths and of the processes that are told of them.
class DetectionLog final : public audit::RunObserver {
 public:
  explicit DetectionLog(std::uint32_t processes) : processes_(processes) {}

  void see(const audit::Sight& sight) override;

  /// The number of daemons, or of ranks, that have died.
  [[nodiscard]] std::uint32_t dead(bool daemons) const { return daemons ? daemons_ : ranks_; }
  /// The time of the last death; 0 if nobody died.
  [[nodiscard]] double last_death_s() const { return last_death_s_; }
  [[nodiscard]] bool any_death() const { return !dead_.empty(); }
  /// The first rank that was told twice of one death, and of which one; nothing if none was. The
  /// detector of a rank must not report an incarnation twice. The engine drops a repeated report,
  /// and must not tell a rank what it knows. The report of a node is no report of the ranks that
  /// died with it: each of these can be reported besides, and the engine then tells only what is
  /// news.
  [[nodiscard]] const std::optional<std::string>& told_twice() const { return told_twice_; }
  [[nodiscard]] bool all_dead() const { return ranks_ == processes_; }

 private:
  std::uint32_t processes_;
  std::uint32_t ranks_ = 0;
  std::uint32_t daemons_ = 0;
  double last_death_s_ = 0.0;
  std::set<ActorId> dead_;
  std::set<std::pair<Rank, Incarnation>> reported_;
  std::set<std::pair<Rank, ActorId>> told_;
  std::optional<std::string> told_twice_;
};

/// Judges a run by its result and by what an observer saw. It knows no protocol.
std::optional<BrokenPromise> against_detection(const DetectionPromise& promise,
                                               const engine::RunResult& result,
                                               const DetectionLog& log);

}  // namespace faultline::lemmas
