// SPDX-License-Identifier: Apache-2.0
#include "analysis/search/drawn_scenario.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>

#include "analysis/search/drawn_option.hpp"
#include "analysis/search/drawn_program.hpp"
#include "sim/core/registry.hpp"
#include "sim/faults/fault_source.hpp"
#include "sim/faults/victim_placement.hpp"
#include "sim/json/checked_object.hpp"
#include "sim/scenario/declarations.hpp"
#include "sim/scenario/message_costs.hpp"
#include "sim/scenario/part_lists.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::search {

namespace {

constexpr int kTries = 5;  ///< attempts to draw options that fit the job
constexpr std::uint64_t kMostPerNode = 6;
constexpr double kMostUsual = 64;
constexpr double kMostProcesses = 200;
constexpr std::uint64_t kLarge = 40;      ///< one of this many jobs is larger than usual
constexpr std::uint64_t kOnSimGrid = 50;  ///< one of this many scenarios is on simgrid

/// Keys that are drawn with the job, or do not matter in a run.
const std::vector<std::string> kTop = {"schema_version", "name",         "engine",
                                       "seed",           "replications", "allow_unsafe"};
const std::vector<std::string> kJob = {
    "machine", "xml", "processes", "processes_per_node", "when_no_spare", "nodes_per_power_unit"};
const std::vector<std::string> kMoment = {"time_s", "event", "repair_s"};
/// Keys that are drawn from a stream of their own, so that the rest of a scenario does not depend
/// on them: what fails together, and what follows where no node is free.
const std::vector<std::string> kOfParts = {"when_no_spare", "nodes_per_power_unit"};

class Draw {
 public:
  explicit Draw(std::uint64_t number)
      : random_(number, 0, Purpose::faults, 1),
        of_parts_(number, 0, Purpose::faults, 3),
        number_(number) {}

  json::JsonValue take() {
    scenario_ =
        json::json_object({{"schema_version", 1}, {"name", "search " + std::to_string(number_)}});
    if (random_.below(kOnSimGrid) == 0) scenario_.set("engine", "simgrid");
    scenario_.set("seed", static_cast<std::int64_t>(number_));
    is_calm_ = random_.chance(0.2);
    is_gentle_ = random_.chance(0.5);
    draw_guard();
    workload_ =
        any_of(Family::workload, [&](const Registration& program) { return fits_guard(program); });
    draw_platform();
    draw_stack();
    draw_faults();
    draw_stop();
    if (!is_calm_) draw_fencing();
    return std::move(scenario_);
  }

 private:
  /// The purpose of the stack, beside the program and the failure detector.
  enum class Guard : std::uint8_t { nothing, termination, message_logging, transactions };

  void draw_guard();
  [[nodiscard]] bool fits_guard(const Registration& program) const;
  void draw_platform();
  void draw_costs(json::JsonValue& platform);
  void draw_noise(json::JsonValue& platform);
  void draw_stack();
  void draw_component(const Registration* component);
  json::JsonValue draw_fitting(const Registration& component);
  [[nodiscard]] bool fits_job(const Registration& component, const json::JsonValue& object) const;
  [[nodiscard]] bool fits_target(const faults::FaultSourceRegistration& source,
                                 const json::JsonValue& object) const;
  [[nodiscard]] JobShape job() const {
    return {.processes = processes_,
            .processes_per_node = per_node_,
            .nodes = (processes_ - 1) / per_node_ + 1,
            .spare_nodes = 1};
  }
  void draw_processes();
  double boldness() { return draw_boldness(random_); }
  void provide_for_recovery();
  const Registration* any_of(Family family, const std::function<bool(const Registration&)>& fits);
  void draw_faults();
  json::JsonValue draw_fault();
  std::optional<json::JsonValue> draw_fault_of_parts();
  json::JsonValue draw_stall();
  json::JsonValue draw_death_of_rank();
  void let_parts_fail(const faults::FaultSourceRegistration& source, json::JsonValue& options);
  [[nodiscard]] faults::FaultTarget target() const;
  [[nodiscard]] bool may_mislead() const;
  void draw_moment(json::JsonValue& fault);
  void draw_window(json::JsonValue& object, const std::vector<OptionSpec>& specs);
  json::JsonValue draw_partition();
  void draw_stop();
  void draw_fencing();
  json::JsonValue::List some_of(std::uint32_t end, std::uint64_t most);

  Stream random_;
  Stream of_parts_;  ///< beside the other draws, so that scenarios keep their numbers
  std::uint64_t number_;
  json::JsonValue scenario_;
  bool is_calm_ = false;    ///< nobody dies, and nothing disturbs the run
  bool is_gentle_ = false;  ///< few ranks die, mostly single ones, so that many protocols survive
  Guard guard_ = Guard::nothing;
  const Registration* workload_ = nullptr;
  std::uint32_t processes_ = 2;
  std::uint32_t per_node_ = 1;
  std::uint32_t nodes_ = 2;  ///< spare ones included
  platform::Machine machine_;
  std::vector<const Registration*> stack_;
  json::JsonValue last_moment_ = json::JsonValue::Object{};
};

/// Different numbers below `end`, at least one.
json::JsonValue::List Draw::some_of(std::uint32_t end, std::uint64_t most) {
  std::set<std::int64_t> drawn;
  for (std::uint64_t left = 1 + random_.below(most); left > 0; --left)
    drawn.insert(static_cast<std::int64_t>(random_.below(end)));
  return {drawn.begin(), drawn.end()};
}

/// True if the component accepts these options in this job.
bool Draw::fits_job(const Registration& component, const json::JsonValue& object) const {
  json::Problems problems("");
  json::CheckedObject checked(object, component.name, problems);
  const OptionValues values = checked.options(component.options);
  if (!problems.empty()) return false;
  return !component.check || component.check(values, job()).empty();
}

bool Draw::fits_target(const faults::FaultSourceRegistration& source,
                       const json::JsonValue& object) const {
  json::Problems problems("");
  json::CheckedObject checked(object, source.name, problems);
  const OptionValues values = checked.options(source.options);
  return problems.empty() && source.check(values, target()).empty();
}

faults::FaultTarget Draw::target() const {
  faults::FaultTarget target{.job = job(), .node_of = {}, .machine = &machine_};
  const json::JsonValue* const unit = scenario_.find("platform")->find("nodes_per_power_unit");
  if (unit != nullptr)
    target.nodes_per_power_unit = static_cast<std::uint32_t>(json::number_of(*unit).value_or(0.0));
  return target;
}

/// Draws the number of processes, since some programs run only on some numbers.
void Draw::draw_processes() {
  const auto is_free = [](const OptionSpec& spec) { return !spec.required; };
  const bool has_defaults = std::ranges::all_of(workload_->options, is_free);
  for (int tries = 0; tries < 32; ++tries) {
    processes_ = static_cast<std::uint32_t>(
        std::round(random_.below(kLarge) == 0 ? draw_spread(random_, kMostUsual + 1, kMostProcesses)
                                              : draw_spread(random_, 2, kMostUsual)));
    per_node_ =
        random_.chance(0.5) ? 1 : 1 + static_cast<std::uint32_t>(random_.below(kMostPerNode));
    if (!has_defaults || fits_job(*workload_, json::JsonValue::Object{})) return;
  }
}

void Draw::draw_platform() {
  draw_processes();
  const std::vector<std::string> machines = scenario::shipped_machines();
  json::JsonValue platform =
      json::json_object({{"machine", machines[random_.below(machines.size())]},
                         {"processes", std::int64_t{processes_}}});
  machine_ = scenario::load_machine(*platform.find("machine")->text(), "");
  if (per_node_ > 1) platform.set("processes_per_node", std::int64_t{per_node_});
  for (const OptionSpec& spec : scenario::platform_options().specs())
    if (names(kOfParts, spec.name) && of_parts_.chance(0.3))
      platform.set(spec.name, draw_value(spec, of_parts_, processes_));
  draw_options(platform, scenario::platform_options().specs(), random_, processes_, boldness(),
               kJob);
  // Few stacks accept another ordering, so it is drawn rarely.
  if (random_.chance(0.5) && platform.find("ordering") != nullptr) platform.set("ordering", "fifo");
  if (!is_calm_) draw_noise(platform);
  if (of_parts_.chance(0.15)) draw_costs(platform);
  scenario_.set("platform", std::move(platform));
}

/// Costs by size, between nodes or within them. No message takes less time than a shorter one.
void Draw::draw_costs(json::JsonValue& platform) {
  const bool is_local = of_parts_.chance(0.3);
  const double least_byte_s =
      1.0 / (is_local ? machine_.local_bandwidth_Bps
                      : std::min(machine_.nic_bandwidth_Bps, machine_.link_bandwidth_Bps));
  platform::MessageCost cost = {
      .from_bytes = 0,
      .send_overhead_s = machine_.send_overhead_s,
      .receive_overhead_s = machine_.receive_overhead_s,
      .latency_s = is_local ? machine_.local_latency_s : machine_.nic_latency_s,
      .byte_s = least_byte_s};
  std::vector<platform::MessageCost> costs = {cost};
  for (std::uint64_t more = of_parts_.below(5); more > 0; --more) {
    const double byte_s = least_byte_s * draw_spread(of_parts_, 1, 100);
    cost.from_bytes += static_cast<std::uint64_t>(draw_spread(of_parts_, 1, 30000));
    cost.send_overhead_s += draw_spread(of_parts_, 1e-9, 1e-5);
    cost.receive_overhead_s += draw_spread(of_parts_, 1e-9, 1e-5);
    cost.latency_s += draw_spread(of_parts_, 1e-9, 1e-4) +
                      static_cast<double>(cost.from_bytes) * std::max(0.0, cost.byte_s - byte_s);
    cost.byte_s = byte_s;
    costs.push_back(cost);
  }
  json::JsonValue overheads = json::JsonValue::Object{};
  overheads.set(is_local ? "local_costs" : "costs", scenario::costs_json(costs));
  platform.set("overheads", std::move(overheads));
}

void Draw::draw_noise(json::JsonValue& platform) {
  if (random_.chance(0.15)) {
    json::JsonValue noise = json::JsonValue::Object{};
    draw_options(noise, scenario::delay_noise_options().specs(), random_, processes_, boldness());
    platform.set("delay_noise", std::move(noise));
  }
  if (random_.chance(0.15)) {
    json::JsonValue noise = json::JsonValue::Object{};
    // An interruption is shorter than the time from one to the next.
    const auto second = [&](const char* key) {
      return json::number_of(*noise.find(key)).value_or(0.0);
    };
    for (int tries = 0; tries < 8; ++tries) {
      draw_options(noise, scenario::os_noise_options().specs(), random_, processes_, boldness());
      if (second("length_s") < second("interval_s")) break;
    }
    if (random_.chance(0.5))
      noise.set(scenario::os_noise_nodes().name, some_of((processes_ - 1) / per_node_ + 1, 3));
    platform.set("os_noise", std::move(noise));
  }
}

/// One of the family's components that fit, or now and then any.
const Registration* Draw::any_of(Family family,
                                 const std::function<bool(const Registration&)>& fits) {
  const bool any = random_.chance(0.03);
  std::vector<const Registration*> choices;
  for (const Registration& component : registrations())
    if (component.family == family && (any || fits(component))) choices.push_back(&component);
  return choices.empty() ? nullptr : choices[random_.below(choices.size())];
}

/// Draws the options of a component. Options that it refuses in this job are rare.
json::JsonValue Draw::draw_fitting(const Registration& component) {
  json::JsonValue object;
  const double often = boldness();
  for (int tries = 0; tries < kTries; ++tries) {
    object = json::json_object({{"name", component.name}});
    draw_options(object, component.options, random_, processes_, often);
    if (component.family == Family::workload) draw_program(object, random_, processes_);
    if (fits_job(component, object)) break;
  }
  return object;
}

void Draw::draw_component(const Registration* component) {
  if (component == nullptr) return;
  stack_.push_back(component);
  scenario_.set(family_key(component->family), draw_fitting(*component));
}

/// A protocol that brings the dead back needs a place for them, and in most cases a checkpoint.
void Draw::provide_for_recovery() {
  json::JsonValue& platform = *scenario_.find("platform");
  const json::JsonValue* const given = platform.find("spare_nodes");
  const bool has_spare = given != nullptr && json::number_of(*given).value_or(0.0) > 0.0;
  if (!has_spare && random_.chance(0.9))
    platform.set("spare_nodes", static_cast<std::int64_t>(1 + random_.below(4)));
  json::JsonValue& workload = *scenario_.find(family_key(Family::workload));
  if (!workload_->as<WorkloadTraits>().asks_for_checkpoints || random_.chance(0.1)) return;
  for (const OptionSpec& spec : workload_->options)
    if (spec.name == "checkpoint_iterations")
      workload.set(spec.name, static_cast<std::int64_t>(1 + random_.below(6)));
}

/// Draws the purpose of the stack, so often that each family meets as many deaths as the others.
void Draw::draw_guard() {
  const double manner = random_.uniform();
  guard_ = manner < 0.15  ? Guard::nothing
           : manner < 0.5 ? Guard::termination
           : manner < 0.8 ? Guard::message_logging
                          : Guard::transactions;
}

/// True if these can protect a program from deaths, by its own declaration.
bool Draw::fits_guard(const Registration& program) const {
  if (guard_ == Guard::transactions)
    return static_cast<bool>(program.as<WorkloadTraits>().try_blocks);
  return guard_ != Guard::message_logging || program.has_images();
}

/// Draws the stack. The declarations of components steer it, so that not too many stacks are
/// refused.
void Draw::draw_stack() {
  const auto all = [](const Registration&) { return true; };
  draw_component(workload_);
  const bool logs = guard_ == Guard::message_logging;
  if (guard_ == Guard::transactions) draw_component(any_of(Family::transactions, all));
  const Registration* const logging =
      !logs ? nullptr : any_of(Family::message_logging, [&](const Registration& layer) {
        return workload_->as<WorkloadTraits>().order_free ||
               !layer.as<RecoveryTraits>().needs_order_free;
      });
  const bool layered = logging != nullptr && !logging->as<RecoveryTraits>().needs_no_layer_above;
  if (guard_ == Guard::termination || (layered && random_.chance(0.5)))
    draw_component(any_of(Family::termination, [&](const Registration& detector) {
      if (logs) return detector.has_images() && !detector.needs_logging_off();
      return is_calm_ || detector.tolerates_faults();
    }));
  draw_component(logging);
  if (random_.chance(is_calm_ ? 0.4 : 0.95)) draw_component(any_of(Family::failure_detection, all));
  if (!is_calm_ && (logs || guard_ == Guard::transactions)) provide_for_recovery();
  const json::JsonValue* const spare = scenario_.find("platform")->find("spare_nodes");
  const double spare_nodes = spare == nullptr ? 0.0 : json::number_of(*spare).value_or(0.0);
  nodes_ = (processes_ - 1) / per_node_ + 1 + static_cast<std::uint32_t>(spare_nodes);
}

void Draw::draw_moment(json::JsonValue& fault) {
  const double manner = random_.uniform();
  const json::JsonValue* const before = last_moment_.find("time_s");
  if (before != nullptr && manner < 0.4) {
    // Together with the previous fault, or soon after it.
    const double later_s = random_.chance(0.5) ? 0.0 : draw_spread(random_, 1e-6, 1.0);
    fault.set("time_s", json::json_number(json::number_of(*before).value_or(0.0) + later_s));
  } else if (manner < 0.55) {
    fault.set("event", json::json_number(std::round(draw_spread(random_, 1, 1e4))));
  } else if (json::JsonValue mark = manner < 0.75 ? draw_mark(stack_, random_) : json::JsonValue();
             !mark.is_null()) {
    fault.set("mark", std::move(mark));
  } else {
    fault.set("time_s", random_.chance(0.05) ? json::JsonValue(0)
                                             : json::json_number(draw_spread(random_, 1e-6, 10)));
  }
  last_moment_ = fault;
}

json::JsonValue Draw::draw_fault() {
  json::JsonValue fault = json::JsonValue::Object{};
  draw_moment(fault);
  const std::uint64_t most = is_gentle_ ? 1 : 3;
  const double manner = random_.uniform();
  if (manner < 0.2) {
    for (const OptionSpec& spec : scenario::stated_fault_options().specs())
      if (!names(kMoment, spec.name) && random_.chance(0.5)) {
        fault.set(spec.name, draw_value(spec, random_, processes_));
        break;
      }
    fault.set(scenario::victim_lists()[0].name, some_of(processes_, most));
    return fault;
  }
  const std::size_t list = manner < (is_gentle_ ? 0.85 : 0.65) ? 0 : manner < 0.9 ? 1 : 2;
  fault.set(scenario::victim_lists()[list].name, some_of(list == 0 ? processes_ : nodes_, most));
  if (list == 1 && of_parts_.chance(0.3))
    fault.set("repair_s", json::json_number(draw_spread(of_parts_, 1e-4, 10)));
  return fault;
}

/// Draws a fault of a larger part of the machine, if that has such parts.
std::optional<json::JsonValue> Draw::draw_fault_of_parts() {
  const auto& lists = scenario::part_lists();
  const scenario::PartList& drawn = lists[of_parts_.below(lists.size())];
  const auto parts = faults::parts_in_job(drawn.part, target());
  if (!parts) return std::nullopt;
  json::JsonValue fault = json::json_object(
      {{"time_s", json::json_number(draw_spread(of_parts_, 1e-5, 3))},
       {drawn.list.name,
        json::JsonValue::List{static_cast<std::int64_t>(of_parts_.below(*parts))}}});
  if (of_parts_.chance(0.6))
    fault.set("repair_s", json::json_number(draw_spread(of_parts_, 1e-4, 10)));
  return fault;
}

/// True if the failure detector can take a live process for dead. What follows has to be right,
/// too.
bool Draw::may_mislead() const {
  return std::ranges::any_of(stack_, [](const Registration* one) {
    return one->family == Family::failure_detection && !one->as<DetectorTraits>().accurate;
  });
}

json::JsonValue Draw::draw_death_of_rank() {
  const auto rank = static_cast<std::int64_t>(of_parts_.below(processes_));
  return json::json_object({{"time_s", json::json_number(draw_spread(of_parts_, 1e-5, 3))},
                            {scenario::victim_lists()[0].name, json::JsonValue::List{rank}}});
}

/// A rank that stands still for so long that its detector may err.
json::JsonValue Draw::draw_stall() {
  json::JsonValue stall = draw_death_of_rank();
  stall.set("stall_s", json::json_number(draw_spread(of_parts_, 0.1, 100)));
  return stall;
}

/// Lets a source take larger parts of the machine, if it fits the job then. Routers fail more
/// rarely than others, because all their failures are drawn before the run.
void Draw::let_parts_fail(const faults::FaultSourceRegistration& source, json::JsonValue& options) {
  const auto spec = std::ranges::find(source.options, "component", &OptionSpec::name);
  if (spec == source.options.end() || !of_parts_.chance(0.5)) return;
  json::JsonValue changed = options;
  changed.set(spec->name, draw_value(*spec, of_parts_, processes_));
  changed.set("victims", "nodes");
  changed.set("placement", "uniform");
  if (changed.find("mtbf_s") != nullptr && *changed.find(spec->name)->text() == "router")
    changed.set("mtbf_s", json::json_number(draw_spread(of_parts_, 1e-2, 10)));
  if (fits_target(source, changed)) options = std::move(changed);
}

/// Draws the time during which something lasts.
void Draw::draw_window(json::JsonValue& object, const std::vector<OptionSpec>& specs) {
  draw_options(object, specs, random_, processes_, boldness(), {"from_s", "to_s", "messages"});
  const double from_s = random_.chance(0.3) ? 0.0 : draw_spread(random_, 1e-5, 3);
  object.set("from_s", json::json_number(from_s));
  if (random_.chance(0.7))
    object.set("to_s", json::json_number(from_s + draw_spread(random_, 1e-5, 10)));
}

json::JsonValue Draw::draw_partition() {
  json::JsonValue partition = json::JsonValue::Object{};
  draw_window(partition, scenario::partition_options().specs());
  const std::size_t list = nodes_ < 2 ? 1 : random_.below(2);
  const std::uint32_t end = list == 0 ? nodes_ : processes_;
  json::JsonValue::List first;
  json::JsonValue::List second;
  for (std::uint32_t id = 0; id < end; ++id) {
    if (random_.chance(0.1)) continue;
    const bool is_first = first.empty() || (!second.empty() && random_.chance(0.5));
    (is_first ? first : second).emplace_back(std::int64_t{id});
  }
  partition.set(scenario::partition_lists()[list].name,
                json::JsonValue::List{std::move(first), std::move(second)});
  for (const OptionSpec& spec : scenario::partition_options().specs())
    if (spec.name == "messages" && of_parts_.chance(0.5))
      partition.set(spec.name, draw_value(spec, of_parts_, processes_));
  return partition;
}

void Draw::draw_faults() {
  if (is_calm_) return;
  json::JsonValue faults = json::JsonValue::Object{};
  const std::uint64_t most = is_gentle_ ? 3 : 8;
  std::uint64_t count = 0;
  while (count < most && random_.chance(count == 0 ? 0.85 : is_gentle_ ? 0.4 : 0.65)) ++count;
  json::JsonValue::List at;
  for (; count > 0; --count) at.push_back(draw_fault());
  if (of_parts_.chance(0.1))
    if (auto fault = draw_fault_of_parts()) at.push_back(std::move(*fault));
  if (may_mislead() && of_parts_.chance(0.25)) at.insert(at.begin(), draw_stall());
  // A process that has come back can be struck again.
  const bool returns = guard_ == Guard::message_logging || guard_ == Guard::transactions;
  if (returns && !at.empty() && of_parts_.chance(0.3)) at.push_back(draw_death_of_rank());
  if (!at.empty()) faults.set("at", std::move(at));
  if (random_.chance(0.2)) {
    std::vector<const faults::FaultSourceRegistration*> sources;
    for (const faults::FaultSourceRegistration& source : faults::fault_sources())
      if (std::ranges::all_of(source.options, [](const OptionSpec& spec) {
            return !spec.required || can_be_drawn(spec);
          }))
        sources.push_back(&source);
    const faults::FaultSourceRegistration& source = *sources[random_.below(sources.size())];
    json::JsonValue options;
    const double often = boldness();
    for (int tries = 0; tries < kTries; ++tries) {
      options = json::JsonValue::Object{};
      draw_options(options, source.options, random_, processes_, often, {"component"});
      if (fits_target(source, options)) break;
    }
    let_parts_fail(source, options);
    faults.set(source.name, std::move(options));
  }
  if (random_.chance(0.12)) faults.set("partition", draw_partition());
  if (random_.chance(0.15)) {
    json::JsonValue slow = json::JsonValue::Object{};
    draw_window(slow, scenario::slow_options().specs());
    slow.set(scenario::slow_nodes().name, some_of(nodes_, 3));
    faults.set("slow", std::move(slow));
  }
  if (!faults.object()->empty()) scenario_.set("faults", std::move(faults));
}

void Draw::draw_stop() {
  json::JsonValue stop = json::JsonValue::Object{};
  draw_options(stop, scenario::stop_options().specs(), random_, processes_, boldness(),
               {"when", "events", "memory_bytes"});
  for (const OptionSpec& spec : scenario::stop_options().specs())
    if (spec.name == "when" && random_.chance(0.15))
      stop.set(spec.name, draw_value(spec, random_, processes_));
  // If nothing acts on the reports of a detector, most jobs end before it has made any.
  const bool is_alone = stack_.size() == 2 && stack_[1]->family == Family::failure_detection;
  if (is_alone && !is_calm_ && random_.chance(0.5)) stop.set("when", "all-reported");
  if (!stop.object()->empty()) scenario_.set("stop", std::move(stop));
}

/// Draws how a process ends that is declared dead and lives. It has a stream of its own, so that
/// the rest of a scenario does not depend on it.
void Draw::draw_fencing() {
  Stream random(number_, 0, Purpose::faults, 2);
  const json::JsonValue* const faults = scenario_.find("faults");
  const bool is_cut = faults != nullptr && faults->find("partition") != nullptr;
  if (!random.chance(is_cut ? 0.6 : 0.3)) return;  // a cut may part the manager from some
  json::JsonValue fencing = json::JsonValue::Object{};
  draw_options(fencing, scenario::fencing_options().specs(), random, processes_,
               draw_boldness(random));
  scenario_.find("platform")->set("fencing", std::move(fencing));
}

}  // namespace

json::JsonValue draw_scenario(std::uint64_t number) { return Draw(number).take(); }

}  // namespace faultline::search
