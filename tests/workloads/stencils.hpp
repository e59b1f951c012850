// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sim/core/options.hpp"

namespace faultline::workloads {

/// The options of a stencil of objects that computes for a short time.
inline OptionValues stencil_values(const std::string& preset, std::int64_t objects,
                                   const std::string& mapping = "linear",
                                   std::int64_t iterations = 3) {
  return {{"preset", preset},
          {"objects_per_process", objects},
          {"object_mapping", mapping},
          {"iterations", iterations},
          {"compute_s", 1e-5}};
}

}  // namespace faultline::workloads
