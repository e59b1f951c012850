// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/gaps.hpp"

#include <chrono>
#include <cstdint>
#include <string>

#include "analysis/advice/ranking.hpp"
#include "analysis/advice/variant.hpp"
#include "analysis/runs/derived_metrics.hpp"
#include "sim/core/error.hpp"
#include "sim/core/stack.hpp"

namespace faultline::advice {

namespace {

constexpr std::uint32_t kRuns = 20;

/// The same stack, told of each death at once.
Alternative told_at_once(Alternative alternative) {
  const std::string key = family_key(Family::failure_detection);
  std::erase_if(alternative.sets, [&](const json::JsonMember& member) {
    return member.key == key || member.key.starts_with(key + ".");
  });
  alternative.sets.push_back({key, json::json_object({{"name", "oracle"}})});
  return alternative;
}

struct Variants {
  Variant as_it_is;
  Variant without_faults;
  Variant at_once;
};

Variants variants(const Question& question, const Field& field,
                  const std::vector<std::size_t>& compared) {
  Question quiet = question;
  quiet.scenario.set("faults", json::JsonValue::Object{});
  std::vector<Alternative> as_they_are;
  std::vector<Alternative> told;
  for (const std::size_t i : compared) {
    as_they_are.push_back(field.alternatives[i]);
    told.push_back(told_at_once(field.alternatives[i]));
  }
  return {Variant(field_of(question), compared), Variant(quiet, as_they_are),
          Variant(question, told)};
}

/// Of the alternative with that number in the list, from the first one.
std::optional<Gap> gap(const Variants& in, std::size_t number, std::size_t alternative,
                       const std::string& objective) {
  const CommonMeans common = means_in_common(
      {&in.as_it_is.of(0), &in.without_faults.of(0), &in.at_once.of(0), &in.as_it_is.of(number),
       &in.without_faults.of(number), &in.at_once.of(number)},
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

/// Simulates the variants, unless that is too much. True if it has.
bool simulate(Variants& in, const std::string& objective, double events_left,
              store::ResultStore& store, const AdvisorSettings& settings, Gaps& found) {
  for (Variant* variant : {&in.as_it_is, &in.without_faults, &in.at_once}) {
    if (settings.until && std::chrono::steady_clock::now() > *settings.until) return false;
    found.is_interrupted = !variant->run(kRuns, objective, store, settings);
    if (found.is_interrupted) return false;
    if (variant != &in.as_it_is) found.events += variant->events();
    if (2 * in.as_it_is.events() > events_left) return false;
  }
  return true;
}

}  // namespace

Gaps gaps(const Question& question, const Field& field, const Findings& findings,
          double events_left, store::ResultStore& store, const AdvisorSettings& settings) {
  Gaps found;
  const std::string& objective = findings.rules.objective;
  const std::vector<std::size_t> compared = fit_of_stacks(field, findings);
  if (!findings.leader || compared.size() < 2 || objective == runs::kCompleted || !can_die(field))
    return found;
  try {
    Variants in = variants(question, field, compared);
    if (!simulate(in, objective, events_left, store, settings, found)) return found;
    for (std::size_t number = 1; number < compared.size(); ++number)
      if (const auto one = gap(in, number, compared[number], objective)) found.all.push_back(*one);
  } catch (const UsageError&) {
    return found;  // no alternative can run without faults, or without a detector of its own
  }
  return found;
}

}  // namespace faultline::advice
