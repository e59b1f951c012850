// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/question.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "sim/core/error.hpp"
#include "sim/core/run_metrics.hpp"
#include "sim/json/checked_object.hpp"
#include "sim/json/json_reader.hpp"
#include "sim/json/problems.hpp"
#include "sim/scenario/declared_metrics.hpp"
#include "sim/scenario/overrides.hpp"
#include "sim/scenario/sweep.hpp"

namespace faultline::advice {

namespace {

namespace fs = std::filesystem;

/// The families that can be chosen: what a runtime brings, and not the program.
std::vector<std::string> choosable() {
  std::vector<std::string> keys;
  for (const StackPlace& place : kStack)
    if (place.family != Family::workload) keys.emplace_back(family_key(place.family));
  return keys;
}

const OptionSet<Requirement>& requirement_options() {
  static const auto set =
      OptionSet<Requirement>()
          .option("metric", &Requirement::metric,
                  {.doc = "the metric whose mean is bounded", .required = true})
          .option("at_least", &Requirement::at_least, {.doc = "the least mean that will do"})
          .option("at_most", &Requirement::at_most, {.doc = "the largest mean that will do"});
  return set;
}

void check_metric(const std::string& metric, const std::string& path, json::Problems& problems) {
  const MetricSpec* own = run_metrics::find(metric);
  if (own == &run_metrics::kOutcome || own == &run_metrics::kFatalReason) {
    problems.add(path, json::in_quotes(metric) + " is text, expected a metric that is a number");
    return;
  }
  std::vector<std::string> known;
  for (const scenario::DeclaredMetric& declared : scenario::declared_metrics())
    for (std::string& name : result_names(*declared.metric)) known.push_back(std::move(name));
  if (own == nullptr && !names(known, metric))
    problems.add(path, "unknown metric " + json::in_quotes(metric) +
                           json::suggestion(metric, known) +
                           " (faultline list metrics has them all)");
}

Requirement read_requirement(const json::JsonValue& value, const std::string& path,
                             json::Problems& problems) {
  const std::size_t before = problems.size();
  json::CheckedObject object(value, path, problems);
  const OptionValues values = object.options(requirement_options().specs());
  object.finish();
  if (problems.size() != before) return {};
  Requirement read = requirement_options().read(values);
  check_metric(read.metric, json::member_path(path, "metric"), problems);
  if (!read.at_least && !read.at_most)
    problems.add(path, "bounds nothing, expected at_least or at_most");
  if (read.at_least && read.at_most && *read.at_least > *read.at_most)
    problems.add(path, "at_least is above at_most, so that nothing can keep to both");
  return read;
}

std::vector<Requirement> read_requirements(const json::JsonValue& value, json::Problems& problems) {
  std::vector<Requirement> all;
  const json::JsonValue::List* list = value.list();
  if (list == nullptr) {
    problems.add("require",
                 "expected a list such as [{\"metric\": \"completed\", \"at_least\": "
                 "0.95}], got " +
                     json::describe(value));
    return all;
  }
  for (std::size_t i = 0; i < list->size(); ++i)
    all.push_back(read_requirement((*list)[i], json::item_path("require", i), problems));
  return all;
}

/// The object at a key, or null with a problem if it is something else.
json::JsonValue read_object(json::CheckedObject& root, const std::string& key,
                            const std::string& example, json::Problems& problems) {
  const json::JsonValue* value = root.child(key);
  if (value == nullptr) return {};
  if (value->object() != nullptr && !value->object()->empty()) return *value;
  problems.add(key, "expected an object such as " + example + ", got " +
                        (value->object() != nullptr ? "an empty one" : json::describe(*value)));
  return {};
}

/// A question's scenario stands in it, or is the path of a file.
void take_scenario(const json::JsonValue& value, Question& question, json::Problems& problems) {
  if (value.text() != nullptr) {
    question.scenario_file = (fs::path(question.file).parent_path() / *value.text()).string();
    json::Problems of_file(question.scenario_file);
    question.scenario = json::read_json_file(question.scenario_file, of_file);
    of_file.throw_if_any();
  } else if (value.object() != nullptr) {
    question.scenario = value;
    question.scenario_place = "scenario";
    if (value.find("schema_version") == nullptr) question.scenario.set("schema_version", 1);
  } else {
    problems.add("scenario",
                 "expected a scenario, or the path of its file, got " + json::describe(value));
  }
}

/// A scenario alone may say how often it is to run, which the race decides; and its stacks are the
/// alternatives.
void take_from_scenario(Question& question) {
  json::JsonValue::Object* members = question.scenario.object();
  if (members == nullptr) return;
  std::erase_if(*members,
                [](const json::JsonMember& member) { return member.key == "replications"; });
  const json::JsonValue* stacks = question.scenario.find(scenario::kStacks);
  if (stacks == nullptr || stacks->object() == nullptr || stacks->object()->empty()) return;
  question.stacks = *stacks;
  std::erase_if(*members,
                [](const json::JsonMember& member) { return member.key == scenario::kStacks; });
}

void check_scenario(const Question& question, json::Problems& problems) {
  for (const std::string key : {"sweep", "stacks", "replications"})
    if (question.scenario.find(key) != nullptr)
      problems.add(json::member_path(question.scenario_place, key),
                   key == "replications"
                       ? "a question decides by itself how many runs it needs, expected none"
                       : "a question is about one job, expected no " + key +
                             "; alternatives stand in the question's own stacks");
}

/// A question needs no name.
std::vector<OptionSpec> head_of_question() {
  std::vector<OptionSpec> head = json::file_head();
  for (OptionSpec& spec : head)
    if (spec.name == "name") spec = {.name = "name", .default_value = std::string()};
  return head;
}

void read_keys(const json::JsonValue& root, Question& question, json::Problems& problems) {
  json::CheckedObject object(root, "", problems);
  const OptionValues head = object.options(head_of_question());
  const std::size_t before = problems.size();
  const OptionValues values = object.options(QuestionSettings::options().specs());
  if (const json::JsonValue* value = object.child("scenario"))
    take_scenario(*value, question, problems);
  question.stacks = read_object(object, "stacks",
                                R"({"causal": {"message_logging": {"name": "causal"}}})", problems);
  question.compare_with = read_object(
      object, "compare_with", R"({"message_logging": {"name": "checkpoint-restart"}})", problems);
  const json::JsonValue tune =
      read_object(object, "tune", R"({"workload.checkpoint_iterations": [5, 10, 20]})", problems);
  if (!tune.is_null()) question.tune = read_tune(tune, problems);
  const json::JsonValue over = read_object(
      object, "over", R"({"faults.poisson.mtbf_s": {"from": 60, "to": 60000}})", problems);
  if (!over.is_null()) question.over = read_over(over, problems);
  if (const json::JsonValue* value = object.child("require")) {
    question.require = read_requirements(*value, problems);
    question.states_requirements = true;
  }
  object.finish();
  if (problems.size() != before) return;
  question.name = std::get<std::string>(head.at("name"));
  question.settings = QuestionSettings::options().read(values);
  if (question.settings.objective)
    check_metric(*question.settings.objective, "objective", problems);
  const json::JsonValue* choose = root.find("choose");
  if (choose != nullptr && question.settings.choose.empty())
    problems.add("choose", "names no family, expected " + json::any_of(choosable()));
  if (!question.settings.choose.empty() && !question.stacks.is_null())
    problems.add("stacks", "the alternatives follow from choose already, expected one of the two");
}

}  // namespace

const OptionSet<Budget>& Budget::options() {
  static const auto set = OptionSet<Budget>().option(
      "events", &Budget::events,
      {.doc = "no further runs are begun if they would take more events than this, all together",
       .minimum = 1,
       .maximum = 1e18});
  return set;
}

const OptionSet<QuestionSettings>& QuestionSettings::options() {
  using Options = QuestionSettings;
  static const auto set =
      OptionSet<Options>()
          .option("choose", &Options::choose,
                  {.doc = "the families to choose from; each combination of their components is an "
                          "alternative",
                   .choices = choosable()})
          .option("objective", &Options::objective,
                  {.doc = "the metric whose mean is to be least (of completed: largest); null: the "
                          "time to solution; for programs that have none, the detection latency "
                          "under a termination detector, or else the end of the run"})
          .option("equivalent_within", &Options::equivalent_within,
                  {.doc = "two alternatives whose means differ by less than this share are "
                          "equivalent",
                   .minimum = 0,
                   .maximum = 1})
          .option("confidence", &Options::confidence,
                  {.doc = "the probability with which the answer is right",
                   .minimum = 0.5,
                   .maximum = 0.999999})
          .option("budget", &Options::budget, {.doc = "how much may be simulated"});
  return set;
}

bool is_question(const json::JsonValue& root) { return root.find("scenario") != nullptr; }

Question load_question(const std::string& path, const std::vector<std::string>& sets) {
  return parse_question(json::read_json_text(path), path, sets);
}

Question parse_question(const std::string& text, const std::string& file,
                        const std::vector<std::string>& sets) {
  json::Problems problems(file);
  json::JsonValue root = json::parse_json(text, problems);
  for (const std::string& set : sets) scenario::apply_set(root, set, problems);
  Question question{.file = file, .scenario_file = file};
  if (is_question(root)) {
    read_keys(root, question, problems);
    problems.throw_if_any();
  } else {
    question.scenario = std::move(root);
    take_from_scenario(question);
    if (const json::JsonValue* name = question.scenario.find("name"))
      if (name->text() != nullptr) question.name = *name->text();
  }
  check_scenario(question, problems);
  problems.throw_if_any();
  return question;
}

}  // namespace faultline::advice
