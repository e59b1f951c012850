// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/faults/fault_counts.hpp"
#include "sim/faults/fault_source.hpp"
#include "sim/faults/fault_trace.hpp"
#include "tests/support/job.hpp"

namespace faultline::faults {

/// Whole numbers may stand for real ones, as in a scenario.
inline OptionValues source_options(const std::string& name, const OptionValues& changes) {
  OptionValues values;
  for (const OptionSpec& option : find_fault_source(name)->options) {
    values[option.name] = option.default_value;
    const auto change = changes.find(option.name);
    if (change == changes.end()) continue;
    const auto* whole = std::get_if<std::int64_t>(&change->second);
    values[option.name] = whole != nullptr && option.kind == OptionKind::number
                              ? OptionValue(static_cast<double>(*whole))
                              : change->second;
  }
  for (const auto& change : changes)
    if (values.count(change.first) == 0) throw std::logic_error("no option " + change.first);
  return values;
}

inline FaultCountsInput counts_input(std::vector<FaultCount> by_size) {
  FaultCounts counts;
  counts.name = "test";
  counts.by_size = std::move(by_size);
  for (const FaultCount& size : counts.by_size) counts.total += size.count;
  return {.file = "test", .hash = "test", .content = std::make_shared<const FaultCounts>(counts)};
}

inline FaultTraceInput trace_input(const std::string& text) {
  return {.file = "test",
          .hash = "test",
          .content = std::make_shared<const FaultTrace>(parse_fault_trace(text, "test"))};
}

/// What the reader of traces says of a text that it refuses; nothing if it reads it.
inline std::string trace_refusal(const std::string& text) {
  try {
    parse_fault_trace(text, "t");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

/// Adds a source to a job.
inline void add_source(test::Job& job, const std::string& name, const OptionValues& changes) {
  const auto same = std::count_if(
      job.spec.fault_sources.begin(), job.spec.fault_sources.end(),
      [&](const FaultSourceChoice& choice) { return choice.registration->name == name; });
  job.spec.fault_sources.push_back({.registration = find_fault_source(name),
                                    .options = source_options(name, changes),
                                    .key = name + "[" + std::to_string(same) + "]"});
}

/// A job without an engine.
class Target {
 public:
  explicit Target(std::uint32_t nodes, std::uint32_t processes_per_node = 1,
                  platform::Machine machine = test::quick_machine())
      : machine_(std::move(machine)), network_(platform::partition(machine_, nodes), 1.0, 1.0) {
    target_.job = {.processes = nodes * processes_per_node,
                   .processes_per_node = processes_per_node,
                   .nodes = nodes};
    target_.node_of.resize(target_.job.processes);
    for (Rank rank = 0; rank < target_.job.processes; ++rank)
      target_.node_of[rank] = rank / processes_per_node;
    target_.routes = &network_;
    target_.machine = &machine_;
    target_.job.seed = 1;
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  [[nodiscard]] std::unique_ptr<FaultSource> source(const std::string& name,
                                                    const OptionValues& changes,
                                                    const std::string& key = "") const {
    return find_fault_source(name)->make(source_options(name, changes), target_,
                                         key.empty() ? name + "[0]" : key);
  }
  [[nodiscard]] std::vector<std::string> problems(const std::string& name,
                                                  const OptionValues& changes) const {
    std::vector<std::string> texts;
    for (const OptionProblem& problem :
         find_fault_source(name)->check(source_options(name, changes), target_))
      texts.push_back(problem.option + ": " + problem.message);
    return texts;
  }
  FaultTarget& target() { return target_; }

 private:
  platform::Machine machine_;
  platform::Topology network_;
  FaultTarget target_;
};

struct Struck {
  double time_s;
  std::vector<ActorId> victims;

  bool operator==(const Struck&) const = default;
};

inline const ParentOf kOrphans = [](Rank) { return kNobody; };

/// The first faults of a source, at most `most`.
inline std::vector<Struck> faults_of(FaultSource& source, std::size_t most,
                                     const ParentOf& parent_of = kOrphans) {
  std::vector<Struck> struck;
  while (struck.size() < most) {
    const auto time_s = source.next_time_s();
    if (!time_s) break;
    struck.push_back({*time_s, source.victims(parent_of)});
  }
  return struck;
}

/// The times between them, the first counted from zero.
inline std::vector<double> gaps_s(const std::vector<Struck>& faults) {
  std::vector<double> gaps;
  gaps.reserve(faults.size());
  double last_s = 0;
  for (const Struck& fault : faults)
    gaps.push_back(fault.time_s - std::exchange(last_s, fault.time_s));
  return gaps;
}

inline double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace faultline::faults
