// SPDX-License-Identifier: Apache-2.0
#include "analysis/search/run_watch.hpp"

#include <algorithm>
#include <string_view>
#include <variant>

namespace faultline::search {

namespace {

/// A tolerance for sums that are rounded.
constexpr double kRounding_s = 1e-9;

double number_in(const OptionValues& options, const char* name, double otherwise) {
  const auto found = options.find(name);
  if (found == options.end()) return otherwise;
  const auto* const number = std::get_if<double>(&found->second);
  return number != nullptr ? *number : otherwise;
}

bool is_true(const OptionValues& options, const char* name) {
  const auto found = options.find(name);
  return found != options.end() && found->second == OptionValue(true);
}

/// Messages of one lane do not overtake each other. Those of message logging overtake the
/// program's, and reports of failures do not wait for a phase to begin.
std::uint8_t lane_of(const Message& message) {
  if (message.channel == Family::message_logging) return 1;
  return message.channel == Family::failure_detection ? 2 : 0;
}

bool has(const std::vector<std::uint32_t>& list, std::uint32_t number) {
  return std::ranges::count(list, number) > 0;
}

/// The group of a process, counted from 1; 0 if it is in none.
std::size_t group_of(const faults::PartitionSpec& partition, std::uint32_t member) {
  for (std::size_t group = 0; group < partition.groups.size(); ++group)
    if (std::ranges::count(partition.groups[group], member) > 0) return group + 1;
  return 0;
}

}  // namespace

RunWatch::RunWatch(const scenario::RunSpec& spec) : spec_(spec), accusations_(spec) {
  read_sources();
}

/// A source that does not state when it strikes, such as a trace, may do so at any time.
void RunWatch::read_sources() {
  spares_root_ = true;
  for (const faults::FaultSourceChoice& source : spec_.fault_sources) {
    const OptionValues& options = source.options;
    const bool cuts_off = options.contains("component") &&
                          options.at("component") == OptionValue(std::string("router"));
    if (!cuts_off) spares_root_ = spares_root_ && is_true(options, "spare_root");
    Window window;
    if (options.contains("window_s")) {
      window.from_s = number_in(options, "time_s", 0.0);
      window.to_s = window.from_s + number_in(options, "window_s", 0.0);
    } else {
      window.from_s = number_in(options, "start_s", 0.0);
      window.to_s = number_in(options, "end_s", kNever);
    }
    (cuts_off ? router_windows_ : windows_).push_back(window);
  }
}

void RunWatch::found(const char* kind, const audit::Sight& sight, const std::string& what) {
  if (!breach_) breach_ = Breach{kind, what + " at " + std::to_string(sight.time_s) + " s"};
}

void RunWatch::see(const audit::Sight& sight) {
  if (sight.kind != audit::Sight::Kind::lost && !losses_.empty()) judge_losses(sight);
  switch (sight.kind) {
    case audit::Sight::Kind::placed:
    case audit::Sight::Kind::restarted:
      return put(sight);
    case audit::Sight::Kind::died:
      return died(sight);
    case audit::Sight::Kind::reported:
      return reported(sight);
    case audit::Sight::Kind::taken_back:
      return accusations_.take_back(sight.actor, sight.peer);
    case audit::Sight::Kind::gave_up:
      processes_[sight.actor].gives_up = true;
      return;
    case audit::Sight::Kind::sent:
      return sent(sight);
    case audit::Sight::Kind::received:
      return received(sight);
    case audit::Sight::Kind::lost:
      return lost(sight);
    case audit::Sight::Kind::declared_dead:
      for (Open& death : open_)
        if (death.dead == sight.peer) death.told.insert(sight.actor);
      return;
    case audit::Sight::Kind::mark:
      return note_return(sight);
    default:
      return;
  }
}

/// A node takes as many ranks as the job has on each node.
void RunWatch::put(const audit::Sight& sight) {
  if (sight.actor >= processes_.size()) processes_.resize(sight.actor + std::size_t{1});
  Process& process = processes_[sight.actor];
  process.node = static_cast<NodeId>(sight.value);
  process.alive = true;
  process.gives_up = false;
  process.since_s = sight.time_s;
  if (sight.kind == audit::Sight::Kind::restarted) {
    ++process.life;
    for (Open& death : open_) death.returns = death.returns || death.dead == sight.actor;
  }
  if (sight.actor >= spec_.platform.processes) return;
  if (process.node >= ranks_on_.size()) ranks_on_.resize(process.node + std::size_t{1});
  if (++ranks_on_[process.node] > spec_.platform.processes_per_node)
    found("too many ranks on a node", sight,
          "rank " + std::to_string(sight.actor) + " starts on node " +
              std::to_string(process.node) + ", which has no place for it,");
}

void RunWatch::died(const audit::Sight& sight) {
  Process& process = processes_[sight.actor];
  process.alive = false;
  process.before.push_back({process.node, process.since_s, sight.time_s});
  if (sight.actor < spec_.platform.processes) --ranks_on_[process.node];
  note_death(sight);
  if (is_stated(sight.actor) || is_ended_by_report(sight)) return;
  const bool is_drawn = std::ranges::any_of(windows_, [&](const Window& window) {
    return sight.time_s >= window.from_s - kRounding_s && sight.time_s <= window.to_s + kRounding_s;
  });
  const std::string who = std::to_string(sight.actor);
  if (!is_drawn) found("a fault at another time", sight, who + " dies, and no source strikes");
  if (spares_root_ && sight.actor == 0 && process.life == 0)
    found("a fault of the spared rank", sight, "rank 0 dies");
}

/// Whoever reports a daemon reports the ranks on its node, too.
void RunWatch::reported(const audit::Sight& sight) {
  if (!lives(sight.peer, static_cast<std::uint16_t>(sight.value))) return;
  const auto accuse = [&](ActorId peer) {
    return accusations_.add({.accuser = life_of(sight.actor),
                             .accuser_node = processes_[sight.actor].node,
                             .accused = life_of(peer),
                             .time_s = sight.time_s});
  };
  if (!accuse(sight.peer) || sight.peer < spec_.platform.processes || sight.peer == sight.actor)
    return;
  for (Rank rank = 0; rank < spec_.platform.processes; ++rank)
    if (processes_[rank].alive && processes_[rank].node == processes_[sight.peer].node)
      accuse(rank);
}

/// A daemon takes the ranks of its node along.
bool RunWatch::is_ended_by_report(const audit::Sight& death) const {
  const Process& process = processes_[death.actor];
  const auto may_cause = [&](ActorId accused) {
    return accused < processes_.size() && accusations_.may_cause({.accused = life_of(accused),
                                                                  .node = process.node,
                                                                  .time_s = death.time_s,
                                                                  .gives_up = process.gives_up});
  };
  return may_cause(death.actor) || may_cause(daemon_of(death.actor));
}

/// True if a fault at a stated moment kills this process, or the processes on its node.
bool RunWatch::is_stated(ActorId actor) const {
  return std::ranges::any_of(spec_.faults, [&](const faults::FaultSpec& fault) {
    return fault.kills() && (has(fault.ranks, actor) || has(fault.nodes, processes_[actor].node) ||
                             has(fault.daemons, processes_[actor].node));
  });
}

void RunWatch::note_death(const audit::Sight& sight) {
  std::erase_if(open_, [&](const Open& death) { return !is_open(death); });
  struck_amid_ = struck_amid_ || std::ranges::any_of(open_, [&](const Open& death) {
                   return death.time_s < sight.time_s;
                 });
  open_.push_back({.dead = sight.actor, .time_s = sight.time_s});
}

/// Without a detector nobody is told of a death, and nothing follows.
bool RunWatch::is_open(const Open& death) const {
  if (death.returns) return true;
  if (spec_.component(Family::failure_detection).registration == nullptr) return false;
  for (Rank rank = 0; rank < spec_.platform.processes; ++rank)
    if (processes_[rank].alive && !death.told.contains(rank)) return true;
  return false;
}

/// The new process has gone on. The mark of its start only shows that it exists.
void RunWatch::note_return(const audit::Sight& sight) {
  if (std::string_view(sight.text) == "recovery") return;
  std::erase_if(open_,
                [&](const Open& death) { return death.returns && death.dead == sight.actor; });
}

void RunWatch::ended(double end_s) {
  for (const faults::FaultSpec& fault : spec_.faults) {
    if (!fault.kills() || !fault.time_s || *fault.time_s >= end_s - kRounding_s) continue;
    for (ActorId actor = 0; actor < processes_.size(); ++actor) {
      const Process& process = processes_[actor];
      std::vector<Life> lives = process.before;
      if (process.alive) lives.push_back({process.node, process.since_s, kNever});
      for (const Life& life : lives)
        if (outlives(fault, actor, life) && !breach_)
          breach_ = Breach{"a fault that does not strike",
                           std::to_string(actor) + " outlives the fault at " +
                               std::to_string(*fault.time_s) + " s"};
    }
  }
}

/// True if the fault strikes in the midst of that life of one of its victims, and the life goes on.
bool RunWatch::outlives(const faults::FaultSpec& fault, ActorId actor, const Life& life) const {
  if (!has(fault.ranks, actor) && !has(fault.nodes, life.node) && !has(fault.daemons, life.node))
    return false;
  return life.from_s < *fault.time_s - kRounding_s && life.to_s > *fault.time_s + kRounding_s;
}

bool RunWatch::lives(ActorId actor, std::uint16_t life) const {
  return processes_[actor].alive && processes_[actor].life == life;
}

void RunWatch::sent(const audit::Sight& sight) {
  const Message& message = *sight.message;
  places_[&message] = ++sent_;
  if (message.to_incarnation > processes_[message.to].life)
    found("a message to a life to come", sight,
          std::to_string(message.from) + " sends to " + std::to_string(message.to) +
              ", which has not been started again,");
}

void RunWatch::received(const audit::Sight& sight) {
  const Message& message = *sight.message;
  if (accusations_.must_refuse(life_of(message.to), message))
    found("heard though declared dead", sight,
          std::to_string(message.to) + " takes in a message of " + std::to_string(message.from) +
              ", which it has declared dead before,");
  const auto place = places_.find(&message);
  if (place == places_.end()) return;
  const Channel channel{
      {message.from, message.from_incarnation}, life_of(message.to), lane_of(message)};
  std::map<std::uint32_t, std::uint64_t>& last = last_[channel];
  // A message of a later phase waits for it, and lets messages of this one pass.
  const bool is_late = std::any_of(last.lower_bound(message.phase), last.end(),
                                   [&](const auto& later) { return place->second < later.second; });
  if (is_late && spec_.platform.ordering == scenario::Ordering::fifo)
    found("out of order", sight,
          "a message from " + std::to_string(message.from) + " to " + std::to_string(message.to) +
              " comes behind a later one");
  std::uint64_t& of_phase = last[message.phase];
  of_phase = std::max(of_phase, place->second);
  places_.erase(place);
}

/// Only cuts lose messages to live processes, and those lose them that have declared the sender
/// dead. What a dead process has sent before still arrives.
void RunWatch::lost(const audit::Sight& sight) {
  const Message& message = *sight.message;
  places_.erase(&message);
  if (may_vanish(message) || !has_entered(message) || !lives(message.to, message.to_incarnation) ||
      may_be_refused(message) || is_cut(message, sight.time_s))
    return;
  losses_.push_back({sight, message.from, message.to});
}

/// A lossy network loses words of the failure detector. Where there are phases, nobody hears the
/// layers' words of one that is over.
bool RunWatch::may_vanish(const Message& message) const {
  if (message.channel == Family::failure_detection)
    return spec_.platform.detection_loss_probability > 0.0;
  return message.channel != Family::workload && message.channel != Family::message_logging &&
         spec_.component(Family::termination).registration != nullptr;
}

/// True if the sender lives, or has died later.
bool RunWatch::has_entered(const Message& message) const {
  if (lives(message.from, message.from_incarnation)) return true;
  const std::vector<Life>& before = processes_[message.from].before;
  return message.from_incarnation < before.size() &&
         message.inject_s < before[message.from_incarnation].to_s;
}

/// Where the sender is, or was in that life.
NodeId RunWatch::sending_node(const Message& message) const {
  const Process& sender = processes_[message.from];
  return message.from_incarnation < sender.before.size()
             ? sender.before[message.from_incarnation].node
             : sender.node;
}

/// A process refuses also what the daemon of its node refuses.
bool RunWatch::may_be_refused(const Message& message) const {
  const Incarnation sender{message.from, message.from_incarnation};
  const ActorId daemon = daemon_of(message.to);
  return accusations_.may_refuse(life_of(message.to), sender) ||
         (daemon < processes_.size() && accusations_.may_refuse(life_of(daemon), sender));
}

/// Messages that are lost with a process whose death comes next have a reason.
void RunWatch::judge_losses(const audit::Sight& next) {
  std::erase_if(losses_, [&](const Loss& loss) {
    return next.kind == audit::Sight::Kind::died &&
           (loss.from == next.actor || loss.to == next.actor);
  });
  for (const Loss& loss : losses_)
    found("lost without a cut", loss.sight,
          "a message from " + std::to_string(loss.from) + " to " + std::to_string(loss.to) +
              " is lost");
  losses_.clear();
}

/// Routers that fail cut their nodes off. When drawn ones are repaired is not stated.
bool RunWatch::is_cut_off(const Message& message, double at_s) const {
  const NodeId from = sending_node(message);
  const NodeId to = processes_[message.to].node;
  if (from == to) return false;
  const auto is_stated = [&](const faults::FaultSpec& fault) {
    return (has(fault.cut_off, from) || has(fault.cut_off, to)) &&
           at_s >= *fault.time_s - kRounding_s &&
           at_s < *fault.time_s + fault.repair_s + kRounding_s;
  };
  const auto is_drawn = [&](const Window& window) { return at_s >= window.from_s - kRounding_s; };
  return std::ranges::any_of(spec_.faults, is_stated) ||
         std::ranges::any_of(router_windows_, is_drawn);
}

bool RunWatch::is_cut(const Message& message, double at_s) const {
  if (is_cut_off(message, at_s)) return true;
  return std::ranges::any_of(spec_.partitions, [&](const faults::PartitionSpec& partition) {
    const std::size_t from =
        group_of(partition, partition.of_ranks ? message.from : sending_node(message));
    const std::size_t to =
        group_of(partition, partition.of_ranks ? message.to : processes_[message.to].node);
    return !partition.waits && at_s >= partition.from_s - kRounding_s &&
           at_s < partition.to_s + kRounding_s && from != 0 && to != 0 && from != to;
  });
}

}  // namespace faultline::search
