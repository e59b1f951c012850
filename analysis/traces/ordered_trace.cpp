// SPDX-License-Identifier: Apache-2.0
#include "analysis/traces/ordered_trace.hpp"

#include <utility>

#include "sim/engine/engine.hpp"

namespace faultline::traces {

scenario::RunSpec in_order(scenario::RunSpec spec, scenario::RunOrder order) {
  spec.order = std::move(order);
  spec.stop.grace_s = kOrderedGrace_s;
  spec.stop.time_s = kOrderedLongest_s;
  return spec;
}

RunTrace recorded(const scenario::RunSpec& ordered, std::uint64_t seed) {
  TraceRecorder recorder(ordered.platform.processes);
  engine::RunResult result =
      engine::run_simulation(ordered, scenario::EngineKind::loggp, seed, 0, &recorder);
  return recorder.finish(std::move(result));
}

}  // namespace faultline::traces
