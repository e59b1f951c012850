// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "analysis/store/stored_point.hpp"
#include "sim/scenario/study.hpp"

namespace faultline::store {

/// The study as a store keeps it, with the versions of this program.
StoredStudy stored_study(const scenario::Study& study);

/// A point of the study as a store keeps it, without results.
StoredPoint stored_point(const scenario::Study& study, std::int64_t study_id, std::size_t point,
                         const scenario::Scenario& scenario);

}  // namespace faultline::store
