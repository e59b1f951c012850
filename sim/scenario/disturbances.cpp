// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/disturbances.hpp"

#include <algorithm>
#include <map>

#include "sim/json/checked_object.hpp"
#include "sim/scenario/declarations.hpp"

namespace faultline::scenario {
namespace {

/// Reads an object, or each object of a list of them, by `read(value, path)`.
template <class Read>
void read_each(const json::JsonValue& value, const std::string& path, Read read) {
  const json::JsonValue::List* list = value.list();
  if (list == nullptr) return read(value, path);
  for (std::size_t i = 0; i < list->size(); ++i) read((*list)[i], json::item_path(path, i));
}

/// Spare nodes have names, too: processes may restart on them.
std::uint32_t nodes_of(const std::optional<JobShape>& job) {
  return job ? job->nodes + job->spare_nodes : kNobody;
}

double end_of(const std::optional<double>& to_s) { return to_s.value_or(kNever); }

void check_window(double from_s, double to_s, const std::string& path, json::Problems& problems) {
  if (to_s <= from_s)
    problems.add(json::member_path(path, "to_s"), "expected a time after from_s, " +
                                                      json::shortest(from_s) + ", got " +
                                                      json::shortest(to_s));
}

std::vector<std::vector<std::uint32_t>> read_groups(const json::JsonValue& value,
                                                    const std::string& path, std::uint32_t end,
                                                    const std::string& what,
                                                    json::Problems& problems) {
  const json::JsonValue::List* list = value.list();
  if (list == nullptr || list->size() < 2) {
    problems.add(path,
                 "expected a list of at least two lists of " + what + ", got " +
                     (list == nullptr ? json::describe(value) : std::to_string(list->size())));
    return {};
  }
  const auto no_list = std::ranges::find_if(
      *list, [](const json::JsonValue& group) { return group.list() == nullptr; });
  if (no_list != list->end()) {
    problems.add(json::item_path(path, static_cast<std::size_t>(no_list - list->begin())),
                 "expected a list of " + what + ", got " + json::describe(*no_list));
    return {};
  }
  std::vector<std::vector<std::uint32_t>> groups;
  std::map<std::uint32_t, std::size_t> group_of;
  for (std::size_t group = 0; group < list->size(); ++group) {
    const std::string at = json::item_path(path, group);
    const std::size_t before = problems.size();
    groups.push_back(json::read_ids((*list)[group], at, end, what, problems));
    if (groups.back().empty() && problems.size() == before)
      problems.add(at, "expected at least one of the job's " + what);
    for (const std::uint32_t member : groups.back())
      if (const auto [place, is_new] = group_of.emplace(member, group); !is_new)
        problems.add(at, std::to_string(member) + " is in " + json::item_path(path, place->second) +
                             " already, expected groups that do not overlap");
  }
  return groups;
}

faults::PartitionSpec read_partition(const json::JsonValue& value, const std::string& path,
                                     const std::optional<JobShape>& job, json::Problems& problems) {
  const std::size_t before = problems.size();
  json::CheckedObject object(value, path, problems);
  const PartitionOptions options =
      partition_options().read(object.options(partition_options().specs()));
  const json::JsonValue* nodes = object.child(partition_lists()[0].name);
  const json::JsonValue* ranks = object.child(partition_lists()[1].name);
  object.finish();
  faults::PartitionSpec partition{.of_ranks = ranks != nullptr,
                                  .groups = {},
                                  .from_s = options.from_s,
                                  .to_s = end_of(options.to_s),
                                  .waits = options.messages == "wait"};
  if (problems.size() != before) return partition;
  check_window(partition.from_s, partition.to_s, path, problems);
  if (partition.waits && partition.to_s == kNever)
    problems.add(json::member_path(path, "to_s"),
                 "expected a time, because messages wait for it, got null");
  if ((nodes != nullptr) == (ranks != nullptr)) {
    problems.add(path, "expected the groups in exactly one of nodes and ranks");
    return partition;
  }
  const std::string what = partition.of_ranks ? "ranks" : "nodes";
  const std::uint32_t end = partition.of_ranks ? (job ? job->processes : kNobody) : nodes_of(job);
  partition.groups = read_groups(partition.of_ranks ? *ranks : *nodes,
                                 json::member_path(path, what), end, what, problems);
  return partition;
}

/// A list of nodes, at least one.
std::vector<NodeId> read_nodes(const json::JsonValue& value, const std::string& path,
                               const std::optional<JobShape>& job, json::Problems& problems) {
  const std::size_t before = problems.size();
  std::vector<NodeId> nodes = json::read_ids(value, path, nodes_of(job), "nodes", problems);
  if (nodes.empty() && problems.size() == before)
    problems.add(path, "expected at least one of the job's nodes");
  return nodes;
}

faults::SlowSpec read_one_slow(const json::JsonValue& value, const std::string& path,
                               const std::optional<JobShape>& job, json::Problems& problems) {
  json::CheckedObject object(value, path, problems);
  const SlowOptions options = slow_options().read(object.options(slow_options().specs()));
  const json::JsonValue* nodes = object.child(slow_nodes().name);
  object.finish();
  faults::SlowSpec slow{.nodes = {},
                        .factor = options.factor,
                        .from_s = options.from_s,
                        .to_s = end_of(options.to_s)};
  if (!object.is_object()) return slow;
  check_window(slow.from_s, slow.to_s, path, problems);
  if (nodes != nullptr)
    slow.nodes = read_nodes(*nodes, json::member_path(path, slow_nodes().name), job, problems);
  else
    problems.add(json::member_path(path, slow_nodes().name), "missing, expected a list of nodes");
  return slow;
}

}  // namespace

std::vector<faults::PartitionSpec> read_partitions(const json::JsonValue& value,
                                                   const std::optional<JobShape>& job,
                                                   json::Problems& problems) {
  std::vector<faults::PartitionSpec> partitions;
  read_each(value, "faults.partition", [&](const json::JsonValue& one, const std::string& path) {
    partitions.push_back(read_partition(one, path, job, problems));
  });
  return partitions;
}

std::vector<faults::SlowSpec> read_slow(const json::JsonValue& value,
                                        const std::optional<JobShape>& job,
                                        json::Problems& problems) {
  std::vector<faults::SlowSpec> slow;
  read_each(value, "faults.slow", [&](const json::JsonValue& one, const std::string& path) {
    slow.push_back(read_one_slow(one, path, job, problems));
  });
  return slow;
}

std::optional<DelayNoise> read_delay_noise(const json::JsonValue& value, json::Problems& problems) {
  if (value.is_null()) return std::nullopt;
  json::CheckedObject object(value, "platform.delay_noise", problems);
  const DelayNoiseOptions options =
      delay_noise_options().read(object.options(delay_noise_options().specs()));
  object.finish();
  return DelayNoise{.law = options.law == "uniform"  ? DelayLaw::uniform
                           : options.law == "pareto" ? DelayLaw::pareto
                                                     : DelayLaw::exponential,
                    .mean_s = options.mean_s,
                    .shape = options.shape,
                    .per_hop = options.per == "hop"};
}

FencingSpec read_fencing(const json::JsonValue& value, json::Problems& problems) {
  json::CheckedObject object(value, "platform.fencing", problems);
  const FencingOptions options = fencing_options().read(object.options(fencing_options().specs()));
  object.finish();
  FencingSpec fencing{
      .by = {},
      .delay_s = options.delay_s,
      .reach = options.reach == "connected" ? FencingReach::connected : FencingReach::all};
  if (options.by)
    fencing.by = *options.by == "nobody" ? FencedBy::nobody : FencedBy::resource_manager;
  return fencing;
}

std::optional<OsNoise> read_os_noise(const json::JsonValue& value,
                                     const std::optional<JobShape>& job, json::Problems& problems) {
  if (value.is_null()) return std::nullopt;
  const std::string path = "platform.os_noise";
  const std::size_t before = problems.size();
  json::CheckedObject object(value, path, problems);
  const OsNoiseOptions options =
      os_noise_options().read(object.options(os_noise_options().specs()));
  const json::JsonValue* nodes = object.child(os_noise_nodes().name);
  object.finish();
  OsNoise noise{.interval_s = options.interval_s, .length_s = options.length_s, .nodes = {}};
  if (nodes != nullptr && !nodes->is_null())
    noise.nodes = read_nodes(*nodes, json::member_path(path, os_noise_nodes().name), job, problems);
  if (problems.size() == before && noise.length_s >= noise.interval_s)
    problems.add(json::member_path(path, "length_s"),
                 "expected less than interval_s, " + json::shortest(noise.interval_s) + ", got " +
                     json::shortest(noise.length_s) + ", which leaves the processors no time");
  return noise;
}

}  // namespace faultline::scenario
