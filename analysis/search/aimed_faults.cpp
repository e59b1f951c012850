// SPDX-License-Identifier: Apache-2.0
#include "analysis/search/aimed_faults.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/search/admitted_scenario.hpp"
#include "analysis/search/drawn_option.hpp"
#include "analysis/search/drawn_scenario.hpp"
#include "analysis/search/long_times.hpp"
#include "analysis/search/run_track.hpp"
#include "sim/engine/engine.hpp"
#include "sim/faults/fault_source.hpp"
#include "sim/scenario/declarations.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::search {

namespace {

constexpr std::uint64_t kSeenEvents = 20000;  ///< faults are not aimed at later events
constexpr std::size_t kMostTracks = 2;  ///< runs with faults; later faults are aimed at the last

void erase_key(json::JsonValue& object, const std::string& key) {
  std::erase_if(*object.object(),
                [&](const json::JsonMember& member) { return member.key == key; });
}

/// The value of a scenario under this key, which is removed.
json::JsonValue taken_out(json::JsonValue& object, const std::string& key) {
  const json::JsonValue* const found = object.find(key);
  if (found == nullptr) return {};
  json::JsonValue value = *found;
  erase_key(object, key);
  return value;
}

/// The times above 0 that a component declares, by option or by default [s].
std::vector<double> declared_times(scenario::ComponentChoice choice) {
  std::vector<double> times;
  if (choice.registration == nullptr) return times;
  for (const auto& [name, time_s] : times_of(choice))
    if (*time_s > 0.0 && std::isfinite(*time_s)) times.push_back(*time_s);
  return times;
}

std::vector<double> declared_times(const scenario::RunSpec& spec) {
  std::vector<double> times;
  for (const scenario::ComponentChoice& choice : spec.components) {
    const std::vector<double> own = declared_times(choice);
    times.insert(times.end(), own.begin(), own.end());
  }
  return times;
}

class Aim {
 public:
  Aim(json::JsonValue scenario, Stream random) : scenario_(std::move(scenario)), random_(random) {}

  json::JsonValue take() {
    json::JsonValue* const faults = scenario_.find("faults");
    if (faults == nullptr) {
      if (scenario_.find(family_key(Family::failure_detection)) != nullptr && looks_at_run())
        aim_fence();
      return std::move(scenario_);
    }
    const json::JsonValue drawn = *faults;
    erase_key(scenario_, "faults");
    if (!looks_at_run()) {
      scenario_.set("faults", drawn);
      return std::move(scenario_);
    }
    aim_lasting(drawn);
    aim_stated(drawn);
    aim_fence();
    return std::move(scenario_);
  }

 private:
  bool looks_at_run();
  void aim_lasting(const json::JsonValue& drawn);
  void aim_source(const faults::FaultSourceRegistration& source, json::JsonValue& options);
  void aim_window(json::JsonValue& window);
  void aim_stated(const json::JsonValue& drawn);
  void aim_fence();
  void aim(json::JsonValue& fault, bool follows);
  bool strike_again(json::JsonValue& fault);
  RunTrack::Moment choose_moment(json::JsonValue& fault, bool follows);
  void choose_victims(json::JsonValue& fault, const RunTrack::Moment& moment);
  void choose_stall(json::JsonValue& fault);
  [[nodiscard]] double longest_wait_s() const;
  double lasting_s();
  std::optional<std::pair<RunTrack::Kind, RunTrack::Moment>> any_moment(double from_s);
  ActorId relative_of(ActorId actor);
  ActorId partner_of(ActorId actor);
  [[nodiscard]] std::optional<std::uint32_t> number_on(const std::string& list,
                                                       ActorId actor) const;
  double around_run_s(double least, double most) {
    return draw_spread(random_, track_.last_s() * least, track_.last_s() * most);
  }

  json::JsonValue scenario_;
  Stream random_;
  scenario::RunSpec spec_;
  RunTrack track_;
  std::uint64_t events_ = 0;
  json::JsonValue last_;               ///< the previous fault
  std::vector<ActorId> last_victims_;  ///< of the previous fault
};

/// Runs the scenario as it is by now. Returns true if the run went well, and had a length.
bool Aim::looks_at_run() {
  try {
    const scenario::Scenario scenario =
        scenario::parse_scenario(json::to_json(scenario_), "search.json");
    spec_ = scenario.points.front();
    spec_.stop.events = std::min(spec_.stop.events, kSeenEvents);
    RunTrack track;
    events_ =
        engine::run_simulation(spec_, scenario::EngineKind::loggp, scenario.seed, 0, &track).events;
    track_ = std::move(track);
  } catch (const std::exception&) {
    return false;  // the judge meets the same
  }
  return track_.last_s() > 0.0 && std::isfinite(track_.last_s());
}

/// A kind of event and one of that kind, from `from_s` on.
std::optional<std::pair<RunTrack::Kind, RunTrack::Moment>> Aim::any_moment(double from_s) {
  using Group = std::pair<const RunTrack::Kind*, std::pair<std::size_t, const RunTrack::Moments*>>;
  std::vector<Group> groups;
  for (const auto& [kind, moments] : track_.moments()) {
    const auto first = std::ranges::partition_point(
        moments, [&](const RunTrack::Moment& moment) { return moment.time_s < from_s; });
    if (first != moments.end())
      groups.push_back({&kind, {static_cast<std::size_t>(first - moments.begin()), &moments}});
  }
  if (groups.empty()) return std::nullopt;
  const auto& [kind, place] = groups[random_.below(groups.size())];
  const auto& [first, moments] = place;
  return std::pair{*kind, (*moments)[first + random_.below(moments->size() - first)]};
}

/// Puts whatever lasts for a time, or strikes by chance, into the time of the run.
void Aim::aim_lasting(const json::JsonValue& drawn) {
  json::JsonValue lasting = drawn;
  erase_key(lasting, "at");
  if (lasting.object()->empty()) return;
  const json::JsonValue as_drawn = lasting;
  for (json::JsonMember& member : *lasting.object())
    if (const faults::FaultSourceRegistration* const source = faults::find_fault_source(member.key))
      aim_source(*source, member.value);
    else if (random_.chance(0.8))
      aim_window(member.value);
  const RunTrack before = track_;
  scenario_.set("faults", std::move(lasting));
  if (looks_at_run()) return;
  scenario_.set("faults", as_drawn);
  if (!looks_at_run()) track_ = before;
}

/// Faults of a whole machine seldom hit the job, so there are more of them.
void Aim::aim_source(const faults::FaultSourceRegistration& source, json::JsonValue& options) {
  const json::JsonValue* const scope = options.find("scope");
  const bool is_wide = scope != nullptr && scope->text() != nullptr && *scope->text() == "machine";
  for (const OptionSpec& spec : source.options)
    if (json::JsonValue* const value = options.find(spec.name);
        value != nullptr && spec.unit == "s" && !value->is_null() && random_.chance(0.9))
      *value = json::json_number(around_run_s(is_wide ? 1e-4 : 0.03, 3));
}

void Aim::aim_window(json::JsonValue& window) {
  const auto moment = any_moment(0.0);
  const double from_s = random_.chance(0.2) || !moment ? 0.0 : moment->second.time_s;
  window.set("from_s", json::json_number(from_s));
  if (window.find("to_s") != nullptr) window.set("to_s", json::json_number(from_s + lasting_s()));
}

void Aim::aim_stated(const json::JsonValue& drawn) {
  const json::JsonValue* const stated = drawn.find("at");
  if (stated == nullptr || stated->list() == nullptr) return;
  json::JsonValue::List aimed;
  bool is_seen = true;
  for (json::JsonValue fault : *stated->list()) {
    if (!aimed.empty() && aimed.size() <= kMostTracks) is_seen = looks_at_run();
    if (is_seen && !random_.chance(0.1)) aim(fault, !aimed.empty());
    last_ = fault;
    aimed.push_back(std::move(fault));
    json::JsonValue faults = taken_out(scenario_, "faults");
    faults.set("at", aimed);
    scenario_.set("faults", std::move(faults));
  }
}

/// Lets the resource manager end a process that is declared dead and lives while a message of it is
/// on its way, mostly soon after the first report: later nobody listens to it.
void Aim::aim_fence() {
  if (!spec_.fences() || !random_.chance(0.5) || !looks_at_run()) return;
  const auto reports = track_.moments().find({.kind = audit::Sight::Kind::reported});
  if (reports == track_.moments().end()) return;
  const RunTrack::Moments& all = reports->second;
  const ActorId accused = all[random_.below(all.size())].peer;
  const RunTrack::Moment report = *std::ranges::find(all, accused, &RunTrack::Moment::peer);
  std::vector<double> sent_s;
  for (const auto& [kind, moments] : track_.moments())
    if (kind.kind == audit::Sight::Kind::sent)
      for (const RunTrack::Moment& moment : moments)
        if (moment.actor == accused && moment.time_s > report.time_s)
          sent_s.push_back(moment.time_s);
  if (sent_s.empty()) return;
  std::ranges::sort(sent_s);
  constexpr std::size_t kSoon = 4;
  const std::size_t among = random_.chance(0.7) ? std::min(kSoon, sent_s.size()) : sent_s.size();
  const double later_s = sent_s[random_.below(among)] - report.time_s;
  json::JsonValue& platform = *scenario_.find("platform");
  const json::JsonValue* const drawn = platform.find("fencing");
  json::JsonValue fencing = drawn == nullptr ? json::JsonValue::Object{} : *drawn;
  fencing.set("delay_s", json::json_number(later_s + draw_spread(random_, 1e-7, 1e-5)));
  platform.set("fencing", std::move(fencing));
}

void Aim::aim(json::JsonValue& fault, bool follows) {
  if (fault.find("routers") != nullptr) return;  // they fail at times alone
  if (follows && random_.chance(0.3) && strike_again(fault)) return;
  const RunTrack::Moment moment = choose_moment(fault, follows);
  if (fault.find("stall_s") != nullptr) choose_stall(fault);
  if (random_.chance(0.7)) choose_victims(fault, moment);
}

/// Chooses when the fault strikes, and what happens then.
RunTrack::Moment Aim::choose_moment(json::JsonValue& fault, bool follows) {
  const std::vector<std::string> moments = {"time_s", "event", "mark"};
  for (const std::string& key : moments) erase_key(fault, key);
  const double manner = random_.uniform();
  if (follows && manner < 0.25) {  // together with the previous one
    for (const std::string& key : moments)
      if (const json::JsonValue* const value = last_.find(key)) fault.set(key, *value);
    return {};
  }
  const double from_s = follows && random_.chance(0.85) ? track_.last_death_s() : 0.0;
  if (follows && manner < 0.4) {
    fault.set("time_s", json::json_number(from_s + around_run_s(1e-5, 0.1)));
    return {};
  }
  if (manner < 0.55) {
    const json::JsonValue* const before = last_.find("event");
    const std::uint64_t first =
        follows && before != nullptr
            ? static_cast<std::uint64_t>(json::number_of(*before).value_or(0.0))
            : 0;
    const std::uint64_t left = events_ > first ? events_ - first : 1;
    const bool is_near = follows && before != nullptr && random_.chance(0.5);
    fault.set("event",
              static_cast<std::int64_t>(
                  first + 1 + random_.below(is_near ? std::min<std::uint64_t>(left, 50) : left)));
    return {};
  }
  const auto chosen = any_moment(from_s);
  if (!chosen || manner < 0.62) {
    const double to_s = std::max(track_.last_s(), from_s);
    fault.set("time_s", json::json_number(from_s + (to_s - from_s) * random_.uniform()));
    return {};
  }
  const auto& [kind, moment] = *chosen;
  if (kind.kind == audit::Sight::Kind::mark && random_.chance(0.7))
    fault.set("mark", json::json_object({{"name", kind.mark}, {"value", moment.value}}));
  else
    fault.set("time_s", json::json_number(moment.time_s +
                                          (random_.chance(0.6) ? 0.0 : around_run_s(1e-6, 1e-3))));
  return moment;
}

/// Lets the fault strike a process that has been started again, at once or some time later: its new
/// life has to be as safe as the first one was. Returns false if none has been.
bool Aim::strike_again(json::JsonValue& fault) {
  const auto restarted = track_.moments().find({.kind = audit::Sight::Kind::restarted});
  if (restarted == track_.moments().end()) return false;
  const RunTrack::Moments& moments = restarted->second;
  const RunTrack::Moment& moment = moments[random_.below(moments.size())];
  for (const scenario::VictimList& list : scenario::victim_lists()) {
    json::JsonValue* const drawn = fault.find(list.name);
    const auto number = number_on(list.name, moment.actor);
    if (drawn == nullptr || !number) continue;
    *drawn = json::JsonValue::List{std::int64_t{*number}};
    for (const char* const key : {"event", "mark"}) erase_key(fault, key);
    const double later_s = random_.chance(0.2) ? 0.0 : lasting_s();
    fault.set("time_s", json::json_number(moment.time_s + later_s));
    if (fault.find("stall_s") != nullptr) choose_stall(fault);
    last_victims_ = {moment.actor};
    return true;
  }
  return false;
}

/// Half of all stalls last about as long as the failure detector waits for anything.
void Aim::choose_stall(json::JsonValue& fault) {
  const double longest_s = longest_wait_s();
  fault.set("stall_s", json::json_number(longest_s > 0.0 && random_.chance(0.5)
                                             ? longest_s * draw_spread(random_, 0.3, 4)
                                             : lasting_s()));
}

/// The longest time above 0 that the failure detector declares [s]; 0 if there is none.
double Aim::longest_wait_s() const {
  const std::vector<double> times = declared_times(spec_.component(Family::failure_detection));
  return times.empty() ? 0.0 : *std::ranges::max_element(times);
}

/// Chooses a time: some part of that of the run, or about a time that a process in it waits.
double Aim::lasting_s() {
  const std::vector<double> times = declared_times(spec_);
  if (times.empty() || random_.chance(0.4)) return around_run_s(1e-3, 2);
  return times[random_.below(times.size())] * draw_spread(random_, 0.1, 4);
}

/// An actor with which this one has exchanged a message of some kind.
ActorId Aim::partner_of(ActorId actor) {
  std::vector<const RunTrack::Moments*> sent;
  for (const auto& [kind, moments] : track_.moments())
    if (kind.kind == audit::Sight::Kind::sent &&
        std::ranges::any_of(moments, [&](const RunTrack::Moment& moment) {
          return moment.actor == actor || moment.peer == actor;
        }))
      sent.push_back(&moments);
  if (sent.empty()) return actor;
  std::vector<ActorId> partners;
  for (const RunTrack::Moment& moment : *sent[random_.below(sent.size())]) {
    if (moment.actor == actor) partners.push_back(moment.peer);
    if (moment.peer == actor) partners.push_back(moment.actor);
  }
  return partners[random_.below(partners.size())];
}

/// An actor that may have to do with this one: one that exchanges messages with it, its neighbour
/// on a ring, its parent or child in a tree, one on its node, or the first of all.
ActorId Aim::relative_of(ActorId actor) {
  const std::uint32_t ranks = spec_.platform.processes;
  const bool is_rank = actor < ranks;
  const auto base = is_rank ? 0 : ranks;
  const auto alike = is_rank ? ranks : static_cast<std::uint32_t>(track_.actors()) - ranks;
  const std::uint32_t place = actor - base;
  switch (random_.below(6)) {
    case 0:
    case 1:
      return partner_of(actor);
    case 2:
      return base + (place + (random_.chance(0.5) ? 1 : alike - 1)) % alike;
    case 3:
      if (place > 0 && random_.chance(0.5)) return base + (place - 1) / 2;
      return base + (2 * place + 1 + static_cast<std::uint32_t>(random_.below(2))) % alike;
    case 4: {
      std::vector<ActorId> beside;
      for (ActorId other = 0; other < track_.actors(); ++other)
        if (other != actor && track_.node_of(other) == track_.node_of(actor))
          beside.push_back(other);
      return beside.empty() ? actor : beside[random_.below(beside.size())];
    }
    default:
      return base;
  }
}

/// The number of an actor, or of its node, in such a list of victims. Larger parts of the machine
/// stay as they are drawn.
std::optional<std::uint32_t> Aim::number_on(const std::string& list, ActorId actor) const {
  const auto& lists = scenario::victim_lists();
  if (list == lists[1].name || list == lists[2].name) return track_.node_of(actor);
  if (list == lists[0].name && actor < spec_.platform.processes) return actor;
  return std::nullopt;
}

/// Chooses actors that do something then, that have to do with the victims of the previous fault,
/// or that have to do with each other.
void Aim::choose_victims(json::JsonValue& fault, const RunTrack::Moment& moment) {
  for (const scenario::VictimList& list : scenario::victim_lists()) {
    json::JsonValue* const drawn = fault.find(list.name);
    if (drawn == nullptr || drawn->list() == nullptr) continue;
    std::vector<ActorId> near;
    for (const ActorId actor : {moment.actor, moment.peer})
      if (actor < track_.actors()) near.push_back(actor);
    for (const ActorId actor : last_victims_) near.push_back(relative_of(actor));
    if (near.empty()) near.push_back(static_cast<ActorId>(random_.below(track_.actors())));
    std::vector<ActorId> victims;
    std::vector<std::uint32_t> numbers;
    for (std::size_t left = drawn->list()->size(); left > 0; --left) {
      const ActorId actor = near[random_.below(near.size())];
      near.push_back(relative_of(actor));
      const auto number = number_on(list.name, actor);
      if (!number || std::ranges::count(numbers, *number) > 0) continue;
      numbers.push_back(*number);
      victims.push_back(actor);
    }
    if (numbers.empty()) continue;
    std::ranges::sort(numbers);
    json::JsonValue::List listed;
    for (const std::uint32_t number : numbers) listed.emplace_back(std::int64_t{number});
    *drawn = std::move(listed);
    last_victims_ = std::move(victims);
  }
}

}  // namespace

json::JsonValue with_aimed_faults(json::JsonValue scenario, Stream random) {
  return Aim(std::move(scenario), random).take();
}

json::JsonValue aimed_scenario(std::uint64_t number) {
  constexpr double kAsDrawn = 0.1;  // even if the scenario is refused
  Stream random(number, 0, Purpose::faults, 2);
  json::JsonValue drawn = draw_scenario(number);
  if (!random.chance(kAsDrawn)) drawn = admitted(std::move(drawn));
  return with_aimed_faults(std::move(drawn), random);
}

json::JsonValue scenario_aimed_at(std::uint64_t number) {
  json::JsonValue scenario = admitted(draw_scenario(number));
  erase_key(scenario, "faults");
  return scenario;
}

}  // namespace faultline::search
