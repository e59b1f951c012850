// SPDX-License-Identifier: Apache-2.0
#include "analysis/failures/trace_summary.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace faultline::failures {

namespace {

/// The times at which one system or node failed, in order [s].
using Moments = std::vector<double>;

void add_gaps(const Moments& moments_s, GapSummary& summary, std::vector<double>& gaps_s) {
  for (std::size_t i = 1; i < moments_s.size(); ++i) {
    if (moments_s[i] == moments_s[i - 1])
      ++summary.simultaneous;
    else
      gaps_s.push_back(moments_s[i] - moments_s[i - 1]);
  }
}

template <class Key>
GapSummary summarize_gaps(const std::map<Key, Moments>& moments_of) {
  GapSummary summary;
  std::vector<double> gaps_s;
  for (const auto& entry : moments_of) add_gaps(entry.second, summary, gaps_s);
  summary.gaps_s = statistics::summarize(gaps_s);
  if (gaps_s.empty()) return summary;
  summary.weibull = fit_weibull(gaps_s);
  summary.lognormal = fit_lognormal(gaps_s);
  summary.exponential_log_likelihood = exponential_log_likelihood(gaps_s);
  return summary;
}

using Records = std::vector<faults::FaultRecord>;

/// Counts the faults of a system by their sizes, and returns when they have begun.
Moments count_sizes(const Records& of_system, double window_s,
                    std::map<std::int64_t, std::int64_t>& counts) {
  Moments begins_s;
  for (std::size_t begin = 0; begin < of_system.size();) {
    std::set<std::int64_t> nodes;
    std::size_t end = begin;
    while (end < of_system.size() && of_system[end].time_s <= of_system[begin].time_s + window_s)
      nodes.insert(of_system[end++].node);
    ++counts[static_cast<std::int64_t>(nodes.size())];
    begins_s.push_back(of_system[begin].time_s);
    begin = end;
  }
  return begins_s;
}

void summarize_repairs(const Records& records, TraceSummary& summary) {
  std::vector<double> repairs_s;
  for (const faults::FaultRecord& record : records)
    if (record.end_s && *record.end_s > record.time_s)
      repairs_s.push_back(*record.end_s - record.time_s);
  if (repairs_s.empty()) return;
  summary.repairs_s = statistics::summarize(repairs_s);
  summary.repair_law = fit_lognormal(repairs_s);
}

void summarize_systems(const Records& records, double window_s, TraceSummary& summary) {
  std::map<std::int64_t, Records> systems;
  for (const faults::FaultRecord& record : records) systems[record.system].push_back(record);
  std::map<std::int64_t, std::int64_t> counts;
  std::map<std::int64_t, Moments> begins_s;
  summary.systems.reserve(systems.size());
  for (const auto& [system, of_system] : systems) {
    std::set<std::int64_t> nodes;
    for (const faults::FaultRecord& record : of_system) nodes.insert(record.node);
    summary.systems.push_back({system, of_system.size(), nodes.size()});
    begins_s[system] = count_sizes(of_system, window_s, counts);
  }
  summary.between_faults = summarize_gaps(begins_s);
  summary.by_size.reserve(counts.size());
  for (const auto& [failed, count] : counts) {
    summary.by_size.push_back({failed, count});
    summary.faults += static_cast<std::uint64_t>(count);
  }
}

}  // namespace

std::optional<TraceSummary> summarize_trace(const faults::FaultTrace& trace, double window_s,
                                            std::optional<std::int64_t> system) {
  Records records;
  for (const faults::FaultRecord& record : trace.records)
    if (!system || record.system == *system) records.push_back(record);
  if (records.empty()) return std::nullopt;
  TraceSummary summary;
  summary.failures = records.size();
  summary.first_s = records.front().time_s;
  summary.last_s = records.back().time_s;
  summarize_systems(records, window_s, summary);
  std::map<std::int64_t, Moments> by_system;
  std::map<std::pair<std::int64_t, std::int64_t>, Moments> by_node;
  for (const faults::FaultRecord& record : records) {
    by_system[record.system].push_back(record.time_s);
    by_node[{record.system, record.node}].push_back(record.time_s);
  }
  summary.between_failures = summarize_gaps(by_system);
  summary.between_failures_of_node = summarize_gaps(by_node);
  summarize_repairs(records, summary);
  return summary;
}

}  // namespace faultline::failures
