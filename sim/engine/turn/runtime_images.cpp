// SPDX-License-Identifier: Apache-2.0

// Images of what lies above a layer: they are taken, and put back in a rollback or after a restart.

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "sim/core/image_content.hpp"
#include "sim/engine/turn/runtime.hpp"

namespace faultline::engine {

namespace {

/// Says of anything with a family whether it belongs to a component above the layer.
auto belongs_above(Family layer) {
  return [layer](const auto& entry) { return index_of(entry.family) < index_of(layer); };
}

}  // namespace

// ---- capture ----------------------------------------------------------------------------------

std::optional<Image> Runtime::capture(Family layer) const {
  if (program_waits_above(layer) || moves_objects(layer)) return std::nullopt;
  const bool busy = turn_.computing > 0 || turn_.declared_work > 0;
  const std::size_t level = index_of(layer);
  auto content = std::make_shared<ImageContent>();
  content->layer = layer;
  content->phase = current_->phase;
  content->declared_work = turn_.declared_work;
  content->announced = current_->announced;
  content->finished = current_->finished;
  content->owes_idle =
      !busy && (handled_ || ((turn_.active || idle_told_ > 0) && idle_told_ < level));
  if (state_.channels) content->sent_and_consumed = state_.channels->of(turn_.self);
  for (std::size_t above = 0; above < level; ++above) {
    if (const Component* component = current_->component(kStack[above].family))
      content->components[above] = component->clone();
    content->held[above] = turn_.counts.held[above];
    if (current_->lower) content->held[above] += current_->lower->held[above];
  }
  return Image(std::move(content));
}

/// True if there is no whole state of the components above.
bool Runtime::program_waits_above(Family layer) const {
  return !has_images_above(layer) || turn_waits_above(layer) || actor_waits_above(layer);
}

bool Runtime::has_images_above(Family layer) const {
  for (std::size_t above = 0; above < index_of(layer); ++above)
    if (current_->component(kStack[above].family) != nullptr &&
        !job_->spec.components[above].registration->traits.has_images)
      return false;
  return true;
}

/// True if something of the components above is on its way in this turn, or will be done after it.
bool Runtime::turn_waits_above(Family layer) const {
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
  if (std::any_of(stores.begin(), stores.end(), belongs_above(layer))) return true;
  return any_action_waits([&](const Action& action) {
    return is_above(action.family) && action.kind != Action::Kind::mark;
  });
}

/// True if the layer is about to change which objects it would capture.
bool Runtime::moves_objects(Family layer) const {
  return any_action_waits([layer](const Action& action) {
    return action.family == layer &&
           (action.kind == Action::Kind::host_object || action.kind == Action::Kind::remove_object);
  });
}

/// True if the actor whose turn it is has asked for such an action, and it is still to come.
template <class IsSuch>
bool Runtime::any_action_waits(IsSuch is_such) const {
  if (std::any_of(turn_.actions.begin(), turn_.actions.end(), is_such)) return true;
  const auto next = pending_actions_.begin() + static_cast<std::ptrdiff_t>(next_pending_);
  return std::any_of(next, pending_actions_.end(), [&](const PendingAction& pending) {
    return pending.self == incarnation_of(turn_.self) && is_such(pending.action);
  });
}

/// True if a component above waits for something that only this actor's state knows of.
bool Runtime::actor_waits_above(Family layer) const {
  if (turn_.computing > 0) return true;
  if (!current_->rare_state) return false;
  const RareState& rare = *current_->rare_state;
  const auto above = belongs_above(layer);
  const auto any = [&](const auto& list) { return std::any_of(list.begin(), list.end(), above); };
  return rare.awaits_start || any(rare.timers) || any(rare.running) || any(rare.queued) ||
         any(rare.flushing) ||
         std::any_of(rare.on_sent_due.begin(),
                     rare.on_sent_due.begin() + static_cast<std::ptrdiff_t>(index_of(layer)),
                     [](std::uint32_t due) { return due > 0; });
}

// ---- what the programs have sent and consumed -------------------------------------------------

/// A message that a layer relays has another sender, but the same objects.
void Runtime::enter_in_ledger(const Message& message, bool sent) {
  const bool has_objects = job_->spec.component(Family::workload).registration->traits.has_objects;
  const Endpoint from = Endpoint::of(message.from, message.from_object, has_objects);
  const Endpoint to = Endpoint::of(message.to, message.to_object, has_objects);
  Message said = message;
  said.bytes = 0;  // layers add what they attach
  if (sent)
    state_.channels->sent(turn_.self, from, to, said);
  else
    state_.channels->consumed(turn_.self, from, to, said);
}

// ---- restore ----------------------------------------------------------------------------------

/// The image stays as it is: it can be restored again.
void Runtime::restore(ActorId self, const Action& action) {
  reach_ = Reach::anything;
  const Image image = turn_.images[action.value];
  const Family layer = action.family;
  if (image.empty() || image.content().layer != layer)
    throw std::logic_error("a layer restores only images that its own family has captured");
  void_actions(self, layer);
  void_waits(self, layer);
  put_back(self, image.content());
  show_about(Sight::Kind::restored, self);
  const bool owes_idle = image.content().owes_idle;
  for (std::size_t level = index_of(layer); level-- > 0;)
    turn(
        self, kStack[level].family,
        [](Component& component, Context& context) { component.on_restored(context); }, !owes_idle);
  turn(self, layer, [](Component& component, Context& context) { component.on_restored(context); });
  release_early(self);
  processors_.look_again(self);
  verdict_.check();
}

/// What the components above have asked for and is not yet done comes too late.
void Runtime::void_actions(ActorId self, Family layer) {
  const Incarnation now = incarnation_of(self);
  for (std::size_t i = next_pending_; i < pending_actions_.size(); ++i) {
    PendingAction& pending = pending_actions_[i];
    if (pending.self == now && belongs_above(layer)(pending.action))
      --pending.self.number;  // of an earlier life, so it will be dropped
  }
}

void Runtime::void_waits(ActorId self, Family layer) {
  ActorState& actor = state_.actors[self];
  actor.computing = 0;
  std::int64_t undone = 0;
  if (actor.lower)
    for (std::size_t level = 0; level < index_of(layer); ++level)
      undone += std::exchange(actor.lower->held[level], 0);
  state_.auditor.rolled_back(static_cast<std::uint64_t>(undone));
  if (!actor.rare_state) return;
  RareState& rare = *actor.rare_state;
  const auto above = belongs_above(layer);
  std::erase_if(rare.timers, [&](const ArmedTimer& timer) {
    if (!above(timer)) return false;
    processors_.let_go(timer);
    return true;
  });
  processors_.abandon(self, above);
  std::erase_if(rare.flushing, above);
  void_promises(self, layer);
}

/// Messages that have left, or are about to, go on. But nobody is told any more that they have.
void Runtime::void_promises(ActorId self, Family layer) {
  bool any = false;
  for (std::size_t level = 0; level < index_of(layer); ++level)
    any = std::exchange(state_.actors[self].rare_state->on_sent_due[level], 0) > 0 || any;
  if (!any) return;
  const Incarnation now = incarnation_of(self);
  state_.sent_promises.forget_above(now, layer);
  state_.pool.for_each_in_flight([&](Message& message) {
    if (Incarnation{message.from, message.from_incarnation} == now &&
        index_of(message.channel) < index_of(layer))
      message.flags &= static_cast<std::uint8_t>(~kNotifySent);
  });
}

/// A new incarnation starts with this; for a live rank it is a change like the end of a turn. What
/// a protocol conserves holds again only when all who roll back have done so, and is no longer
/// audited.
void Runtime::put_back(ActorId self, const ImageContent& content) {
  ActorState& actor = state_.actors[self];
  state_.audits_conserved = false;
  std::int64_t revived = 0;
  for (std::size_t level = 0; level < index_of(content.layer); ++level) {
    if (content.components[level])
      actor.place_of(kStack[level].family) = content.components[level]->clone();
    if (content.held[level] == 0) continue;
    actor.lower->held[level] = content.held[level];
    revived += content.held[level];
  }
  state_.auditor.resent(static_cast<std::uint64_t>(revived));
  const bool starts = actor.rare_state && actor.rare_state->awaits_start;
  if (state_.channels) {
    if (!starts && job_->awaits_announcement) state_.channels->goes_back(self, actor.active);
    state_.channels->put_back(self, content.sent_and_consumed);
  }
  put_back_flags(actor, content);
  if (starts) {
    actor.rare_state->awaits_start = false;
    state_.unreported.erase(self);
    state_.auditor.started();
  }
  const bool active = actor.declared_work > 0;
  state_.auditor.turn_over(actor.active, active, starts, now_s());
  if (actor.active != active && observer_ != nullptr)
    show_about(active ? Sight::Kind::active : Sight::Kind::idle, self);
  actor.active = active;
}

void Runtime::put_back_flags(ActorState& actor, const ImageContent& content) {
  if (actor.announced && !content.announced && --state_.roll.announced == 0)
    state_.auditor.announcement_undone(actor.phase);
  if (!actor.announced && content.announced) ++state_.roll.announced;
  if (actor.finished && !content.finished) --state_.roll.finished;
  if (!actor.finished && content.finished) ++state_.roll.finished;
  actor.announced = content.announced;
  actor.finished = content.finished;
  actor.phase = content.phase;
  actor.declared_work = static_cast<std::int32_t>(content.declared_work);
}

}  // namespace faultline::engine
