#include "analysis/exploration/sleep_sets.hpp"

#include <algorithm>

namespace faultline {

namespace {

bool changes_answer(std::int32_t work_elsewhere, std::int32_t more) {
  return (work_elsewhere > 0) != (work_elsewhere + more > 0);
}

/// Does the first notice that the second one has happened before?
template <class Event>
bool notices(const Event& first, const Event& second) {
  return changes_answer(first.work_elsewhere, second.least_work) ||
         changes_answer(first.work_elsewhere, second.most_work) ||
         (first.asks_channels && (second.receivers >> first.actor & 1U) != 0);
}

}  // namespace

void SleepSets::look_at(const PartNumbers& state, SleepSet asleep) {
  state_ = &state;
  asleep_ = asleep;
  events_.clear();
  work_ = 0;
  for (std::size_t place = 1; place < state.size(); ++place) work_ += parts_[state[place]].work();
}

SleepSets::Event SleepSets::event_at(std::size_t place, const StepInfluence& influence) const {
  const PartTable::Part& event = parts_[(*state_)[place]];
  const PartTable::Part& actor = parts_[(*state_)[PartTable::place_of_actor(event.actor)]];
  return {.place = place,
          .actor = event.actor,
          .can_swap = influence.can_swap,
          .asks_channels = influence.asks_channels,
          .work_elsewhere = work_ - actor.work() - event.work(),
          .least_work = influence.work,
          .most_work = influence.work,
          .receivers = influence.receivers};
}

void SleepSets::add(std::size_t place, const StepInfluence& influence) {
  if (events_.empty() || events_.back().place != place) {
    events_.push_back(event_at(place, influence));
    return;
  }
  Event& event = events_.back();
  event.can_swap = event.can_swap && influence.can_swap;
  event.asks_channels = event.asks_channels || influence.asks_channels;
  event.least_work = std::min(event.least_work, influence.work);
  event.most_work = std::max(event.most_work, influence.work);
  event.receivers |= influence.receivers;
}

SleepSet SleepSets::after(std::size_t place, const StepInfluence& influence) const {
  if (!influence.can_swap) return 0;
  const Event taken = event_at(place, influence);
  SleepSet asleep = 0;
  for (const Event& event : events_) {
    if (event.place >= place && !is_asleep(event.place)) continue;
    if (event.actor == taken.actor || !event.can_swap) continue;
    if (notices(event, taken) || notices(taken, event)) continue;
    // What has happened is scheduled no longer.
    const std::size_t bit = event.place - parts_.scheduled() - (event.place > place ? 1 : 0);
    if (bit < kBits) asleep |= SleepSet{1} << bit;
  }
  return asleep;
}

}  // namespace faultline
