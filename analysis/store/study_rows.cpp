// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/study_rows.hpp"

#include <string>
#include <utility>

#include "sim/core/version.hpp"
#include "sim/engine/engine.hpp"
#include "sim/scenario/canonical.hpp"

namespace faultline::store {

namespace {

/// The resolved scenario of a point as one object. It joins what all points of the file share and
/// what only this point has.
json::JsonValue resolved(const scenario::Scenario& scenario) {
  json::JsonValue all = scenario::canonical(scenario);
  json::JsonValue result = json::JsonValue::Object{};
  for (json::JsonMember& member : *all.object())
    if (member.key != "points") result.set(member.key, std::move(member.value));
  for (json::JsonMember& member : *all.find("points")->list()->front().object())
    result.set(member.key, std::move(member.value));
  return json::sorted(std::move(result));
}

}  // namespace

StoredStudy stored_study(const scenario::Study& study) {
  return {.id = 0,
          .name = study.name,
          .hash = study.hash,
          .points = static_cast<std::int64_t>(study.points.size()),
          .faultline = std::string(version()),
          .simgrid = engine::simgrid_version()};
}

StoredPoint stored_point(const scenario::Study& study, std::int64_t study_id, std::size_t point,
                         const scenario::Scenario& scenario) {
  return {.study = study_id,
          .point = static_cast<std::int64_t>(point),
          .hash = study.points[point].hash,
          .scenario_hash = scenario.hash,
          .engine = scenario::word_of(scenario.engine),
          .seed = static_cast<std::int64_t>(scenario.seed),
          .label = scenario::point_label(study, point),
          .parameters = scenario::point_parameters(study, point),
          .scenario = resolved(scenario),
          .failure = {},
          .log = {},
          .runs = {}};
}

}  // namespace faultline::store
