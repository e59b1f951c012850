// SPDX-License-Identifier: Apache-2.0

// The reference page of scenarios, from the declarations that the reader and the schema use.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "sim/core/registry.hpp"
#include "sim/core/run_metrics.hpp"
#include "sim/faults/fault_source.hpp"
#include "sim/json/checked_object.hpp"
#include "sim/scenario/canonical.hpp"
#include "sim/scenario/declarations.hpp"
#include "sim/scenario/machine_file.hpp"
#include "sim/scenario/message_costs.hpp"
#include "sim/scenario/order.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::scenario {
namespace {

constexpr const char* kBeginning = R"(# Scenario reference

Made by `faultline schema --format markdown` from the declarations that the program itself reads; a
test compares this page with what it prints. [scenario.md](scenario.md) explains it.

Numbers are bare: times in seconds, sizes in bytes, bandwidths in bytes per second.
)";

constexpr const char* kComponents =
    R"(Each is an object with the `name` of a component and its options. All but the workload may be
left out or be `{"name": "none"}`; a list of objects makes a point of the scenario for each.

The section of a key begins with the options, metrics, marks and properties that several of its
components have alike. The line `Shared` of a component names those that it has, and tables of its
own follow.

Tables of metrics show how the values of all ranks, phases and incarnations are merged: `sum`,
`maximum`, `mean`, `last` (the last rank's value), `digest` (the sum modulo 2^52), or `sample` (what
describes their distribution). [Other metrics](#metrics) come from the engine. Tables of marks show
where faults can strike while the component runs (`faults.at`), and what the value of the mark
counts.
)";

constexpr const char* kMetrics =
    R"(The engine measures these from outside, whatever the components do. A metric without a value
in a run is null. `faultline list metrics` shows them together with those of the components, and
[output.md](output.md#metrics) explains them.
)";

constexpr const char* kAt =
    R"(A list of objects; each has exactly one of `time_s`, `event` and `mark`, and at least one
list of victims. The victims die, unless `soft` or `stall_s` is given, and at most one of these is,
or unless they are `routers`.
)";

constexpr const char* kStacksText =
    R"(For `faultline sweep`: an object of names, each with an object of keys and paths of the
scenario and their values in this stack. Each stack makes a point. `stacks` may also be a key of
`sweep` or of an object of `zip` ([sweeps.md](sweeps.md#stacks)).
)";

constexpr const char* kSweep =
    R"(Any key that is not listed is a path of the scenario (`"platform.processes"`), with a list of
values or a range. `zip` is a list of objects whose paths advance together, `derive` an object of
paths and formulas, `where` a list of conditions ([sweeps.md](sweeps.md)).
)";

/// Text as a cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string code(const std::string& text) { return "`" + text + "`"; }

std::string default_text(const OptionSpec& spec) {
  if (spec.required) return "required";
  return code(json::to_json(option_json(spec.default_value)));
}

std::string row(const std::string& key, const std::string& value, const std::string& otherwise,
                const std::string& doc) {
  return "| " + code(key) + " | " + cell(value) + " | " + cell(otherwise) + " | " + cell(doc) +
         " |\n";
}

std::string row_of(const OptionSpec& spec, const std::string& prefix = "") {
  const std::string source = spec.source.empty() ? "" : " [" + spec.source + "]";
  std::string text =
      row(prefix + spec.name, json::expectation(spec), default_text(spec), spec.doc + source);
  for (const OptionSpec& field : spec.fields) text += row_of(field, prefix + spec.name + ".");
  return text;
}

constexpr const char* kOptionHeading = "\n| key | value | default | what |\n|---|---|---|---|\n";

std::string table(const std::vector<OptionSpec>& specs) {
  std::string text = kOptionHeading;
  for (const OptionSpec& spec : specs) text += row_of(spec);
  return text;
}

std::string traits_text(const Registration& component) {
  const auto& workload = component.as<WorkloadTraits>();
  const auto& recovery = component.as<RecoveryTraits>();
  std::string text;
  const auto say = [&text](bool holds, const char* words) {
    if (holds) text += (text.empty() ? "" : "; ") + std::string(words);
  };
  say(component.needs_fifo(), "needs messages in order (`fifo`)");
  if (component.family == Family::termination)
    say(true, component.tolerates_faults() ? "survives faults" : "tolerates no faults");
  say(component.needs_detection(), "needs `failure_detection` under faults");
  say(component.needs_logging_off(), "not above message logging");
  say(recovery.takes_images, "needs images of everything above it");
  say(recovery.needs_order_free, "needs a program that ends alike in whatever order messages come");
  say(recovery.needs_no_layer_above, "no other layer above it");
  say(recovery.recovers_singly, "gives up if several ranks are dead at once");
  say(recovery.commits_blocks, "accepts and rejects TryBlocks");
  if (workload.try_blocks)
    say(true, component.needs_detection() ? "a program of TryBlocks"
                                          : "a program of TryBlocks under transactions");
  say(workload.starts_at_root, "all work begins at rank 0");
  say(workload.finishes, "declares its end (`stop.when` may be `finished`)");
  say(workload.has_objects, "is over-decomposed into objects, which a layer can move");
  say(workload.tags_messages, "tags its messages");
  say(workload.order_free, "ends alike in whatever order its messages come");
  say(component.as<DetectorTraits>().accurate, "never reports a live process");
  return text;
}

std::string list_of(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + code(word);
  return text;
}

std::vector<const Registration*> components_of(Family family) {
  std::vector<const Registration*> components;
  for (const Registration& component : registrations())
    if (component.family == family) components.push_back(&component);
  return components;
}

/// A row of a table that documents components, and what the row is about.
struct Row {
  std::string name;
  std::string text;
};
using Rows = std::vector<Row>;

Rows option_rows(const Registration& component) {
  Rows rows;
  for (const OptionSpec& spec : component.options) rows.push_back({code(spec.name), row_of(spec)});
  return rows;
}

Rows metric_rows(const Registration& component) {
  Rows rows;
  for (const MetricSpec* metric : component.metrics) {
    rows.push_back({code(metric->name), "| " + list_of(result_names(*metric)) + " | " +
                                            merge_word(metric->merge) + " | " + cell(metric->doc) +
                                            " |\n"});
  }
  return rows;
}

Rows mark_rows(const Registration& component) {
  Rows rows;
  for (const Mark* mark : component.marks)
    rows.push_back({code(mark->name), "| " + code(mark->name) + " | " + cell(mark->doc) + " |\n"});
  return rows;
}

Rows property_rows(const Registration& component) {
  Rows rows;
  for (const StateProperty& property : component.properties)
    rows.push_back({code(property.name), "| " + code(property.name) + " | " +
                                             property_use_word(property.use) + " | " +
                                             cell(property.doc) + " |\n"});
  return rows;
}

/// One of the tables that document components.
struct Table {
  const char* what;
  const char* heading;
  Rows (*rows)(const Registration&);
};

const std::vector<Table>& tables() {
  static const std::vector<Table> all = {
      {"options", kOptionHeading, option_rows},
      {"metrics", "\n| metric | merged | what |\n|---|---|---|\n", metric_rows},
      {"marks", "\n| mark | what |\n|---|---|\n", mark_rows},
      {"properties", "\n| property | use | what |\n|---|---|---|\n", property_rows}};
  return all;
}

std::string table_text(const Table& table, const Rows& rows) {
  if (rows.empty()) return "";
  std::string text = table.heading;
  for (const Row& row : rows) text += row.text;
  return text;
}

bool contains(const Rows& rows, const Row& row) {
  return std::any_of(rows.begin(), rows.end(),
                     [&row](const Row& other) { return other.text == row.text; });
}

/// The rows that several components of a family have alike, in the order in which they come. Of
/// several rows with one name, the one that most components have stands for the family.
Rows shared_rows(const Table& table, Family family) {
  Rows all;
  std::map<std::string, int> uses;
  for (const Registration* component : components_of(family))
    for (const Row& row : table.rows(*component))
      if (++uses[row.text] == 1) all.push_back(row);
  Rows shared;
  for (const Row& row : all) {
    const bool is_commonest = std::none_of(all.begin(), all.end(), [&](const Row& other) {
      return other.name == row.name && uses[other.text] > uses[row.text];
    });
    const bool is_first = std::none_of(shared.begin(), shared.end(),
                                       [&row](const Row& other) { return other.name == row.name; });
    if (uses[row.text] > 1 && is_commonest && is_first) shared.push_back(row);
  }
  return shared;
}

/// What of the family's shared rows a component has: their names, or "all".
std::string shared_names(const Table& table, const Registration& component, const Rows& shared) {
  const Rows own = table.rows(component);
  std::string names;
  bool has_all = true;
  for (const Row& row : shared) {
    if (contains(own, row))
      names += (names.empty() ? "" : ", ") + row.name;
    else
      has_all = false;
  }
  if (names.empty()) return "";
  return has_all ? "all " + std::string(table.what) : table.what + (" " + names);
}

std::string shared_text(const Registration& component) {
  std::string text;
  for (const Table& table : tables()) {
    const std::string names = shared_names(table, component, shared_rows(table, component.family));
    if (!names.empty()) text += (text.empty() ? "" : "; ") + names;
  }
  return text;
}

/// The tables of what only this component of its family has.
std::string own_tables(const Registration& component) {
  std::string text;
  for (const Table& table : tables()) {
    const Rows shared = shared_rows(table, component.family);
    Rows own = table.rows(component);
    std::erase_if(own, [&shared](const Row& row) { return contains(shared, row); });
    text += table_text(table, own);
  }
  return text;
}

std::string shared_tables(Family family) {
  std::string text;
  for (const Table& table : tables()) text += table_text(table, shared_rows(table, family));
  return text;
}

std::string run_metrics_text() {
  std::string text = "\n## Metrics\n\n" + std::string(kMetrics);
  for (const run_metrics::Group& group : run_metrics::groups()) {
    text += "\nOf " + std::string(group.runs) + ":\n\n| metric | unit | what |\n|---|---|---|\n";
    for (const MetricSpec* metric : group.metrics)
      text += "| " + code(metric->name) + " | " + metric_unit(metric->name) + " | " +
              cell(metric->doc) + " |\n";
  }
  return text;
}

/// The page of a protocol has its name, or that and its family if it shares the name with a failure
/// detector.
std::string page_of(const Registration& protocol) {
  const bool is_shared = protocol.family != Family::failure_detection &&
                         find_registration(Family::failure_detection, protocol.name) != nullptr;
  return is_shared ? protocol.name + "-" + family_key(protocol.family) : protocol.name;
}

std::string item(const std::string& what, const std::string& text) {
  return text.empty() ? "" : "- " + what + ": " + text + ".\n";
}

std::string component_text(const Registration& component) {
  std::string text = "\n#### `" + std::string(family_key(component.family)) + "`: `" +
                     component.name + "`\n\n" + component.summary + " [" + component.source + "].";
  if (component.family != Family::workload)
    text += " More: [" + component.name + "](protocols/" + page_of(component) + ".md).";
  const std::string items = item("Traits", traits_text(component)) +
                            item("Messages", list_of(component.message_kinds)) +
                            item("Shared", shared_text(component));
  return text + "\n" + (items.empty() ? "" : "\n" + items) + own_tables(component);
}

std::string components_text() {
  std::string text = "\n## Components\n\n" + std::string(kComponents);
  for (const StackPlace& family : kStack) {
    text += "\n### " + code(family.key) + ": " + family.doc + "\n" + shared_tables(family.family);
    for (const Registration* component : components_of(family.family))
      text += component_text(*component);
  }
  return text;
}

std::string noise_text() {
  return "\n### `platform.delay_noise`\n\n" + std::string(delay_noise_summary()) + ".\n" +
         table(delay_noise_options().specs()) + "\n### `platform.os_noise`\n\n" +
         std::string(os_noise_summary()) + ".\n" + table(os_noise_options().specs()) +
         row(os_noise_nodes().name, "a list of numbers, or null", "`null`", os_noise_nodes().doc) +
         "\n### `platform.fencing`\n\nIt says " + std::string(fencing_summary()) + ".\n" +
         table(fencing_options().specs());
}

std::string faults_text() {
  std::string text = "\n## `faults`\n\n### `faults.at`\n\n" + std::string(kAt) +
                     table(stated_fault_options().specs());
  for (const OptionSpec& spec : mark_options().specs()) text += row_of(spec, "mark.");
  for (const VictimList& list : victim_lists())
    text += row(list.name, "a list of numbers", "`[]`", list.doc);
  for (const faults::FaultSourceRegistration& source : faults::fault_sources())
    text += "\n### `faults." + source.name + "`\n\n" + source.summary + " [" + source.source +
            "]. An object, or a list of them.\n" + table(source.options);
  text += "\n### `faults.partition`\n\n" + std::string(partition_summary()) +
          ". An object, or a list of them.\n" + table(partition_options().specs());
  for (const VictimList& list : partition_lists())
    text += row(list.name, "a list of lists of numbers", "none", list.doc);
  text += "\n### `faults.slow`\n\n" + std::string(slow_summary()) +
          ". An object, or a list of them.\n" + table(slow_options().specs()) +
          row(slow_nodes().name, "a list of numbers", "required", slow_nodes().doc);
  return text;
}

std::string order_text() {
  return "\n## `order`\n\nWhat `faultline explore` writes, and what can be written by hand: " +
         std::string(order_summary()) + ".\n" + table(order_options().specs()) +
         "\n`order.deaths_at_start`: " + deaths_at_start_summary() +
         ". `order.steps[i].deaths`: " + deaths_in_step_summary() +
         ". `order.choices_at_start` and `order.steps[i].choices`: " + choices_summary() + ".\n" +
         table(ordered_death_options().specs()) + "\n`order.steps`:\n" +
         table(ordered_step_options().specs());
}

std::string sweep_text() {
  return "\n## `stacks`\n\n" + std::string(kStacksText) + "\n## `sweep`\n\n" + kSweep +
         "\nA range:\n" + table(sweep_range_options().specs()) + "\n`sweep.precision`:\n" +
         table(precision_options().specs());
}

std::string machine_text() {
  std::string text =
      "\n## Machine files\n\nEvery value is an object of `value`, `unit`, `status` (" +
      list_of(value_statuses()) + ") and `source`.\n" + table(machine_values().specs()) +
      "\n`costs`, between nodes, and `local_costs`, within a node, are lists of 1 to 16 ranges of "
      "sizes. What a range leaves out is the machine's value for all sizes, and a machine can "
      "leave out what all ranges state:\n" +
      table(StatedCost::options().specs());
  text += "\n`topology`:\n\n| `kind` | fields | what |\n|---|---|---|\n";
  for (const TopologyKind& kind : topology_kinds()) {
    std::string fields;
    for (const TopologyField& field : kind.fields)
      fields += (fields.empty() ? "" : "; ") + code(field.name) + ": " + field.doc;
    text += "| " + code(kind.name) + " | " + cell(fields) + " | " + cell(kind.doc) + " |\n";
  }
  return text;
}

}  // namespace

std::string scenario_reference() {
  return kBeginning + std::string("\n## The top\n") + table(scenario_options().specs()) +
         "\n## `platform`\n" + table(platform_options().specs()) +
         "\n### `platform.overheads`\n\nWith `machine`: values to use instead of the machine's "
         "own, of "
         "those times and bandwidths that [machine files](#machine-files) state. Where "
         "the machine has costs by size, a time changes all of them by the same difference, and a "
         "bandwidth by the same factor; `costs` and `local_costs` replace them. With `xml`: what a "
         "SimGrid platform file lacks:\n" +
         table(overhead_options().specs()) + noise_text() + components_text() + faults_text() +
         "\n## `stop`\n" + table(stop_options().specs()) + order_text() + sweep_text() +
         run_metrics_text() + machine_text();
}

}  // namespace faultline::scenario
