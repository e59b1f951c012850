// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/gaps.hpp"

#include <cstdint>
#include <string>

#include "analysis/advice/ranking.hpp"
#include "analysis/advice/variants.hpp"
#include "analysis/runs/derived_metrics.hpp"
#include "sim/core/stack.hpp"

namespace faultline::advice {

namespace {

constexpr std::uint32_t kRuns = 20;

/// One alternative, as it is and with something taken out: numbers of variants.
struct Three {
  std::size_t as_it_is = 0;
  std::size_t without_faults = 0;
  std::size_t told_at_once = 0;
};

Three add(Variants& variants, const Alternative& alternative) {
  const json::JsonValue oracle = json::json_object({{"name", "oracle"}});
  return {.as_it_is = variants.add(alternative),
          .without_faults =
              variants.add(alternative, "without faults", {{"faults", json::JsonValue::Object{}}}),
          .told_at_once = variants.add(alternative, "told at once",
                                       {{family_key(Family::failure_detection), oracle}})};
}

std::optional<Gap> gap(const Variants& variants, const Three& leader, const Three& other,
                       std::size_t alternative, const std::string& objective) {
  const CommonMeans common =
      means_in_common({&variants.of(leader.as_it_is), &variants.of(leader.without_faults),
                       &variants.of(leader.told_at_once), &variants.of(other.as_it_is),
                       &variants.of(other.without_faults), &variants.of(other.told_at_once)},
                      objective);
  if (common.runs == 0) return std::nullopt;
  const std::vector<double>& means = common.means;
  return Gap{.alternative = alternative,
             .runs = common.runs,
             .together = means[3] - means[0],
             .without_faults = means[4] - means[1],
             .recovery = (means[5] - means[4]) - (means[2] - means[1]),
             .detection = (means[3] - means[5]) - (means[0] - means[2])};
}

bool can_die(const Field& field) {
  return scenario::point_scenario(field.study, 0).points.front().has_faults();
}

/// What the variants will take, if runs are like those of the race.
double expected_events(const Findings& findings, std::size_t compared) {
  double runs = 0;
  for (const Contestant& one : findings.contestants) runs += static_cast<double>(one.runs);
  return runs == 0 ? 0 : findings.events / runs * 2 * kRuns * static_cast<double>(compared);
}

}  // namespace

Gaps gaps(const Question& question, const Field& field, const Findings& findings,
          double events_left, store::ResultStore& store, const AdvisorSettings& settings) {
  Gaps found;
  const std::string& objective = findings.rules.objective;
  const std::vector<std::size_t> compared = fit_of_stacks(field, findings);
  if (!findings.leader || compared.size() < 2 || objective == runs::kCompleted || !can_die(field))
    return found;
  if (settings.is_late() || expected_events(findings, compared.size()) > events_left) return found;
  Variants variants(question);
  std::vector<Three> threes;
  threes.reserve(compared.size());
  for (const std::size_t i : compared) threes.push_back(add(variants, field.alternatives[i]));
  found.is_interrupted = !variants.run(kRuns, objective, store, settings);
  if (found.is_interrupted) return found;
  found.events = variants.events();
  for (std::size_t i = 1; i < compared.size(); ++i)
    if (const auto one = gap(variants, threes[0], threes[i], compared[i], objective))
      found.all.push_back(*one);
  return found;
}

}  // namespace faultline::advice
