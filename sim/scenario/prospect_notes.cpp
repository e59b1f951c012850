// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/prospect_notes.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/json/json_value.hpp"
#include "sim/scenario/checkpoint_plan.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::scenario {
namespace {

std::string in_seconds(double time_s) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g s", time_s);
  return text.data();
}

// ---- times of detectors and machines -----------------------------------------------------------

/// The time within which all know of the first death, where messages cost nothing: the detector may
/// take longer. Nothing if it promises none.
std::optional<double> first_notice_s(const RunSpec& point) {
  const ComponentChoice& detector = point.component(Family::failure_detection);
  if (detector.registration == nullptr) return std::nullopt;
  const auto& bound = detector.registration->as<DetectorTraits>().bound;
  if (!bound) return std::nullopt;
  const bool of_nodes = point.kills_nodes();
  const DetectionBound promised =
      bound(detector.options, {.job = job_shape(point),
                               .with_daemon = of_nodes,
                               .silent = of_nodes,
                               .local_exit_s = point.platform.local_exit_delay_s,
                               .link_lost_s = point.platform.link_lost_delay_s,
                               .silent_link_lost_s = point.platform.silent_link_lost_delay_s});
  if (!promised.unpromised.empty() || !promised.unwatched.empty() || promised.within_s == kNever)
    return std::nullopt;
  return promised.within_s;
}

/// How long a component waits at most for what does not come: each of its waits once, and the
/// longest again as often as it tries again. 0 if it waits for ever.
double patience_s(const ComponentChoice& choice) {
  double once_s = 0.0;
  double longest_s = 0.0;
  for (const OptionSpec& spec : choice.registration->options) {
    if (!spec.awaits_message) continue;
    const double wait_s = number_among(choice.options, spec.name).value_or(0.0);
    once_s += wait_s;
    longest_s = std::max(longest_s, wait_s);
  }
  return once_s + number_among(choice.options, "retries").value_or(0.0) * longest_s;
}

/// The shipped machine that a text names, or "".
std::string machine_named_in(const std::string& source) {
  static const std::vector<std::string> machines = shipped_machines();
  std::string words;
  for (const char letter : source) {
    const auto code = static_cast<unsigned char>(letter);
    words += std::isalnum(code) != 0 ? static_cast<char>(std::tolower(code)) : ' ';
  }
  words = " " + words + " ";
  for (const std::string& machine : machines)
    if (words.find(" " + machine + " ") != std::string::npos) return machine;
  return "";
}

/// The machine on which a cost in seconds was measured, if the scenario has left it as it is.
std::string origin_of(const OptionSpec& cost, const OptionValues& given) {
  const auto value = given.find(cost.name);
  if (cost.unit != "s" || value == given.end() || value->second != cost.default_value) return "";
  return machine_named_in(cost.source);
}

/// "The default of a was" or "the defaults of a, b and c were".
std::string defaults_of(const std::vector<std::string>& names) {
  std::string text = names.front();
  for (std::size_t i = 1; i + 1 < names.size(); ++i) text.append(", ").append(names[i]);
  if (names.size() == 1) return "the default of " + text + " was";
  return "the defaults of " + text + " and " + names.back() + " were";
}

/// What one component has from which machine.
void note_costs_of(const RunSpec& point, const ComponentChoice& choice, const std::string& path,
                   json::Problems& problems) {
  const std::string here =
      point.platform.xml_path.empty() ? point.platform.machine.name : "the hosts of platform.xml";
  std::map<std::string, std::vector<std::string>> costs;  // by the machine that they are from
  for (const OptionSpec& spec : choice.registration->options) {
    const std::string machine = origin_of(spec, choice.options);
    if (!machine.empty() && machine != here) costs[machine].push_back(spec.name);
  }
  for (const auto& [machine, names] : costs) {
    std::string words = defaults_of(names);
    words.append(" calibrated on ").append(machine);
    words.append(", and this job runs on ").append(here);
    problems.note(path, words);
  }
}

// ---- faults ------------------------------------------------------------------------------------

/// For how long a source can strike a run that goes on until stop.time_s.
double span_s(const RunSpec& point, const faults::FaultSourceChoice& source) {
  const double end_s =
      std::min(number_among(source.options, "end_s").value_or(kNever), point.stop.time_s);
  return std::max(0.0, end_s - number_among(source.options, "start_s").value_or(0.0));
}

/// The ranks of a node; where chance places them, those of some node.
std::vector<ActorId> ranks_of(const RunSpec& point, NodeId node) {
  const JobShape job = job_shape(point);
  const bool in_blocks = point.platform.mapping == Mapping::block;
  std::vector<ActorId> ranks;
  for (std::uint32_t i = 0; i < job.processes_per_node; ++i) {
    const std::uint64_t rank = in_blocks ? std::uint64_t{node} * job.processes_per_node + i
                                         : std::uint64_t{i} * job.nodes + node;
    if (rank < job.processes) ranks.push_back(static_cast<ActorId>(rank));
  }
  return ranks;
}

}  // namespace

void note_node_deaths(const RunSpec& point, const ComponentPaths& paths, json::Problems& problems) {
  const ComponentChoice& choice = point.component(Family::termination);
  if (choice.registration == nullptr || !choice.registration->may_give_up() ||
      !point.kills_nodes() || point.component(Family::message_logging).registration != nullptr)
    return;
  const JobShape job = job_shape(point);
  const auto may_give_up = [&](const std::vector<ActorId>& dead) {
    return choice.registration->may_give_up()(choice.options, job, dead);
  };
  // The first ranks often have another part than all others, so the second node counts, too.
  for (NodeId node = 0; node < std::min(job.nodes, 2U); ++node) {
    const std::vector<ActorId> ranks = ranks_of(point, node);
    const bool bears_each =
        std::ranges::none_of(ranks, [&](ActorId rank) { return may_give_up({rank}); });
    if (ranks.size() < 2 || !bears_each || !may_give_up(ranks)) continue;
    problems.note(paths[index_of(Family::termination)],
                  choice.registration->name +
                      " survives the death of one rank, and may give up after that of a node, "
                      "which holds up to " +
                      std::to_string(ranks.size()) + " ranks here");
    return;
  }
}

void note_rare_checkpoints(const RunSpec& point, const ComponentPaths& paths,
                           json::Problems& problems) {
  const double mtbf_s = job_shape(point).mtbf_s;
  const std::optional<CheckpointPlan> plan = plan_of(point);
  if (!plan || plan->interval_s <= mtbf_s) return;
  problems.note(json::member_path(paths[index_of(plan->family)], plan->option),
                "makes checkpoints rarer than faults: there are at least " +
                    in_seconds(plan->interval_s) +
                    " from one to the next, and a fault strikes every " + in_seconds(mtbf_s));
}

void note_impatience(const RunSpec& point, const ComponentPaths& paths, json::Problems& problems) {
  if (!point.has_faults()) return;
  const std::optional<double> notice_s = first_notice_s(point);
  const auto compute_s = number_among(point.component(Family::workload).options, "compute_s");
  for (const StackPlace& place : kStack) {
    const ComponentChoice& choice = point.component(place.family);
    if (choice.registration == nullptr || place.role == Role::detector) continue;
    const double waits_s = patience_s(choice);
    if (waits_s == 0.0) continue;
    const std::string& path = paths[index_of(place.family)];
    const std::string waits = choice.registration->name + " waits for a dead rank for at most " +
                              in_seconds(waits_s) + " in all, and ";
    if (notice_s && waits_s < *notice_s)
      problems.note(path, waits + point.component(Family::failure_detection).registration->name +
                              " may take " + in_seconds(*notice_s) +
                              " to tell of the death: a rank that has not heard of it by then "
                              "gives up");
    if (compute_s && waits_s < *compute_s)
      problems.note(path, waits + "an iteration computes for " + in_seconds(*compute_s) +
                              ": a rank that has heard of a death gives up before those come that "
                              "still compute");
  }
}

void note_borrowed_costs(const RunSpec& point, const ComponentPaths& paths,
                         json::Problems& problems) {
  for (const StackPlace& place : kStack) {
    const ComponentChoice& choice = point.component(place.family);
    if (choice.registration == nullptr || place.role == Role::workload) continue;
    note_costs_of(point, choice, paths[index_of(place.family)], problems);
  }
}

void note_rare_faults(const RunSpec& point, std::uint32_t replications, json::Problems& problems) {
  for (const faults::FaultSourceChoice& source : point.fault_sources) {
    if (!source.registration->mtbf_s) continue;
    const auto mtbf_s = source.registration->mtbf_s(source.options, fault_target(point.platform));
    const double each_s = span_s(point, source);
    if (!mtbf_s || replications * each_s >= *mtbf_s) continue;
    problems.note(
        "faults." + source.key,
        "no fault is expected: one strikes every " + in_seconds(*mtbf_s) + " on average, and " +
            (replications == 1 ? "the run has" : std::to_string(replications) + " runs have") +
            " at most " + in_seconds(each_s) + (replications == 1 ? "" : " each") +
            " until stop.time_s");
  }
}

}  // namespace faultline::scenario
