// SPDX-License-Identifier: Apache-2.0

// As many states of Dijkstra and Scholten's algorithm and of the four-counter waves are reached
// under all graphs of tasks as an enumeration finds that shares no code with the project: each
// state written out from the pseudo-code, with everything that can happen next.

#include <array>
#include <catch2/catch.hpp>
#include <compare>
#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/exploration/exploration.hpp"
#include "tests/analysis/exploration/same_searches.hpp"
#include "tests/support/job.hpp"

namespace faultline::exploration {

using namespace test;

namespace {

namespace pseudo_code {

constexpr int kRanks = 3;
constexpr int kNone = -1;

/// What is on its way: a task with the messages that are to be below it, or a word of the detector.
struct Word {
  enum What { task, acknowledge, stop, repeat, announce } what = task;
  int first = 0;   ///< task: messages below it; stop: messages sent
  int second = 0;  ///< stop: messages received
  friend auto operator<=>(const Word&, const Word&) = default;  // NOLINT(*-nullptr)
};

/// A process: the tasks that it computes one by one, and all that its detector knows.
struct Process {
  std::vector<int> tasks;  ///< of each, how many messages are to be below it
  bool announced = false;
  int parent = kNone;  ///< Dijkstra and Scholten
  int deficit = 0;
  bool down = false;  ///< four-counter: has sent its STOP of this wave
  int stops = 0;
  int sent = 0;
  int received = 0;
  std::array<int, 2> below = {0, 0};
  std::array<int, 2> before = {kNone, kNone};
  friend auto operator<=>(const Process&, const Process&) = default;  // NOLINT(*-nullptr)
};

struct World {
  std::array<Process, kRanks> processes;
  std::array<std::array<std::deque<Word>, kRanks>, kRanks> channels;  ///< by sender and receiver
  friend auto operator<=>(const World&, const World&) = default;      // NOLINT(*-nullptr)

  void send(int from, int to, Word word) {
    channels.at(static_cast<std::size_t>(from)).at(static_cast<std::size_t>(to)).push_back(word);
  }
  Process& of(int rank) { return processes.at(static_cast<std::size_t>(rank)); }
  [[nodiscard]] bool over() const {
    return processes[0].announced && processes[1].announced && processes[2].announced;
  }
};

/// A detector: what a process does when it sends a task, gets one, falls idle, or gets a word.
struct Detector {
  std::function<void(World&, int self)> sends;
  std::function<void(World&, int self, int from)> gets;
  std::function<void(World&, int self)> idle;
  std::function<void(World&, int self, int from, const Word&)> hears;
};

/// Rank 0 is the root of the tree that announces, and the parent of both others.
void announce(World& world, int self) {
  if (self == 0)
    for (const int child : {1, 2}) world.send(0, child, {Word::announce});
  world.of(self).announced = true;
}

// Each message is acknowledged, the one that engaged the process last: when it is idle and all that
// it has sent is acknowledged.
void leave_tree(World& world, int self) {
  Process& process = world.of(self);
  if (process.deficit > 0 || !process.tasks.empty()) return;
  if (self == 0) return announce(world, self);
  if (process.parent == kNone) return;
  world.send(self, std::exchange(process.parent, kNone), {Word::acknowledge});
}

Detector dijkstra_scholten() {
  return {.sends = [](World& world, int self) { ++world.of(self).deficit; },
          .gets =
              [](World& world, int self, int from) {
                if (self == 0 || world.of(self).parent != kNone)
                  world.send(self, from, {Word::acknowledge});
                else
                  world.of(self).parent = from;
              },
          .idle = leave_tree,
          .hears =
              [](World& world, int self, int, const Word&) {
                --world.of(self).deficit;
                leave_tree(world, self);
              }};
}

// A process that is idle and has a STOP of each child sends its own up, with what it and those
// below it have sent and received. The root compares the sums with each other and with those of the
// wave before, and starts the next wave unless all four are equal.
void stop_wave(World& world, int self);

void repeat_wave(World& world, int self) {
  Process& process = world.of(self);
  process.down = false;
  process.stops = 0;
  process.below = {0, 0};
  if (self == 0)
    for (const int child : {1, 2}) world.send(0, child, {Word::repeat});
  stop_wave(world, self);
}

void stop_wave(World& world, int self) {
  Process& process = world.of(self);
  const int children = self == 0 ? 2 : 0;
  if (process.down || !process.tasks.empty() || process.stops < children) return;
  process.down = true;
  const int sent = process.below[0] + process.sent;
  const int received = process.below[1] + process.received;
  if (self != 0) return world.send(self, 0, {Word::stop, sent, received});
  if (sent == received && process.before == std::array{sent, received}) return announce(world, 0);
  process.before = {sent, received};
  repeat_wave(world, 0);
}

Detector four_counter() {
  return {.sends = [](World& world, int self) { ++world.of(self).sent; },
          .gets = [](World& world, int self, int) { ++world.of(self).received; },
          .idle = stop_wave,
          .hears =
              [](World& world, int self, int, const Word& word) {
                if (word.what == Word::repeat) return repeat_wave(world, self);
                Process& process = world.of(self);
                ++process.stops;
                process.below[0] += word.first;
                process.below[1] += word.second;
                stop_wave(world, self);
              }};
}

/// All ways in which a task that has computed can make its children: a list of ranks, and of how
/// many messages are below each, of `messages` in all.
void add_children(int self, int messages, std::vector<std::pair<int, int>>& so_far,
                  const std::function<void(const std::vector<std::pair<int, int>>&)>& take) {
  if (messages == 0) return take(so_far);
  for (int to = 0; to < kRanks; ++to)
    for (int below = 0; to != self && below < messages; ++below) {
      so_far.emplace_back(to, below);
      add_children(self, messages - 1 - below, so_far, take);
      so_far.pop_back();
    }
}

/// The worlds that can come next: a computation has ended, or the first word of a channel comes.
std::vector<World> next_worlds(const World& world, const Detector& detector) {
  std::vector<World> next;
  if (world.over()) return next;
  for (int self = 0; self < kRanks; ++self) {
    World here = world;
    if (here.of(self).tasks.empty()) continue;
    const int messages = here.of(self).tasks.front();
    here.of(self).tasks.erase(here.of(self).tasks.begin());
    std::vector<std::pair<int, int>> none;
    add_children(self, messages, none, [&](const std::vector<std::pair<int, int>>& children) {
      World after = here;
      for (const auto& [to, below] : children) {
        detector.sends(after, self);
        after.send(self, to, {Word::task, below});
      }
      if (after.of(self).tasks.empty()) detector.idle(after, self);
      next.push_back(std::move(after));
    });
  }
  for (int from = 0; from < kRanks; ++from)
    for (int to = 0; to < kRanks; ++to) {
      World after = world;
      auto& channel =
          after.channels.at(static_cast<std::size_t>(from)).at(static_cast<std::size_t>(to));
      if (channel.empty()) continue;
      const Word word = channel.front();
      channel.pop_front();
      if (word.what == Word::task) {
        detector.gets(after, to, from);
        after.of(to).tasks.push_back(word.first);
      } else if (word.what == Word::announce) {
        announce(after, to);
      } else {
        detector.hears(after, to, from, word);
      }
      next.push_back(std::move(after));
    }
  return next;
}

/// The number of worlds with up to that many messages.
std::size_t worlds(const Detector& detector, int messages) {
  std::set<World> known;
  std::vector<World> waiting;
  const auto take_in = [&](World world) {
    const auto [place, is_new] = known.insert(std::move(world));
    if (is_new) waiting.push_back(*place);
  };
  for (int first = 0; first <= messages; ++first) {
    World start;
    start.of(0).tasks = {first};
    for (const int rank : {1, 2}) detector.idle(start, rank);  // nobody has given them work
    take_in(std::move(start));
  }
  while (!waiting.empty()) {
    const World world = std::move(waiting.back());
    waiting.pop_back();
    for (World& next : next_worlds(world, detector)) take_in(std::move(next));
  }
  return known.size();
}

}  // namespace pseudo_code

std::uint64_t states_explored(const char* detector, std::int64_t messages) {
  const ExplorationResult result =
      explore({.spec = any_tree(*find_registration(Family::termination, detector),
                                scenario::Ordering::fifo, pseudo_code::kRanks, messages)});
  CHECK(result.verdict == ExplorationResult::Verdict::exhausted);
  return result.states;
}

}  // namespace

TEST_CASE("states of dijkstra-scholten are as many as in an enumeration of its pseudo-code") {
  const std::pair<int, std::size_t> counts[] = {{1, 12}, {2, 54}, {3, 343}, {4, 2262}, {6, 85421}};
  for (const auto& [messages, states] : counts) {
    INFO(messages << " messages");
    CHECK(states_explored("dijkstra-scholten", messages) == states);
    CHECK(pseudo_code::worlds(pseudo_code::dijkstra_scholten(), messages) == states);
  }
}

TEST_CASE("states of four-counter are as many as in an enumeration of its pseudo-code") {
  const std::pair<int, std::size_t> counts[] = {{0, 19}, {1, 99}, {2, 593}, {3, 3870}, {4, 25844}};
  for (const auto& [messages, states] : counts) {
    INFO(messages << " messages");
    CHECK(states_explored("four-counter", messages) == states);
    CHECK(pseudo_code::worlds(pseudo_code::four_counter(), messages) == states);
  }
}

}  // namespace faultline::exploration
