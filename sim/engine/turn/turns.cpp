// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/turn/turns.hpp"

// The path that every event takes. Nothing here allocates memory once the largest number of
// messages in flight has been reached.

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "sim/core/invariant.hpp"
#include "sim/engine/network/network_wire.hpp"

namespace faultline::engine {

namespace {

constexpr std::size_t kWorkload = index_of(Family::workload);
constexpr std::size_t kTermination = index_of(Family::termination);
/// The level below all layers. A detector stands beside the stack.
constexpr std::size_t kNetwork = index_of(Family::failure_detection);
static_assert(kStack[kNetwork].role == Role::detector && kNetwork + 1 == kFamilies);
constexpr std::uint32_t kBelow = 1U << kNetwork;

/// The bits of all levels that lie below this one.
constexpr std::uint32_t below(std::size_t level) { return ~((2U << level) - 1); }

}  // namespace

Turns::Turns(const Common& run, const Parts& parts)
    : run_(run),
      network_(parts.network),
      processors_(parts.processors),
      storage_(parts.storage),
      verdict_(parts.verdict),
      tally_(parts.tally),
      services_(parts.services),
      executor_(parts.executor) {
  begin();
}

void Turns::begin() {
  turn_ = Turn();
  turn_.pool = &run_.state.pool;
  turn_.services = &services_;
  turn_.chooser = chooser_;
  turn_.placement = &run_.state.placement;
  turn_.job = run_.job.shape;
}

/// A handler that has thrown leaves its turn half done.
void Turns::abandon() {
  begin();
  batch_ = {};
  next_action_ = next_request_ = climbing_ = idle_told_ = 0;
  starts_above_ = false;
}

// ---- turns ------------------------------------------------------------------------------------

void Turns::begin_turn(ActorId actor) {
  current_ = &run_.state.actors[actor];
  turn_.now_s = run_.now_s();
  turn_.self = actor;
  turn_.incarnation = current_->incarnation;
  turn_.present = current_->present;
  turn_.direct = (turn_.present & kLayers) == 0;
  turn_.phase = current_->phase;
  turn_.computing = current_->computing;
  turn_.declared_work = current_->declared_work;
  turn_.active = current_->active;
  handled_ = false;
  cpu_s_ = std::max(run_.now_s(), current_->cpu_free_s);
  // A daemon that has no core to itself drives a computing rank from its core.
  if (run_.job.daemons_share_cores && !run_.is_rank(actor) &&
      processors_.computing_on(run_.node_of(actor)) != nullptr)
    turn_.spent_s = run_.job.spec.platform.context_switch_s;
  if (run_.state.truth.audits_conserved()) conserved_before_ = conserved_now();
}

void Turns::end_turn() {
  const ActorId self = turn_.self;
  ActorState& actor = *current_;
  bool handled = handled_;
  if (!turn_.direct && (handled_ || turn_.active)) {
    tell_idle();
    idle_told_ = 0;
    handled = handled || handled_;
  }
  const bool active = turn_.busy();
  actor.computing = static_cast<std::int32_t>(turn_.computing);
  actor.declared_work = static_cast<std::int32_t>(turn_.declared_work);
  if (turn_.spent_s > 0.0) spend_time();
  if (turn_.counts.any) count_for_layers();
  // Storing takes no time, and sending does: an actor that dies before a message leaves has stored
  // all the same.
  if (!turn_.stores.empty()) [[unlikely]]
    store_entries();
  if (!turn_.wire.empty()) inject_wire();
  if (run_.is_rank(self)) {
    SharedState& state = run_.state;
    if (state.truth.audits_conserved()) {
      state.truth.auditor().conserved_moved(conserved_now() - conserved_before_);
      state.truth.auditor().check_conserved(self, state.schedule.now_s());
    }
    state.truth.auditor().turn_over(actor.active, active, handled, state.schedule.now_s());
    if (run_.observer != nullptr && actor.active != active)
      run_.show({.kind = active ? audit::Sight::Kind::active : audit::Sight::Kind::idle,
                 .time_s = state.schedule.now_s(),
                 .actor = self});
    actor.active = active;
  }
}

/// Takes in what layers have done with messages.
void Turns::count_for_layers() {
  LayerCounts& counts = turn_.counts;  // a copy would wait for those that have just been written
  auto& held = current_->lower->held;
  for (std::size_t level = 0; level < kFamilies; ++level)
    if (counts.held[level] != 0) held[level] += counts.held[level];
  if (counts.replays) run_.state.truth.replayed(counts.resent, counts.discarded);
  counts = {};
}

/// The processor time that handlers have asked for passes before the turn's messages are sent.
void Turns::spend_time() {
  cpu_s_ = processors_.done_s(turn_.self, cpu_s_, turn_.spent_s);
  current_->cpu_free_s = cpu_s_;
  processors_.take_from_workers(turn_.self, processors_.occupied_s(turn_.self, turn_.spent_s));
  turn_.spent_s = 0.0;
}

/// Stores what the handlers of the turn have asked to store.
void Turns::store_entries() {
  run_.reached.anything();
  for (StorageEntry& entry : turn_.stores) storage_.put(std::move(entry), run_.node_of(turn_.self));
  turn_.stores.clear();
}

/// Tells the layers that the rank is idle, from the top down. A layer may then pass up messages,
/// after which the rank can become idle once more.
void Turns::tell_idle() {
  std::uint32_t levels = turn_.present & kLayers;
  while (levels != 0) {
    if (turn_.busy()) return;
    const auto level = static_cast<std::size_t>(std::countr_zero(levels));
    levels &= levels - 1;
    handled_ = false;
    idle_told_ = level;
    const Family family = kStack[level].family;
    call_layer(*current_->component(family), family, turn_,
               [](auto& layer, auto& context) { layer.on_idle(context); });
    settle();
    if (handled_) levels = turn_.present & kLayers;
  }
}

/// Passes messages through the stack until none waits. Those that wait highest in the stack go
/// first, and at one level those on their way down before those on their way up.
void Turns::settle_all() {
  while (turn_.waiting != 0) {
    const auto bit = static_cast<std::size_t>(std::countr_zero(turn_.waiting));
    turn_.waiting &= turn_.waiting - 1;
    if (bit == 2 * kFamilies)
      deliver_request();
    else if (bit % 2 == 0)
      pass_down(bit / 2);
    else
      pass_up(bit / 2);
  }
}

/// Hands the next request or answer to the component that it is for. All messages have gone down or
/// up before.
void Turns::deliver_request() {
  const StackRequest request = std::move(turn_.requests[next_request_++]);
  if (next_request_ < turn_.requests.size()) {
    turn_.waiting |= Turn::kRequestsWait;
  } else {
    turn_.requests.clear();
    next_request_ = 0;
  }
  Component* component = current_->component(request.to);
  if (component == nullptr) return;
  const std::size_t before = sent_by_workload();
  const bool is_active = turn_.active || handled_ || turn_.busy() || before > 0;
  if (run_.state.truth.blocks()) audit_block(request);
  call_in_role(*component, request.to, turn_, [&request](auto& whom, auto& context) {
    if (request.is_answer)
      whom.on_answer(context, request);
    else
      whom.on_request(context, request);
  });
  if (request.is_answer && request.to == Family::workload &&
      request.from == Family::message_logging)
    expect_no_new_work(is_active, "on_answer");
  if (request.to == Family::workload)
    handled_ = handled_ || turn_.busy() || sent_by_workload() > before;
}

/// What a program of TryBlocks says to the layer below it, or is told.
void Turns::audit_block(const StackRequest& request) {
  const auto is_alive = [this](Incarnation rank) { return run_.lives(rank); };
  const auto wrong =
      run_.state.truth.hears_of_block(run_.incarnation_of(turn_.self), request, is_alive);
  if (!wrong) return;
  run_.state.truth.auditor().violation("inconsistent", turn_.self, *wrong, run_.now_s());
  verdict_.stop(Outcome::inconsistent);
}

void Turns::pass_down(std::size_t level) {
  auto& outbox = turn_.outbox[level];
  if (level == kWorkload)
    for (const Message* message : outbox) note_sent(*message);
  // What lies below termination detection carries what it conserves, be it a layer or the network.
  if (level == kTermination && run_.state.truth.audits_conserved())
    for (const Message* message : outbox)
      run_.state.truth.auditor().conserved_moved(current_->termination()->conserved_in(*message));
  const auto next =
      static_cast<std::size_t>(std::countr_zero((turn_.present & kLayers & below(level)) | kBelow));
  if (next >= kNetwork) {
    turn_.wire.insert(turn_.wire.end(), outbox.begin(), outbox.end());
    outbox.clear();
    return;
  }
  batch_ = outbox;  // only the level above adds to it
  const auto family = static_cast<Family>(next);
  call_layer(*current_->component(family), family, turn_,
             [this](auto& layer, auto& context) { layer.on_sends(context, batch_, turn_.busy()); });
  for (Message* message : batch_) {
    if ((message->flags & kForwarded) != 0) {
      message->flags &= static_cast<std::uint8_t>(~kForwarded);
      continue;
    }
    if (message->channel == Family::workload) {
      ++turn_.counts.held[next];
      turn_.counts.any = true;
    }
    run_.state.pool.give_back(message);
  }
  batch_ = {};
  outbox.clear();
}

void Turns::pass_up(std::size_t level) {
  std::vector<Message*> messages;
  messages.swap(turn_.upward[level]);
  climbing_ += messages.size();
  for (Message* message : messages) {
    --climbing_;
    climb(message, level);
  }
  if (turn_.upward[level].capacity() > 0) return;
  messages.clear();
  messages.swap(turn_.upward[level]);  // its memory serves again
}

void Turns::climb(Message* message, std::size_t from) {
  std::uint32_t levels =
      turn_.present & kLayers & below(index_of(message->channel)) & ((1U << from) - 1);
  while (levels != 0) {
    const auto level = static_cast<std::size_t>(std::bit_width(levels) - 1);
    levels &= ~(1U << level);
    const auto family = static_cast<Family>(level);
    if (level == kTermination && run_.state.truth.audits_conserved())
      run_.state.truth.auditor().conserved_moved(-current_->termination()->conserved_in(*message));
    const Passage passage = call_layer(
        *current_->component(family), family, turn_,
        [message](auto& layer, auto& context) { return layer.on_receive(context, *message); });
    if (passage == Passage::deliver) continue;
    if (message->channel == Family::workload) {
      ++turn_.counts.held[level];
      turn_.counts.any = true;
    }
    run_.state.pool.give_back(message);
    return;
  }
  handle(message);
}

void Turns::handle(Message* message) {
  SharedState& state = run_.state;
  if (message->channel == Family::workload) {
    if (state.truth.is_unsettled()) [[unlikely]]
      state.truth.settle(run_.incarnation_of(turn_.self), *message);
    state.truth.consumed(turn_.self, *message);
    handled_ = true;
  }
  if (message->channel == Family::termination && state.truth.audits_conserved())
    state.truth.auditor().conserved_moved(-current_->termination()->conserved_in(*message));
  Component* component = current_->component(message->channel);
  if (component != nullptr)
    call_in_role(*component, message->channel, turn_, [message](auto& receiver, auto& context) {
      receiver.on_message(context, *message);
    });
  state.pool.give_back(message);
  settle();
}

void Turns::expect_no_new_work(bool was_active, const char* handler) const {
  if (was_active || !run_.job.factories[kTermination]) return;
  if (!turn_.busy() && sent_by_workload() == 0) return;
  const std::string words = "the workload " +
                            run_.job.spec.components[kWorkload].registration->name +
                            " counts as idle and goes on in " + handler +
                            ": a rank that waits for more than messages declares work";
  throw_broken_invariant(words.c_str(), __FILE__, __LINE__);
}

std::int64_t Turns::conserved_now() const {
  const TerminationDetector* termination = current_->termination();
  if (termination == nullptr) return 0;
  const auto conserved = termination->conserved();
  return conserved ? conserved->held - conserved->issued : 0;
}

void Turns::start(ActorId self, Family family) {
  starts_above_ = family != Family::workload;
  turn(self, family, [](auto& component, auto& context) { component.start(context); });
  starts_above_ = false;
}

void Turns::start_detector(ActorId self) {
  begin_turn(self);
  if (!current_->active) run_.state.truth.auditor().phase_started();
  TerminationContext context(turn_, Family::termination);
  current_->termination()->start(context);
  settle();
  handled_ = true;
  end_turn();
}

bool Turns::recovers(ActorId self, std::size_t level, ActorId peer) const {
  if (kStack[level].role != Role::recovery) return false;
  const RecoveryLayer* layer = run_.state.actors[self].recovery(kStack[level].family);
  return layer != nullptr && layer->recovers(peer);
}

// ---- messages leave ---------------------------------------------------------------------------

// Flattened, because every message takes this path.
[[gnu::flatten]] void Turns::inject_wire() {
  ActorState& actor = *current_;
  const std::vector<Message*>& wire = turn_.wire;
  for (Message* message : wire) leave_stack(actor, *message);
  if (actor.rare_state && !actor.rare_state->fenced.empty())
    network_.hold_at_fence(actor, wire.begin(), wire.end(), cpu_s_);
  else
    network_.put_on_wire(turn_.self, actor, wire, cpu_s_);
  turn_.wire.clear();
}

/// From here on a message is in flight, although it may still wait for its processor or its NIC.
void Turns::leave_stack(ActorState& actor, Message& message) {
  SharedState& state = run_.state;
  message.flags |= kInFlight;
  message.inject_s = kNever;
  message.from_incarnation = actor.incarnation;
  message.to_incarnation =
      state.roll.any_restart() ? run_.known(message.from, message.to).number : std::uint16_t{0};
  state.schedule.keep_alive(message);
  if (message.channel != Family::workload)
    tally_.count_control(message);
  else if (turn_.direct)
    note_sent(message);
  if ((message.flags & kNotifySent) != 0) ++actor.rare().on_sent_due[index_of(message.channel)];
  if (state.roll.any_death() && !state.actors[message.to].lives_as(message.to_incarnation))
    network_.note_lost(message);
}

// ---- what handlers have asked for -------------------------------------------------------------

void Turns::carry_out_all() {
  while (next_action_ < turn_.actions.size() && !verdict_.has_ended())
    executor_.carry_out(turn_.actions[next_action_++]);
  turn_.actions.clear();
  next_action_ = 0;
}

void Turns::carry_out_since(std::size_t first) {
  for (std::size_t next = first; next < turn_.actions.size() && !verdict_.has_ended(); ++next)
    executor_.carry_out(turn_.actions[next]);
  // An announcement among them has carried out everything that was pending.
  while (turn_.actions.size() > first) turn_.actions.pop_back();
}

void Turns::void_actions(Incarnation self, Family layer) {
  for (std::size_t i = next_action_; i < turn_.actions.size(); ++i) {
    Action& action = turn_.actions[i];
    if (action.self == self && index_of(action.family) < index_of(layer))
      --action.self.number;  // of an earlier life, so it will be dropped
  }
}

// ---- for images -------------------------------------------------------------------------------

bool Turns::waits_above(Family layer) const {
  const std::size_t level = index_of(layer);
  // Bits of Turn::waiting: all messages of the levels above, and what the layer itself passes up.
  const std::uint32_t messages = ((1U << (2 * level)) - 1) | (2U << (2 * level));
  if (starts_above_ || (turn_.waiting & messages) != 0 || climbing_ > 0 || !batch_.empty())
    return true;
  const auto is_above = [level](Family family) { return index_of(family) < level; };
  if (std::any_of(turn_.wire.begin(), turn_.wire.end(), [&](const Message* message) {
        return (message->flags & kNotifySent) != 0 && is_above(message->channel);
      }))
    return true;
  const auto first = turn_.requests.begin() + static_cast<std::ptrdiff_t>(next_request_);
  if (std::any_of(first, turn_.requests.end(), [&](const StackRequest& request) {
        return is_above(request.from) || is_above(request.to);
      }))
    return true;
  const auto& stores = turn_.stores;
  if (std::any_of(stores.begin(), stores.end(),
                  [&](const StorageEntry& entry) { return is_above(entry.family); }))
    return true;
  return any_action_waits([&](const Action& action) {
    return is_above(action.family) && !action.is<Action::SetMark>();
  });
}

bool Turns::owes_idle(Family layer) const {
  return !turn_.busy() &&
         (handled_ || ((turn_.active || idle_told_ > 0) && idle_told_ < index_of(layer)));
}

void Turns::check() const {
  invariant(turn_.waiting == 0 && turn_.wire.empty() && turn_.actions.empty() &&
                turn_.requests.empty() && turn_.stores.empty(),
            "a turn has left something undone");
}

}  // namespace faultline::engine
