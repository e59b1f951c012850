// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/lemmas/broken_promise.hpp"
#include "sim/audit/run_observer.hpp"
#include "sim/core/registry.hpp"
#include "sim/engine/verdict/run_result.hpp"

namespace faultline {

/// What a protocol of message logging promises: the program comes to its right end whoever dies,
/// unless a rank and the keeper of its image have died before the copy was made anew.
struct RecoveryPromise {
  /// Does it also survive that a rank dies while another recovers?
  bool survives_overlaps = false;
};

/// What an observer sees of deaths, of images, and of the ends of recoveries.
class RecoveryLog final : public RunObserver {
 public:
  RecoveryLog(std::uint32_t processes, const Registration& protocol);

  void see(const Sight& sight) override;

  /// Was there a rank whose image had nobody, neither the rank nor its keeper? Not counted is an
  /// image that the rank has not sent again to its keeper, which had restarted, when it had to: as
  /// soon as all had agreed on that restart.
  [[nodiscard]] bool image_lost() const { return image_lost_; }
  /// Has a rank died while one recovered, and has not all been recovered since?
  [[nodiscard]] bool recoveries_overlap() const { return recoveries_overlap_; }
  [[nodiscard]] bool all_dead() const { return dead_.size() == ranks_.size(); }
  [[nodiscard]] bool any_death() const { return any_death_; }

 private:
  /// Who has the image of a rank.
  struct ImageOf {
    Rank keeper = kNobody;
    bool own = true;         ///< the rank itself; at first it can start anew
    bool copy = false;       ///< the keeper
    bool forgotten = false;  ///< it is lost because the rank has not sent it again
    /// Nobody has died since the rank heard that a restart is agreed on. Before, an image that it
    /// sends is of a checkpoint that has become void.
    bool agreed = true;
    std::uint32_t copies_under_way = 0;  ///< of its committed image, to a keeper that has restarted
    std::uint16_t deaths = 0;
  };

  void died(Rank rank);
  [[nodiscard]] bool had_to_be_copied(const ImageOf& image) const;
  void sent(Rank rank, const Message& message);
  void received(Rank rank, const Message& message);
  void lost(const Message& message);
  [[nodiscard]] bool is_copy(const Message& message) const;

  std::vector<ImageOf> ranks_;
  std::uint16_t image_kind_;
  std::uint16_t your_image_kind_;
  std::uint16_t agreed_kind_;
  std::set<const Message*> void_images_;  ///< on their way
  std::set<Rank> dead_;
  std::set<Rank> recovering_;
  std::int64_t agreements_under_way_ = 0;
  bool any_death_ = false;
  bool image_lost_ = false;
  bool recoveries_overlap_ = false;
};

/// Judges a run by its result and by what an observer saw. It does not look into the protocol.
std::optional<BrokenPromise> against_recovery(const RecoveryPromise& promise,
                                              const engine::RunResult& result,
                                              const RecoveryLog& log);

}  // namespace faultline
