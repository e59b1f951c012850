// SPDX-License-Identifier: Apache-2.0
#include "tests/support/job.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "sim/core/invariant.hpp"
#include "tests/platform/in_child.hpp"
#include "tests/support/has_role.hpp"

namespace faultline::test {

platform::Machine round_machine() {
  platform::Machine machine;
  machine.name = "round";
  machine.topology = platform::Crossbar{64};
  machine.nodes = 64;
  machine.cores_per_node = 16;
  machine.hardware_threads_per_node = 16;
  machine.send_overhead_s = 1;
  machine.receive_overhead_s = 1;
  machine.gap_s = 0;
  machine.nic_bandwidth_Bps = 100;
  machine.nic_latency_s = 8;
  machine.hop_latency_s = 1;
  machine.link_bandwidth_Bps = 100;
  machine.local_latency_s = 2;
  machine.local_bandwidth_Bps = 1000;
  return machine;
}

platform::Machine quick_machine(std::uint32_t nodes) {
  platform::Machine machine = round_machine();
  machine.name = "quick";
  machine.topology = platform::Crossbar{nodes};
  machine.nodes = nodes;
  machine.send_overhead_s = 1e-6;
  machine.receive_overhead_s = 1e-6;
  machine.gap_s = 1e-7;
  machine.nic_bandwidth_Bps = 1e9;
  machine.nic_latency_s = 1e-6;
  machine.hop_latency_s = 1e-7;
  machine.link_bandwidth_Bps = 1e9;
  machine.local_latency_s = 5e-7;
  machine.local_bandwidth_Bps = 1e10;
  return machine;
}

faults::FaultSpec at_mark(const std::string& name, std::int64_t value, std::vector<Rank> ranks) {
  faults::FaultSpec fault;
  fault.mark = faults::MarkSpec{name, value};
  fault.ranks = std::move(ranks);
  return fault;
}

std::size_t Seen::count(const std::string& what) const {
  return static_cast<std::size_t>(std::count_if(
      log.begin(), log.end(), [&](const Entry& entry) { return entry.what == what; }));
}

std::vector<double> Seen::times_s(ActorId actor, const std::string& what) const {
  std::vector<double> times;
  for (const Entry& entry : log)
    if (entry.actor == actor && entry.what == what) times.push_back(entry.time_s);
  return times;
}

std::vector<std::int64_t> Seen::values(ActorId actor, const std::string& what) const {
  std::vector<std::int64_t> values;
  for (const Entry& entry : log)
    if (entry.actor == actor && entry.what == what) values.push_back(entry.value);
  return values;
}

double Seen::metric(const std::string& name) const {
  const auto found = result.metrics.values().find(name);
  if (found == result.metrics.values().end() || !found->second)
    throw std::out_of_range("no metric " + name);
  return *found->second;
}

std::vector<std::string> Seen::violations() const {
  std::vector<std::string> kinds;
  for (const audit::Violation& violation : result.violations) kinds.push_back(violation.kind);
  return kinds;
}

bool close(const std::vector<double>& times_s, const std::vector<double>& expected_s,
           scenario::EngineKind engine) {
  return std::equal(times_s.begin(), times_s.end(), expected_s.begin(), expected_s.end(),
                    [engine](double time_s, double by_hand_s) {
                      return std::abs(time_s - by_hand_s) <= time_tolerance(engine) * by_hand_s;
                    });
}

std::string to_text(const Seen& seen) {
  using nlohmann::json;
  json text{{"outcome", seen.result.outcome}, {"fatal", seen.result.fatal_reason},
            {"events", seen.result.events},   {"metrics", json::object()},
            {"violations", json::array()},    {"log", json::array()}};
  text["terminated"] = seen.result.terminated ? json(*seen.result.terminated) : json();
  for (const auto& [name, value] : seen.result.metrics.values())
    text["metrics"][name] = value ? json(*value) : json();
  for (const audit::Violation& violation : seen.result.violations)
    text["violations"].push_back({violation.kind, violation.time_s,
                                  violation.actor ? json(*violation.actor) : json(),
                                  violation.detail});
  for (const Entry& entry : seen.log)
    text["log"].push_back({entry.time_s, entry.actor, entry.what, entry.value});
  return text.dump();
}

Seen from_text(const std::string& text) {
  using nlohmann::json;
  const json read = json::parse(text);
  Seen seen;
  seen.result.outcome = read["outcome"].get<engine::Outcome>();
  seen.result.fatal_reason = read["fatal"];
  seen.result.events = read["events"];
  if (!read["terminated"].is_null()) seen.result.terminated = read["terminated"].get<bool>();
  for (const auto& [name, value] : read["metrics"].items())
    seen.result.metrics.set(name,
                            value.is_null() ? std::nullopt : std::optional(value.get<double>()));
  for (const json& violation : read["violations"]) {
    std::optional<ActorId> actor;
    if (!violation[2].is_null()) actor = violation[2].get<ActorId>();
    seen.result.violations.push_back({violation[0], violation[1], actor, violation[3]});
  }
  for (const json& entry : read["log"])
    seen.log.push_back({entry[0], entry[1], entry[2], entry[3]});
  return seen;
}

namespace {

OptionValue as_declared(const Registration& registration, const std::string& name,
                        const OptionValue& value) {
  const auto option =
      std::find_if(registration.options.begin(), registration.options.end(),
                   [&](const OptionSpec& declared) { return declared.name == name; });
  const bool whole = std::holds_alternative<std::int64_t>(value);
  if (option->kind != OptionKind::number || !whole) return value;
  return static_cast<double>(std::get<std::int64_t>(value));
}

}  // namespace

Job::Job(std::uint32_t processes, platform::Machine machine) {
  spec.platform.machine = std::move(machine);
  spec.platform.processes = processes;
  spec.stop.time_s = 1e9;
  spec.stop.grace_s = 1e6;
  spec.checks_state = true;
}

Job::~Job() = default;

Job& Job::use(Family family, const std::string& name, const OptionValues& changes) {
  const Registration* found = find_registration(family, name);
  if (found == nullptr) throw std::logic_error("not registered: " + name);
  OptionValues values;
  for (const OptionSpec& option : found->options) values[option.name] = option.default_value;
  for (const auto& [option, value] : changes)
    values.at(option) = as_declared(*found, option, value);
  choose(family, *found, values);
  if (found->check)
    for (const OptionProblem& problem : found->check(values, scenario::job_shape(spec)))
      throw std::logic_error(name + "." + problem.option + ": " + problem.message);
  return *this;
}

Job& Job::own(Family family, const ComponentFactory& make, const OwnTerms& terms) {
  own_.push_back({.family = family,
                  .name = "test-own",
                  .summary = "",
                  .source = "",
                  .traits = terms.traits,
                  .message_kinds = {"a", "b", "c"},
                  .metrics = terms.metrics,
                  .marks = terms.marks,
                  .properties = terms.properties});
  own_.back().make = [family, make](const OptionValues&, const JobShape&) -> ComponentFactory {
    return [family, make](ActorId self) { return of_role(make(self), family); };
  };
  if (terms.residence != Residence::ranks)
    own_.back().declare<DetectorTraits>().residence = [terms](const OptionValues&) {
      return terms.residence;
    };
  if (terms.exit_notice)
    own_.back().declare<DetectorTraits>().exit_notice = [terms](const OptionValues&) {
      return *terms.exit_notice;
    };
  choose(family, own_.back(), {});
  return *this;
}

Job& Job::script(Family family, const Scripts& scripts, const OwnTerms& terms) {
  return own(
      family, [family, scripts](ActorId self) { return scripted(family, scripts(self)); }, terms);
}

Job& Job::script(Family family, const Scripts& scripts, const Traits& traits) {
  return script(family, scripts, OwnTerms{.traits = traits});
}

Job& Job::kill(double time_s, std::vector<Rank> ranks, std::vector<NodeId> nodes,
               std::vector<NodeId> daemons) {
  spec.faults.push_back({.time_s = time_s,
                         .event = {},
                         .mark = {},
                         .ranks = std::move(ranks),
                         .nodes = std::move(nodes),
                         .daemons = std::move(daemons),
                         .cut_off = {}});
  return *this;
}

void Job::note(const Context& context, std::string what, std::int64_t value) {
  log_.push_back({context.now_s(), context.self(), std::move(what), value});
}

Seen Job::run(scenario::EngineKind engine, std::uint64_t seed, std::uint64_t replication) {
  if (engine == scenario::EngineKind::loggp) return run_here(engine, seed, replication);
  const std::string broken_invariant = "broken invariant: ";
  const std::string text = platform::in_child([&] {
    try {
      return to_text(run_here(engine, seed, replication));
    } catch (const BrokenInvariant& broken) {
      return broken_invariant + broken.what();
    }
  });
  if (text.rfind(broken_invariant, 0) == 0)
    throw BrokenInvariant(text.substr(broken_invariant.size()));
  return from_text(text);
}

void Job::choose(Family family, const Registration& registration, OptionValues values) {
  spec.components[static_cast<std::size_t>(family)] = {&registration, std::move(values)};
}

Seen Job::run_here(scenario::EngineKind engine, std::uint64_t seed, std::uint64_t replication) {
  log_.clear();
  Seen seen;
  seen.result = engine::run_simulation(spec, engine, seed, replication);
  seen.log.swap(log_);
  return seen;
}

const std::vector<std::string>& detectors() {
  static const std::vector<std::string> names{
      "dijkstra-scholten", "four-counter", "edod", "hcda", "cda", "indep", "rel-lazy", "rel-eager"};
  return names;
}

std::optional<scenario::Ordering> needed_ordering(const std::string& detector) {
  const Registration* found = find_registration(Family::termination, detector);
  if (found != nullptr && found->needs_fifo()) return scenario::Ordering::fifo;
  return std::nullopt;
}

}  // namespace faultline::test
