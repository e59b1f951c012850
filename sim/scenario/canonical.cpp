// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/canonical.hpp"

#include <algorithm>
#include <array>

#include "sim/core/fnv1a.hpp"
#include "sim/core/text_file.hpp"
#include "sim/json/file_memo.hpp"
#include "sim/platform/simgrid_topology_file.hpp"
#include "sim/scenario/declarations.hpp"
#include "sim/scenario/machine_file.hpp"
#include "sim/scenario/order.hpp"

namespace faultline::scenario {
namespace {

/// The word for an enumerator. The choices in the option's declaration are in the order of the
/// enumerators.
template <class Struct, class Enum>
std::string choice(const OptionSet<Struct>& set, const char* option, Enum value) {
  for (const OptionSpec& spec : set.specs())
    if (spec.name == option) return spec.choices.at(static_cast<std::size_t>(value));
  return {};
}

std::string file_hash(const std::string& path) {
  return *json::FileMemo::read_once<std::string>("hash of " + path, [&] {
    return fnv1a_hex(
        read_text_file(path, "a SimGrid platform file", platform::kLargestPlatformFile_B));
  });
}

json::JsonValue ids_json(const std::vector<std::uint32_t>& ids) {
  json::JsonValue::List list;
  for (const std::uint32_t id : ids) list.emplace_back(std::int64_t{id});
  return list;
}

json::JsonValue delay_noise_json(const DelayNoise& noise) {
  json::JsonValue result =
      json::json_object({{"law", choice(delay_noise_options(), "law", noise.law)},
                         {"mean_s", noise.mean_s},
                         {"per", noise.per_hop ? "hop" : "message"}});
  if (noise.law == DelayLaw::pareto) result.set("shape", noise.shape);
  return result;
}

json::JsonValue os_noise_json(const OsNoise& noise) {
  json::JsonValue result =
      json::json_object({{"interval_s", noise.interval_s}, {"length_s", noise.length_s}});
  if (!noise.nodes.empty()) result.set("nodes", ids_json(noise.nodes));
  return result;
}

json::JsonValue fencing_json(const FencingSpec& fencing) {
  json::JsonValue result = json::json_object(
      {{"delay_s", fencing.delay_s}, {"reach", choice(fencing_options(), "reach", fencing.reach)}});
  if (fencing.by) result.set("by", choice(fencing_options(), "by", *fencing.by));
  return result;
}

json::JsonValue platform_json(const PlatformSpec& platform) {
  json::JsonValue result = json::json_object(
      {{"processes", std::int64_t{platform.processes}},
       {"processes_per_node", std::int64_t{platform.processes_per_node}},
       {"spare_nodes", std::int64_t{platform.spare_nodes}},
       {"worker_cores", std::int64_t{platform.worker_cores}},
       {"whole_machine", platform.whole_machine},
       {"mapping", word_of(platform.mapping)},
       {"progress", word_of(platform.progress)},
       {"ordering", word_of(platform.ordering)},
       {"unordered_delay_s", platform.unordered_delay_s},
       {"packet_bytes", static_cast<std::int64_t>(platform.packet_bytes)},
       {"local_exit_delay_s", platform.local_exit_delay_s},
       {"link_lost_delay_s", platform.link_lost_delay_s},
       {"silent_link_lost_delay_s", platform.silent_link_lost_delay_s},
       {"restart_delay_s", platform.restart_delay_s},
       {"daemon_core", choice(platform_options(), "daemon_core", platform.daemon_core)},
       {"context_switch_s", platform.context_switch_s},
       {"start_delay_s", platform.start_delay_s},
       {"detection_loss_probability", platform.detection_loss_probability}});
  if (platform.delay_noise) result.set("delay_noise", delay_noise_json(*platform.delay_noise));
  if (platform.os_noise) result.set("os_noise", os_noise_json(*platform.os_noise));
  if (platform.when_no_spare != WhenNoSpare::wait)
    result.set("when_no_spare",
               choice(platform_options(), "when_no_spare", platform.when_no_spare));
  if (platform.nodes_per_power_unit > 0)
    result.set("nodes_per_power_unit", std::int64_t{platform.nodes_per_power_unit});
  if (platform.fencing != FencingSpec{}) result.set("fencing", fencing_json(platform.fencing));
  result.set("machine", machine_json(platform.machine));
  // A result depends on the content of a platform file, not on where the file lies.
  if (!platform.xml_path.empty())
    result.set("xml", json::json_object({{"fnv1a", file_hash(platform.xml_path)}}));
  return result;
}

json::JsonValue component_json(const ComponentChoice& choice) {
  if (choice.registration == nullptr) return json::json_object({{"name", "none"}});
  json::JsonValue result = json::json_object({{"name", choice.registration->name}});
  for (const OptionSpec& spec : choice.registration->options)
    result.set(spec.name, option_json(choice.options.at(spec.name)));
  return result;
}

json::JsonValue stop_json(const StopSpec& stop) {
  return json::json_object({{"when", word_of(stop.when)},
                            {"grace_s", stop.grace_s},
                            {"time_s", stop.time_s},
                            {"events", static_cast<std::int64_t>(stop.events)}});
}

json::JsonValue fault_json(const faults::FaultSpec& fault) {
  json::JsonValue result = json::json_object({{"ranks", ids_json(fault.ranks)},
                                              {"nodes", ids_json(fault.nodes)},
                                              {"daemons", ids_json(fault.daemons)}});
  if (fault.time_s) result.set("time_s", *fault.time_s);
  if (fault.event) result.set("event", static_cast<std::int64_t>(*fault.event));
  if (fault.mark)
    result.set("mark",
               json::json_object({{"name", fault.mark->name}, {"value", fault.mark->value}}));
  if (fault.soft) result.set("soft", true);
  if (fault.stall_s > 0.0) result.set("stall_s", fault.stall_s);
  if (!fault.cut_off.empty()) result.set("cut_off", ids_json(fault.cut_off));
  if (fault.repair_s != kNever) result.set("repair_s", fault.repair_s);
  return result;
}

/// A window of time without end has no to_s.
void set_window(json::JsonValue& object, double from_s, double to_s) {
  object.set("from_s", from_s);
  if (to_s != kNever) object.set("to_s", to_s);
}

json::JsonValue partition_json(const faults::PartitionSpec& partition) {
  json::JsonValue::List groups;
  for (const auto& group : partition.groups) groups.push_back(ids_json(group));
  json::JsonValue result =
      json::json_object({{partition.of_ranks ? "ranks" : "nodes", std::move(groups)}});
  set_window(result, partition.from_s, partition.to_s);
  if (partition.waits) result.set("messages", "wait");
  return result;
}

json::JsonValue slow_json(const faults::SlowSpec& slow) {
  json::JsonValue result =
      json::json_object({{"nodes", ids_json(slow.nodes)}, {"factor", slow.factor}});
  set_window(result, slow.from_s, slow.to_s);
  return result;
}

json::JsonValue faults_json(const RunSpec& point) {
  json::JsonValue::List list;
  for (const faults::FaultSpec& fault : point.faults) list.push_back(fault_json(fault));
  json::JsonValue result = json::json_object({{"at", std::move(list)}});
  for (const faults::FaultSourceChoice& source : point.fault_sources) {
    json::JsonValue options = json::JsonValue::Object{};
    for (const auto& [name, value] : source.options) options.set(name, option_json(value));
    result.set(source.key, std::move(options));
  }
  json::JsonValue::List partitions;
  for (const faults::PartitionSpec& one : point.partitions)
    partitions.push_back(partition_json(one));
  if (!partitions.empty()) result.set("partition", std::move(partitions));
  json::JsonValue::List slow;
  for (const faults::SlowSpec& one : point.slow) slow.push_back(slow_json(one));
  if (!slow.empty()) result.set("slow", std::move(slow));
  return result;
}

json::JsonValue point_json(const RunSpec& point) {
  json::JsonValue result = json::json_object({{"stop", stop_json(point.stop)}});
  for (const StackPlace& family : kStack)
    result.set(family.key, component_json(point.component(family.family)));
  return result;
}

struct AsJson {
  json::JsonValue operator()(std::monostate /*null*/) const { return {}; }
  json::JsonValue operator()(bool truth) const { return truth; }
  json::JsonValue operator()(std::int64_t number) const { return number; }
  json::JsonValue operator()(double number) const { return number; }
  json::JsonValue operator()(const std::string& text) const { return text; }
  json::JsonValue operator()(const std::vector<std::string>& texts) const {
    return json::JsonValue::List(texts.begin(), texts.end());
  }
  json::JsonValue operator()(const OptionGroup& group) const {
    json::JsonValue object = json::JsonValue::Object{};
    for (const auto& [name, value] : group.content->values) object.set(name, option_json(value));
    return object;
  }
  // A result depends on the content of the file, not on where the file is or how it is written. A
  // default that has not been read yet is shown by its name.
  template <class Content>
  json::JsonValue operator()(const FileInput<Content>& input) const {
    if (input.hash.empty()) return input.file;
    return json::json_object({{"fnv1a", input.hash}});
  }
};

}  // namespace

json::JsonValue option_json(const OptionValue& value) { return std::visit(AsJson{}, value); }

std::string word_of(Mapping mapping) { return choice(platform_options(), "mapping", mapping); }
std::string word_of(Progress progress) { return choice(platform_options(), "progress", progress); }
std::string word_of(Ordering ordering) { return choice(platform_options(), "ordering", ordering); }
std::string word_of(StopWhen when) { return choice(stop_options(), "when", when); }
std::string word_of(EngineKind engine) { return choice(scenario_options(), "engine", engine); }

json::JsonValue canonical(const Scenario& scenario) {
  json::JsonValue result =
      json::json_object({{"schema_version", 1},
                         {"name", scenario.name},
                         {"engine", word_of(scenario.engine)},
                         {"seed", static_cast<std::int64_t>(scenario.seed)},
                         {"replications", std::int64_t{scenario.replications}}});
  json::JsonValue::List points;
  for (const RunSpec& point : scenario.points) points.push_back(point_json(point));
  // Platform, faults and allow_unsafe are the same at every point.
  if (!scenario.points.empty()) {
    const RunSpec& first = scenario.points.front();
    result.set("platform", platform_json(first.platform));
    result.set("faults", faults_json(first));
    result.set("allow_unsafe", first.allow_unsafe);
    if (first.order) result.set("order", order_json(*first.order));
  }
  result.set("points", std::move(points));
  return json::sorted(std::move(result));
}

std::string hash_of_canonical(const json::JsonValue& canonical) {
  constexpr std::array kLeftOut = {"name", "seed", "replications", "engine"};
  json::JsonValue::Object kept;
  for (const json::JsonMember& member : *canonical.object())
    if (std::find(kLeftOut.begin(), kLeftOut.end(), member.key) == kLeftOut.end())
      kept.push_back(member);
  return fnv1a_hex(json::to_json(kept));
}

}  // namespace faultline::scenario
