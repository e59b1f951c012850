// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/network/bulk_intake.hpp"

#include <algorithm>

namespace faultline::engine {

Inflow BulkIntake::flow(double now_s, double begin_s, double alone_s, double flows_s, NodeId node) {
  advance(now_s);
  const double duration_s = std::max(alone_s, flows_s);
  const Inflow inflow{begin_s + duration_s, alone_s / duration_s, node};
  changes_.push({begin_s, inflow.rate});
  changes_.push({inflow.end_s, -inflow.rate});
  return inflow;
}

/// The end that is already among the changes is made up for there, and comes again later.
void BulkIntake::pause(double now_s, Inflow& inflow, double from_s, double duration_s) {
  if (from_s >= inflow.end_s) return;
  advance(now_s);
  changes_.push({from_s, -inflow.rate});
  changes_.push({from_s + duration_s, inflow.rate});
  changes_.push({inflow.end_s, inflow.rate});
  inflow.end_s += duration_s;
  changes_.push({inflow.end_s, -inflow.rate});
}

void BulkIntake::pass_first(double now_s, double alone_s) {
  flow_alone(now_s, alone_s);
  if (is_anybody_waiting()) passed_s_ += alone_s;
}

/// A message of one packet has flowed in at the full rate until now. It began before now, which can
/// be before the last change: then as much of it was taken in as the NIC had nothing else to do.
void BulkIntake::flow_alone(double now_s, double alone_s) {
  const double begin_s = now_s - alone_s;
  if (begin_s > at_s_) advance(begin_s);
  const double before_s = std::max(0.0, at_s_ - begin_s);
  const double idle_s = std::max(0.0, idle_until_s_ - std::max(idle_from_s_, begin_s));
  backlog_s_ += std::max(0.0, before_s - idle_s);
  advance(now_s, 1.0);
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

bool BulkIntake::wait_behind_its_pair(double now_s, double alone_s, Message& message) {
  const auto first = waiting_.begin() + static_cast<std::ptrdiff_t>(next_);
  auto behind = waiting_.end();
  while (behind != first &&
         (behind[-1].message->from != message.from || behind[-1].message->to != message.to))
    --behind;
  if (behind == first) return false;
  flow_alone(now_s, alone_s);
  Waiting waiting = behind[-1];
  waiting.message = &message;
  const auto is_in_by_then = [&](const Waiting& other) {
    return other.in_s - other.passed_before_s <= waiting.in_s - waiting.passed_before_s;
  };
  while (behind != waiting_.end() && is_in_by_then(*behind)) ++behind;
  for (auto place = behind; place != waiting_.end(); ++place) place->in_s += alone_s;
  waiting_.insert(behind, waiting);
  return true;
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
  while (!changes_.empty() && changes_.top().at_s <= now_s) {
    advance_evenly(changes_.top().at_s, rate_ + more);
    change();
  }
  advance_evenly(now_s, rate_ + more);
}

/// Makes all changes that are next, at the same time.
void BulkIntake::change() {
  const double at_s = changes_.top().at_s;
  do {
    rate_ += changes_.top().rate;
    flowing_ += changes_.top().rate > 0.0 ? 1 : -1;
    changes_.pop();
  } while (!changes_.empty() && changes_.top().at_s == at_s);
  if (flowing_ == 0) rate_ = 0.0;  // and not what rounding leaves
}

void BulkIntake::advance_evenly(double now_s, double rate) {
  const double before_s = backlog_s_ + (rate - 1.0) * (now_s - at_s_);
  backlog_s_ = std::max(0.0, before_s);
  if (rate == 0.0 && before_s < 0.0) {
    const double begin_s = now_s + before_s;  // since when there is nothing to do
    if (begin_s > at_s_ || idle_until_s_ < at_s_) idle_from_s_ = begin_s;
    idle_until_s_ = now_s;
  }
  at_s_ = now_s;
}

}  // namespace faultline::engine
