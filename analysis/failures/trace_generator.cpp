// SPDX-License-Identifier: Apache-2.0
#include "analysis/failures/trace_generator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <numeric>

#include "sim/core/error.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::failures {

namespace {

constexpr double kYear2000_s = 946684800;
constexpr std::int64_t kSystem = 1;
/// Limits on the failures of a trace and on the draws for them, so that an absurd rate ends in an
/// error.
constexpr std::size_t kMostFailures = 2000000;
constexpr std::size_t kMostDraws = 20000000;

[[noreturn]] void refuse_rate(std::size_t failures, std::size_t draws, double time_s,
                              double duration_s) {
  const auto count = [&](std::size_t until_now) {
    const double all = static_cast<double>(until_now) * (duration_s / time_s);
    std::array<char, 32> words{};
    std::snprintf(words.data(), words.size(), "%.2g", all);
    return std::string(words.data());
  };
  std::string extent = "in no time at all";
  if (time_s > 0 && std::isfinite(duration_s / time_s))
    extent = "in the first " + json::shortest(time_s) + " s, so about " + count(failures) + " of " +
             count(draws) + " drawn in all";
  throw UsageError("faults generate: too many failures for a trace: " + std::to_string(failures) +
                   " of " + std::to_string(draws) + " drawn " + extent + "; expected at most " +
                   std::to_string(kMostFailures) + " of " + std::to_string(kMostDraws) +
                   "; lower the rate, the number of nodes or --duration");
}

/// A time since 1970 as `M/D/YYYY H:MM`.
std::string lanl_time(double time_s) {
  const auto seconds = static_cast<std::time_t>(std::floor(time_s));
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  const std::string minute = std::to_string(parts.tm_min);
  return std::to_string(parts.tm_mon + 1) + "/" + std::to_string(parts.tm_mday) + "/" +
         std::to_string(parts.tm_year + 1900) + " " + std::to_string(parts.tm_hour) + ":" +
         (minute.size() == 1 ? "0" : "") + minute;
}

std::string lanl_text(const std::vector<faults::FaultRecord>& records) {
  std::string text =
      "System,machine type,nodes,procstot,procsinnode,nodenum,nodenumz,node install,node prod,"
      "node decom,fru type,mem,cputype,memtype,num intercon,purpose,Prob Started,Prob Fixed,"
      "Down Time,Facilities,Hardware,Human Error,Network,Undetermined,Software,Same Event\n";
  for (const faults::FaultRecord& record : records) {
    const double start_s = std::floor((kYear2000_s + record.time_s) / 60) * 60;
    const double end_s = std::floor((kYear2000_s + *record.end_s) / 60) * 60;
    text += std::to_string(kSystem) + ",generated,,,," + std::to_string(record.node + 1) + "," +
            std::to_string(record.node) + ",,,,,,,,,," + lanl_time(start_s) + "," +
            lanl_time(end_s) + "," + json::shortest((end_s - start_s) / 60) +
            ",,,,,Generated,,No\n";
  }
  return text;
}

std::string fta_text(const std::vector<faults::FaultRecord>& records) {
  std::string text =
      "# event_id component_id node_id platform_id node_name event_type event_start_time "
      "event_end_time event_end_reason\n";
  for (std::size_t i = 0; i < records.size(); ++i) {
    const faults::FaultRecord& record = records[i];
    const std::string node = std::to_string(record.node);
    const std::string system = std::to_string(kSystem);
    text.append(std::to_string(i)).append(" 0 ").append(node).append(" ").append(system);
    text.append(" node").append(node).append(" 0 ");
    text.append(json::shortest(kYear2000_s + record.time_s)).append(" ");
    text.append(json::shortest(kYear2000_s + *record.end_s)).append(" 0\n");
  }
  return text;
}

std::string profile_text(const std::vector<faults::FaultRecord>& records) {
  std::string text = "# date state\n";
  for (const faults::FaultRecord& record : records)
    text += json::shortest(record.time_s) + " 0\n" + json::shortest(*record.end_s) + " 1\n";
  return text;
}

std::string table_text(const std::vector<faults::FaultRecord>& records) {
  std::string text = "node,down_s,up_s\n";
  for (const faults::FaultRecord& record : records)
    text += std::to_string(record.node) + "," + json::shortest(record.time_s) + "," +
            json::shortest(*record.end_s) + "\n";
  return text;
}

double repair_s(const GeneratedTrace& request, Stream& random) {
  if (request.repair_median_s == 0) return 0;
  return request.repair_median_s * std::exp(request.repair_sigma * random.normal());
}

}  // namespace

std::vector<faults::FaultRecord> generate_trace(const faults::FaultSourceChoice& source,
                                                const GeneratedTrace& request) {
  const platform::Topology network(platform::Crossbar{request.nodes}, 1.0, 1.0);
  faults::FaultTarget target;
  target.job = {.processes = request.nodes, .nodes = request.nodes};
  target.job.seed = request.seed;
  target.routes = &network;
  target.node_of.resize(request.nodes);
  std::iota(target.node_of.begin(), target.node_of.end(), 0U);
  const auto faults = source.registration->make(source.options, target, source.key);
  Stream random = faults::fault_stream(target, source.key, "repair");
  std::vector<double> back_s(request.nodes, 0.0);
  std::vector<faults::FaultRecord> records;
  std::size_t draws = 0;
  for (auto time_s = faults->next_time_s(); time_s && *time_s <= request.duration_s;
       time_s = faults->next_time_s()) {
    const std::vector<ActorId> victims = faults->victims([](Rank) { return kNobody; });
    draws += std::max<std::size_t>(1, victims.size());
    if (draws > kMostDraws || records.size() > kMostFailures)
      refuse_rate(records.size(), draws, *time_s, request.duration_s);
    const std::vector<double> repairs_s = faults->repairs_s();
    for (std::size_t i = 0; i < victims.size(); ++i) {
      const NodeId node = victims[i] - request.nodes;
      if (*time_s < back_s[node]) continue;
      back_s[node] = repairs_s.empty() ? *time_s + repair_s(request, random) : repairs_s[i];
      records.push_back(
          {.time_s = *time_s, .end_s = back_s[node], .system = kSystem, .node = node});
    }
  }
  return records;
}

std::string trace_text(const std::vector<faults::FaultRecord>& records,
                       faults::TraceFormat format) {
  switch (format) {
    case faults::TraceFormat::lanl:
      return lanl_text(records);
    case faults::TraceFormat::fta:
      return fta_text(records);
    case faults::TraceFormat::simgrid:
      return profile_text(records);
    case faults::TraceFormat::table:
      return table_text(records);
  }
  return "";
}

}  // namespace faultline::failures
