#include "sim/engine/event_queue.hpp"

#include <cmath>
#include <utility>

namespace faultline {

namespace {

/// Sorts the few events of one bucket, for which std::sort has too much overhead.
void insertion_sort(Event* first, Event* last) {
  for (Event* next = first; next < last; ++next) {
    const Event event = *next;
    Event* place = next;
    for (; place > first && event < place[-1]; --place) *place = place[-1];
    *place = event;
  }
}

void sort_bucket(Event* first, Event* last) {
  if (last - first <= 24)
    insertion_sort(first, last);
  else
    std::sort(first, last);
}

}  // namespace

void EventQueue::push_near(const Event& event) {
  std::size_t hole = near_.size();
  near_.push_back(event);
  while (hole > 0) {
    const std::size_t parent = (hole - 1) / 4;
    if (!(event < near_[parent])) break;
    near_[hole] = near_[parent];
    hole = parent;
  }
  near_[hole] = event;
  if (!in_slots_ && near_.size() > heap_enough_) {
    far_.insert(far_.end(), near_.begin(), near_.end());
    near_.clear();
    refill();
  }
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
    hole = least;
  }
  near_[hole] = last;
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
    if (!open_next_slot()) refill();
  }
}

bool EventQueue::open_next_slot() {
  if (!in_slots_) return false;
  while (++open_slot_ < kSlots) {
    std::vector<Event>& slot = slots_[open_slot_];
    if (slot.empty()) continue;
    deal(slot);
    slot.clear();
    return true;
  }
  return false;
}

/// Called when every slot is used up. Fills the slots again, or puts everything into the heap.
void EventQueue::refill() {
  if (far_.size() <= kHeapEnough / 2) return take_all_near();
  const double horizon_s = sampled_horizon();
  double first_s = horizon_s;
  for (const Event& event : far_) first_s = std::min(first_s, event.time_s);
  const double slots_per_s = static_cast<double>(kSlots) / (horizon_s - first_s);
  if (!std::isfinite(slots_per_s)) return take_all_near();
  first_s_ = first_s;
  slots_per_s_ = slots_per_s;
  fill_slots(horizon_s);
}

void EventQueue::take_all_near() {
  staged_.clear();
  bucket_end_.clear();
  bucket_ = cursor_ = sorted_end_ = 0;
  in_slots_ = false;
  open_slot_ = 0;
  horizon_s_ = std::numeric_limits<double>::infinity();
  near_.swap(far_);
  std::sort(near_.begin(), near_.end());  // a sorted array is a heap
  // With few events a heap is enough. With many, most are at the same time, and slots cannot
  // separate them. Raising the limit keeps us from trying again at every event.
  heap_enough_ = std::max(kHeapEnough, 2 * near_.size());
}

double EventQueue::sampled_horizon() {
  sample_.clear();
  const std::size_t stride = std::max<std::size_t>(1, far_.size() / kSample);
  for (std::size_t i = 0; i < far_.size() && sample_.size() <= kSample; i += stride)
    sample_.push_back(far_[i].time_s);
  const auto place = sample_.begin() + static_cast<std::ptrdiff_t>(sample_.size() * 7 / 8);
  std::nth_element(sample_.begin(), place, sample_.end());
  return *place;
}

void EventQueue::fill_slots(double horizon_s) {
  horizon_s_ = horizon_s;
  std::size_t kept = 0;
  for (const Event& event : far_) {
    if (event.time_s < horizon_s)
      slots_[slot_of(event.time_s)].push_back(event);
    else
      far_[kept++] = event;
  }
  far_.resize(kept);
  heap_enough_ = kHeapEnough;
  in_slots_ = true;
  open_slot_ = 0;
  deal(slots_[0]);
  slots_[0].clear();
}

void EventQueue::deal(const std::vector<Event>& events) {
  double first_s = std::numeric_limits<double>::infinity();
  double last_s = -first_s;
  for (const Event& event : events) {
    first_s = std::min(first_s, event.time_s);
    last_s = std::max(last_s, event.time_s);
  }
  const std::size_t buckets = std::max<std::size_t>(1, events.size() / kBucketSize);
  const double per_s = static_cast<double>(buckets) / (last_s - first_s);
  const double scale = std::isfinite(per_s) ? per_s : 0.0;
  const auto bucket_of = [=](const Event& event) {
    return std::min(buckets - 1, static_cast<std::size_t>((event.time_s - first_s) * scale));
  };
  bucket_end_.assign(buckets, 0);
  for (const Event& event : events) ++bucket_end_[bucket_of(event)];
  std::uint32_t total = 0;
  for (auto& end : bucket_end_) end = std::exchange(total, total + end);
  staged_.resize(events.size());
  for (const Event& event : events) staged_[bucket_end_[bucket_of(event)]++] = event;
  bucket_ = cursor_ = sorted_end_ = 0;
}

}  // namespace faultline
