// SPDX-License-Identifier: Apache-2.0

// An answer for programs.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/advice/answer.hpp"
#include "analysis/advice/ranking.hpp"
#include "analysis/advice/sentences.hpp"

namespace faultline::advice {

namespace {

json::JsonValue number_json(const std::optional<double>& value) {
  return value ? json::json_number(*value) : json::JsonValue();
}

json::JsonValue summary_json(const statistics::Summary& summary) {
  const auto bound = [&](double statistics::Interval::*end) {
    return summary.confidence_95 ? number_json((*summary.confidence_95).*end) : json::JsonValue();
  };
  return json::json_object({{"mean", number_json(summary.mean)},
                            {"low", bound(&statistics::Interval::low)},
                            {"high", bound(&statistics::Interval::high)},
                            {"runs", static_cast<std::int64_t>(summary.count)}});
}

json::JsonValue contestant_json(const Field& field, const Findings& findings, std::size_t i) {
  const Contestant& one = findings.contestants[i];
  json::JsonValue required = json::JsonValue::Object{};
  for (std::size_t k = 0; k < one.required.size(); ++k)
    required.set(findings.rules.require[k].metric, summary_json(one.required[k]));
  return json::json_object(
      {{"name", field.alternatives[i].name},
       {"stack", field.alternatives[i].stack},
       {"sets", field.alternatives[i].sets},
       {"today", field.alternatives[i].is_todays},
       {"standing", standing_word(one.standing)},
       {"runs", static_cast<std::int64_t>(one.runs)},
       {"objective", summary_json(one.objective)},
       {"difference", one.difference ? summary_json(*one.difference) : json::JsonValue()},
       {"against",
        one.against ? json::JsonValue(field.alternatives[*one.against].name) : json::JsonValue()},
       {"required", std::move(required)},
       {"meets_all", one.meets_all},
       {"why", one.why_unfit.empty() ? json::JsonValue() : json::JsonValue(one.why_unfit)},
       {"look", one.looks == 0 ? json::JsonValue()
                               : json::JsonValue(static_cast<std::int64_t>(one.looks))}});
}

json::JsonValue require_json(const RaceRules& rules) {
  json::JsonValue::List list;
  for (const Requirement& requirement : rules.require)
    list.push_back(json::json_object({{"metric", requirement.metric},
                                      {"at_least", number_json(requirement.at_least)},
                                      {"at_most", number_json(requirement.at_most)}}));
  return list;
}

json::JsonValue crossovers_json(const std::vector<Crossovers>& all) {
  const auto use = [](const Stretch& stretch) {
    return stretch.use.empty() ? json::JsonValue() : json::JsonValue(stretch.use);
  };
  json::JsonValue::List list;
  for (const Crossovers& crossed : all) {
    json::JsonValue::List stretches;
    for (const Stretch& stretch : crossed.stretches)
      stretches.push_back(json::json_object({{"from", json::json_number(stretch.from)},
                                             {"to", json::json_number(stretch.to)},
                                             {"use", use(stretch)}}));
    json::JsonValue::List raced;
    for (const RacedValue& at : crossed.raced) {
      json::JsonValue means = json::JsonValue::Object{};
      for (const auto& [stack, mean] : at.means) means.set(stack, summary_json(mean));
      raced.push_back(
          json::json_object({{"value", json::json_number(at.value)}, {"means", std::move(means)}}));
    }
    list.push_back(json::json_object({{"path", crossed.path},
                                      {"stretches", std::move(stretches)},
                                      {"raced", std::move(raced)},
                                      {"end", race_end_word(crossed.end)},
                                      {"events", json::json_number(crossed.events)}}));
  }
  return list;
}

json::JsonValue unraced_json(const std::vector<Unraced>& all) {
  json::JsonValue::List list;
  for (const Unraced& one : all)
    list.push_back(json::json_object({{"name", one.name}, {"sets", one.sets}, {"why", one.why}}));
  return list;
}

json::JsonValue gaps_json(const Field& field, const Gaps& gaps) {
  json::JsonValue::List list;
  for (const Gap& gap : gaps.all)
    list.push_back(json::json_object({{"name", field.alternatives[gap.alternative].name},
                                      {"runs", static_cast<std::int64_t>(gap.runs)},
                                      {"together", json::json_number(gap.together)},
                                      {"without_faults", json::json_number(gap.without_faults)},
                                      {"recovery", json::json_number(gap.recovery)},
                                      {"detection", json::json_number(gap.detection)}}));
  return list;
}

json::JsonValue sensitivity_json(const Sensitivity& sensitivity) {
  json::JsonValue::List list;
  for (const Input& input : sensitivity.inputs)
    list.push_back(json::json_object({{"path", input.path},
                                      {"value", json::json_number(input.value)},
                                      {"weight", json::json_number(input.weight)},
                                      {"use_at_half", input.use_at_half},
                                      {"use_at_double", input.use_at_double}}));
  return list;
}

json::JsonValue engine_check_json(const Field& field, const std::optional<EngineCheck>& check) {
  if (!check) return {};
  if (!check->why_not.empty()) return json::json_object({{"why_not", check->why_not}});
  return json::json_object({{"agrees", check->agrees},
                            {"runs", static_cast<std::int64_t>(check->runs)},
                            {"leader", field.alternatives[check->leader].name},
                            {"leader_mean", json::json_number(check->leader_mean)},
                            {"runner_up", field.alternatives[check->runner_up].name},
                            {"runner_up_mean", json::json_number(check->runner_up_mean)}});
}

}  // namespace

json::JsonValue answer_json(const Question& question, const Field& field, const Advice& advice) {
  const Findings& findings = advice.findings;
  json::JsonValue::List ranks;
  json::JsonValue::List equivalent;
  json::JsonValue::List eliminated;
  for (const std::size_t i : ranking(findings)) {
    ranks.push_back(contestant_json(field, findings, i));
    const Standing standing = findings.contestants[i].standing;
    if (standing == Standing::equivalent) equivalent.emplace_back(field.alternatives[i].name);
    if (standing == Standing::behind || standing == Standing::unfit)
      eliminated.emplace_back(field.alternatives[i].name);
  }
  return json::json_object(
      {{"schema_version", 1},
       {"question", question.name},
       {"answer", answer_sentences(field, findings)},
       {"use", findings.leader ? json::JsonValue(field.alternatives[*findings.leader].name)
                               : json::JsonValue()},
       {"decided", findings.end == RaceEnd::decided},
       {"end", race_end_word(findings.end)},
       {"objective", findings.rules.objective},
       {"require", require_json(findings.rules)},
       {"confidence", findings.rules.confidence},
       {"equivalent_within", findings.rules.equivalent_within},
       {"ranking", std::move(ranks)},
       {"equivalent", std::move(equivalent)},
       {"eliminated", std::move(eliminated)},
       {"refused", unraced_json(field.refused)},
       {"pruned", unraced_json(field.pruned)},
       {"crossovers", crossovers_json(advice.crossovers)},
       {"gaps", gaps_json(field, advice.gaps)},
       {"sensitive_to", sensitivity_json(advice.sensitivity)},
       {"simgrid", engine_check_json(field, advice.engine_check)},
       {"spent", json::json_object({{"events", json::json_number(advice.events())},
                                    {"looks", static_cast<std::int64_t>(findings.looks)}})}});
}

}  // namespace faultline::advice
