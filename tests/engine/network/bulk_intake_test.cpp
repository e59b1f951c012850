// SPDX-License-Identifier: Apache-2.0

// What a NIC takes in of messages that flow into it, against two models of the tests' own: the
// maximum over all stretches of time, and a fluid that moves in small steps.

#include "sim/engine/network/bulk_intake.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "sim/core/random.hpp"

namespace faultline::engine {

namespace {

constexpr double kLongestWord_s = 1e-3;

/// Flows in from `begin_s`, evenly for `flows_s`, but for its pauses. The NIC alone needs `alone_s`
/// for it.
struct Coming {
  struct Pause {
    double from_s;
    double duration_s;
    double known_s;  ///< when the NIC is told
  };
  double begin_s = 0;
  double alone_s = 0;
  double flows_s = 0;
  bool is_word = false;         ///< a message of one packet
  double in_s = 0;              ///< BulkIntake's answer, for the others
  double known_s = 0;           ///< when the NIC is told that it begins
  std::vector<Pause> pauses{};  ///< in the order of time

  [[nodiscard]] double end_s() const {
    double sum_s = begin_s + flows_s;
    for (const Pause& pause : pauses) sum_s += pause.duration_s;
    return sum_s;
  }
  [[nodiscard]] double come_s(double until_s) const {
    double flowed_s = until_s - begin_s;
    for (const Pause& pause : pauses)
      flowed_s -= std::clamp(until_s - pause.from_s, 0.0, pause.duration_s);
    return alone_s * std::clamp(flowed_s / flows_s, 0.0, 1.0);
  }
};

void add_pauses(Stream& random, Coming& flow) {
  double from_s = flow.begin_s;
  double known_s = flow.known_s;
  for (std::uint64_t left = random.below(4); left > 0; --left) {
    from_s += random.uniform() * 0.5 * flow.flows_s;
    if (from_s >= flow.end_s()) return;
    known_s = std::max(known_s, from_s - random.uniform());
    flow.pauses.push_back({from_s, 2.0 * random.uniform(), known_s});
    from_s += flow.pauses.back().duration_s;
  }
}

std::vector<Coming> drawn(std::uint64_t seed, std::uint64_t words) {
  Stream random(seed, 0, Purpose::workload, 0);
  std::vector<Coming> flows(1 + random.below(12));
  const double spread_s = 10.0 * random.uniform();
  for (Coming& flow : flows) {
    flow.begin_s = spread_s * random.uniform();
    flow.alone_s = 0.05 + 3.0 * random.uniform();
    flow.flows_s = flow.alone_s * (random.chance(0.5) ? 1.0 : 1.0 + 5.0 * random.uniform());
    flow.known_s = flow.begin_s - random.uniform();
    add_pauses(random, flow);
  }
  for (std::uint64_t word = 0; word < words; ++word) {  // no two at a time
    const double alone_s = kLongestWord_s * random.uniform();
    const double begin_s = 5e-3 * static_cast<double>(word) + 4e-3 * random.uniform();
    flows.push_back({.begin_s = begin_s, .alone_s = alone_s, .flows_s = alone_s, .is_word = true});
  }
  return flows;
}

/// Shows all of them to a NIC in the order of time, and notes when each is in.
void take_in(std::vector<Coming>& flows) {
  struct Moment {
    double time_s;
    Coming* flow;
    bool begins;
    const Coming::Pause* pause = nullptr;
  };
  std::vector<Moment> moments;
  for (Coming& flow : flows) {
    if (!flow.is_word) moments.push_back({flow.known_s, &flow, true});
    for (const Coming::Pause& pause : flow.pauses)
      moments.push_back({pause.known_s, &flow, false, &pause});
    moments.push_back({flow.end_s(), &flow, false});
  }
  std::stable_sort(moments.begin(), moments.end(),
                   [](const Moment& a, const Moment& b) { return a.time_s < b.time_s; });
  BulkIntake intake;
  intake.begin(-2.0, 0.0, -2.0);
  std::vector<Inflow> inflows(flows.size());
  std::vector<Message> messages(flows.size());
  const auto take_until = [&](double time_s) {
    while (intake.is_anybody_waiting() && intake.first_in_s() <= time_s) {
      const double in_s = intake.first_in_s();
      flows[static_cast<std::size_t>(&intake.take_first() - messages.data())].in_s = in_s;
    }
  };
  for (const Moment& moment : moments) {
    take_until(moment.time_s);
    const Coming& flow = *moment.flow;
    const auto number = static_cast<std::size_t>(&flow - flows.data());
    if (moment.begins)
      inflows[number] =
          intake.flow(moment.time_s, flow.begin_s, flow.alone_s, flow.flows_s, NodeId{});
    else if (moment.pause != nullptr)
      intake.pause(moment.time_s, inflows[number], moment.pause->from_s, moment.pause->duration_s);
    else if (flow.is_word)
      intake.pass_first(moment.time_s, flow.alone_s);
    else
      intake.wait(moment.time_s, messages[number]);
  }
  take_until(kNever);
}

/// What has come by then, of all.
double come_s(const std::vector<Coming>& flows, double until_s) {
  double sum_s = 0;
  for (const Coming& flow : flows) sum_s += flow.come_s(until_s);
  return sum_s;
}

/// The latest of s + what has come between s and the end of a flow, over all s. What comes is
/// piecewise linear, so that one of its corners is the latest.
double in_over_all_stretches_s(const std::vector<Coming>& flows, const Coming& of) {
  double latest_s = of.end_s();
  const auto look_at = [&](double s) {
    if (s <= of.end_s())
      latest_s = std::max(latest_s, s + come_s(flows, of.end_s()) - come_s(flows, s));
  };
  for (const Coming& flow : flows) {
    look_at(flow.begin_s);
    look_at(flow.end_s());
    for (const Coming::Pause& pause : flow.pauses) {
      look_at(pause.from_s);
      look_at(pause.from_s + pause.duration_s);
    }
  }
  return latest_s;
}

/// What has come by then of the long messages.
double long_ones_s(const std::vector<Coming>& flows, double until_s) {
  double sum_s = 0;
  for (const Coming& flow : flows) {
    if (flow.is_word) break;  // words are behind all others
    sum_s += flow.come_s(until_s);
  }
  return sum_s;
}

/// What has come by then of the words, which come in the order of time. They count up from one that
/// has not come yet.
double words_s(const std::vector<Coming>& flows, double from_s, double until_s,
               std::size_t& first_word) {
  while (first_word < flows.size() &&
         (!flows[first_word].is_word || flows[first_word].end_s() < from_s))
    ++first_word;
  double sum_s = 0;
  for (std::size_t i = first_word; i < flows.size() && flows[i].begin_s < until_s; ++i)
    sum_s += flows[i].come_s(until_s) - flows[i].come_s(from_s);
  return sum_s;
}

/// A fluid in small steps: words at once, then what has come first.
std::vector<double> in_by_steps_s(const std::vector<Coming>& flows, double step_s) {
  std::vector<double> in_s(flows.size(), kNever);
  double taken = 0;  // of those that are no words
  double words = 0;  // come and not taken in
  std::size_t first_word = 0;
  for (std::size_t step = 0; step < static_cast<std::size_t>(60.0 / step_s); ++step) {
    const double now_s = static_cast<double>(step) * step_s;
    const double next_s = now_s + step_s;
    words += words_s(flows, now_s, next_s, first_word);
    const double of_words_s = std::min(words, step_s);
    words -= of_words_s;
    taken = std::min(long_ones_s(flows, next_s), taken + step_s - of_words_s);
    for (std::size_t i = 0; i < flows.size() && !flows[i].is_word; ++i)
      if (in_s[i] == kNever && flows[i].end_s() <= next_s &&
          taken >= long_ones_s(flows, flows[i].end_s()) - 1e-9)
        in_s[i] = next_s;
  }
  return in_s;
}

}  // namespace

TEST_CASE("a NIC has a message in when no stretch of time asks for more than its bandwidth") {
  std::uint64_t waited = 0;
  std::uint64_t paused = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    std::vector<Coming> flows = drawn(seed, 0);
    take_in(flows);
    INFO("seed " << seed);
    for (const Coming& flow : flows) {
      CHECK(flow.in_s == Approx(in_over_all_stretches_s(flows, flow)).epsilon(1e-12));
      waited += flow.in_s > flow.end_s() + 1e-9 ? 1 : 0;
      paused += flow.pauses.size();
    }
  }
  CHECK(waited > 4000);
  CHECK(paused > 4000);
}

TEST_CASE("words go before what waits, and delay it by their own time") {
  constexpr double kStep_s = 5e-4;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::vector<Coming> flows = drawn(seed, 3000);  // a tenth of the bandwidth
    take_in(flows);
    const std::vector<double> in_s = in_by_steps_s(flows, kStep_s);
    INFO("seed " << seed);
    for (std::size_t i = 0; i < flows.size(); ++i) {
      // A step for when it is in, and twice the longest word: one counts only when all of it has
      // come, and one as if nothing of it had been taken in before the NIC had more to do.
      if (!flows[i].is_word)
        CHECK(std::abs(flows[i].in_s - in_s[i]) < kStep_s + 2 * kLongestWord_s);
    }
  }
}

}  // namespace faultline::engine
