// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/events/event_queue.hpp"

#include <bit>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

namespace faultline::engine {

namespace {

constexpr std::ptrdiff_t kFew = 24;  ///< std::sort has too much overhead for so few events

void insertion_sort(Event* first, Event* last) {
  for (Event* next = first; next < last; ++next) {
    const Event event = *next;
    Event* place = next;
    for (; place > first && event < place[-1]; --place) *place = place[-1];
    *place = event;
  }
}

/// Deals `count` events into buckets of equal duration, one after the other from `to` on.
/// `for_each` visits the events, always in the same order. `ends` becomes where each bucket ends.
template <class ForEach>
void deal(std::size_t count, ForEach for_each, Event* to, std::vector<std::uint32_t>& ends) {
  constexpr std::size_t kBucketSize = 4;
  double first_s = std::numeric_limits<double>::infinity();
  double last_s = -first_s;
  for_each([&](const Event& event) {
    first_s = std::min(first_s, event.time_s);
    last_s = std::max(last_s, event.time_s);
  });
  const std::size_t buckets = std::max<std::size_t>(1, count / kBucketSize);
  const double per_s = static_cast<double>(buckets) / (last_s - first_s);
  const double scale = std::isfinite(per_s) ? per_s : 0.0;
  const auto bucket_of = [=](const Event& event) {
    return std::min(buckets - 1, static_cast<std::size_t>((event.time_s - first_s) * scale));
  };
  ends.assign(buckets, 0);
  for_each([&](const Event& event) { ++ends[bucket_of(event)]; });
  std::uint32_t total = 0;
  for (auto& end : ends) end = std::exchange(total, total + end);
  for_each([&](const Event& event) { to[ends[bucket_of(event)]++] = event; });
}

}  // namespace

void EventQueue::push_near(const Event& event) {
  put_in_heap(event);
  // The layout after this one looks at all events, so it must be worth while for some of them.
  if (near_.size() > heap_enough_ && 8 * near_.size() >= active()) spread_out();
}

void EventQueue::put_in_heap(const Event& event) {
  std::size_t hole = near_.size();
  near_.push_back(event);
  while (hole > 0) {
    const std::size_t parent = (hole - 1) / 4;
    if (!(event < near_[parent])) break;
    near_[hole] = near_[parent];
    hole = parent;
  }
  near_[hole] = event;
}

void EventQueue::pop_near() {
  const Event last = near_.back();
  near_.pop_back();
  const std::size_t count = near_.size();
  if (count == 0) return;
  std::size_t hole = 0;
  for (std::size_t child = 1; child < count; child = 4 * hole + 1) {
    const std::size_t end = std::min(child + 4, count);
    std::size_t least = child;
    for (std::size_t sibling = child + 1; sibling < end; ++sibling)
      if (near_[sibling] < near_[least]) least = sibling;
    if (!(near_[least] < last)) break;
    near_[hole] = near_[least];
    if (risen_ < kLevels) rise_[risen_++] = hole;
    hole = least;
  }
  near_[hole] = last;
}

Event EventQueue::take_out(std::uint64_t order) {
  if (!ring_.empty()) {
    std::optional<Event> found;
    EventQueue others;
    for_each([&](const Event& event) {
      if (event.order == order)
        found = event;
      else
        others.push(event);
    });
    *this = std::move(others);
    return found ? *found : throw std::out_of_range("no event of that order");
  }
  std::size_t hole = 0;
  while (near_.at(hole).order != order) ++hole;
  const Event event = near_[hole];
  for (; hole > 0; hole = (hole - 1) / 4) near_[hole] = near_[(hole - 1) / 4];
  --size_;
  pop_near();
  return event;
}

void EventQueue::next_bucket() {
  for (;;) {
    while (bucket_ < bucket_end_.size()) {
      cursor_ = sorted_end_;
      sorted_end_ = bucket_end_[bucket_++];
      if (cursor_ == sorted_end_) continue;
      sort_bucket(&staged_[cursor_], &staged_[cursor_] + (sorted_end_ - cursor_));
      return;
    }
    if (!near_.empty()) return;
    if (empty()) throw std::logic_error("no event is left to take out");
    if (!open_next_slot()) lay_out();
  }
}

/// Sorts the events of a bucket. Jobs that begin in step have many at nearly the same times, which
/// are dealt once more, since their bucket is much wider than they are apart. Those of one time
/// come in their order already.
void EventQueue::sort_bucket(Event* first, Event* last) {
  if (last - first <= kFew) return insertion_sort(first, last);
  if (std::is_sorted(first, last)) return;
  unsorted_.assign(first, last);
  const auto unsorted = [this](auto visit) {
    std::for_each(unsorted_.begin(), unsorted_.end(), visit);
  };
  deal(unsorted_.size(), unsorted, first, narrow_end_);
  std::uint32_t begin = 0;
  for (const std::uint32_t end : narrow_end_) {
    if (static_cast<std::ptrdiff_t>(end - begin) <= kFew)
      insertion_sort(first + begin, first + end);
    else
      std::sort(first + begin, first + end);
    begin = end;
  }
}

/// Opens the next slot that has events. False if the calendar has to be laid out anew first; all
/// events wait in far_ then.
bool EventQueue::open_next_slot() {
  if (ring_.empty()) return false;
  if (opened_ >= 2 * active() + kHeapEnough && fits_badly()) {
    gather();
    return false;
  }
  std::uint64_t slot = next_filled();
  if (slot == open_ + ring_.size() || place_of(far_first_s_) < static_cast<double>(slot + 1)) {
    if (!fetch_far()) {
      gather();
      return false;
    }
    slot = next_filled();
  }
  if (place_of(remote_first_s_) < static_cast<double>(slot + 1)) {
    gather();
    take_in_remote();
    return false;
  }
  open(slot);
  return true;
}

void EventQueue::open(std::uint64_t slot) {
  open_ = slot;
  near_end_ = static_cast<double>(slot + 1);
  far_begin_ = static_cast<double>(slot + ring_.size());
  filled_[(slot & mask_) / 64] &= ~(std::uint64_t{1} << (slot & 63U));
  stage(ring_[slot & mask_]);
  opened_ += staged_.size();
}

/// Takes over the events of a slot, to be sorted bucket by bucket.
void EventQueue::stage(EventList& slot) {
  bucket_ = cursor_ = sorted_end_ = 0;
  staged_.clear();
  bucket_end_.clear();
  if (slot.empty()) return;
  if (slot.first->next != nullptr) {
    staged_.resize(slot.size());
    const auto in_slot = [&slot](auto visit) { slot.for_each(visit); };
    deal(staged_.size(), in_slot, staged_.data(), bucket_end_);
    return slot.clear(blocks_);
  }
  staged_.assign(slot.first->events.begin(),
                 slot.first->events.begin() + static_cast<std::ptrdiff_t>(slot.in_last));
  bucket_end_.push_back(static_cast<std::uint32_t>(staged_.size()));
  blocks_.give_back(std::exchange(slot, {}).first);
}

/// The first slot after the open one that has events, or the first beyond the ring.
std::uint64_t EventQueue::next_filled() const {
  const std::uint64_t end = open_ + ring_.size();
  for (std::uint64_t slot = open_ + 1; slot < end;) {
    const std::uint64_t word = filled_[(slot & mask_) / 64] >> (slot & 63U);
    if (word != 0) return std::min(end, slot + static_cast<std::uint64_t>(std::countr_zero(word)));
    slot += 64 - (slot & 63U);
  }
  return end;
}

/// Called when the next event may be one that waits beyond the ring. False if a new layout is
/// better: no slot reaches that far, or looking through so many events gains too little.
bool EventQueue::fetch_far() {
  if (!(place_of(far_first_s_) < 0x1p52)) return false;
  const std::size_t before = far_size_;
  take_in_far();
  const std::size_t used = before - far_size_ + opened_ - fetched_at_;
  fetched_at_ = opened_;
  return 8 * used >= before;
}

/// Moves the ring to the first event beyond it, and takes in all events that lie on it then.
void EventQueue::take_in_far() {
  const auto slot = slot_at(std::max(1.0, place_of(far_first_s_)));
  open_ = std::max(open_, slot - 1);
  near_end_ = static_cast<double>(open_ + 1);
  far_begin_ = static_cast<double>(open_ + ring_.size());
  far_first_s_ = std::numeric_limits<double>::infinity();
  far_size_ = 0;
  far_.take_all(blocks_, [this](const Event& event) {
    const double place = place_of(event.time_s);
    if (place < near_end_)
      put_in_heap(event);  // rounding may put the first event into the open slot
    else if (place < far_begin_)
      put_in_slot(slot_at(place), event);
    else
      put_far(event);
  });
}

/// True if the slots have become too full or too empty, or too many or too few for the events.
bool EventQueue::fits_badly() {
  const std::size_t slots = static_cast<std::size_t>(open_ - checked_) + 1;
  const std::size_t aim = std::max(kEventsPerSlot, 2 * active() / kMostSlots);
  const bool bad = opened_ > 4 * aim * slots || 8 * opened_ < aim * slots || 8 * put_far_ > opened_;
  opened_ = put_far_ = fetched_at_ = 0;
  checked_ = open_;
  return bad;
}

/// Puts all events of the ring beyond it, to lay the calendar out anew.
void EventQueue::gather() {
  for (EventList& slot : ring_) far_.append(slot);
  filled_.fill(0);
  far_size_ = active();
}

/// What was far off is due, and takes part in the next layout.
void EventQueue::take_in_remote() {
  far_.append(remote_);
  far_first_s_ = std::min(far_first_s_, remote_first_s_);
  far_size_ += std::exchange(remote_size_, 0);
  remote_first_s_ = std::numeric_limits<double>::infinity();
}

/// Lays the calendar out for the events that crowd the heap: there is no calendar yet, or a burst
/// of events has come that all lie in its open slot. Beside them, all others are far off.
void EventQueue::spread_out() {
  constexpr double kRounding = 0.0625;  // of a slot, at most
  const std::size_t crowd = near_.size() + staged_.size() - cursor_;
  const std::uint64_t next = ring_.empty() ? 0 : next_filled();
  if (next < open_ + ring_.size()) {
    const double place = static_cast<double>(next) - kRounding;
    remote_first_s_ = std::min(remote_first_s_, first_s_ + place / slots_per_s_);
  }
  for (EventList& slot : ring_) remote_.append(slot);
  filled_.fill(0);
  remote_.append(far_);
  remote_first_s_ = std::min(remote_first_s_, far_first_s_);
  remote_size_ = size_ - crowd;
  for (const Event& event : near_) far_.push(event, blocks_);
  for (std::size_t i = cursor_; i < staged_.size(); ++i) far_.push(staged_[i], blocks_);
  far_size_ = crowd;
  near_.clear();
  staged_.clear();
  bucket_end_.clear();
  bucket_ = cursor_ = sorted_end_ = 0;
  lay_out();
  heap_enough_ = std::max(heap_enough_, 2 * near_.size());  // if that could not separate them
}

/// Lays the calendar out for the events in far_, or puts them all into the heap. Half of the ring
/// takes in most of them; the rest is for those that will be scheduled meanwhile.
void EventQueue::lay_out() {
  far_first_s_ = std::numeric_limits<double>::infinity();
  far_.for_each(
      [this](const Event& event) { far_first_s_ = std::min(far_first_s_, event.time_s); });
  if (remote_size_ > 0 && remote_first_s_ <= far_first_s_) take_in_remote();
  if (remote_size_ == 0 && far_size_ <= kHeapEnough / 2) return take_all_near();
  const std::size_t slots =
      std::clamp(std::bit_ceil(2 * far_size_ / kEventsPerSlot), std::size_t{64}, kMostSlots);
  const auto width = static_cast<double>(slots);
  double slots_per_s = 0.5 * width / (sampled_horizon() - far_first_s_);
  const auto separates = [&] { return std::isfinite(slots_per_s) && slots_per_s > 0.0; };
  if (!separates()) slots_per_s = width / (remote_first_s_ - far_first_s_);
  if (!separates()) {
    if (remote_size_ > 0) take_in_remote();
    return take_all_near();
  }
  remote_s_ = far_first_s_ + kReach * width / slots_per_s;
  first_s_ = far_first_s_ - 1.0 / slots_per_s;  // slot 0 is open, and empty
  slots_per_s_ = slots_per_s;
  ring_.resize(slots);
  mask_ = slots - 1;
  open_ = checked_ = 0;
  opened_ = put_far_ = fetched_at_ = 0;
  heap_enough_ = kHeapEnough;
  take_in_far();
}

void EventQueue::take_all_near() {
  staged_.clear();
  bucket_end_.clear();
  bucket_ = cursor_ = sorted_end_ = 0;
  ring_.clear();
  first_s_ = slots_per_s_ = 0.0;
  near_end_ = far_begin_ = far_first_s_ = remote_s_ = std::numeric_limits<double>::infinity();
  near_.reserve(std::exchange(far_size_, 0));
  far_.take_all(blocks_, [this](const Event& event) { near_.push_back(event); });
  std::sort(near_.begin(), near_.end());  // a sorted array is a heap
  // With few events a heap is enough. With many, most are at the same time, and slots cannot
  // separate them. Raising the limit keeps us from trying again at every event.
  heap_enough_ = std::max(kHeapEnough, 2 * near_.size());
}

/// The time before which seven eighths of the events in far_ lie, roughly; or before which all
/// those lie that come long before the others.
double EventQueue::sampled_horizon() {
  constexpr std::size_t kLeastPart = 32;
  constexpr double kGap = 8.0;
  const double shortest_s = 1e-12 * far_first_s_;  // many times what a double can tell apart
  sample_.clear();
  const std::size_t stride = far_size_ / kSample + 1;
  std::size_t skip = 0;
  far_.for_each([&](const Event& event) {
    if (skip == 0) sample_.push_back(event.time_s);
    skip = skip == 0 ? stride - 1 : skip - 1;
  });
  std::sort(sample_.begin(), sample_.end());
  const auto last = static_cast<std::size_t>(0.875 * static_cast<double>(sample_.size()));
  for (std::size_t next = sample_.size() / kLeastPart + 1; next <= last; ++next) {
    const double near_s = sample_[next - 1] - far_first_s_;
    if (near_s > shortest_s && sample_[next] - far_first_s_ > kGap * near_s)
      return sample_[next - 1];
  }
  return sample_[last];
}

}  // namespace faultline::engine
