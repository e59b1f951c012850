#include "sim/scenario/backends.hpp"

#include <utility>

namespace faultline {
namespace {

ScenarioBackends& wired() {
#if defined(FAULTLINE_SIMGRID) && !FAULTLINE_SIMGRID
  static ScenarioBackends backends{.simgrid = false, .inspect_xml = {}};
#else
  static ScenarioBackends backends;
#endif
  return backends;
}

}  // namespace

const ScenarioBackends& scenario_backends() { return wired(); }

void set_scenario_backends(ScenarioBackends backends) { wired() = std::move(backends); }

}  // namespace faultline
