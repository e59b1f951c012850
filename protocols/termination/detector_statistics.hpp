#pragma once

#include <cstdint>
#include <optional>

#include "sim/core/metrics.hpp"

namespace faultline {

/// Statistics of one process that all detectors report under the same names, beside what the engine
/// counts. One that does not apply to a detector stays empty, and is reported as null.
struct DetectorStatistics {
  std::optional<std::uint64_t> borrows = {};           ///< credit asked of the agent
  std::optional<std::uint64_t> flushes = {};           ///< returns of a process's own credit
  std::optional<std::uint64_t> delayed_messages = {};  ///< that waited for credit
  std::optional<std::uint64_t> waves = {};             ///< completed

  void report(Metrics& metrics) const {
    put(metrics, "borrows", borrows);
    put(metrics, "flushes", flushes);
    put(metrics, "delayed_messages", delayed_messages);
    put(metrics, "waves", waves);
  }

 private:
  static void put(Metrics& metrics, const char* name, std::optional<std::uint64_t> value) {
    if (value)
      metrics.add(name, static_cast<double>(*value));
    else
      metrics.set(name, std::nullopt);
  }
};

}  // namespace faultline
