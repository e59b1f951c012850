// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/images/images.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "sim/core/image_content.hpp"

namespace faultline::engine {

namespace {

/// Says of anything with a family whether it belongs to a component above the layer.
auto belongs_above(Family layer) {
  return [layer](const auto& entry) { return index_of(entry.family) < index_of(layer); };
}

}  // namespace

// ---- capture ----------------------------------------------------------------------------------

std::optional<Image> Images::capture(Family layer, Moment moment) const {
  if (program_waits_above(layer, moment) || moves_objects(layer)) return std::nullopt;
  const std::size_t level = index_of(layer);
  auto content = std::make_shared<ImageContent>();
  content->layer = layer;
  content->phase = turns_.actor().phase;
  content->declared_work = turns_.now().declared_work;
  content->announced = turns_.actor().announced;
  content->finished = turns_.actor().finished;
  content->owes_idle = turns_.owes_idle(layer);
  content->sent_and_consumed = run_.state.truth.ledger_of(turns_.now().self);
  for (std::size_t above = 0; above < level; ++above) {
    if (const Component* component = turns_.actor().component(kStack[above].family))
      content->components[above] = component->clone();
    content->held[above] = turns_.now().counts.held[above];
    if (turns_.actor().lower) content->held[above] += turns_.actor().lower->held[above];
  }
  add_work(*content);
  return Image(std::move(content));
}

/// Adds the timers and computations above, if there are any.
void Images::add_work(ImageContent& content) const {
  if (!turns_.actor().rare_state) return;
  const RareState& rare = *turns_.actor().rare_state;
  const auto above = belongs_above(content.layer);
  for (const ArmedTimer& timer : rare.timers)
    if (above(timer))
      content.timers.push_back(
          {timer.family, timer.key, processors_.left_s(timer), timer.background});
  for (const Computation& one : rare.running)
    if (above(one))
      content.computations.push_back(
          {one.family, one.tag, processors_.left_s(turns_.now().self, one)});
  for (const Computation& one : rare.queued)
    if (above(one)) content.computations.push_back({one.family, one.tag, one.duration_s});
}

/// True if there is no whole state of the components above.
bool Images::program_waits_above(Family layer, Moment moment) const {
  return !has_images_above(layer) || turns_.waits_above(layer) || actor_waits_above(layer, moment);
}

bool Images::has_images_above(Family layer) const {
  for (std::size_t above = 0; above < index_of(layer); ++above)
    if (turns_.actor().component(kStack[above].family) != nullptr &&
        !run_.job.spec.components[above].registration->has_images())
      return false;
  return true;
}

/// True if the layer is about to change which objects it would capture.
bool Images::moves_objects(Family layer) const {
  return turns_.any_action_waits([layer](const Action& action) {
    return action.family == layer &&
           (action.is<Action::HostObject>() || action.is<Action::RemoveObject>());
  });
}

/// True if a component above waits for something that only this actor's state knows of.
bool Images::actor_waits_above(Family layer, Moment moment) const {
  const bool works = moment == Moment::between_work;
  if (works && turns_.now().computing > 0) return true;
  if (!turns_.actor().rare_state) return false;
  const RareState& rare = *turns_.actor().rare_state;
  const auto above = belongs_above(layer);
  const auto any = [&](const auto& list) { return std::any_of(list.begin(), list.end(), above); };
  return rare.awaits_start || any(rare.flushing) ||
         (works && (any(rare.timers) || any(rare.running) || any(rare.queued))) ||
         std::any_of(rare.on_sent_due.begin(),
                     rare.on_sent_due.begin() + static_cast<std::ptrdiff_t>(index_of(layer)),
                     [](std::uint32_t due) { return due > 0; });
}

// ---- restore ----------------------------------------------------------------------------------

void Images::restore(ActorId self, Family layer, const Image& image) {
  run_.reached.anything();
  if (image.empty() || image.content().layer != layer)
    throw std::logic_error("a layer restores only images that its own family has captured");
  go_back(self, image.content());
  go_on_with_work(self, image.content());
  const bool owes_idle = image.content().owes_idle;
  for (std::size_t level = index_of(layer); level-- > 0;)
    turns_.turn(
        self, kStack[level].family,
        [](auto& component, auto& context) { component.on_restored(context); }, !owes_idle);
  turns_.turn(self, layer, [](auto& component, auto& context) { component.on_restored(context); });
  take_up(self);
}

void Images::begin_anew(ActorId self, Family layer) {
  run_.reached.anything();
  run_.state.truth.auditor().begins_anew();
  ImageContent beginning;
  beginning.layer = layer;
  go_back(self, beginning);
  stacks_.make_above(self, layer);
  stacks_.start_above(self, layer);
  take_up(self);
}

/// What is above the layer is as in the image, and has still to be told.
void Images::go_back(ActorId self, const ImageContent& content) {
  turns_.void_actions(run_.incarnation_of(self), content.layer);
  void_waits(self, content.layer);
  put_back(self, content);
  run_.show_about(audit::Sight::Kind::restored, self);
}

/// What is above has been told. Now comes what has waited for it.
void Images::take_up(ActorId self) {
  phases_.release_early(self);
  processors_.look_again(self);
  verdict_.check();
}

void Images::void_waits(ActorId self, Family layer) {
  ActorState& actor = run_.state.actors[self];
  actor.computing = 0;
  std::int64_t undone = 0;
  if (actor.lower)
    for (std::size_t level = 0; level < index_of(layer); ++level)
      undone += std::exchange(actor.lower->held[level], 0);
  run_.state.truth.auditor().rolled_back(static_cast<std::uint64_t>(undone));
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
  network_.void_promises(self, layer);
}

void Images::go_on_with_work(ActorId self, const ImageContent& content) {
  for (const ImageTimer& timer : content.timers)
    processors_.set_timer(
        self, timer.family,
        {.key = timer.key, .delay_s = timer.left_s, .background = timer.background});
  for (const ImageComputation& one : content.computations)
    processors_.start(self, {.duration_s = one.left_s,
                             .end_s = 0.0,
                             .tag = one.tag,
                             .serial = 0,
                             .family = one.family});
}

/// A new incarnation starts with this; for a live rank it is a change like the end of a turn.
void Images::put_back(ActorId self, const ImageContent& content) {
  ActorState& actor = run_.state.actors[self];
  std::int64_t revived = 0;
  for (std::size_t level = 0; level < index_of(content.layer); ++level) {
    if (content.components[level])
      actor.place_of(kStack[level].family) = content.components[level]->clone();
    if (content.held[level] == 0) continue;
    actor.lower->held[level] = content.held[level];
    revived += content.held[level];
  }
  run_.state.truth.auditor().resent(static_cast<std::uint64_t>(revived));
  const bool starts = actor.rare_state && actor.rare_state->awaits_start;
  run_.state.truth.put_back(self, starts, actor.active, content.sent_and_consumed);
  put_back_flags(actor, content);
  if (starts) {
    actor.rare_state->awaits_start = false;
    membership_.forget_unreported(self);
    run_.state.truth.auditor().started();
  }
  actor.computing = static_cast<std::int32_t>(
      std::ranges::count(content.computations, Family::workload, &ImageComputation::family));
  const bool active = actor.declared_work > 0 || actor.computing > 0;
  run_.state.truth.auditor().turn_over(actor.active, active, starts, run_.now_s());
  if (actor.active != active && run_.observer != nullptr)
    run_.show_about(active ? audit::Sight::Kind::active : audit::Sight::Kind::idle, self);
  actor.active = active;
}

void Images::put_back_flags(ActorState& actor, const ImageContent& content) {
  const bool takes_back = actor.announced && !content.announced;
  run_.state.roll.set_announced(actor, content.announced);
  run_.state.roll.set_finished(actor, content.finished);
  if (takes_back && run_.state.roll.announced() == 0)
    run_.state.truth.auditor().announcement_undone(actor.phase);
  actor.phase = content.phase;
  actor.declared_work = static_cast<std::int32_t>(content.declared_work);
}

}  // namespace faultline::engine
