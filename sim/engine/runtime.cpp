#include "sim/engine/runtime.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

namespace faultline {

namespace {

Purpose purpose_of(Family family) {
  switch (family) {
    case Family::workload:
      return Purpose::workload;
    case Family::termination:
      return Purpose::termination;
    case Family::message_logging:
      return Purpose::message_logging;
    case Family::failure_detection:
      break;
  }
  return Purpose::failure_detection;
}

bool on_daemons(const ComponentChoice& choice) {
  return choice.registration != nullptr && choice.registration->traits.on_daemons;
}

/// The node of each rank: ranks fill one node after the other, or are dealt round the nodes, or are
/// placed by a random permutation, which the seed determines.
std::vector<NodeId> mapped_nodes(const PlatformSpec& platform, const JobShape& job, Stream random) {
  std::vector<NodeId> nodes(job.processes);
  for (Rank rank = 0; rank < job.processes; ++rank)
    nodes[rank] =
        platform.mapping == Mapping::round_robin ? rank % job.nodes : rank / job.processes_per_node;
  if (platform.mapping == Mapping::random)
    for (std::uint32_t i = job.processes; i > 1; --i)
      std::swap(nodes[i - 1], nodes[random.below(i)]);
  return nodes;
}

}  // namespace

Runtime::Runtime(const RunSpec& spec, Topology routes, std::uint64_t seed,
                 std::uint64_t replication)
    : spec_(spec),
      seed_(seed),
      replication_(replication),
      job_(job_shape(spec)),
      nodes_(job_.nodes + spec.platform.spare_nodes),
      nic_free_s_(nodes_, 0.0),
      routes_(std::move(routes)),
      auditor_(job_.processes),
      faults_(spec.faults, job_),
      live_ranks_(job_.processes) {
  job_.seed = seed;
  job_.replication = replication;
  turn_.pool = &pool_;
  turn_.job = job_;
  for (std::size_t family = 0; family < kFamilies; ++family) {
    const ComponentChoice& choice = spec_.components[family];
    if (choice.registration == nullptr) continue;
    factories_[family] = choice.registration->make(choice.options, job_);
    control_[family].resize(choice.registration->message_kinds.size());
  }
  awaits_announcement_ = spec_.component(Family::termination).registration != nullptr;
  if (nics_are_shared()) shared_nics_.resize(nodes_);
  place_actors();
  add_fault_sources();
}

void Runtime::place_actors() {
  if (spec_.platform.mapping == Mapping::block) ranks_per_block_ = job_.processes_per_node;
  node_of_ = mapped_nodes(spec_.platform, job_, Stream(seed_, replication_, Purpose::mapping, 0));
  if (nodes_matter()) {
    ranks_of_node_.resize(nodes_);
    for (Rank rank = 0; rank < job_.processes; ++rank)
      ranks_of_node_[node_of_[rank]].push_back(rank);
    node_of_.resize(job_.processes + nodes_);
    std::iota(node_of_.begin() + job_.processes, node_of_.end(), 0U);
  }
  actors_ = std::vector<ActorState>(node_of_.size());
  if (spec_.platform.ordering == Ordering::unordered)
    for (ActorId actor = 0; actor < actors_.size(); ++actor)
      network_random_.emplace_back(seed_, replication_, Purpose::network, actor);
  for (ActorId actor = 0; actor < actors_.size(); ++actor) make_components(actor);
}

/// True if two actors may send through one NIC. A layer that recovers can restart an actor on any
/// node.
bool Runtime::nics_are_shared() const {
  return job_.processes_per_node > 1 ||
         spec_.component(Family::message_logging).registration != nullptr ||
         std::any_of(std::begin(spec_.components), std::end(spec_.components), on_daemons);
}

/// True if daemons run or nodes can die. Else no memory is spent on daemons.
bool Runtime::nodes_matter() const {
  return std::any_of(std::begin(spec_.components), std::end(spec_.components), on_daemons) ||
         std::any_of(spec_.faults.begin(), spec_.faults.end(),
                     [](const FaultSpec& fault) {
                       return !fault.nodes.empty() || !fault.daemons.empty();
                     }) ||
         std::any_of(spec_.fault_sources.begin(), spec_.fault_sources.end(), strikes_nodes);
}

void Runtime::make_components(ActorId actor) {
  const bool is_daemon = actor >= job_.processes;
  for (std::size_t index = 0; index < kFamilies; ++index) {
    const ComponentChoice& choice = spec_.components[index];
    if (choice.registration == nullptr || choice.registration->traits.on_daemons != is_daemon)
      continue;
    auto component = factories_[index](actor);
    const auto family = static_cast<Family>(index);
    // Shifted by 33, because task trees use keys from 2^32 on (workloads/random_task_tree.cpp).
    component->random = Stream(seed_, replication_, purpose_of(family),
                               actor + (std::uint64_t{actors_[actor].incarnation} << 33));
    // A restarted component begins with what it held at the start of the run, already counted.
    if (family == Family::termination && actors_[actor].incarnation == 0) {
      if (const auto conserved = component->conserved()) {
        audits_conserved_ = true;
        auditor_.conserved_moved(conserved->held - conserved->issued);
      }
    }
    if (const auto delay_s = component->exit_notice_delay_s()) exit_notice_delay_s_ = delay_s;
    actors_[actor].components[index] = std::move(component);
  }
}

RunResult Runtime::run() {
  set_up_done();
  if (observer_ != nullptr) show_placement();
  for (const auto& fault : faults_.timed())
    schedule(fault.time_s, EventKind::fault, fault.index, kStatedFault);
  for (std::uint32_t source = 0; source < faults_.sources(); ++source) await_source(source);
  start_all();
  if (!stopped_) simulate();
  if (!stopped_) conclude();
  RunResult outcome = result();
  outcome.setup_s = setup_s_;
  outcome.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  return outcome;
}

void Runtime::set_up_done() {
  setup_s_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void Runtime::show_placement() {
  for (ActorId actor = 0; actor < actors_.size(); ++actor)
    show({.kind = Sight::Kind::placed, .actor = actor, .value = node_of(actor)});
}

void Runtime::show_loss(const Message& message) {
  show({.kind = Sight::Kind::lost,
        .time_s = now_s_,
        .actor = message.from,
        .peer = message.to,
        .message = &message});
}

/// Shows that at time_s a message has begun to leave its sender. At its inject_s it enters the
/// network.
void Runtime::show_leaving(Sight::Kind kind, const Message& message, double time_s) {
  show({.kind = kind,
        .time_s = time_s,
        .until_s = message.inject_s,
        .actor = message.from,
        .peer = message.to,
        .message = &message});
}

/// Shows what an actor does now, or what happens to it.
void Runtime::show_about(Sight::Kind kind, ActorId actor, ActorId peer) {
  if (observer_ == nullptr) return;
  show({.kind = kind,
        .time_s = now_s_,
        .actor = actor,
        .peer = peer,
        .value = actors_[actor].phase});
}

/// Starts the components of every actor at time zero, in order of actors. Their actions wait until
/// all have started. A root without work may announce at once, which is right if nobody has work.
void Runtime::start_all() {
  for (ActorId actor = 0; actor < actors_.size(); ++actor) start_actor(actor);
  carry_out_pending();
  pending_actions_.shrink_to_fit();
}

void Runtime::start_actor(ActorId actor) {
  for (const Family family :
       {Family::failure_detection, Family::message_logging, Family::termination})
    turn(actor, family, [](Component& component, Context& context) { component.start(context); });
  if (actor < job_.processes) auditor_.started();
  turn(actor, Family::workload,
       [](Component& component, Context& context) { component.start(context); });
}

void Runtime::schedule(double time_s, EventKind kind, Message* message) {
  Event event{.time_s = time_s,
              .order = (++sequence_ << Event::kKindBits) | static_cast<std::uint64_t>(kind),
              .message = message};
  queue_.push(event);
}

void Runtime::schedule(double time_s, EventKind kind, std::uint32_t actor, std::uint32_t detail) {
  ++foreground_;
  Event event{.time_s = time_s,
              .order = (++sequence_ << Event::kKindBits) | static_cast<std::uint64_t>(kind),
              .at = {actor, detail}};
  queue_.push(event);
}

double Runtime::unordered_delay_s(ActorId from) {
  if (network_random_.empty()) return 0.0;
  return network_random_[from].exponential(spec_.platform.unordered_delay_s);
}

bool Runtime::goes_on(double time_s) {
  if (time_s > spec_.stop.time_s) {
    now_s_ = spec_.stop.time_s;
    stop(spec_.stop.when == StopWhen::time ? Outcome::finished : Outcome::limit);
    return false;
  }
  if (awaits_announcement_ && time_s > auditor_.over_since_s() + spec_.stop.grace_s &&
      time_s > announce_time_s_ + spec_.stop.grace_s &&
      time_s > notices_until_s_ + spec_.stop.grace_s && unannounced()) {
    now_s_ = std::max({auditor_.over_since_s(), announce_time_s_, notices_until_s_}) +
             spec_.stop.grace_s;
    describe_stuck("hung");
    stop(Outcome::hung);
    return false;
  }
  if (events_ >= spec_.stop.events) {
    stop(Outcome::limit);
    return false;
  }
  ++events_;
  return true;
}

void Runtime::carry_out(const Event& event) {
  switch (event.kind()) {
    case EventKind::arrive:
    case EventKind::taken_in:
      --foreground_;
      arrived(event.message);
      break;
    case EventKind::wake:
      --foreground_;
      if (actors_[event.at.actor].incarnation == event.at.detail) wake(event.at.actor);
      break;
    case EventKind::timer:
      fire_timer(event.at.actor, event.at.detail);
      break;
    case EventKind::compute_done:
      --foreground_;
      compute_done(event.at.actor, event.at.detail);
      break;
    case EventKind::sent:
      --foreground_;
      tell_sent(event.at.actor, event.at.detail);
      break;
    case EventKind::fault:
      if (event.at.detail == kStatedFault) {
        --foreground_;
        strike(faults_.victims(event.at.actor));
      } else {
        strike_from(event.at.actor);
      }
      break;
    case EventKind::exit_notice:
      --foreground_;
      exit_notice(event.at.actor);
      break;
    case EventKind::local_exit:
    case EventKind::link_lost:
      --foreground_;
      tell_exit(event.kind(), event.at.actor, event.at.detail);
      break;
    case EventKind::nic_ready:
      stand_before_nic(event.message);
      break;
    case EventKind::nic_free:
      --foreground_;
      serve_nic(event.at.actor);
      break;
    case EventKind::inject:
      break;
  }
  after_event();
}

void Runtime::after_event() {
  carry_out_pending();
  if (events_ >= faults_.next_event())
    while (events_ >= faults_.next_event()) strike(faults_.victims(faults_.take_event()));
}

}  // namespace faultline
