// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/units_view.hpp"

#include <map>

#include "sim/scenario/declared_metrics.hpp"

namespace faultline::store {

std::string units_view_sql() {
  std::map<std::string, std::string> units;
  for (const char* column : {"wall_s", "peak_rss_bytes"}) units[column] = metric_unit(column);
  for (const scenario::DeclaredMetric& declared : scenario::declared_metrics())
    for (const std::string& name : result_names(*declared.metric)) units[name] = metric_unit(name);
  std::string rows;
  for (const auto& [metric, unit] : units)
    if (!unit.empty())
      rows.append(rows.empty() ? "" : ",")
          .append("\n  ('")
          .append(metric)
          .append("', '")
          .append(unit)
          .append("')");
  return "CREATE VIEW units(metric, unit) AS VALUES" + rows + ";";
}

}  // namespace faultline::store
