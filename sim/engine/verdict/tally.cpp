// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/verdict/tally.hpp"

namespace faultline::engine {

Tally::Tally(const RunJob& job) {
  for (std::size_t family = 0; family < kFamilies; ++family) {
    const Registration* registration = job.spec.components[family].registration;
    if (registration == nullptr) continue;
    control[family].resize(registration->message_kinds.size());
    reported[family] = MetricTotals(registration->metrics);
  }
}

}  // namespace faultline::engine
