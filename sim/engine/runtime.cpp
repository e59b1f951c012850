#include "sim/engine/runtime.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "sim/core/invariant.hpp"

namespace faultline {

namespace {

std::optional<Residence> residence_of(const ComponentChoice& choice) {
  if (choice.registration == nullptr) return std::nullopt;
  return residence_of(*choice.registration, choice.options);
}

bool on_daemons(const ComponentChoice& choice) {
  return residence_of(choice).value_or(Residence::ranks) != Residence::ranks;
}

/// Ranks fill one node after the other, or are dealt round the nodes, or are placed by a random
/// permutation, which the seed determines.
Placement place_ranks(const PlatformSpec& platform, const JobShape& job, std::uint32_t nodes,
                      Stream random) {
  if (platform.mapping == Mapping::block)
    return Placement::in_blocks(job.processes, nodes, job.processes_per_node);
  std::vector<NodeId> node_of(job.processes);
  for (Rank rank = 0; rank < job.processes; ++rank)
    node_of[rank] =
        platform.mapping == Mapping::round_robin ? rank % job.nodes : rank / job.processes_per_node;
  if (platform.mapping == Mapping::random)
    for (std::uint32_t i = job.processes; i > 1; --i)
      std::swap(node_of[i - 1], node_of[random.below(i)]);
  return {std::move(node_of), nodes};
}

}  // namespace

Runtime::Runtime(const RunSpec& spec, Topology routes, std::uint64_t seed,
                 std::uint64_t replication)
    : spec_(spec),
      seed_(seed),
      replication_(replication),
      job_(job_shape(spec)),
      nodes_(job_.nodes + spec.platform.spare_nodes),
      routes_(std::move(routes)),
      auditor_(job_.processes),
      faults_(spec.faults, job_),
      live_ranks_(job_.processes) {
  job_.seed = seed;
  job_.replication = replication;
  turn_.pool = &pool_;
  turn_.services = this;
  turn_.placement = &placement_;
  turn_.job = job_;
  const Registration* detector = spec_.component(Family::failure_detection).registration;
  detector_is_accurate_ = detector != nullptr && detector->traits.accurate;
  daemons_share_cores_ = spec_.platform.daemon_core == DaemonCore::shared;
  for (std::size_t family = 0; family < kFamilies; ++family) {
    const ComponentChoice& choice = spec_.components[family];
    if (choice.registration == nullptr) continue;
    factories_[family] = choice.registration->make(choice.options, job_);
    control_[family].resize(choice.registration->message_kinds.size());
    reported_[family] = MetricTotals(choice.registration->metrics);
    if (choice.registration->exit_notice)
      exit_notice_ = choice.registration->exit_notice(choice.options);
  }
  shares_cores_ = daemons_share_cores_ || spec_.platform.progress == Progress::shared;
  awaits_announcement_ = spec_.component(Family::termination).registration != nullptr;
  nics_are_shared_ = shares_nics();
  nics_.resize(nodes_);
  place_actors();
  add_fault_sources();
}

void Runtime::place_actors() {
  placement_ =
      place_ranks(spec_.platform, job_, nodes_, Stream(seed_, replication_, Purpose::mapping, 0));
  if (nodes_matter()) node_back_s_.assign(nodes_, -kNever);
  actors_ = LargeVector<ActorState>(job_.processes + node_back_s_.size());
  if (spec_.platform.ordering == Ordering::unordered)
    for (ActorId actor = 0; actor < actors_.size(); ++actor)
      network_random_.emplace_back(seed_, replication_, Purpose::network, actor);
  for (ActorId actor = 0; actor < actors_.size(); ++actor) make_components(actor);
}

/// True if two actors may send through one NIC. A layer that recovers can restart an actor on any
/// node.
bool Runtime::shares_nics() const {
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
  ActorState& state = actors_[actor];
  for (const StackPlace& place : kStack) {
    const std::size_t index = index_of(place.family);
    const auto residence = residence_of(spec_.components[index]);
    const Residence elsewhere = is_rank(actor) ? Residence::daemons : Residence::ranks;
    if (!residence || *residence == elsewhere) continue;
    auto component = factories_[index](actor);
    // Shifted by 33, because task trees use keys from 2^32 on (workloads/random_task_tree.cpp).
    component->random = Stream(seed_, replication_, place.purpose,
                               actor + (std::uint64_t{state.incarnation} << 33));
    state.place_of(place.family) = std::move(component);
    state.present = static_cast<std::uint8_t>(state.present | 1U << index);
  }
  // A restarted component begins with what it held at the start of the run, already counted.
  const Layer* termination = state.layer(Family::termination);
  if (termination == nullptr || state.incarnation > 0) return;
  if (const auto conserved = termination->conserved()) {
    audits_conserved_ = true;
    auditor_.conserved_moved(conserved->held - conserved->issued);
  }
}

RunResult Runtime::run() {
  set_up_done();
  if (observer_ != nullptr) show_placement();
  for (const auto& fault : faults_.timed())
    schedule(fault.time_s, EventKind::fault, fault.index, kStatedFault);
  for (std::uint32_t source = 0; source < faults_.sources(); ++source) await_source(source);
  try {
    simulate_all();
  } catch (const BrokenInvariant& broken) {
    end_broken(broken);
  }
  RunResult outcome = result();
  outcome.setup_s = setup_s_;
  outcome.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  return outcome;
}

void Runtime::simulate_all() {
  start_all();
  if (!stopped_) simulate();
  if (stopped_) return;
  if (spec_.checks_state) check_state();
  conclude();
}

/// Called after the few events after which more is due than after every one.
void Runtime::attend_to_event() {
  strike_by_number();
  if (spec_.checks_state && events_ >= next_checked_ && !stopped_) check_state();
  next_attended_ = faults_.next_event();
  if (spec_.checks_state) next_attended_ = std::min(next_attended_, next_checked_);
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

/// Of a new incarnation, only the detector and message logging start at once. What is above waits
/// until message logging has its image, or starts it anew.
void Runtime::start_actor(ActorId actor) {
  const bool waits = actors_[actor].incarnation > 0 &&
                     actors_[actor].component(Family::message_logging) != nullptr;
  if (waits) actors_[actor].rare().awaits_start = true;
  start_levels(actor, waits ? index_of(Family::message_logging) : 0, kFamilies);
}

/// Starts the components of a stack from the bottom up.
void Runtime::start_levels(ActorId actor, std::size_t top, std::size_t below) {
  for (std::size_t index = below; index-- > top;) {
    if (kStack[index].role == Role::workload && is_rank(actor)) auditor_.started();
    starts_above_ = index > 0;
    turn(actor, kStack[index].family,
         [](Component& component, Context& context) { component.start(context); });
  }
  starts_above_ = false;
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
    case EventKind::local_exit:
    case EventKind::link_lost:
      --foreground_;
      tell_exit(event.kind(), event.at.actor, deaths_in_order_[event.at.detail]);
      break;
    case EventKind::restart:
      --foreground_;
      restart(event.at.detail);
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

}  // namespace faultline
