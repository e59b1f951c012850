// Turns and messages: the path that every event takes. Nothing here allocates once the largest
// number of messages in flight has been reached.

#include <algorithm>

#include "sim/engine/runtime.hpp"

namespace faultline {

namespace {

constexpr auto kWorkload = static_cast<std::size_t>(Family::workload);
constexpr auto kTermination = static_cast<std::size_t>(Family::termination);
constexpr auto kLogging = static_cast<std::size_t>(Family::message_logging);
constexpr std::size_t kNetwork = kLogging + 1;  ///< below the layers

}  // namespace

// ---- turns ------------------------------------------------------------------------------------

void Runtime::begin_turn(ActorId actor) {
  current_ = &actors_[actor];
  turn_.now_s = now_s_;
  turn_.self = actor;
  turn_.phase = current_->phase;
  turn_.computing = current_->computing;
  turn_.declared_work = current_->declared_work;
  turn_.active = current_->active;
  handled_ = false;
  cpu_s_ = std::max(now_s_, current_->cpu_free_s);
  if (audits_conserved_) conserved_before_ = conserved_now();
}

void Runtime::end_turn() {
  const ActorId self = turn_.self;
  ActorState& actor = *current_;
  bool handled = handled_;
  if (handled_ || turn_.active) {
    tell_idle();
    handled = handled || handled_;
  }
  const bool active = turn_.computing > 0 || turn_.declared_work > 0;
  actor.computing = static_cast<std::int32_t>(turn_.computing);
  actor.declared_work = static_cast<std::int32_t>(turn_.declared_work);
  if (!wire_.empty()) inject_wire();
  if (self < job_.processes) {
    if (audits_conserved_) {
      auditor_.conserved_moved(conserved_now() - conserved_before_);
      auditor_.check_conserved(self, now_s_);
    }
    auditor_.turn_over(actor.active, active, handled, now_s_);
    if (observer_ != nullptr && actor.active != active)
      show({.kind = active ? Sight::Kind::active : Sight::Kind::idle,
            .time_s = now_s_,
            .actor = self});
    actor.active = active;
  }
  if (turn_.actions.empty()) return;
  for (const Action& action : turn_.actions) asked_.push_back({self, actor.incarnation, action});
  turn_.actions.clear();
}

/// Messages that a layer passes up when it hears that the rank is idle can make it idle once more.
void Runtime::tell_idle() {
  Component* termination = current_->components[kTermination].get();
  if (termination == nullptr) return;
  do {
    if (turn_.computing > 0 || turn_.declared_work > 0) return;
    handled_ = false;
    Context context(turn_, Family::termination);
    termination->on_idle(context);
    settle();
  } while (handled_);
}

void Runtime::settle() {
  for (std::size_t level = 0; level < kFamilies;) {
    if (!turn_.outbox[level].empty()) {
      pass_down(level);
      level = 0;
    } else if (!turn_.upward[level].empty()) {
      pass_up(level);
      level = 0;
    } else {
      ++level;
    }
  }
}

void Runtime::pass_down(std::size_t level) {
  auto& outbox = turn_.outbox[level];
  if (level == kWorkload) {
    for (const Message* message : outbox) {
      auditor_.sent();
      application_bytes_ += message->bytes;
    }
    current_->held_down += static_cast<std::uint32_t>(outbox.size());
  }
  std::size_t next = level + 1;
  while (next < kNetwork && !current_->components[next]) ++next;
  if (next >= kNetwork) {
    wire_.insert(wire_.end(), outbox.begin(), outbox.end());
    outbox.clear();
    return;
  }
  batch_.swap(outbox);
  Context context(turn_, static_cast<Family>(next));
  current_->components[next]->on_sends(context, batch_, context.busy());
  for (Message* message : batch_) {
    if ((message->flags & kForwarded) != 0)
      message->flags &= static_cast<std::uint8_t>(~kForwarded);
    else
      pool_.give_back(message);
  }
  batch_.clear();
}

void Runtime::pass_up(std::size_t level) {
  std::vector<Message*> messages;
  messages.swap(turn_.upward[level]);
  for (Message* message : messages) {
    if (message->channel == Family::workload) --current_->held_up;
    climb(message, level);
  }
}

void Runtime::climb(Message* message, std::size_t below) {
  const auto target = static_cast<std::size_t>(message->channel);
  for (std::size_t level = below; level-- > target + 1;) {
    Component* layer = current_->components[level].get();
    if (layer == nullptr) continue;
    Context context(turn_, static_cast<Family>(level));
    if (layer->on_receive(context, *message) == Passage::deliver) continue;
    if (message->channel == Family::workload) ++current_->held_up;
    pool_.give_back(message);
    return;
  }
  handle(message);
}

void Runtime::handle(Message* message) {
  if (message->channel == Family::workload) {
    auditor_.delivered();
    handled_ = true;
  }
  Component* component = current_->component(message->channel);
  if (component != nullptr) {
    Context context(turn_, message->channel);
    component->on_message(context, *message);
  }
  pool_.give_back(message);
  settle();
}

std::int64_t Runtime::conserved_now() const {
  const Component* termination = current_->components[kTermination].get();
  if (termination == nullptr) return 0;
  const auto conserved = termination->conserved();
  return conserved ? conserved->held - conserved->issued : 0;
}

// ---- messages leave ---------------------------------------------------------------------------

void Runtime::inject_wire() {
  const double begin_s = cpu_s_;
  double entered_s = begin_s;
  for (Message* message : wire_) {
    // What waits for the NIC can enter the network after a later message within the node.
    if ((message->flags & kFence) != 0) cpu_s_ = std::max(cpu_s_, entered_s);
    entered_s = std::max(entered_s, inject(*current_, message));
  }
  if (observer_ != nullptr)
    show({.kind = Sight::Kind::sending,
          .time_s = begin_s,
          .until_s = cpu_s_,
          .actor = turn_.self,
          .value = wire_.size()});
  wire_.clear();
  current_->cpu_free_s = cpu_s_;
  if (spec_.platform.progress == Progress::shared) steal_from_workers(turn_.self, cpu_s_ - begin_s);
}

/// Returns when the message enters the network.
double Runtime::inject(ActorState& actor, Message* message) {
  message->flags |= kInFlight;
  message->from_incarnation = actor.incarnation;
  message->to_incarnation = any_death_ ? actors_[message->to].incarnation : std::uint16_t{0};
  if (message->channel == Family::workload)
    --actor.held_down;
  else
    count_control(*message);
  if (audits_conserved_)
    auditor_.conserved_moved(actor.components[kTermination]->conserved_in(*message));

  cpu_s_ += machine().send_overhead_s;
  const NodeId from = node_of(message->from);
  const NodeId to = node_of(message->to);
  const auto bytes = static_cast<double>(message->bytes);
  Transit transit{};
  if (from == to) {
    transit = {machine().local_latency_s, bytes / machine().local_bandwidth_Bps, true};
    message->inject_s = std::max(cpu_s_, actor.local_free_s);
    actor.local_free_s = message->inject_s + transit.transfer_s;
  } else {
    const Route route = routes_.route(from, to);
    const double bandwidth_Bps = std::min(route.bandwidth_Bps, machine().nic_bandwidth_Bps);
    transit = {machine().nic_latency_s + route.latency_s, bytes / bandwidth_Bps, false};
    double& nic_free_s = nic_free_s_[from];
    message->inject_s = std::max(cpu_s_, nic_free_s);
    nic_free_s = message->inject_s + machine().gap_s + transit.transfer_s;
  }
  if (any_death_ && !reachable(actors_[message->to], *message)) {
    message->flags |= kLost;
    if (message->channel == Family::workload) auditor_.lost(1);
  }
  ++foreground_;
  if ((message->flags & kNotifySent) != 0)
    promise_sent(*message, message->inject_s + transit.transfer_s);
  const double inject_s = message->inject_s;
  if (observer_ != nullptr)
    show({.kind = Sight::Kind::sent,
          .time_s = cpu_s_ - machine().send_overhead_s,
          .until_s = inject_s,
          .actor = message->from,
          .peer = message->to,
          .message = message});
  transmit(*message, transit);
  return inject_s;
}

void Runtime::count_control(const Message& message) {
  auto& kinds = control_[static_cast<std::size_t>(message.channel)];
  if (message.kind >= kinds.size()) kinds.resize(message.kind + std::size_t{1});
  ++kinds[message.kind].messages;
  kinds[message.kind].bytes += message.bytes;
}

// ---- messages arrive --------------------------------------------------------------------------

bool Runtime::reachable(const ActorState& actor, const Message& message) const {
  return actor.alive && actor.incarnation == message.to_incarnation;
}

/// Under progress = between, messages wait while every worker core computes.
bool Runtime::blocked(const ActorState& actor) const {
  return spec_.platform.progress == Progress::between && actor.seldom &&
         actor.seldom->running.size() >= job_.worker_cores;
}

void Runtime::arrived(Message* message, double handle_s) {
  if (any_death_ && ((message->flags & kLost) != 0 || !reachable(actors_[message->to], *message))) {
    drop(message);
    return;
  }
  const ActorId self = message->to;
  ActorState& actor = actors_[self];
  const double free_s = actor.cpu_free_s + machine().receive_overhead_s;
  if (actor.inbox_head == nullptr && handle_s <= now_s_ && free_s <= now_s_ && !blocked(actor)) {
    receive(self, message);
    return;
  }
  message->inject_s = handle_s;
  message->flags |= kArrived;
  actor.put_in(message);
  schedule_wake(actor, self);
}

void Runtime::schedule_wake(ActorState& actor, ActorId self) {
  if (actor.wake_pending || actor.inbox_head == nullptr || blocked(actor)) return;
  actor.wake_pending = true;
  const double free_s = actor.cpu_free_s + machine().receive_overhead_s;
  schedule(std::max({now_s_, actor.inbox_head->inject_s, free_s}), EventKind::wake, self,
           actor.incarnation);
}

void Runtime::wake(ActorId self) {
  ActorState& actor = actors_[self];
  actor.wake_pending = false;
  if (actor.inbox_head == nullptr || blocked(actor)) return;
  const double free_s = actor.cpu_free_s + machine().receive_overhead_s;
  if (std::max(free_s, actor.inbox_head->inject_s) <= now_s_) {
    Message* message = actor.take_out();
    prefetch(actor.inbox_head, sizeof(Message));  // of a long queue, next read when this is handled
    receive(self, message);
  }
  schedule_wake(actor, self);
}

void Runtime::receive(ActorId self, Message* message) {
  ActorState& actor = actors_[self];
  const ActorId from = message->from;
  const bool unwanted = message->phase != actor.phase && wrong_phase(self, message);
  const bool refused = !unwanted && any_refusal_ && refuses(actor, from);
  if (refused) drop(message);
  if (unwanted || refused) {
    if (any_flush_) answer_flushes(self, from);
    return;
  }
  message->flags &= static_cast<std::uint8_t>(~kInFlight);
  if (observer_ != nullptr)
    show({.kind = Sight::Kind::received,
          .time_s = now_s_ - machine().receive_overhead_s,
          .until_s = now_s_,
          .actor = self,
          .peer = from,
          .message = message});
  begin_turn(self);
  current_->cpu_free_s = now_s_;
  cpu_s_ = now_s_;
  if (audits_conserved_)
    auditor_.conserved_moved(-current_->components[kTermination]->conserved_in(*message));
  if (spec_.platform.progress == Progress::shared)
    steal_from_workers(self, machine().receive_overhead_s);
  climb(message, message->channel == Family::failure_detection ? kFamilies : kNetwork);
  settle();
  end_turn();
  if (any_flush_) answer_flushes(self, from);
}

/// A message of the next phase begins that phase where the current one was announced; elsewhere it
/// waits. Control messages of a phase that is over are stale.
bool Runtime::wrong_phase(ActorId self, Message* message) {
  if (message->channel == Family::message_logging || message->channel == Family::failure_detection)
    return false;
  ActorState& actor = actors_[self];
  if (message->phase < actor.phase) {
    if (message->channel == Family::workload) return false;
    drop(message);
    return true;
  }
  if (actor.announced && message->phase == actor.phase + 1) {
    start_phase(self);
    return false;
  }
  actor.rarely().early.push_back(message);
  return true;
}

/// Gets rid of a message that cannot be handled: its receiver is dead or restarted since.
void Runtime::drop(Message* message) {
  if ((message->flags & kLost) == 0 && message->channel == Family::workload) auditor_.lost(1);
  if (observer_ != nullptr) show_loss(*message);
  pool_.give_back(message);
}

}  // namespace faultline
