#include "sim/engine/bulk_intake.hpp"

#include <algorithm>

namespace faultline {

void BulkIntake::flow(double now_s, double alone_s, double flows_s) {
  advance(now_s);
  const double rate = alone_s / std::max(alone_s, flows_s);
  rate_ += rate;
  flows_.push({now_s + std::max(alone_s, flows_s), rate});
}

void BulkIntake::pass_first(double now_s, double alone_s) {
  // It began to flow in before now, which can be before the last change.
  const double begin_s = now_s - alone_s;
  if (begin_s > at_s_) advance(begin_s);
  const double before_s = std::max(0.0, at_s_ - begin_s);
  backlog_s_ += before_s;  // as if nothing of that had been taken in
  advance(now_s, 1.0);
  if (is_anybody_waiting()) passed_s_ += alone_s;
}

void BulkIntake::wait(double now_s, Message& message) {
  advance(now_s);
  if (!is_anybody_waiting()) {
    waiting_.clear();
    next_ = 0;
    passed_s_ = 0.0;
  }
  waiting_.push_back({&message, now_s + backlog_s_, passed_s_});
}

Message& BulkIntake::take_first() {
  Message& message = *waiting_[next_++].message;
  if (2 * next_ > waiting_.size() + kKeptPlaces) {
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(next_));
    next_ = 0;
  }
  return message;
}

void BulkIntake::advance(double now_s, double more) {
  while (!flows_.empty() && flows_.top().end_s <= now_s) {
    advance_evenly(flows_.top().end_s, rate_ + more);
    rate_ -= flows_.top().rate;
    flows_.pop();
    if (flows_.empty()) rate_ = 0.0;  // and not what rounding leaves
  }
  advance_evenly(now_s, rate_ + more);
}

void BulkIntake::advance_evenly(double now_s, double rate) {
  backlog_s_ = std::max(0.0, backlog_s_ + (rate - 1.0) * (now_s - at_s_));
  at_s_ = now_s;
}

}  // namespace faultline
