// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/declared_metrics.hpp"

#include <algorithm>
#include <string_view>

#include "sim/core/registry.hpp"
#include "sim/core/run_metrics.hpp"
#include "sim/scenario/canonical.hpp"

namespace faultline::scenario {

std::vector<DeclaredMetric> declared_metrics() {
  std::vector<DeclaredMetric> all;
  for (const run_metrics::Group& group : run_metrics::groups())
    for (const MetricSpec* metric : group.metrics) all.push_back({metric, group.runs, {}});
  for (const StackPlace& family : kStack) {
    const std::size_t first = all.size();
    const std::string group = family_key(family.family);
    for (const Registration& component : registrations()) {
      if (component.family != family.family) continue;
      for (const MetricSpec* metric : component.metrics) {
        const auto known =
            std::find_if(all.begin() + static_cast<std::ptrdiff_t>(first), all.end(),
                         [metric](const DeclaredMetric& other) {
                           return std::string_view(other.metric->name) == metric->name;
                         });
        if (known == all.end())
          all.push_back({metric, group, {component.name}});
        else
          known->components.push_back(component.name);
      }
    }
  }
  return all;
}

std::vector<std::string> components_that_report(const std::string& metric) {
  std::vector<std::string> components;
  for (const DeclaredMetric& declared : declared_metrics()) {
    if (!names(result_names(*declared.metric), metric)) continue;
    if (declared.components.empty()) return {};
    components.insert(components.end(), declared.components.begin(), declared.components.end());
  }
  return components;
}

bool can_report(const RunSpec& spec, const std::string& metric) {
  const std::vector<std::string> components = components_that_report(metric);
  return components.empty() || std::ranges::any_of(kStack, [&](const StackPlace& place) {
           const Registration* own = spec.component(place.family).registration;
           return own != nullptr && names(components, own->name);
         });
}

}  // namespace faultline::scenario
