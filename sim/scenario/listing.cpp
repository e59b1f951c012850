// SPDX-License-Identifier: Apache-2.0

// What `faultline list` prints, from the declarations that the reader and the schema use.

#include "sim/scenario/listing.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <sstream>

#include "sim/core/registry.hpp"
#include "sim/faults/fault_source.hpp"
#include "sim/json/checked_object.hpp"
#include "sim/json/file_option.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/platform/topology.hpp"
#include "sim/scenario/canonical.hpp"
#include "sim/scenario/declarations.hpp"
#include "sim/scenario/declared_metrics.hpp"
#include "sim/scenario/machine_file.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::scenario {
namespace {

constexpr std::size_t kWidth = 80;

// ---- JSON --------------------------------------------------------------------------------------

const char* kind_word(OptionKind kind) {
  switch (kind) {
    case OptionKind::boolean:
      return "boolean";
    case OptionKind::integer:
      return "integer";
    case OptionKind::number:
      return "number";
    case OptionKind::text:
      return "text";
    case OptionKind::texts:
      return "texts";
    case OptionKind::group:
      return "group";
    default:
      return json::find_file_option(kind)->word.c_str();
  }
}

json::JsonValue texts(const std::vector<std::string>& words) {
  return json::JsonValue::List(words.begin(), words.end());
}

json::JsonValue limit(double bound) {
  return std::isfinite(bound) ? json::JsonValue(bound) : json::JsonValue();
}

json::JsonValue options_entry(const std::vector<OptionSpec>& specs);

json::JsonValue option_entry(const OptionSpec& spec) {
  json::JsonValue entry = json::json_object(
      {{"name", spec.name},
       {"type", kind_word(spec.kind)},
       {"unit", spec.unit},
       {"required", spec.required},
       {"nullable", spec.nullable},
       {"default", spec.required ? json::JsonValue() : option_json(spec.default_value)},
       {"minimum", limit(spec.minimum)},
       {"above_minimum", spec.above_minimum},
       {"maximum", limit(spec.maximum)},
       {"choices", texts(spec.choices)},
       {"doc", spec.doc},
       {"source", spec.source}});
  if (!spec.fields.empty()) entry.set("fields", options_entry(spec.fields));
  return entry;
}

json::JsonValue options_entry(const std::vector<OptionSpec>& specs) {
  json::JsonValue::List list;
  for (const OptionSpec& spec : specs) list.push_back(option_entry(spec));
  return list;
}

json::JsonValue usual_entry(const MetricSpec& metric) {
  json::JsonValue::List list;
  for (const StackPlace& place : kStack)
    if ((metric.usual_for & families(place.family)) != 0) list.emplace_back(place.key);
  return list;
}

json::JsonValue metric_entry(const MetricSpec& metric) {
  return json::json_object({{"names", texts(result_names(metric))},
                            {"unit", metric_unit(metric.name)},
                            {"merge", merge_word(metric.merge)},
                            {"doc", metric.doc},
                            {"usual_for", usual_entry(metric)}});
}

json::JsonValue metrics_entry(const MetricSpecs& specs) {
  json::JsonValue::List list;
  for (const MetricSpec* spec : specs) list.push_back(metric_entry(*spec));
  return list;
}

json::JsonValue all_metrics_entry() {
  json::JsonValue::List list;
  for (const DeclaredMetric& declared : declared_metrics()) {
    json::JsonValue entry = metric_entry(*declared.metric);
    entry.set("group", declared.group);
    entry.set("components", texts(declared.components));
    list.push_back(std::move(entry));
  }
  return list;
}

json::JsonValue marks_entry(const Marks& marks) {
  json::JsonValue::List list;
  for (const Mark* mark : marks)
    list.push_back(json::json_object({{"name", mark->name}, {"doc", mark->doc}}));
  return list;
}

json::JsonValue properties_entry(const std::vector<StateProperty>& properties) {
  json::JsonValue::List list;
  for (const StateProperty& property : properties)
    list.push_back(json::json_object({{"name", property.name},
                                      {"use", property_use_word(property.use)},
                                      {"doc", property.doc}}));
  return list;
}

json::JsonValue component_entry(const Registration& component) {
  const auto& workload = component.as<WorkloadTraits>();
  const auto& recovery = component.as<RecoveryTraits>();
  const json::JsonValue traits_entry =
      json::json_object({{"needs_fifo", component.needs_fifo()},
                         {"tolerates_faults", component.tolerates_faults()},
                         {"needs_detection", component.needs_detection()},
                         {"announces", component.as<TerminationTraits>().announces},
                         {"finishes", workload.finishes},
                         {"needs_logging_off", component.needs_logging_off()},
                         {"accurate", component.as<DetectorTraits>().accurate},
                         {"has_images", component.has_images()},
                         {"takes_images", recovery.takes_images},
                         {"has_objects", workload.has_objects},
                         {"tags_messages", workload.tags_messages},
                         {"order_free", workload.order_free},
                         {"needs_order_free", recovery.needs_order_free},
                         {"needs_no_layer_above", recovery.needs_no_layer_above},
                         {"commits_blocks", recovery.commits_blocks},
                         {"recovers_singly", recovery.recovers_singly}});
  return json::json_object({{"name", component.name},
                            {"family", family_key(component.family)},
                            {"summary", component.summary},
                            {"source", component.source},
                            {"traits", traits_entry},
                            {"options", options_entry(component.options)},
                            {"message_kinds", texts(component.message_kinds)},
                            {"metrics", metrics_entry(component.metrics)},
                            {"marks", marks_entry(component.marks)},
                            {"properties", properties_entry(component.properties)}});
}

bool in_section(const Registration& component, const std::string& section) {
  return (component.family == Family::workload) == (section == "workloads");
}

json::JsonValue components_entry(const std::string& section) {
  json::JsonValue::List list;
  for (const Registration& component : registrations())
    if (in_section(component, section)) list.push_back(component_entry(component));
  return list;
}

json::JsonValue machines_entry() {
  json::JsonValue::List list;
  for (const std::string& name : shipped_machines()) {
    const platform::Machine machine = load_machine(name, "");
    json::JsonValue entry = machine_json(machine);
    entry.set("description", machine.description);
    json::JsonValue statuses = json::JsonValue::Object{};
    for (const ValueStatus& of : load_value_statuses(name, "")) statuses.set(of.value, of.status);
    entry.set("statuses", std::move(statuses));
    list.push_back(std::move(entry));
  }
  return list;
}

struct Engine {
  const char* name;
  const char* summary;
  bool available;
};

std::vector<Engine> engines() {
  return {
      {"loggp",
       "own event queue; a message costs LogGP time over the route that the machine's topology "
       "gives it. Fast: up to a million processes.",
       true},
      {"simgrid",
       "SimGrid S4U actors, every message a communication with flow-level contention. Accurate, "
       "and slower.",
       platform::kHasSimGrid}};
}

json::JsonValue engines_entry() {
  json::JsonValue::List list;
  for (const Engine& engine : engines())
    list.push_back(json::json_object(
        {{"name", engine.name}, {"summary", engine.summary}, {"available", engine.available}}));
  return list;
}

constexpr const char* kAtSummary =
    "faults at stated moments: each entry has exactly one of time_s, event and mark, and at least "
    "one victim in one of the lists; the victims die, unless soft or stall_s is given or they are "
    "routers";

json::JsonValue::List lists_entry(const std::vector<VictimList>& lists) {
  json::JsonValue::List entries;
  for (const VictimList& list : lists)
    entries.push_back(json::json_object({{"name", list.name}, {"doc", list.doc}}));
  return entries;
}

json::JsonValue faults_entry() {
  json::JsonValue::List list;
  list.push_back(json::json_object({{"name", "at"},
                                    {"summary", kAtSummary},
                                    {"options", options_entry(stated_fault_options().specs())},
                                    {"mark", options_entry(mark_options().specs())},
                                    {"victims", lists_entry(victim_lists())}}));
  for (const faults::FaultSourceRegistration& source : faults::fault_sources())
    list.push_back(json::json_object({{"name", source.name},
                                      {"summary", source.summary},
                                      {"source", source.source},
                                      {"options", options_entry(source.options)}}));
  list.push_back(json::json_object({{"name", "partition"},
                                    {"summary", partition_summary()},
                                    {"options", options_entry(partition_options().specs())},
                                    {"groups", lists_entry(partition_lists())}}));
  list.push_back(json::json_object({{"name", "slow"},
                                    {"summary", slow_summary()},
                                    {"options", options_entry(slow_options().specs())},
                                    {"nodes", slow_nodes().doc}}));
  return list;
}

json::JsonValue section_entry(const std::string& section) {
  if (section == "machines") return machines_entry();
  if (section == "engines") return engines_entry();
  if (section == "faults") return faults_entry();
  if (section == "metrics") return all_metrics_entry();
  return components_entry(section);
}

// ---- tables ------------------------------------------------------------------------------------

/// Prints `head` in a column and `text` beside it, wrapped to the width of a terminal.
void print_wrapped(std::ostream& out, const std::string& head, std::size_t indent,
                   const std::string& text) {
  std::string line = head;
  if (line.size() + 2 > indent) {
    out << line << '\n';
    line.clear();
  }
  line.resize(indent, ' ');
  std::istringstream words(text);
  bool first = true;
  for (std::string word; words >> word; first = false) {
    if (!first && line.size() + 1 + word.size() > kWidth) {
      out << line << '\n';
      line.assign(indent, ' ');
      first = true;
    }
    if (!first) line += ' ';
    line += word;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out << line << '\n';
}

std::string in_brackets(const std::string& source) {
  return source.empty() ? "" : " [" + source + "]";
}

std::string option_text(const OptionSpec& spec) {
  std::string text = json::expectation(spec);
  if (spec.required) {
    text += "; required";
  } else if (!std::holds_alternative<std::monostate>(spec.default_value)) {
    text += "; default " + json::to_json(option_json(spec.default_value));
  } else if (spec.nullable) {
    text += "; default null";
  }
  if (!spec.doc.empty()) text += ": " + spec.doc;
  return text + in_brackets(spec.source);
}

void print_options(std::ostream& out, const std::vector<OptionSpec>& specs) {
  for (const OptionSpec& spec : specs)
    print_wrapped(out, "      " + spec.name, 28, option_text(spec));
}

void print_components(std::ostream& out, const std::string& section, bool options) {
  const char* family = "";
  for (const Registration& component : registrations()) {
    if (!in_section(component, section)) continue;
    if (section == "protocols" && family_key(component.family) != std::string(family)) {
      family = family_key(component.family);
      out << "  " << family << '\n';
    }
    print_wrapped(out, "    " + component.name, 24,
                  component.summary + in_brackets(component.source));
    if (!options) continue;
    print_options(out, component.options);
    for (const Mark* mark : component.marks)
      print_wrapped(out, std::string("      mark ") + mark->name, 28, mark->doc);
  }
}

/// How many values have each status: "2 published, 11 estimated".
std::string statuses_text(const std::vector<ValueStatus>& values) {
  std::string text;
  for (const std::string& status : value_statuses()) {
    const auto count = std::count_if(values.begin(), values.end(), [&](const ValueStatus& value) {
      return value.status == status;
    });
    if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + status;
  }
  return text;
}

void print_machines(std::ostream& out) {
  for (const std::string& name : shipped_machines()) {
    const platform::Machine machine = load_machine(name, "");
    print_wrapped(out, "    " + name, 24,
                  std::to_string(machine.nodes) + " nodes of " +
                      std::to_string(machine.cores_per_node) + " cores, " +
                      platform::describe(machine.topology) + ". " + machine.description);
    print_wrapped(out, "", 24, "Values: " + statuses_text(load_value_statuses(name, "")));
  }
}

void print_engines(std::ostream& out) {
  for (const Engine& engine : engines())
    print_wrapped(out, std::string("    ") + engine.name, 24,
                  std::string(engine.available ? "" : "(not in this build) ") + engine.summary);
}

void print_lists(std::ostream& out, const std::vector<VictimList>& lists) {
  for (const VictimList& list : lists)
    print_wrapped(out, "      " + list.name, 28, "a list: " + list.doc);
}

void print_faults(std::ostream& out, bool options) {
  print_wrapped(out, "    at", 24, kAtSummary);
  if (options) {
    print_options(out, stated_fault_options().specs());
    for (const OptionSpec& spec : mark_options().specs())
      print_wrapped(out, "      mark." + spec.name, 28, option_text(spec));
    print_lists(out, victim_lists());
  }
  for (const faults::FaultSourceRegistration& source : faults::fault_sources()) {
    print_wrapped(out, "    " + source.name, 24, source.summary + in_brackets(source.source));
    if (options) print_options(out, source.options);
  }
  print_wrapped(out, "    partition", 24, partition_summary());
  if (options) {
    print_options(out, partition_options().specs());
    print_lists(out, partition_lists());
  }
  print_wrapped(out, "    slow", 24, slow_summary());
  if (options) {
    print_options(out, slow_options().specs());
    print_lists(out, {slow_nodes()});
  }
}

void print_metrics(std::ostream& out) {
  std::string group;
  for (const DeclaredMetric& declared : declared_metrics()) {
    if (declared.group != group) {
      group = declared.group;
      out << "  " << group << '\n';
    }
    const MetricSpec& metric = *declared.metric;
    const std::string unit = metric_unit(metric.name);
    std::string whose;
    for (const std::string& component : declared.components)
      whose += (whose.empty() ? "" : ", ") + component;
    const std::vector<std::string> names = result_names(metric);
    for (std::size_t i = 0; i + 1 < names.size(); ++i) out << "    " << names[i] << '\n';
    print_wrapped(out, "    " + names.back(), 28,
                  (unit.empty() ? "" : unit + ", ") + merge_word(metric.merge) +
                      (metric.usual_for == 0 ? "" : ", usual") + ": " + metric.doc +
                      in_brackets(whose));
  }
}

void print_section(std::ostream& out, const std::string& section, bool options) {
  out << section << '\n';
  if (section == "machines") {
    print_machines(out);
  } else if (section == "engines") {
    print_engines(out);
  } else if (section == "faults") {
    print_faults(out, options);
  } else if (section == "metrics") {
    print_metrics(out);
  } else {
    print_components(out, section, options);
  }
}

}  // namespace

const std::vector<std::string>& listing_sections() {
  static const std::vector<std::string> all = {"protocols", "workloads", "machines",
                                               "engines",   "faults",    "metrics"};
  return all;
}

std::string listing_json(const std::vector<std::string>& sections) {
  json::JsonValue result = json::json_object({{"schema_version", 1}});
  for (const std::string& section : sections) result.set(section, section_entry(section));
  return json::to_json(result, 2) + "\n";
}

std::string listing_text(const std::vector<std::string>& sections, bool options) {
  std::ostringstream out;
  for (const std::string& section : sections) {
    if (section != sections.front()) out << '\n';
    print_section(out, section, options);
  }
  return out.str();
}

}  // namespace faultline::scenario
