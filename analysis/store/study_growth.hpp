#pragma once

#include <cstdint>

#include "analysis/store/result_store.hpp"
#include "sim/scenario/study.hpp"

namespace faultline {

/// The study of a store that a sweep goes on with: the same one; one that grows, since each of its
/// points is one of the sweep or would be, if the axes had its values; or a new one. Points of one
/// that grows get the numbers that they have in the sweep, those that the sweep does not name the
/// numbers after these. Nobody changes them until this process ends.
///
/// Throws UsageError for a store of other studies, unless `may_add`, and RunError when other sweeps
/// use the study that should grow.
std::int64_t open_study(ResultStore& store, const Study& study, bool may_add);

}  // namespace faultline
