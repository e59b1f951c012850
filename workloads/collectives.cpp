// SPDX-License-Identifier: Apache-2.0
#include "workloads/collectives.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace faultline::workloads {

std::uint32_t doubling_stages(std::uint32_t ranks) {
  return static_cast<std::uint32_t>(std::bit_width(ranks)) + 1;
}

/// In stage 0, the ranks beyond the largest power of two give their values to others, and in the
/// last stage they get the sum.
std::optional<DoublingStage> doubling_stage(Rank self, std::uint32_t ranks, std::uint32_t number) {
  const std::uint32_t core = std::bit_floor(ranks);
  const bool folds = self >= core;
  const bool has_partner = self < ranks - core;
  if (number == 0) {
    if (folds) return DoublingStage{.partner = self - core, .sends = true};
    if (has_partner) return DoublingStage{.partner = self + core, .receives = true};
    return std::nullopt;
  }
  if (number + 1 < doubling_stages(ranks)) {
    if (folds) return std::nullopt;
    return DoublingStage{.partner = self ^ (1U << (number - 1)), .sends = true, .receives = true};
  }
  if (folds) return DoublingStage{.partner = self - core, .receives = true, .replaces = true};
  if (has_partner) return DoublingStage{.partner = self + core, .sends = true};
  return std::nullopt;
}

std::vector<RecursiveDoubling::Send> RecursiveDoubling::begin(double value) {
  ++operation_;
  stage_ = 0;
  has_sent_ = false;
  sum_ = value;
  done_ = false;
  return advance();
}

std::vector<RecursiveDoubling::Send> RecursiveDoubling::take(const CollectivePart& part) {
  early_.push_back(part);
  return advance();
}

/// Goes on until a part is missing.
std::vector<RecursiveDoubling::Send> RecursiveDoubling::advance() {
  std::vector<Send> sends;
  for (; stage_ < doubling_stages(processes_); ++stage_, has_sent_ = false) {
    const std::optional<DoublingStage> now = doubling_stage(self_, processes_, stage_);
    if (!now) continue;
    if (now->sends && !std::exchange(has_sent_, true))
      sends.push_back({now->partner, {sum_, operation_, stage_}});
    if (now->receives && !take_early(*now)) return sends;
  }
  done_ = true;
  return sends;
}

/// Returns false if the part of this stage has not come yet.
bool RecursiveDoubling::take_early(const DoublingStage& stage) {
  const auto part = std::find_if(early_.begin(), early_.end(), [&](const CollectivePart& one) {
    return one.operation == operation_ && one.stage == stage_;
  });
  if (part == early_.end()) return false;
  sum_ = stage.replaces ? part->sum : sum_ + part->sum;
  early_.erase(part);
  return true;
}

// Early parts are looked up by operation and stage.
void RecursiveDoubling::digest(Digest& into) const {
  using Place = std::pair<std::uint32_t, std::uint32_t>;
  std::vector<std::pair<Place, double>> early;
  early.reserve(early_.size());
  for (const CollectivePart& part : early_)
    early.emplace_back(Place(part.operation, part.stage), part.sum);
  into.add(operation_, stage_, has_sent_, done_, sum_);
  into.add_sorted(early);
}

}  // namespace faultline::workloads
