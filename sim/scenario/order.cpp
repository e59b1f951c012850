// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/order.hpp"

#include "sim/json/checked_object.hpp"

namespace faultline::scenario {
namespace {

/// Whole numbers up to here are the same to every reader of JSON.
constexpr double kLargestExact = 9007199254740991.0;

std::vector<std::string> event_words() {
  return {"message", "timer", "computation", "sent", "exit-notice", "local-exit", "link-lost",
          "restart", "fence", "death",       "loss", "stall",       "stall-end",  "departure"};
}

std::vector<OrderedDeath> read_deaths(const json::JsonValue* value, const std::string& path,
                                      std::uint32_t actors, json::Problems& problems) {
  std::vector<OrderedDeath> deaths;
  if (value == nullptr) return deaths;
  const json::JsonValue::List* list = value->list();
  if (list == nullptr) {
    problems.add(path, "expected a list of objects, got " + json::describe(*value));
    return deaths;
  }
  deaths.reserve(list->size());
  for (std::size_t i = 0; i < list->size(); ++i) {
    const std::string at = json::item_path(path, i);
    json::CheckedObject object((*list)[i], at, problems);
    deaths.push_back(ordered_death_options().read(object.options(ordered_death_options().specs())));
    object.finish();
    if (object.is_object() && deaths.back().actor >= actors)
      problems.add(json::member_path(at, "actor"), "expected an actor below " +
                                                       std::to_string(actors) + ", got " +
                                                       std::to_string(deaths.back().actor));
  }
  return deaths;
}

std::vector<std::uint64_t> read_choices(const json::JsonValue* value, const std::string& path,
                                        json::Problems& problems) {
  std::vector<std::uint64_t> choices;
  if (value == nullptr) return choices;
  const json::JsonValue::List* list = value->list();
  if (list == nullptr) {
    problems.add(path, "expected a list of numbers, got " + json::describe(*value));
    return choices;
  }
  choices.reserve(list->size());
  const OptionSpec choice{
      .name = "choice", .kind = OptionKind::integer, .minimum = 0, .maximum = kLargestExact};
  for (std::size_t i = 0; i < list->size(); ++i)
    choices.push_back(static_cast<std::uint64_t>(std::get<std::int64_t>(
        json::read_option((*list)[i], choice, json::item_path(path, i), problems))));
  return choices;
}

OrderedStep read_step(const json::JsonValue& value, const std::string& path, std::uint32_t actors,
                      json::Problems& problems) {
  json::CheckedObject object(value, path, problems);
  const OrderedStepOptions options =
      ordered_step_options().read(object.options(ordered_step_options().specs()));
  OrderedStep step{.actor = options.actor,
                   .peer = options.peer.value_or(kNobody),
                   .detail = options.detail,
                   .stall_s = options.stall_s,
                   .nth = options.nth,
                   .deaths = read_deaths(object.child("deaths"), json::member_path(path, "deaths"),
                                         actors, problems),
                   .choices = read_choices(object.child("choices"),
                                           json::member_path(path, "choices"), problems)};
  object.finish();
  const std::vector<std::string> words = event_words();
  for (std::size_t word = 0; word < words.size(); ++word)
    if (words[word] == options.event) step.event = static_cast<OrderedEvent>(word);
  const auto check = [&](const char* key, ActorId actor) {
    if (object.is_object() && actor != kNobody && actor >= actors)
      problems.add(
          json::member_path(path, key),
          "expected an actor below " + std::to_string(actors) + ", got " + std::to_string(actor));
  };
  check("actor", step.actor);
  check("peer", step.peer);
  return step;
}

json::JsonValue deaths_json(const std::vector<OrderedDeath>& deaths) {
  json::JsonValue::List list;
  list.reserve(deaths.size());
  for (const OrderedDeath& death : deaths)
    list.push_back(json::json_object(
        {{"actor", std::int64_t{death.actor}}, {"after", static_cast<std::int64_t>(death.after)}}));
  return list;
}

json::JsonValue choices_json(const std::vector<std::uint64_t>& choices) {
  json::JsonValue::List list;
  list.reserve(choices.size());
  for (const std::uint64_t choice : choices) list.emplace_back(static_cast<std::int64_t>(choice));
  return list;
}

json::JsonValue step_json(const OrderedStep& step) {
  json::JsonValue json =
      json::json_object({{"event", word_of(step.event)}, {"actor", std::int64_t{step.actor}}});
  if (step.peer != kNobody) json.set("peer", std::int64_t{step.peer});
  if (step.detail != 0) json.set("detail", static_cast<std::int64_t>(step.detail));
  if (step.stall_s > 0.0) json.set("stall_s", step.stall_s);
  if (step.nth != 0) json.set("nth", std::int64_t{step.nth});
  if (!step.deaths.empty()) json.set("deaths", deaths_json(step.deaths));
  if (!step.choices.empty()) json.set("choices", choices_json(step.choices));
  return json;
}

}  // namespace

const OptionSet<OrderedStepOptions>& ordered_step_options() {
  using Options = OrderedStepOptions;
  static const auto set =
      OptionSet<Options>()
          .option(
              "event", &Options::event,
              {.doc = "what happens; death: the actor dies before anything else happens; loss: the "
                      "network loses the message; stall: a rank does nothing for `stall_s`, until "
                      "stall-end; departure: a message that waits for the NIC enters the network",
               .required = true,
               .choices = event_words()})
          .option("actor", &Options::actor,
                  {.doc = "the actor to which it happens: a rank; from the number of processes on, "
                          "the daemon of a node; for a departure the sender",
                   .required = true})
          .option("peer", &Options::peer,
                  {.doc = "the sender of a message, the receiver of a message that was sent or "
                          "departs, or the dead process that a notice is about; null: any"})
          .option("detail", &Options::detail,
                  {.doc = "for a message its kind, by its number in the order of `list`; for a "
                          "timer its key; for a computation its tag",
                   .maximum = kLargestExact})
          .option("nth", &Options::nth, {.doc = "which of several equal ones: 0 is the oldest"})
          .option("stall_s", &Options::stall_s,
                  {.doc = "for a stall: how long it lasts, where the failure detector lives by "
                          "timers",
                   .unit = "s",
                   .minimum = 0.0,
                   .maximum = 1e9});
  return set;
}

const OptionSet<RunOrder>& order_options() {
  static const auto set = OptionSet<RunOrder>().option(
      "departures_wait", &RunOrder::departures_wait,
      {.doc = "whether a message to another node may wait for the NIC, where actors share it. A "
              "message that finds nothing waiting there then adds one to the `choices` of its "
              "step; 0: it waits for its `departure`; 1: it enters the network at once"});
  return set;
}

const OptionSet<OrderedDeath>& ordered_death_options() {
  static const auto set =
      OptionSet<OrderedDeath>()
          .option("actor", &OrderedDeath::actor, {.doc = "actor that dies", .required = true})
          .option("after", &OrderedDeath::after,
                  {.doc = "it dies when this many of the messages that it sends in this step have "
                          "left it, and this many of its actions are done",
                   .maximum = kLargestExact});
  return set;
}

const char* order_summary() {
  return "the order in which things happen, step by step. Nothing costs time. Each step comes one "
         "millisecond after the one before it, or, if the failure detector lives by timers, when "
         "these are due. What is left after the last step happens in the order in which it was "
         "scheduled";
}

const char* deaths_at_start_summary() { return "actors that die while the actors start"; }

const char* choices_summary() {
  return "what the workload chooses in it, if its choices are open (`choices`: `all`): each a "
         "number below that of its alternatives, and 0 where the list ends";
}

const char* deaths_in_step_summary() { return "actors that die within the step"; }

std::string word_of(OrderedEvent event) { return event_words()[static_cast<std::size_t>(event)]; }

RunOrder read_order(const json::JsonValue& value, const std::optional<JobShape>& job,
                    json::Problems& problems) {
  const std::uint32_t actors =
      job ? job->processes + job->nodes + job->spare_nodes : std::uint32_t{kNobody};
  json::CheckedObject object(value, "order", problems);
  RunOrder order = order_options().read(object.options(order_options().specs()));
  order.deaths_at_start =
      read_deaths(object.child("deaths_at_start"), "order.deaths_at_start", actors, problems);
  order.choices_at_start =
      read_choices(object.child("choices_at_start"), "order.choices_at_start", problems);
  const json::JsonValue* steps = object.child("steps");
  object.finish();
  if (!object.is_object()) return order;
  if (steps == nullptr || steps->list() == nullptr) {
    problems.add("order.steps", steps == nullptr
                                    ? "missing, expected a list of objects"
                                    : "expected a list of objects, got " + json::describe(*steps));
    return order;
  }
  const json::JsonValue::List& list = *steps->list();
  order.steps.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i)
    order.steps.push_back(read_step(list[i], json::item_path("order.steps", i), actors, problems));
  return order;
}

json::JsonValue order_json(const RunOrder& order) {
  json::JsonValue json = json::JsonValue::Object{};
  if (order.departures_wait) json.set("departures_wait", true);
  if (!order.deaths_at_start.empty())
    json.set("deaths_at_start", deaths_json(order.deaths_at_start));
  if (!order.choices_at_start.empty())
    json.set("choices_at_start", choices_json(order.choices_at_start));
  json::JsonValue::List steps;
  steps.reserve(order.steps.size());
  for (const OrderedStep& step : order.steps) steps.push_back(step_json(step));
  json.set("steps", std::move(steps));
  return json;
}

std::vector<OptionProblem> what_needs_time(const RunSpec& spec) {
  std::vector<OptionProblem> found;
  const auto refuse = [&](bool is_there, const char* place, const char* why) {
    if (is_there) found.push_back({place, why});
  };
  const PlatformSpec& platform = spec.platform;
  refuse(!platform.xml_path.empty(), "platform.xml",
         "a platform file states what messages cost, and they cost nothing here; expected a "
         "machine");
  refuse(platform.delay_noise.has_value(), "platform.delay_noise",
         "noise delays messages, and nothing takes time here; expected none");
  refuse(platform.os_noise.has_value(), "platform.os_noise",
         "noise takes time from processors, and nothing takes time here; expected none");
  refuse(platform.start_delay_s > 0.0, "platform.start_delay_s",
         "nothing takes time here; expected 0");
  refuse(platform.detection_loss_probability > 0.0, "platform.detection_loss_probability",
         "a stated order leaves no loss of messages to chance; expected 0");
  refuse(!spec.partitions.empty(), "faults.partition",
         "a partition begins and ends in time, and no time passes here; expected none");
  refuse(!spec.slow.empty(), "faults.slow", "nothing takes time here; expected none");
  refuse(
      !spec.faults.empty(), "faults.at",
      "the steps of the order kill actors, and nobody stalls or finds an error here; expected none "
      "at stated moments");
  for (const faults::FaultSourceChoice& source : spec.fault_sources)
    found.push_back({"faults." + source.key,
                     "the steps of the order kill actors; expected no source of faults"});
  refuse(spec.stop.when == StopWhen::time, "stop.when",
         R"("time" never comes, because no time passes here; expected "announced" or "finished")");
  return found;
}

}  // namespace faultline::scenario
