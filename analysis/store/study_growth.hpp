// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/store/result_store.hpp"
#include "sim/scenario/study.hpp"

namespace faultline::store {

/// Whether a sweep may continue a study that is like its own, but not the same.
enum class Growth {
  only,    ///< it must, unless the store is empty
  or_add,  ///< it does if there is one, and else begins a new one
  never,   ///< it begins a new one
};

/// Finds or makes the study of a store that a sweep continues, and returns its id. It is one of
/// these:
/// - The same study, if the store has it.
/// - A study that grows: each of its points is a point of the sweep, or would be if the sweep's
///   axes had its values. Points of the sweep get their numbers there; all others are kept, with
///   the numbers after these.
/// - A new study.
/// `growth` decides between the last two. Until this process ends, no other process can change the
/// numbers of the points.
///
/// Throws UsageError if the store has only other studies and `growth` is `only`, and RunError if
/// other sweeps use the study that should grow.
std::int64_t open_study(ResultStore& store, const scenario::Study& study, Growth growth);

/// The study of a store that open_study would continue, and nothing if it would make a new one.
/// Changes nothing. Throws UsageError as open_study does.
std::optional<StoredStudy> study_to_continue(ResultStore& store, const scenario::Study& study,
                                             bool may_add);

}  // namespace faultline::store
