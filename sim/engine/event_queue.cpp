#include "sim/engine/event_queue.hpp"

#include <utility>

namespace faultline {

namespace {

/// Sorts the few events of one bucket; std::sort's set-up costs more than this for so few.
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
  if (near_.size() > kHeapEnough && cursor_ == staged_.size() && far_.empty()) {
    far_.swap(near_);
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
    if (!near_.empty() || far_.empty()) return;
    refill();
  }
}

void EventQueue::refill() {
  if (far_.size() <= kHeapEnough / 2) return take_all_near();
  const double horizon_s = sampled_horizon();
  const auto before = [horizon_s](const Event& event) { return event.time_s < horizon_s; };
  if (std::none_of(far_.begin(), far_.end(), before)) return take_all_near();
  deal(horizon_s);
}

void EventQueue::take_all_near() {
  staged_.clear();
  bucket_end_.clear();
  bucket_ = cursor_ = sorted_end_ = 0;
  horizon_s_ = std::numeric_limits<double>::infinity();
  near_.swap(far_);
  std::sort(near_.begin(), near_.end());  // a sorted array is a heap
}

double EventQueue::sampled_horizon() const {
  std::vector<double> sample;
  sample.reserve(kSample);
  const std::size_t stride = std::max<std::size_t>(1, far_.size() / kSample);
  for (std::size_t i = 0; i < far_.size(); i += stride) sample.push_back(far_[i].time_s);
  const auto place = sample.begin() + static_cast<std::ptrdiff_t>(sample.size() * 5 / 8);
  std::nth_element(sample.begin(), place, sample.end());
  return *place;
}

void EventQueue::deal(double horizon_s) {
  double first_s = horizon_s;
  std::size_t count = 0;
  for (const Event& event : far_) {
    if (event.time_s >= horizon_s) continue;
    first_s = std::min(first_s, event.time_s);
    ++count;
  }
  const std::size_t buckets = std::max<std::size_t>(1, count / kBucketSize);
  const double width_s = (horizon_s - first_s) / static_cast<double>(buckets);
  const double scale = width_s > 0.0 ? 1.0 / width_s : 0.0;
  const auto bucket_of = [=](const Event& event) {
    return std::min(buckets - 1, static_cast<std::size_t>((event.time_s - first_s) * scale));
  };
  bucket_end_.assign(buckets, 0);
  for (const Event& event : far_)
    if (event.time_s < horizon_s) ++bucket_end_[bucket_of(event)];
  std::uint32_t total = 0;
  for (auto& end : bucket_end_) end = std::exchange(total, total + end);
  staged_.resize(count);
  std::size_t kept = 0;
  for (const Event& event : far_) {
    if (event.time_s < horizon_s)
      staged_[bucket_end_[bucket_of(event)]++] = event;
    else
      far_[kept++] = event;
  }
  far_.resize(kept);
  bucket_ = cursor_ = sorted_end_ = 0;
  horizon_s_ = horizon_s;
}

}  // namespace faultline
