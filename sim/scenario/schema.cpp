// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>
#include <vector>

#include "sim/json/checked_object.hpp"
#include "sim/scenario/canonical.hpp"
#include "sim/scenario/components.hpp"
#include "sim/scenario/declarations.hpp"
#include "sim/scenario/machine_file.hpp"
#include "sim/scenario/message_costs.hpp"
#include "sim/scenario/order.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/sweep.hpp"

namespace faultline::scenario {
namespace {

using List = json::JsonValue::List;
using Object = json::JsonValue::Object;

const char* json_type(OptionKind kind) {
  switch (kind) {
    case OptionKind::boolean:
      return "boolean";
    case OptionKind::integer:
      return "integer";
    case OptionKind::number:
      return "number";
    case OptionKind::texts:
      return "array";
    case OptionKind::group:
      return "object";
    default:  // a text, or a file by its name
      return "string";
  }
}

json::JsonValue bound(double value, const OptionSpec& spec) {
  if (spec.kind == OptionKind::integer) return static_cast<std::int64_t>(value);
  return value;
}

std::string description_of(const OptionSpec& spec) {
  std::string text = spec.doc;
  if (!spec.unit.empty()) text += (text.empty() ? "in " : "; in ") + json::unit_in_words(spec.unit);
  if (!spec.source.empty()) text += " (" + spec.source + ")";
  return text;
}

json::JsonValue fields_schema(const std::vector<OptionSpec>& fields);

json::JsonValue option_schema(const OptionSpec& spec) {
  json::JsonValue schema = spec.fields.empty() ? json::JsonValue() : fields_schema(spec.fields);
  const char* const type = json_type(spec.kind);
  schema.set("type", spec.nullable ? json::JsonValue(List{type, "null"}) : json::JsonValue(type));
  if (spec.kind == OptionKind::texts) {
    json::JsonValue text = json::json_object({{"type", "string"}});
    if (!spec.choices.empty()) {
      text.set("enum", List(spec.choices.begin(), spec.choices.end()));
      schema.set("uniqueItems", true);
    }
    schema.set("items", text);
  } else if (!spec.choices.empty()) {
    List words;
    for (const std::string& choice : spec.choices) words.emplace_back(choice);
    if (spec.nullable) words.emplace_back();
    schema.set("enum", std::move(words));
  }
  if (std::isfinite(spec.minimum))
    schema.set(spec.above_minimum ? "exclusiveMinimum" : "minimum", bound(spec.minimum, spec));
  if (std::isfinite(spec.maximum)) schema.set("maximum", bound(spec.maximum, spec));
  const bool has_default = !std::holds_alternative<std::monostate>(spec.default_value);
  if (!spec.required && has_default) schema.set("default", option_json(spec.default_value));
  if (const std::string text = description_of(spec); !text.empty()) schema.set("description", text);
  return schema;
}

/// Builds the schema of an object without other keys than those declared.
class ObjectSchema {
 public:
  explicit ObjectSchema(const std::string& description) {
    schema_ = json::json_object({{"type", "object"}});
    if (!description.empty()) schema_.set("description", description);
  }
  ObjectSchema& property(const std::string& name, json::JsonValue schema, bool required = false) {
    properties_.set(name, std::move(schema));
    if (required) required_.emplace_back(name);
    return *this;
  }
  ObjectSchema& options(const std::vector<OptionSpec>& specs) {
    for (const OptionSpec& spec : specs) property(spec.name, option_schema(spec), spec.required);
    return *this;
  }
  /// Requires exactly one of these keys, with a value other than null.
  ObjectSchema& one_of(const std::vector<std::string>& names) {
    schema_.set("oneOf", alternatives(names));
    return *this;
  }
  /// Requires at least one of these lists, not empty.
  ObjectSchema& any_of_lists(const std::vector<VictimList>& lists) {
    List choices;
    for (const VictimList& list : lists) {
      const json::JsonValue filled = json::json_object({{"type", "array"}, {"minItems", 1}});
      choices.push_back(
          json::json_object({{"required", List{list.name}},
                             {"properties", json::json_object({{list.name, filled}})}}));
    }
    schema_.set("anyOf", std::move(choices));
    return *this;
  }
  [[nodiscard]] json::JsonValue take() {
    schema_.set("properties", std::move(properties_));
    if (!required_.empty()) schema_.set("required", std::move(required_));
    schema_.set("additionalProperties", false);
    return std::move(schema_);
  }

 private:
  static List alternatives(const std::vector<std::string>& names) {
    List choices;
    for (const std::string& name : names) {
      const json::JsonValue present =
          json::json_object({{"not", json::json_object({{"type", "null"}})}});
      choices.push_back(json::json_object(
          {{"required", List{name}}, {"properties", json::json_object({{name, present}})}}));
    }
    return choices;
  }

  json::JsonValue schema_;
  json::JsonValue properties_ = Object{};
  List required_;
};

json::JsonValue fields_schema(const std::vector<OptionSpec>& fields) {
  return ObjectSchema("").options(fields).take();
}

json::JsonValue reference(const std::string& definition) {
  return json::json_object({{"$ref", "#/$defs/" + definition}});
}

json::JsonValue component_schema(const Registration& registration) {
  std::string text = registration.summary;
  if (!registration.source.empty()) text += " (" + registration.source + ")";
  return ObjectSchema(text)
      .property("name", json::json_object({{"const", registration.name}}), true)
      .options(registration.options)
      .take();
}

json::JsonValue family_definition(Family family) {
  List choices;
  for (const Registration& registration : registrations())
    if (registration.family == family) choices.push_back(component_schema(registration));
  if (family != Family::workload)
    choices.push_back(ObjectSchema("left out")
                          .property("name", json::json_object({{"const", "none"}}), true)
                          .take());
  return json::json_object({{"oneOf", std::move(choices)}});
}

/// One object, or a list of objects, each of which makes a point.
json::JsonValue family_property(const StackPlace& family) {
  const json::JsonValue one = reference(family_key(family.family));
  const json::JsonValue many =
      json::json_object({{"type", "array"}, {"minItems", 1}, {"maxItems", 1000}, {"items", one}});
  return json::json_object(
      {{"description",
        std::string(family.doc) + "; a list makes one point of the scenario for each entry"},
       {"oneOf", List{one, many}}});
}

json::JsonValue ids_schema(const std::string& description) {
  const json::JsonValue id = json::json_object({{"type", "integer"}, {"minimum", 0}});
  return json::json_object(
      {{"description", description}, {"type", "array"}, {"items", id}, {"uniqueItems", true}});
}

/// The schema of an object, or of null in its place.
json::JsonValue or_null(json::JsonValue schema) {
  schema.set("type", List{"object", "null"});
  return schema;
}

json::JsonValue os_noise_schema() {
  json::JsonValue nodes = ids_schema(os_noise_nodes().doc);
  nodes.set("type", List{"array", "null"});
  return ObjectSchema(os_noise_summary())
      .options(os_noise_options().specs())
      .property(os_noise_nodes().name, std::move(nodes))
      .take();
}

json::JsonValue sourced_schema(const OptionSpec& spec) {
  const json::JsonValue words = json::json_object({{"type", "string"}, {"minLength", 1}});
  List statuses;
  for (const std::string& status : value_statuses()) statuses.emplace_back(status);
  OptionSpec bare = spec;
  bare.doc.clear();
  bare.required = true;
  return ObjectSchema(spec.doc)
      .property("value", option_schema(bare), true)
      .property("unit", json::json_object({{"const", spec.unit}}), true)
      .property("status", json::json_object({{"enum", std::move(statuses)}}), true)
      .property("source", words, true)
      .take();
}

/// `is_sourced`: the values of its ranges are objects, as in a machine file.
json::JsonValue cost_table_schema(const CostTable& table, bool is_sourced) {
  const std::vector<OptionSpec>& specs = StatedCost::options().specs();
  ObjectSchema range("the costs of a range of sizes");
  range.options({specs.front()});
  for (std::size_t i = 1; i < specs.size(); ++i)
    range.property(specs[i].name, is_sourced ? sourced_schema(specs[i]) : option_schema(specs[i]));
  return json::json_object({{"description", table.doc},
                            {"type", "array"},
                            {"minItems", 1},
                            {"maxItems", 16},
                            {"items", range.take()}});
}

json::JsonValue platform_definition() {
  ObjectSchema own_costs(
      "with xml: what a SimGrid platform file lacks; with machine: values to use "
      "instead of the machine's own");
  own_costs.options(machine_cost_options()).options(overhead_options().specs());
  for (const CostTable& table : cost_tables())
    own_costs.property(table.name, cost_table_schema(table, false));
  const json::JsonValue overheads = own_costs.take();
  return ObjectSchema("the machine, and the part of it that the job takes")
      .options(platform_options().specs())
      .property("overheads", overheads)
      .property(
          "delay_noise",
          or_null(
              ObjectSchema(delay_noise_summary()).options(delay_noise_options().specs()).take()))
      .property("os_noise", or_null(os_noise_schema()))
      .property("fencing",
                ObjectSchema(fencing_summary()).options(fencing_options().specs()).take())
      .one_of({"machine", "xml"})
      .take();
}

json::JsonValue fault_definition() {
  json::JsonValue mark = ObjectSchema("a point of the run that a component marks")
                             .options(mark_options().specs())
                             .take();
  mark.set("type", List{"object", "null"});
  ObjectSchema schema(
      "a fault at one moment: exactly one of time_s, event and mark, and its victims, which die "
      "unless soft or stall_s is given or they are routers");
  schema.options(stated_fault_options().specs()).property("mark", std::move(mark));
  for (const VictimList& list : victim_lists()) schema.property(list.name, ids_schema(list.doc));
  return schema.one_of({"time_s", "event", "mark"}).any_of_lists(victim_lists()).take();
}

json::JsonValue one_or_many(const json::JsonValue& one) {
  const json::JsonValue many = json::json_object({{"type", "array"}, {"items", one}});
  return json::json_object({{"oneOf", List{one, many}}});
}

/// One source of that kind, or a list of them.
json::JsonValue fault_source_schema(const faults::FaultSourceRegistration& registration) {
  return one_or_many(ObjectSchema(registration.summary + " (" + registration.source + ")")
                         .options(registration.options)
                         .take());
}

json::JsonValue partition_schema() {
  ObjectSchema schema(partition_summary());
  schema.options(partition_options().specs());
  for (const VictimList& list : partition_lists())
    schema.property(list.name, json::json_object({{"description", list.doc},
                                                  {"type", "array"},
                                                  {"minItems", 2},
                                                  {"items", ids_schema("one group")}}));
  return schema.one_of({partition_lists()[0].name, partition_lists()[1].name}).take();
}

json::JsonValue slow_schema() {
  return ObjectSchema(slow_summary())
      .options(slow_options().specs())
      .property(slow_nodes().name, ids_schema(slow_nodes().doc), true)
      .take();
}

json::JsonValue faults_definition() {
  const json::JsonValue at = json::json_object({{"type", "array"}, {"items", reference("fault")}});
  ObjectSchema schema("deaths and their times; several sources add up");
  schema.property("at", at);
  for (const faults::FaultSourceRegistration& registration : faults::fault_sources())
    schema.property(registration.name, fault_source_schema(registration));
  schema.property("partition", one_or_many(partition_schema()));
  schema.property("slow", one_or_many(slow_schema()));
  return schema.take();
}

json::JsonValue ordered_deaths_schema(const char* summary) {
  return json::json_object(
      {{"description", summary},
       {"type", "array"},
       {"items", ObjectSchema("").options(ordered_death_options().specs()).take()}});
}

json::JsonValue ordered_choices_schema() {
  return json::json_object({{"type", "array"},
                            {"description", choices_summary()},
                            {"items", json::json_object({{"type", "integer"}, {"minimum", 0}})}});
}

json::JsonValue order_definition() {
  const json::JsonValue step =
      ObjectSchema("one step")
          .options(ordered_step_options().specs())
          .property("deaths", ordered_deaths_schema(deaths_in_step_summary()))
          .property("choices", ordered_choices_schema())
          .take();
  json::JsonValue schema =
      ObjectSchema(order_summary())
          .options(order_options().specs())
          .property("deaths_at_start", ordered_deaths_schema(deaths_at_start_summary()))
          .property("choices_at_start", ordered_choices_schema())
          .property("steps", json::json_object({{"type", "array"}, {"items", step}}), true)
          .take();
  schema.set("type", json::JsonValue::List{"object", "null"});
  return schema;
}

/// Named stacks. Beside the keys of a scenario, a stack may have paths, which have a dot or a
/// bracket.
json::JsonValue stacks_definition() {
  ObjectSchema keys("keys of the scenario, or paths, and their values in this stack");
  for (const OptionSpec& spec : scenario_options().specs())
    keys.property(spec.name, option_schema(spec));
  for (const StackPlace& family : kStack) keys.property(family.key, reference(family.key));
  for (const char* part : {"platform", "faults", "stop", "order"})
    keys.property(part, reference(part));
  json::JsonValue stack = keys.take();
  stack.set("patternProperties", json::json_object({{R"(\.|\[)", true}}));
  stack.set("minProperties", 1);
  const json::JsonValue name =
      json::json_object({{"minLength", 1}, {"pattern", R"(^[^\u0000-\u001f\u007f-\u009f]*$)"}});
  return json::json_object(
      {{"description", "for faultline sweep: names of stacks, and the keys that each sets"},
       {"type", "object"},
       {"minProperties", 1},
       {"propertyNames", name},
       {"additionalProperties", std::move(stack)}});
}

/// In a sweep, every key without a meaning of its own is a path.
json::JsonValue sweep_definition() {
  const json::JsonValue list = json::json_object({{"type", "array"}, {"minItems", 1}});
  const json::JsonValue range = ObjectSchema("from, from x times or from + step, ... up to to")
                                    .options(sweep_range_options().specs())
                                    .one_of({"times", "step"})
                                    .take();
  const json::JsonValue axis = json::json_object({{"oneOf", List{list, range}}});
  const json::JsonValue formula = json::json_object({{"type", "string"}, {"minLength", 1}});
  const json::JsonValue group =
      json::json_object({{"type", "object"},
                         {"minProperties", 1},
                         {"properties", json::json_object({{kStacks, reference(kStacks)}})},
                         {"additionalProperties", axis}});
  json::JsonValue schema =
      ObjectSchema("for faultline sweep: paths of the scenario, and the values that they take")
          .property(kStacks, reference(kStacks))
          .property("zip", json::json_object({{"description", "axes that advance together"},
                                              {"type", "array"},
                                              {"items", group}}))
          .property("derive",
                    json::json_object({{"description", "paths and the formulas of their values"},
                                       {"type", "object"},
                                       {"additionalProperties", formula}}))
          .property("where",
                    json::json_object({{"description", "conditions that a point satisfies"},
                                       {"type", "array"},
                                       {"items", formula}}))
          .property("precision", ObjectSchema("replications until a mean is known well enough")
                                     .options(precision_options().specs())
                                     .take())
          .take();
  schema.set("additionalProperties", axis);
  return schema;
}

json::JsonValue topology_definition() {
  const json::JsonValue words = json::json_object({{"type", "string"}});
  List kinds;
  for (const TopologyKind& kind : topology_kinds()) {
    ObjectSchema schema(kind.doc);
    schema.property("kind", json::json_object({{"const", kind.name}}), true);
    for (const TopologyField& field : kind.fields) {
      const json::JsonValue count = json::json_object({{"type", "integer"},
                                                       {"minimum", std::int64_t{field.minimum}},
                                                       {"maximum", std::int64_t{field.maximum}}});
      const json::JsonValue list = json::json_object(
          {{"type", "array"}, {"minItems", 1}, {"maxItems", 6}, {"items", count}});
      json::JsonValue value = field.is_list ? list : count;
      value.set("description", field.doc);
      schema.property(field.name, std::move(value), true);
    }
    kinds.push_back(schema.property("status", words).property("source", words).take());
  }
  return json::json_object({{"oneOf", std::move(kinds)}});
}

json::JsonValue machine_definition() {
  const json::JsonValue words = json::json_object({{"type", "string"}});
  ObjectSchema schema("a machine file: every value with its unit, status and source");
  schema.property("schema_version", json::json_object({{"const", 1}}), true)
      .property("name", words, true)
      .property("description", words)
      .property("topology", topology_definition(), true);
  for (const OptionSpec& spec : machine_values().specs())
    schema.property(spec.name, sourced_schema(spec), spec.required && !may_be_by_size(spec.name));
  for (const CostTable& table : cost_tables())
    schema.property(table.name, cost_table_schema(table, true));
  return schema.take();
}

json::JsonValue definitions() {
  json::JsonValue defs;
  for (const StackPlace& family : kStack)
    defs.set(family_key(family.family), family_definition(family.family));
  defs.set("platform", platform_definition());
  defs.set("fault", fault_definition());
  defs.set("faults", faults_definition());
  defs.set("stop",
           ObjectSchema("when a run ends, and its limits").options(stop_options().specs()).take());
  defs.set("order", order_definition());
  defs.set(kStacks, stacks_definition());
  defs.set("sweep", sweep_definition());
  defs.set("machine", machine_definition());
  return defs;
}

}  // namespace

json::JsonValue scenario_schema_tree() {
  ObjectSchema top("");
  top.options(scenario_options().specs()).property("platform", reference("platform"), true);
  for (const StackPlace& family : kStack)
    top.property(family_key(family.family), family_property(family),
                 family.family == Family::workload);
  top.property("faults", reference("faults"));
  top.property("stop", reference("stop"))
      .property("order", reference("order"))
      .property(kStacks, reference(kStacks))
      .property("sweep", reference("sweep"));
  json::JsonValue schema = json::json_object(
      {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
       {"title", "Faultline scenario, schema_version 1"},
       {"$comment",
        "#/$defs/machine describes machine files. `faultline validate` alone checks "
        "what depends on the machine, or on two parts of a scenario together."}});
  const json::JsonValue body = top.take();
  for (const json::JsonMember& member : *body.object()) schema.set(member.key, member.value);
  schema.set("$defs", definitions());
  return schema;
}

std::string scenario_schema() { return json::to_json(scenario_schema_tree(), 2) + "\n"; }

}  // namespace faultline::scenario
