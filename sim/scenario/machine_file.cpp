// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/machine_file.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "sim/core/data_directory.hpp"
#include "sim/core/error.hpp"
#include "sim/json/checked_object.hpp"
#include "sim/json/file_memo.hpp"
#include "sim/json/json_reader.hpp"
#include "sim/platform/topology.hpp"
#include "sim/scenario/declarations.hpp"
#include "sim/scenario/message_costs.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/sourced_value.hpp"

namespace faultline::scenario {
namespace {

namespace fs = std::filesystem;

using Counts = std::vector<std::uint32_t>;
using Fields = std::map<std::string, Counts>;

OptionSpec count_spec(const TopologyField& field) {
  OptionSpec spec{.name = field.name, .kind = OptionKind::integer, .required = true};
  spec.minimum = field.minimum;
  spec.maximum = field.maximum;
  return spec;
}

std::uint32_t read_count(const json::JsonValue& value, const TopologyField& field,
                         const std::string& path, json::Problems& problems) {
  const OptionValue count = json::read_option(value, count_spec(field), path, problems);
  return static_cast<std::uint32_t>(std::get<std::int64_t>(count));
}

Counts read_counts(const json::JsonValue* value, const TopologyField& field,
                   const std::string& path, json::Problems& problems) {
  if (value == nullptr) {
    problems.add(path, std::string("missing, expected ") +
                           (field.is_list ? "a list of integers" : "an integer") + ": " +
                           field.doc);
    return {};
  }
  if (!field.is_list) return {read_count(*value, field, path, problems)};
  const json::JsonValue::List* list = value->list();
  if (list == nullptr || list->empty() || list->size() > 6) {
    problems.add(path, "expected a list of 1 to 6 integers, got " + json::describe(*value));
    return {};
  }
  Counts read;
  for (std::size_t i = 0; i < list->size(); ++i)
    read.push_back(read_count((*list)[i], field, json::item_path(path, i), problems));
  return read;
}

std::uint32_t single(const Fields& fields, const std::string& name) {
  const Counts& stated = fields.at(name);
  return stated.empty() ? 1 : stated.front();
}

platform::TopologySpec make_topology(const std::string& kind, const Fields& fields) {
  if (kind == "torus") return platform::Torus{fields.at("dimensions")};
  if (kind == "fat-tree")
    return platform::FatTree{fields.at("children"), fields.at("parents"), fields.at("links")};
  if (kind == "crossbar") return platform::Crossbar{single(fields, "nodes")};
  return platform::Dragonfly{.groups = single(fields, "groups"),
                             .chassis_per_group = single(fields, "chassis_per_group"),
                             .routers_per_chassis = single(fields, "routers_per_chassis"),
                             .nodes_per_router = single(fields, "nodes_per_router"),
                             .blue_links = single(fields, "blue_links"),
                             .black_links = single(fields, "black_links"),
                             .green_links = single(fields, "green_links")};
}

void check(const platform::TopologySpec& topology, json::Problems& problems) {
  try {
    platform::check_topology(topology);
  } catch (const UsageError& error) {
    problems.add("topology", error.what());
  }
}

platform::TopologySpec read_topology(const json::JsonValue* value, json::Problems& problems) {
  if (value == nullptr) {
    problems.add("topology", "missing, expected an object with a \"kind\"");
    return platform::Crossbar{1};
  }
  json::CheckedObject object(*value, "topology", problems);
  std::vector<std::string> names;
  for (const TopologyKind& kind : topology_kinds()) names.push_back(kind.name);
  const OptionSpec kind_spec{.name = "kind", .required = true, .choices = names};
  const OptionSpec status_spec{
      .name = "status", .default_value = std::string(), .choices = value_statuses()};
  const OptionSpec source_spec{.name = "source", .default_value = std::string()};
  const OptionValues words = object.options({kind_spec, status_spec, source_spec});
  const auto& name = std::get<std::string>(words.at("kind"));
  const auto kind = std::find_if(topology_kinds().begin(), topology_kinds().end(),
                                 [&](const TopologyKind& known) { return known.name == name; });
  if (!object.is_object() || object.child("kind") == nullptr ||
      kind == topology_kinds().end())  // already reported
    return platform::Crossbar{1};
  const std::size_t before = problems.size();
  Fields fields;
  for (const TopologyField& field : kind->fields)
    fields[field.name] = read_counts(object.child(field.name), field,
                                     json::member_path("topology", field.name), problems);
  object.finish();
  platform::TopologySpec topology = make_topology(name, fields);
  // If a size could not be read, checking the rest would only repeat that.
  if (problems.size() == before) check(topology, problems);
  return topology;
}

/// `costs` is what the file states by size.
platform::Machine read_values(json::CheckedObject& object, const StatedCosts& costs,
                              json::Problems& problems) {
  OptionValues values;
  const platform::Machine blank{};
  for (const OptionSpec& spec : machine_values().specs()) {
    if (const json::JsonValue* value = object.child(spec.name)) {
      values[spec.name] = read_sourced(*value, spec, spec.name, problems);
    } else if (const auto by_size = in_place_of(spec.name, costs)) {
      values[spec.name] = *by_size;
    } else {
      values[spec.name] = spec.default_value;
      if (object.is_object() && spec.required)
        problems.add(spec.name, R"(missing, expected {"value": )" + json::expectation(spec) +
                                    R"(, "unit", "status", "source"})");
    }
  }
  return machine_values().read(values);
}

StatedCosts read_costs(json::CheckedObject& object, const std::string& path, bool is_sourced,
                       json::Problems& problems) {
  StatedCosts stated;
  for (const CostTable& table : cost_tables())
    if (const json::JsonValue* list = object.child(table.name))
      stated.*table.stated =
          read_cost_table(*list, json::member_path(path, table.name), is_sourced, problems);
  return stated;
}

bool is_path(const std::string& name) {
  return name.find('/') != std::string::npos || fs::path(name).extension() == ".json";
}

}  // namespace

std::string machine_path(const std::string& name_or_path, const std::string& relative_to) {
  if (is_path(name_or_path)) return (fs::path(relative_to) / name_or_path).string();
  const auto names = shipped_machines();
  if (std::find(names.begin(), names.end(), name_or_path) != names.end())
    return (data_directory() / "machines" / (name_or_path + ".json")).string();
  if (names.empty())
    throw UsageError("no machine is shipped in " + (data_directory() / "machines").string() +
                     "; FAULTLINE_DATA must be the directory that holds machines/");
  const auto near = json::nearest_of(name_or_path, names);
  throw UsageError("unknown machine " + json::in_quotes(name_or_path) +
                   (near ? ", did you mean \"" + *near + "\"?" : ".") + " Expected " +
                   json::any_of(names) + ", or the path of a machine file (*.json)");
}

const std::vector<TopologyKind>& topology_kinds() {
  static const std::vector<TopologyKind> kinds = {
      {"torus",
       "a torus of 1 to 6 dimensions",
       {{.name = "dimensions", .is_list = true, .doc = "nodes along each dimension"}}},
      {"fat-tree",
       "a fat tree, from the leaf switches up",
       {{.name = "children", .is_list = true, .doc = "members below that a switch connects"},
        {.name = "parents", .is_list = true, .doc = "switches that a member below connects to"},
        {.name = "links", .is_list = true, .doc = "parallel links between member and parent"}}},
      {"dragonfly",
       "groups of chassis of routers, all-to-all between groups",
       {{.name = "groups", .doc = "groups of the machine"},
        {.name = "chassis_per_group", .doc = "chassis of a group"},
        {.name = "routers_per_chassis", .doc = "routers of a chassis"},
        {.name = "nodes_per_router", .doc = "nodes on a router"},
        {.name = "blue_links", .doc = "links between each two groups"},
        {.name = "black_links", .doc = "links between like routers of two chassis"},
        {.name = "green_links", .doc = "links between each two routers of a chassis"}}},
      {"crossbar",
       "one switch",
       {{.name = "nodes", .maximum = 10'000'000, .doc = "nodes on the switch"}}}};
  return kinds;
}

platform::Machine read_machine(const json::JsonValue& root, json::Problems& problems) {
  json::CheckedObject object(root, "", problems);
  const OptionValues words = object.options(json::file_head());
  const json::JsonValue* topology = object.child("topology");
  const StatedCosts costs = read_costs(object, "", true, problems);
  platform::Machine machine = read_values(object, costs, problems);
  machine.name = std::get<std::string>(words.at("name"));
  machine.description = std::get<std::string>(words.at("description"));
  if (object.is_object()) machine.topology = read_topology(topology, problems);
  object.finish();
  if (problems.empty()) set_costs(machine, costs, "", problems);
  if (problems.empty() && machine.nodes > platform::places(machine.topology))
    problems.add("nodes.value",
                 "expected at most " + std::to_string(platform::places(machine.topology)) +
                     ", the places of the topology, got " + std::to_string(machine.nodes));
  return machine;
}

void change_costs(platform::Machine& machine, const json::JsonValue& stated,
                  const std::string& path, json::Problems& problems) {
  json::CheckedObject object(stated, path, problems);
  const std::size_t before = problems.size();
  const OptionValues values = object.options(machine_cost_options());
  const StatedCosts by_size = read_costs(object, path, false, problems);
  object.finish();
  for (const MachineCost& cost : machine_costs()) {
    const OptionValue& value = values.at(cost.name);
    if (const auto* number = std::get_if<double>(&value))
      change_at_all_sizes(machine, cost, *number);
  }
  for (const OptionSpec& spec : machine_cost_options())
    check_time(values.at(spec.name), spec, json::member_path(path, spec.name), problems);
  if (problems.size() == before) set_costs(machine, by_size, path, problems);
}

bool is_machine(const json::JsonValue& root) {
  if (root.find("platform") != nullptr || root.find("workload") != nullptr) return false;
  const auto& values = machine_values().specs();
  return root.find("topology") != nullptr ||
         std::any_of(values.begin(), values.end(),
                     [&root](const OptionSpec& spec) { return root.find(spec.name) != nullptr; });
}

namespace {

/// A machine, and the sources that its file states for its values.
struct MachineFile {
  platform::Machine machine;
  std::vector<ValueStatus> statuses;
};

/// Adds the statuses of the values of an object, and of those in its lists.
void add_statuses(const json::JsonValue& object, const std::string& path,
                  std::vector<ValueStatus>& statuses) {
  if (object.object() == nullptr) return;
  for (const json::JsonMember& member : *object.object()) {
    const std::string place = json::member_path(path, member.key);
    const json::JsonValue* status = member.value.find("status");
    if (status != nullptr && status->text() != nullptr)
      statuses.push_back({place, *status->text()});
    if (const json::JsonValue::List* list = member.value.list())
      for (std::size_t i = 0; i < list->size(); ++i)
        add_statuses((*list)[i], json::item_path(place, i), statuses);
  }
}

MachineFile load_machine_file(const std::string& path) {
  json::Problems problems(path);
  const json::JsonValue root = json::read_json_file(path, problems);
  platform::Machine machine = read_machine(root, problems);
  problems.throw_if_any();
  std::vector<ValueStatus> statuses;
  add_statuses(root, "", statuses);
  return {std::move(machine), std::move(statuses)};
}

std::shared_ptr<const MachineFile> machine_file(const std::string& name_or_path,
                                                const std::string& relative_to) {
  // A plain name means the same shipped file, whatever the directory.
  const std::string place = is_path(name_or_path) ? relative_to + "/" : "";
  return json::FileMemo::read_once<MachineFile>(place + name_or_path, [&] {
    return load_machine_file(machine_path(name_or_path, relative_to));
  });
}

}  // namespace

platform::Machine read_machine_file(const std::string& path) {
  return load_machine_file(path).machine;
}

platform::Machine load_machine(const std::string& name_or_path, const std::string& relative_to) {
  return machine_file(name_or_path, relative_to)->machine;
}

std::vector<ValueStatus> load_value_statuses(const std::string& name_or_path,
                                             const std::string& relative_to) {
  return machine_file(name_or_path, relative_to)->statuses;
}

std::vector<std::string> shipped_machines() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(data_directory() / "machines", ignored))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

json::JsonValue machine_json(const platform::Machine& machine) {
  const auto list = [](const Counts& counts) {
    json::JsonValue::List items;
    for (const std::uint32_t count : counts) items.emplace_back(std::int64_t{count});
    return json::JsonValue(std::move(items));
  };
  json::JsonValue topology;
  if (const auto* torus = std::get_if<platform::Torus>(&machine.topology)) {
    topology = json::json_object({{"kind", "torus"}, {"dimensions", list(torus->dimensions)}});
  } else if (const auto* tree = std::get_if<platform::FatTree>(&machine.topology)) {
    topology = json::json_object({{"kind", "fat-tree"},
                                  {"children", list(tree->children)},
                                  {"parents", list(tree->parents)},
                                  {"links", list(tree->links)}});
  } else if (const auto* fly = std::get_if<platform::Dragonfly>(&machine.topology)) {
    topology = json::json_object({{"kind", "dragonfly"},
                                  {"groups", std::int64_t{fly->groups}},
                                  {"chassis_per_group", std::int64_t{fly->chassis_per_group}},
                                  {"routers_per_chassis", std::int64_t{fly->routers_per_chassis}},
                                  {"nodes_per_router", std::int64_t{fly->nodes_per_router}},
                                  {"blue_links", std::int64_t{fly->blue_links}},
                                  {"black_links", std::int64_t{fly->black_links}},
                                  {"green_links", std::int64_t{fly->green_links}}});
  } else {
    topology = json::json_object(
        {{"kind", "crossbar"},
         {"nodes", std::int64_t{std::get<platform::Crossbar>(machine.topology).nodes}}});
  }
  json::JsonValue result =
      json::json_object({{"name", machine.name}, {"topology", std::move(topology)}});
  for (const auto& [name, count] :
       {std::pair{"nodes", machine.nodes},
        {"cores_per_node", machine.cores_per_node},
        {"hardware_threads_per_node", machine.hardware_threads_per_node}})
    result.set(name, std::int64_t{count});
  for (const MachineCost& cost : machine_costs()) result.set(cost.name, machine.*cost.member);
  for (const CostTable& table : cost_tables())
    if (!(machine.*table.costs).empty()) result.set(table.name, costs_json(machine.*table.costs));
  return result;
}

}  // namespace faultline::scenario
