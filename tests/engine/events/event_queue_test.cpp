// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/events/event_queue.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <queue>
#include <vector>

#include "sim/core/random.hpp"

namespace faultline::engine {

namespace {

struct Later {
  bool operator()(const Event& a, const Event& b) const { return b < a; }
};

/// The queue beside std::priority_queue: whatever goes into both must come out of both alike.
class Both {
 public:
  explicit Both(std::uint64_t seed) : random(seed, 0, Purpose::workload, 0) {}

  Stream random;

  void push(double time_s) {
    Event event{.time_s = time_s, .order = ++sequence_ << Event::kKindBits, .message = nullptr};
    event.at = {static_cast<std::uint32_t>(sequence_), static_cast<std::uint32_t>(sequence_ * 7)};
    queue_.push(event);
    reference_.push(event);
  }

  double pop() {
    const Event expected = reference_.top();
    reference_.pop();
    same_ = same_ && queue_.size() == reference_.size() + 1 && !queue_.empty();
    same_ = same_ && queue_.top().order == expected.order;
    const Event event = queue_.pop();
    same_ = same_ && event.time_s == expected.time_s && event.order == expected.order &&
            event.at.actor == expected.at.actor && event.at.detail == expected.at.detail;
    return event.time_s;
  }

  void push_many(int count, const std::function<double(Stream&)>& time_s) {
    for (int i = 0; i < count; ++i) push(time_s(random));
  }
  /// The hold model: the time that comes out goes back in, later.
  void hold(int times, const std::function<double(Stream&)>& delay_s) {
    for (int i = 0; i < times; ++i) {
      const double now_s = pop();
      push(now_s + delay_s(random));
    }
  }
  /// Events of odd actors have no effect any more. How many of them the queue forgets.
  std::size_t thin_out() {
    const std::size_t before = queue_.size();
    if (queue_.is_crowded_far_off()) queue_.thin_out_far_off(has_no_effect);
    return before - queue_.size();
  }
  void drain_but_for_odd_actors() {
    const auto next = [](auto& events) {
      std::uint64_t order = 0;
      for (; !events.empty() && order == 0; events.pop())
        if (!has_no_effect(events.top())) order = events.top().order;
      return order;
    };
    for (bool any = true; any;) {
      const std::uint64_t expected = next(reference_);
      same_ = same_ && next(queue_) == expected;
      any = expected != 0;
    }
  }
  void drain() {
    while (!reference_.empty()) pop();
    same_ = same_ && queue_.empty() && queue_.size() == 0;
  }
  [[nodiscard]] bool same() const { return same_; }
  [[nodiscard]] std::size_t size() const { return reference_.size(); }

 private:
  static bool has_no_effect(const Event& event) { return event.at.actor % 2 == 1; }

  EventQueue queue_;
  std::priority_queue<Event, std::vector<Event>, Later> reference_;
  std::uint64_t sequence_ = 0;
  bool same_ = true;
};

double exponential(Stream& random) { return random.exponential(1.0); }

}  // namespace

TEST_CASE("few events come out in order, equal times first in first out") {
  Both both(1);
  both.push_many(500, [](Stream& random) { return static_cast<double>(random.below(20)); });
  both.hold(5000, [](Stream& random) { return static_cast<double>(random.below(3)); });
  both.drain();
  CHECK(both.same());
}

TEST_CASE("an event that is taken out of an empty queue is an error, and no endless search") {
  EventQueue queue;
  CHECK_THROWS_AS(queue.pop(), std::logic_error);
  queue.push({.time_s = 1.0, .order = 1, .message = nullptr});
  queue.pop();
  CHECK_THROWS_AS(queue.pop(), std::logic_error);
}

TEST_CASE("many events come out in order under the hold model") {
  for (const int count : {255, 256, 257, 600, 8192, 40000}) {
    Both both(static_cast<std::uint64_t>(count));
    both.push_many(count, exponential);
    both.hold(3 * count, exponential);
    both.drain();
    INFO(count << " events");
    CHECK(both.same());
  }
}

TEST_CASE("many events with few distinct times keep their order of arrival") {
  Both both(2);
  both.push_many(30000, [](Stream& random) { return static_cast<double>(random.below(7)); });
  both.hold(60000, [](Stream& random) { return static_cast<double>(random.below(4)); });
  both.drain();
  CHECK(both.same());
}

TEST_CASE("timers far in the future wait while the near events go round") {
  Both both(3);
  both.push_many(20000, exponential);
  both.push_many(5000, [](Stream& random) { return 1e6 + random.uniform(); });
  both.push_many(3, [](Stream&) { return kNever; });
  both.hold(60000, exponential);
  both.drain();
  CHECK(both.same());
}

// Requests that time out after long, next to messages: each of a few events sets such a timer.
TEST_CASE("many more timers than other events keep their order when they come due") {
  for (const int events : {3, 200, 5000}) {
    INFO(events << " events");
    Both both(static_cast<std::uint64_t>(events));
    both.push_many(events, [](Stream& random) { return 1e-6 * random.uniform(); });
    for (int i = 0; i < 60000; ++i) {
      const double now_s = both.pop();
      if (both.size() < 100000) both.push(now_s + 1e-3);
      both.push(now_s + 1e-6 * both.random.uniform());
      if (i % 1000 == 0) both.push(now_s + 2e-4 * both.random.uniform());
    }
    both.drain();
    CHECK(both.same());
  }
}

TEST_CASE("far off, what has no effect is dropped when it is much, and the rest keeps its order") {
  Both both(8);
  const auto soon_s = [](Stream& random) { return 1e-6 * random.uniform(); };
  const auto late_s = [](Stream& random) { return 1.0 + random.uniform(); };
  both.push_many(3000, soon_s);
  both.push_many(30000, late_s);
  both.hold(5000, soon_s);
  CHECK(both.thin_out() == 0);
  both.push_many(100000, late_s);
  both.hold(5000, soon_s);
  const std::size_t forgotten = both.thin_out();
  CHECK(forgotten > 60000);
  CHECK(forgotten < 70000);
  both.drain_but_for_odd_actors();
  CHECK(both.same());
}

TEST_CASE("events before everything that waits come out first") {
  Both both(4);
  both.push_many(20000, [](Stream& random) { return 100 + random.uniform(); });
  for (int i = 0; i < 20000; ++i) {
    both.push(100 - i * 1e-3);
    if (i % 3 == 0) both.pop();
  }
  both.drain();
  CHECK(both.same());
}

TEST_CASE("bursts that fill and empty the queue leave no event behind") {
  Both both(5);
  double now_s = 0.0;
  for (int burst = 0; burst < 12; ++burst) {
    const int count = burst % 2 == 0 ? 15000 : 200;
    for (int i = 0; i < count; ++i) both.push(now_s + both.random.uniform());
    const std::size_t left = burst % 3 == 0 ? 0 : both.size() / 4;
    while (both.size() > left) now_s = both.pop();
  }
  both.drain();
  CHECK(both.same());
}

// Reports of a failure among heartbeats: each event of the burst causes another one soon.
TEST_CASE("bursts much shorter than what waits around them come out in order") {
  for (const int burst : {300, 4000, 30000}) {
    INFO(burst << " events in a burst");
    Both both(7);
    const auto period_s = [](Stream& random) { return random.uniform(); };
    const auto soon_s = [](Stream& random) { return 1e-7 * random.uniform(); };
    both.push_many(3000, period_s);
    for (int times = 0; times < 3; ++times) {
      both.hold(5000, period_s);
      const double now_s = both.pop();
      for (int i = 0; i < burst; ++i) both.push(now_s + soon_s(both.random));
      both.hold(2 * burst, soon_s);
      for (int i = 0; i < burst; ++i) both.pop();
    }
    both.drain();
    CHECK(both.same());
  }
}

TEST_CASE("delays of very different size mix") {
  Both both(6);
  const auto delay_s = [](Stream& random) {
    return random.chance(0.1) ? 0.0 : std::pow(10.0, -9.0 + 9.0 * random.uniform());
  };
  both.push_many(25000, delay_s);
  both.hold(80000, delay_s);
  both.drain();
  CHECK(both.same());
}

TEST_CASE("random mixes of pushes and pops agree with a plain heap") {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    Both both(1000 + seed);
    double now_s = 0.0;
    for (int turn = 0; turn < 30; ++turn) {
      const auto pushes = both.random.below(both.random.chance(0.1) ? 12000 : 300);
      const double spread_s = std::pow(10.0, 4.0 * both.random.uniform() - 2.0);
      const bool ties = both.random.chance(0.2);
      for (std::uint64_t i = 0; i < pushes; ++i) {
        const double delay_s = spread_s * both.random.uniform();
        both.push(now_s + (ties ? std::floor(delay_s) : delay_s));
      }
      for (auto pops = both.random.below(both.size() + 1); pops > 0; --pops) now_s = both.pop();
    }
    both.drain();
    INFO("seed " << seed);
    CHECK(both.same());
  }
}

}  // namespace faultline::engine
