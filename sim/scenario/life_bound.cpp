// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/life_bound.hpp"

namespace faultline::scenario {

std::optional<DetectionBound> bound_of_life(const RunSpec& spec, std::uint16_t process_life,
                                            std::uint16_t daemon_life) {
  const ComponentChoice& detector = spec.component(Family::failure_detection);
  if (detector.registration == nullptr) return std::nullopt;
  const auto& bound = detector.registration->as<DetectorTraits>().bound;
  if (!bound) return DetectionBound{.unpromised = "it states no bound"};
  return bound(
      detector.options,
      {.job = job_shape(spec.platform), .process_life = process_life, .daemon_life = daemon_life});
}

}  // namespace faultline::scenario
