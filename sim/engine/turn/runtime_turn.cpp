// SPDX-License-Identifier: Apache-2.0

// Turns, and messages that arrive: the path that every event takes. Nothing here allocates memory
// once the largest number of messages in flight has been reached.

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "sim/core/prefetch.hpp"
#include "sim/engine/turn/runtime.hpp"

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

// ---- turns ------------------------------------------------------------------------------------

void Runtime::begin_turn(ActorId actor) {
  current_ = &state_.actors[actor];
  turn_.now_s = now_s();
  turn_.self = actor;
  turn_.incarnation = current_->incarnation;
  turn_.present = current_->present;
  turn_.direct = (turn_.present & kLayers) == 0;
  turn_.phase = current_->phase;
  turn_.computing = current_->computing;
  turn_.declared_work = current_->declared_work;
  turn_.active = current_->active;
  handled_ = false;
  cpu_s_ = std::max(now_s(), current_->cpu_free_s);
  // A daemon that has no core to itself drives a computing rank from its core.
  if (job_->daemons_share_cores && !is_rank(actor) &&
      processors_.computing_on(node_of(actor)) != nullptr)
    turn_.spent_s = job_->spec.platform.context_switch_s;
  if (state_.audits_conserved) conserved_before_ = conserved_now();
}

void Runtime::end_turn() {
  const ActorId self = turn_.self;
  ActorState& actor = *current_;
  bool handled = handled_;
  if (!turn_.direct && (handled_ || turn_.active)) {
    tell_idle();
    idle_told_ = 0;
    handled = handled || handled_;
  }
  const bool active = turn_.computing > 0 || turn_.declared_work > 0;
  actor.computing = static_cast<std::int32_t>(turn_.computing);
  actor.declared_work = static_cast<std::int32_t>(turn_.declared_work);
  if (turn_.spent_s > 0.0) spend_time();
  if (turn_.counts.any) count_for_layers();
  // It takes no time, and sending does: who dies before a message leaves has stored all the same.
  if (!turn_.stores.empty()) [[unlikely]]
    store_entries();
  if (!turn_.wire.empty()) inject_wire();
  if (is_rank(self)) {
    if (state_.audits_conserved) {
      state_.auditor.conserved_moved(conserved_now() - conserved_before_);
      state_.auditor.check_conserved(self, now_s());
    }
    state_.auditor.turn_over(actor.active, active, handled, now_s());
    if (observer_ != nullptr && actor.active != active)
      show({.kind = active ? Sight::Kind::active : Sight::Kind::idle,
            .time_s = now_s(),
            .actor = self});
    actor.active = active;
  }
  if (turn_.actions.empty()) return;
  for (const Action& action : turn_.actions)
    pending_actions_.push_back({{self, actor.incarnation}, action});
  turn_.actions.clear();
}

/// Takes in what layers have done with messages. From the first message on that is sent again or
/// discarded, what a protocol conserves is no longer audited: until a recovery is over, the same
/// credit can be in two places, or in none.
void Runtime::count_for_layers() {
  LayerCounts& counts = turn_.counts;  // a copy would wait for those that have just been written
  auto& held = current_->lower->held;
  for (std::size_t level = 0; level < kFamilies; ++level)
    if (counts.held[level] != 0) held[level] += counts.held[level];
  state_.auditor.resent(counts.resent);
  state_.auditor.discarded(counts.discarded);
  if (counts.replays) state_.audits_conserved = false;
  counts = {};
}

/// The processor time that handlers have asked for passes before the turn's messages are sent.
void Runtime::spend_time() {
  cpu_s_ = processors_.done_s(turn_.self, cpu_s_, turn_.spent_s);
  current_->cpu_free_s = cpu_s_;
  processors_.take_from_workers(turn_.self, processors_.occupied_s(turn_.self, turn_.spent_s));
  turn_.spent_s = 0.0;
}

/// Stores what the handlers of the turn have asked to store.
void Runtime::store_entries() {
  reach_ = Reach::anything;
  for (StorageEntry& entry : turn_.stores)
    state_.storage.put(std::move(entry), node_of(turn_.self));
  turn_.stores.clear();
}

std::vector<std::uint64_t> Runtime::stored(Family family, std::uint64_t place) const {
  reach_ = Reach::anything;
  return state_.storage.words(family, place, node_of(turn_.self));
}

/// Tells the layers that the rank is idle, from the top down. A layer may then pass up messages,
/// after which the rank can become idle once more.
void Runtime::tell_idle() {
  std::uint32_t levels = turn_.present & kLayers;
  while (levels != 0) {
    if (turn_.computing > 0 || turn_.declared_work > 0) return;
    const auto level = static_cast<std::size_t>(std::countr_zero(levels));
    levels &= levels - 1;
    handled_ = false;
    idle_told_ = level;
    Context context(turn_, kStack[level].family);
    current_->layer(level)->on_idle(context);
    settle();
    if (handled_) levels = turn_.present & kLayers;
  }
}

/// Passes messages through the stack until none waits. Those that wait highest in the stack go
/// first, and at one level those on their way down before those on their way up.
void Runtime::settle() {
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
void Runtime::deliver_request() {
  const StackRequest request = std::move(turn_.requests[next_request_++]);
  if (next_request_ < turn_.requests.size()) {
    turn_.waiting |= Turn::kRequestsWait;
  } else {
    turn_.requests.clear();
    next_request_ = 0;
  }
  Component* component = current_->component(request.to);
  if (component == nullptr) return;
  Context context(turn_, request.to);
  const std::size_t before = sent_by_workload();
  const bool is_active = turn_.active || handled_ || context.busy() || before > 0;
  if (state_.blocks) audit_block(request);
  if (request.is_answer)
    component->on_answer(context, request);
  else
    component->on_request(context, request);
  if (request.is_answer && request.to == Family::workload &&
      request.from == Family::message_logging)
    expect_no_new_work(is_active, "on_answer");
  if (request.to == Family::workload)
    handled_ = handled_ || context.busy() || sent_by_workload() > before;
}

void Runtime::pass_down(std::size_t level) {
  auto& outbox = turn_.outbox[level];
  if (level == kWorkload)
    for (const Message* message : outbox) note_sent(*message);
  // What lies below termination detection carries what it conserves, be it a layer or the network.
  if (level == kTermination && state_.audits_conserved)
    for (const Message* message : outbox)
      state_.auditor.conserved_moved(current_->layer(kTermination)->conserved_in(*message));
  const auto next =
      static_cast<std::size_t>(std::countr_zero((turn_.present & kLayers & below(level)) | kBelow));
  if (next >= kNetwork) {
    turn_.wire.insert(turn_.wire.end(), outbox.begin(), outbox.end());
    outbox.clear();
    return;
  }
  batch_ = outbox;  // only the level above adds to it
  Context context(turn_, static_cast<Family>(next));
  current_->layer(next)->on_sends(context, batch_, context.busy());
  for (Message* message : batch_) {
    if ((message->flags & kForwarded) != 0) {
      message->flags &= static_cast<std::uint8_t>(~kForwarded);
      continue;
    }
    if (message->channel == Family::workload) {
      ++turn_.counts.held[next];
      turn_.counts.any = true;
    }
    state_.pool.give_back(message);
  }
  batch_ = {};
  outbox.clear();
}

void Runtime::pass_up(std::size_t level) {
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

void Runtime::climb(Message* message, std::size_t from) {
  std::uint32_t levels =
      turn_.present & kLayers & below(index_of(message->channel)) & ((1U << from) - 1);
  while (levels != 0) {
    const auto level = static_cast<std::size_t>(std::bit_width(levels) - 1);
    levels &= ~(1U << level);
    Layer* layer = current_->layer(level);
    if (level == kTermination && state_.audits_conserved)
      state_.auditor.conserved_moved(-layer->conserved_in(*message));
    Context context(turn_, static_cast<Family>(level));
    if (layer->on_receive(context, *message) == Passage::deliver) continue;
    if (message->channel == Family::workload) {
      ++turn_.counts.held[level];
      turn_.counts.any = true;
    }
    state_.pool.give_back(message);
    return;
  }
  handle(message);
}

void Runtime::handle(Message* message) {
  if (message->channel == Family::workload) {
    state_.auditor.delivered();
    if (state_.channels) [[unlikely]]
      enter_in_ledger(*message, false);
    handled_ = true;
  }
  if (message->channel == Family::termination && state_.audits_conserved)
    state_.auditor.conserved_moved(-current_->layer(kTermination)->conserved_in(*message));
  Component* component = current_->component(message->channel);
  if (component != nullptr) {
    Context context(turn_, message->channel);
    component->on_message(context, *message);
  }
  state_.pool.give_back(message);
  settle();
}

/// An idle rank gets work from messages alone: all detectors of termination rely on that, and none
/// can know of work that a rank takes up by itself. Transactions, which do not work above such a
/// detector, answer whenever they like.
void Runtime::expect_no_new_work(bool was_active, const char* handler) const {
  if (was_active || !job_->factories[kTermination]) return;
  if (turn_.computing == 0 && turn_.declared_work == 0 && sent_by_workload() == 0) return;
  const std::string words = "the workload " + job_->spec.components[kWorkload].registration->name +
                            " counts as idle and goes on in " + handler +
                            ": who waits for more than messages declares work";
  throw_broken_invariant(words.c_str(), __FILE__, __LINE__);
}

std::int64_t Runtime::conserved_now() const {
  const Layer* termination = current_->layer(Family::termination);
  if (termination == nullptr) return 0;
  const auto conserved = termination->conserved();
  return conserved ? conserved->held - conserved->issued : 0;
}

// ---- messages arrive --------------------------------------------------------------------------

void Runtime::arrived(Message* message) {
  if (state_.roll.any_death && ((message->flags & kLost) != 0 ||
                                !state_.actors[message->to].lives_as(message->to_incarnation))) {
    state_.schedule.let_go(*message);
    drop(message);
    return;
  }
  const ActorId self = message->to;
  ActorState& actor = state_.actors[self];
  if (actor.inbox_is_empty() && !processors_.is_blocked(actor) &&
      processors_.receives_at_once(self, actor)) {
    receive(self, message);
    return;
  }
  message->flags |= kArrived;
  actor.put_in(message);
  processors_.schedule_wake(actor, self);
}

void Runtime::wake(ActorId self) {
  ActorState& actor = state_.actors[self];
  actor.wake_pending = false;
  // Timers come first, and the last of them calls processors_.schedule_wake().
  if (actor.inbox_is_empty() || processors_.is_blocked(actor) || Processors::timers_wait(actor))
    return;
  if (processors_.has_received(self, actor)) {
    Message* message = actor.take_out();
    const Message* next = fetches_next_message_ ? actor.inbox_head : nullptr;
    if (next != nullptr) prefetch_lines(next, 2);
    receive(self, message);
  }
  processors_.schedule_wake(actor, self);
}

void Runtime::receive(ActorId self, Message* message) {
  ActorState& actor = state_.actors[self];
  const Incarnation from{message->from, message->from_incarnation};
  state_.schedule.let_go(*message);
  if (message->channel == Family::failure_detection) count_detection_received(*message);
  const bool unwanted = message->phase != actor.phase && wrong_phase(self, message);
  const bool refused = !unwanted && state_.any_refusal && state_.is_refused(*message);
  if (refused) drop(message);
  if (unwanted || refused) {
    if (state_.any_flush) answer_flushes(self, from);
    return;
  }
  if (state_.any_restart && from.number > known(self, from.actor).number) learn(self, from);
  message->flags &= static_cast<std::uint8_t>(~kInFlight);
  if (observer_ != nullptr)
    show({.kind = Sight::Kind::received,
          .time_s = now_s() - machine().receive_overhead_s,
          .until_s = now_s(),
          .actor = self,
          .peer = from.actor,
          .message = message});
  begin_turn(self);
  // Later than now if the news that its sender lives again has let this actor send.
  current_->cpu_free_s = cpu_s_;
  if (job_->shares_cores)
    processors_.take_from_workers(self, processors_.occupied_s(self, machine().receive_overhead_s));
  climb(message, kNetwork);
  settle();
  end_turn();
  if (state_.any_flush) answer_flushes(self, from);
}

/// For a message whose phase is not the receiver's; false if it can be handled now. If the receiver
/// has announced its phase, a message of the next phase begins that phase. Else the message waits.
/// Control messages of an earlier phase are stale and dropped.
bool Runtime::wrong_phase(ActorId self, Message* message) {
  if (message->channel == Family::message_logging || message->channel == Family::failure_detection)
    return false;
  ActorState& actor = state_.actors[self];
  if (message->phase < actor.phase) {
    if (message->channel == Family::workload) return false;
    drop(message);
    return true;
  }
  if (actor.announced && message->phase == actor.phase + 1) {
    start_phase(self);
    return false;
  }
  actor.rare().early.push_back(message);
  return true;
}

/// Discards a message that cannot be handled, for instance because its receiver is dead or has
/// restarted since.
void Runtime::drop(Message* message) {
  if ((message->flags & kLost) == 0 && message->channel == Family::workload)
    state_.auditor.lost(1, now_s());
  if (observer_ != nullptr) show_loss(*message);
  state_.pool.give_back(message);
}

}  // namespace faultline::engine
