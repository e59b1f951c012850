// SPDX-License-Identifier: Apache-2.0

// The reference page of scenarios, from the declarations that the reader and the schema use.

#include <string>
#include <vector>

#include "sim/core/registry.hpp"
#include "sim/core/run_metrics.hpp"
#include "sim/faults/fault_source.hpp"
#include "sim/json/checked_object.hpp"
#include "sim/scenario/canonical.hpp"
#include "sim/scenario/declarations.hpp"
#include "sim/scenario/machine_file.hpp"
#include "sim/scenario/order.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline {
namespace {

constexpr const char* kBeginning = R"(# Scenario reference

Made by `faultline schema --format markdown` from the declarations that the program itself reads; a
test compares this page with what it prints. [scenario.md](scenario.md) explains it.

Numbers are bare: times in seconds, sizes in bytes, bandwidths in bytes per second.
)";

constexpr const char* kComponents =
    R"(Each is an object with the `name` of a component and its options. All but the workload may be
left out or be `{"name": "none"}`; a list of objects makes a point of the scenario for each.

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
list of victims. The victims die, unless `soft` or `stall_s` is given, and at most one of these is.
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
  return code(to_json(option_json(spec.default_value)));
}

std::string row(const std::string& key, const std::string& value, const std::string& otherwise,
                const std::string& doc) {
  return "| " + code(key) + " | " + cell(value) + " | " + cell(otherwise) + " | " + cell(doc) +
         " |\n";
}

std::string row_of(const OptionSpec& spec, const std::string& prefix = "") {
  const std::string source = spec.source.empty() ? "" : " [" + spec.source + "]";
  return row(prefix + spec.name, expectation(spec), default_text(spec), spec.doc + source);
}

std::string heading() { return "\n| key | value | default | what |\n|---|---|---|---|\n"; }

std::string table(const std::vector<OptionSpec>& specs) {
  std::string text = heading();
  for (const OptionSpec& spec : specs) text += row_of(spec);
  return text;
}

std::string traits_text(const Registration& component) {
  const Traits& traits = component.traits;
  std::string text;
  const auto say = [&text](bool holds, const char* words) {
    if (holds) text += (text.empty() ? "" : "; ") + std::string(words);
  };
  say(traits.needs_fifo, "needs messages in order (`fifo`)");
  if (component.family == Family::termination)
    say(true, traits.tolerates_faults ? "survives faults" : "tolerates no faults");
  say(traits.needs_detection, "needs `failure_detection` under faults");
  say(traits.needs_logging_off, "not above message logging");
  say(traits.takes_images, "needs images of everything above it");
  say(traits.needs_order_free, "needs a program that ends alike in whatever order messages come");
  say(traits.needs_no_layer_above, "no other layer above it");
  say(traits.recovers_singly, "gives up if several ranks are dead at once");
  say(traits.commits_blocks, "accepts and rejects TryBlocks");
  say(static_cast<bool>(component.try_blocks), "a program of TryBlocks");
  say(traits.starts_at_root, "all work begins at rank 0");
  say(traits.finishes, "declares its end (`stop.when` may be `finished`)");
  say(traits.has_objects, "is over-decomposed into objects, which a layer can move");
  say(traits.tags_messages, "tags its messages");
  say(traits.order_free, "ends alike in whatever order its messages come");
  say(traits.accurate, "never reports a live process");
  return text;
}

std::string list_of(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + code(word);
  return text;
}

std::string metrics_text(const MetricSpecs& metrics) {
  if (metrics.empty()) return "";
  std::string text = "\n| metric | merged | what |\n|---|---|---|\n";
  for (const MetricSpec* metric : metrics)
    text += "| " + list_of(result_names(*metric)) + " | " + merge_word(metric->merge) + " | " +
            cell(metric->doc) + " |\n";
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

std::string marks_text(const Marks& marks) {
  if (marks.empty()) return "";
  std::string text = "\n| mark | what |\n|---|---|\n";
  for (const Mark* mark : marks) text += "| " + code(mark->name) + " | " + cell(mark->doc) + " |\n";
  return text;
}

std::string properties_text(const std::vector<StateProperty>& properties) {
  if (properties.empty()) return "";
  std::string text = "\n| property | use | what |\n|---|---|---|\n";
  for (const StateProperty& property : properties)
    text += "| " + code(property.name) + " | " + property_use_word(property.use) + " | " +
            cell(property.doc) + " |\n";
  return text;
}

/// The page of a protocol has its name, or that and its family if it shares the name with a failure
/// detector.
std::string page_of(const Registration& protocol) {
  const bool is_shared = protocol.family != Family::failure_detection &&
                         find_registration(Family::failure_detection, protocol.name) != nullptr;
  return is_shared ? protocol.name + "-" + family_key(protocol.family) : protocol.name;
}

std::string component_text(const Registration& component) {
  std::string text = "\n### `" + std::string(family_key(component.family)) + "`: `" +
                     component.name + "`\n\n" + component.summary + " [" + component.source +
                     "].\n";
  const std::string traits = traits_text(component);
  if (!traits.empty()) text += "\nTraits: " + traits + ".\n";
  if (!component.message_kinds.empty())
    text += "\nMessages: " + list_of(component.message_kinds) + ".\n";
  if (component.family != Family::workload)
    text += "\nMore: [" + component.name + "](protocols/" + page_of(component) + ".md).\n";
  if (!component.options.empty()) text += table(component.options);
  return text + metrics_text(component.metrics) + marks_text(component.marks) +
         properties_text(component.properties);
}

std::string components_text() {
  std::string text = "\n## Components\n\n" + std::string(kComponents);
  for (const StackPlace& family : kStack) {
    text += "\n" + code(family_key(family.family)) + ": " + family.doc + ".\n";
    for (const Registration& component : registrations())
      if (component.family == family.family) text += component_text(component);
  }
  return text;
}

std::string noise_text() {
  return "\n### `platform.delay_noise`\n\n" + std::string(delay_noise_summary()) + ".\n" +
         table(delay_noise_options().specs()) + "\n### `platform.os_noise`\n\n" +
         std::string(os_noise_summary()) + ".\n" + table(os_noise_options().specs()) +
         row(os_noise_nodes().name, "a list of numbers, or null", "`null`", os_noise_nodes().doc);
}

std::string faults_text() {
  std::string text = "\n## `faults`\n\n### `faults.at`\n\n" + std::string(kAt) +
                     table(stated_fault_options().specs());
  for (const OptionSpec& spec : mark_options().specs()) text += row_of(spec, "mark.");
  for (const VictimList& list : victim_lists())
    text += row(list.name, "a list of numbers", "`[]`", list.doc);
  for (const FaultSourceRegistration& source : fault_sources())
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
  return "\n## `sweep`\n\n" + std::string(kSweep) + "\nA range:\n" +
         table(sweep_range_options().specs()) + "\n`sweep.precision`:\n" +
         table(precision_options().specs());
}

std::string machine_text() {
  std::string text =
      "\n## Machine files\n\nEvery value is an object of `value`, `unit`, `status` (" +
      list_of(value_statuses()) + ") and `source`.\n" + table(machine_values().specs());
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
         "\n### `platform.overheads`\n\nWith `xml` alone: what a SimGrid platform file lacks.\n" +
         table(overhead_options().specs()) + noise_text() + components_text() + faults_text() +
         "\n## `stop`\n" + table(stop_options().specs()) + order_text() + sweep_text() +
         run_metrics_text() + machine_text();
}

}  // namespace faultline
