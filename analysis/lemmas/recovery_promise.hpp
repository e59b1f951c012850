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

namespace faultline::lemmas {

/// What a protocol of message logging promises: the program comes to its right end whichever ranks
/// die, unless a rank and the keeper of its image have died before the copy was made anew.
struct RecoveryPromise {
  /// True if it also survives the death of a rank while another one recovers.
  bool survives_overlaps = false;
};

/// What an observer sees of deaths, of images, and of the ends of recoveries.
class RecoveryLog final : public audit::RunObserver {
 public:
  RecoveryLog(std::uint32_t processes, const Registration& protocol);

  void see(const audit::Sight& sight) override;

  /// True if neither a rank nor its keeper had the rank's image. An image does not count as lost if
  /// the rank had to send it again to its restarted keeper, as soon as all had agreed on that
  /// restart, and has not done so.
  [[nodiscard]] bool image_lost() const { return image_lost_; }
  /// True if a rank has died while another one recovered, and not all have recovered since.
  [[nodiscard]] bool recoveries_overlap() const { return recoveries_overlap_; }
  [[nodiscard]] bool all_dead() const { return dead_.size() == ranks_.size(); }
  [[nodiscard]] bool any_death() const { return any_death_; }

 private:
  /// The processes that have the image of a rank.
  struct ImageOf {
    Rank keeper = kNobody;
    bool own = true;         ///< the rank has it; at first it can start anew
    bool copy = false;       ///< the keeper has it
    bool forgotten = false;  ///< lost because the rank has not sent it again
    /// False after a death until the rank hears that the restart is agreed on. Before that, an
    /// image that it sends is of a void checkpoint.
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
  std::set<const Message*> void_images_;  ///< void images on their way
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

}  // namespace faultline::lemmas
