// What a NIC takes in of messages that flow into it, against two models of the tests' own: the
// maximum over all stretches of time, and a fluid that moves in small steps.

#include "sim/engine/bulk_intake.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "sim/core/random.hpp"

using namespace faultline;

namespace {

constexpr double kLongestWord_s = 1e-3;

/// Flows in from `begin_s`, evenly for `flows_s`. The NIC alone needs `alone_s` for it.
struct Inflow {
  double begin_s = 0;
  double alone_s = 0;
  double flows_s = 0;
  bool is_word = false;  ///< a message of one packet
  double in_s = 0;       ///< what BulkIntake says, of the others

  [[nodiscard]] double end_s() const { return begin_s + flows_s; }
  [[nodiscard]] double come_s(double until_s) const {
    return alone_s * std::clamp((until_s - begin_s) / flows_s, 0.0, 1.0);
  }
};

std::vector<Inflow> drawn(std::uint64_t seed, std::uint64_t words) {
  Stream random(seed, 0, Purpose::workload, 0);
  std::vector<Inflow> flows(1 + random.below(12));
  const double spread_s = 10.0 * random.uniform();
  for (Inflow& flow : flows) {
    flow.begin_s = spread_s * random.uniform();
    flow.alone_s = 0.05 + 3.0 * random.uniform();
    flow.flows_s = flow.alone_s * (random.chance(0.5) ? 1.0 : 1.0 + 5.0 * random.uniform());
  }
  for (std::uint64_t word = 0; word < words; ++word) {  // no two at a time
    const double alone_s = kLongestWord_s * random.uniform();
    const double begin_s = 5e-3 * static_cast<double>(word) + 4e-3 * random.uniform();
    flows.push_back({begin_s, alone_s, alone_s, true});
  }
  return flows;
}

/// Shows all of them to a NIC in the order of time, and notes when each is in.
void take_in(std::vector<Inflow>& flows) {
  struct Moment {
    double time_s;
    Inflow* flow;
    bool begins;
  };
  std::vector<Moment> moments;
  for (Inflow& flow : flows) {
    if (!flow.is_word) moments.push_back({flow.begin_s, &flow, true});
    moments.push_back({flow.end_s(), &flow, false});
  }
  std::sort(moments.begin(), moments.end(),
            [](const Moment& a, const Moment& b) { return a.time_s < b.time_s; });
  BulkIntake intake;
  std::vector<Message> messages(flows.size());
  const auto take_until = [&](double time_s) {
    while (intake.is_anybody_waiting() && intake.first_in_s() <= time_s) {
      const double in_s = intake.first_in_s();
      flows[static_cast<std::size_t>(&intake.take_first() - messages.data())].in_s = in_s;
    }
  };
  for (const Moment& moment : moments) {
    take_until(moment.time_s);
    const Inflow& flow = *moment.flow;
    if (moment.begins)
      intake.flow(moment.time_s, flow.alone_s, flow.flows_s);
    else if (flow.is_word)
      intake.pass_first(moment.time_s, flow.alone_s);
    else
      intake.wait(moment.time_s, messages[static_cast<std::size_t>(&flow - flows.data())]);
  }
  take_until(kNever);
}

/// What has come by then, of all.
double come_s(const std::vector<Inflow>& flows, double until_s) {
  double sum_s = 0;
  for (const Inflow& flow : flows) sum_s += flow.come_s(until_s);
  return sum_s;
}

/// The latest of s + what has come between s and the end of a flow, over all s. What comes is
/// piecewise linear, so that one of its corners is the latest.
double in_over_all_stretches_s(const std::vector<Inflow>& flows, const Inflow& of) {
  double latest_s = of.end_s();
  const auto look_at = [&](double s) {
    if (s <= of.end_s())
      latest_s = std::max(latest_s, s + come_s(flows, of.end_s()) - come_s(flows, s));
  };
  for (const Inflow& flow : flows) {
    look_at(flow.begin_s);
    look_at(flow.end_s());
  }
  return latest_s;
}

/// What has come by then of the long messages.
double long_ones_s(const std::vector<Inflow>& flows, double until_s) {
  double sum_s = 0;
  for (const Inflow& flow : flows) {
    if (flow.is_word) break;  // words are behind all others
    sum_s += flow.come_s(until_s);
  }
  return sum_s;
}

/// What has come by then of the words, which come in the order of time. They count up from one that
/// has not come yet.
double words_s(const std::vector<Inflow>& flows, double from_s, double until_s,
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
std::vector<double> in_by_steps_s(const std::vector<Inflow>& flows, double step_s) {
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
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    std::vector<Inflow> flows = drawn(seed, 0);
    take_in(flows);
    INFO("seed " << seed);
    for (const Inflow& flow : flows) {
      CHECK(flow.in_s == Approx(in_over_all_stretches_s(flows, flow)).epsilon(1e-12));
      waited += flow.in_s > flow.end_s() + 1e-9 ? 1 : 0;
    }
  }
  CHECK(waited > 4000);
}

TEST_CASE("words go before what waits, and delay it by their own time") {
  constexpr double kStep_s = 5e-4;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::vector<Inflow> flows = drawn(seed, 3000);  // a tenth of the bandwidth
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
