// SPDX-License-Identifier: Apache-2.0

// With open choices, random-tree and token-ring do all that they may do, each once: what a driver
// sees of them is compared with lists that were made in another way.

#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/engine/stepwise/stepwise_engine.hpp"
#include "tests/support/job.hpp"

namespace faultline::workloads {

using namespace test;

namespace {

constexpr int kPause = -1;

/// A task of a tree, with what it did, in order: its children, and pauses.
struct Node {
  Rank rank = 0;
  std::vector<int> did = {};
};
using Tree = std::vector<Node>;  // the root comes first

/// The tree from one of its tasks on: "0(1(2)2)" are two children of the root, on ranks 1 and 2, of
/// which the first has a child on rank 2. A pause is a dot.
std::string text_of(const Tree& tree, int node = 0) {
  const Node& here = tree[static_cast<std::size_t>(node)];
  std::string text = std::to_string(here.rank);
  if (here.did.empty()) return text;
  text += "(";
  for (const int child : here.did) text += child == kPause ? "." : text_of(tree, child);
  return text + ")";
}

/// Notes the receivers of the messages that leave, and that a computation begins.
class Sends final : public audit::RunObserver {
 public:
  void see(const audit::Sight& sight) override {
    if (sight.kind == audit::Sight::Kind::sent) to.push_back(sight.message->to);
    if (sight.kind == audit::Sight::Kind::compute_began) computes = true;
  }
  std::vector<Rank> to;
  bool computes = false;
};

/// Drives one run after the other with lists of decisions. Whatever comes next waits in one line,
/// in the order in which it was asked for, so that the task of each step is known.
class OneByOne {
 public:
  explicit OneByOne(const Job& job) : spec_(engine::without_costs(job.spec)) {
    spec_.platform.worker_cores = 64;
  }

  /// The tree that comes out of these decisions, which are those of all steps in turn.
  /// `asked` gets all bounds.
  std::string run(const engine::Decisions& decisions, std::vector<std::uint64_t>& asked) {
    engine::StepwiseEngine engine(engine::run_job(spec_, 1, 0));
    Sends sends;
    engine.observe(sends);
    tree_ = {{0, {}}};
    line_ = {0};
    engine.begin({}, decisions);
    asked = engine.asked();
    sends = {};
    while (!engine.agenda().empty()) {
      const int node = line_.front();
      const engine::Choice next = engine.agenda().front();
      REQUIRE(next.actor == tree_[static_cast<std::size_t>(node)].rank);
      line_.pop_front();
      const auto used = static_cast<std::ptrdiff_t>(std::min(asked.size(), decisions.size()));
      engine.take(0, {}, {decisions.begin() + used, decisions.end()});
      asked.insert(asked.end(), engine.asked().begin(), engine.asked().end());
      note(node, sends, next.kind == engine::EventKind::compute_done);
      sends = {};
    }
    return text_of(tree_);
  }

 private:
  void note(int node, const Sends& sends, bool worked) {
    std::vector<int> did;
    for (const Rank to : sends.to) {
      did.push_back(static_cast<int>(tree_.size()));
      line_.push_back(did.back());
      tree_.push_back({to, {}});
    }
    if (sends.computes) line_.push_back(node);
    if (sends.computes && worked) did.push_back(kPause);
    std::vector<int>& all = tree_[static_cast<std::size_t>(node)].did;
    all.insert(all.end(), did.begin(), did.end());
  }

  scenario::RunSpec spec_;
  Tree tree_;
  std::deque<int> line_;
};

/// How often each tree comes out of all decisions that can be made.
std::map<std::string, int> all_trees(std::uint32_t processes, std::int64_t most_messages,
                                     bool pauses = false) {
  Job job(processes);
  job.workload(
      "random-tree",
      {{"most_messages", most_messages}, {"pauses", pauses}, {"choices", std::string("all")}});
  OneByOne driver(job);
  std::map<std::string, int> found;
  engine::Decisions decisions;
  std::vector<std::uint64_t> asked;
  do {
    ++found[driver.run(decisions, asked)];
  } while (engine::next_decisions(decisions, asked));
  return found;
}

/// All words of n opening and n closing brackets that close only what is open: the shapes of trees
/// with n edges, as a walk around them.
std::vector<std::string> bracket_words(int n) {
  std::vector<std::string> words;
  for (unsigned bits = 0; bits < 1U << (2 * n); ++bits) {
    std::string word;
    int open = 0;
    bool good = true;
    for (int i = 0; i < 2 * n; ++i) {
      const bool opens = (bits >> i & 1U) != 0;
      open += opens ? 1 : -1;
      good = good && open >= 0;
      word += opens ? '(' : ')';
    }
    if (good && open == 0) words.push_back(word);
  }
  return words;
}

/// All numbers with that many digits in a base.
std::vector<std::vector<int>> numbers(int digits, int base) {
  std::vector<std::vector<int>> all{{}};
  for (int i = 0; i < digits; ++i) {
    std::vector<std::vector<int>> longer;
    for (const std::vector<int>& number : all)
      for (int digit = 0; digit < base; ++digit) {
        longer.push_back(number);
        longer.back().push_back(digit);
      }
    all = std::move(longer);
  }
  return all;
}

/// The tree of that shape whose tasks but the root lie on these ranks, in the order of the walk. A
/// pause follows the i-th message if pauses[i] is 1. Empty if a task is on its parent's rank.
std::string listed_tree(const std::string& shape, const std::vector<int>& ranks,
                        const std::vector<int>& pauses) {
  Tree tree{{0, {}}};
  std::vector<int> path{0};
  for (const char step : shape) {
    if (step == ')') {
      const int child = path.back();
      path.pop_back();
      if (!pauses.empty() && pauses[static_cast<std::size_t>(child - 1)] == 1)
        tree[static_cast<std::size_t>(path.back())].did.push_back(kPause);
      continue;
    }
    const int child = static_cast<int>(tree.size());
    const auto rank = static_cast<Rank>(ranks[static_cast<std::size_t>(child - 1)]);
    if (tree[static_cast<std::size_t>(path.back())].rank == rank) return "";
    tree[static_cast<std::size_t>(path.back())].did.push_back(child);
    path.push_back(child);
    tree.push_back({rank, {}});
  }
  return text_of(tree);
}

std::set<std::string> listed_trees(int processes, int most_messages, bool pauses = false) {
  std::set<std::string> all;
  for (int n = 0; n <= most_messages; ++n)
    for (const std::string& shape : bracket_words(n))
      for (const std::vector<int>& ranks : numbers(n, processes))
        for (const std::vector<int>& paused : numbers(pauses ? n : 0, 2)) {
          const std::string tree = listed_tree(shape, ranks, paused);
          if (!tree.empty()) all.insert(tree);
        }
  return all;
}

std::set<std::string> keys(const std::map<std::string, int>& found) {
  std::set<std::string> all;
  for (const auto& entry : found) all.insert(entry.first);
  return all;
}

bool once_each(const std::map<std::string, int>& found) {
  return std::all_of(found.begin(), found.end(),
                     [](const auto& entry) { return entry.second == 1; });
}

}  // namespace

TEST_CASE("random-tree with open choices: every tree with so many messages, each once") {
  // Catalan(n) shapes with n messages, each of which goes to one of the P - 1 other ranks.
  const std::map<int, std::size_t> by_hand{{0, 1}, {1, 1 + 2}, {2, 3 + 2 * 4}, {3, 11 + 5 * 8}};
  for (const auto& [most, count] : by_hand) {
    CAPTURE(most);
    const std::map<std::string, int> found = all_trees(3, most);
    CHECK(found.size() == count);
    CHECK(keys(found) == listed_trees(3, most));
    CHECK(once_each(found));
  }
  CHECK(keys(all_trees(2, 4)) == listed_trees(2, 4));
  CHECK(keys(all_trees(4, 3)) == listed_trees(4, 3));
  CHECK(all_trees(1, 3).size() == 1);
}

TEST_CASE("random-tree with pauses: every tree with or without a pause after each message") {
  const std::map<std::string, int> found = all_trees(3, 3, true);
  CHECK(found.size() == 1 + 2 * 2 + 2 * 16 + 5 * 64);
  CHECK(keys(found) == listed_trees(3, 3, true));
  CHECK(once_each(found));
}

TEST_CASE("random-tree with most_messages runs on both engines under every detector") {
  for (const scenario::EngineKind engine : engines())
    for (const std::string& detector : detectors()) {
      std::set<double> sizes;
      for (std::uint64_t seed = 0; seed < sample_of(20, engine); ++seed) {
        CAPTURE(detector, engine_word(engine), seed);
        Job job(4, quick_machine());
        job.workload("random-tree", {{"most_messages", std::int64_t{6}}, {"pauses", true}});
        const Seen seen = job.detector(detector).run(engine, seed);
        CHECK(seen.violations().empty());
        CHECK(seen.result.outcome == engine::Outcome::terminated);
        CHECK(seen.metric("application_messages") <= 6);
        CHECK(seen.metric("tasks") == seen.metric("application_messages") + 1);
        sizes.insert(seen.metric("tasks"));
      }
      CHECK(sizes.size() > 1);
    }
}

namespace {

/// The ways of a token that makes at most that many steps: the ranks that it comes to. Each step is
/// a message or stays.
std::set<std::vector<Rank>> walks(std::uint32_t processes, std::int64_t most_steps) {
  Job job(processes);
  job.workload("token-ring", {{"most_steps", most_steps}, {"choices", std::string("all")}});
  std::set<std::vector<Rank>> found;
  std::size_t runs = 0;
  engine::Decisions decisions;
  std::vector<std::uint64_t> asked;
  do {
    engine::StepwiseEngine engine(engine::run_job(engine::without_costs(job.spec), 1, 0));
    std::vector<Rank> walk;
    engine.begin();
    asked.clear();
    while (!engine.agenda().empty()) {
      const engine::Choice next = engine.agenda().front();
      if (next.kind == engine::EventKind::compute_done) walk.push_back(next.actor);
      const auto used = static_cast<std::ptrdiff_t>(std::min(asked.size(), decisions.size()));
      engine.take(0, {}, {decisions.begin() + used, decisions.end()});
      asked.insert(asked.end(), engine.asked().begin(), engine.asked().end());
    }
    found.insert(walk);
    ++runs;
  } while (engine::next_decisions(decisions, asked));
  CHECK(runs == found.size());
  return found;
}

}  // namespace

TEST_CASE("token-ring with open choices: every walk of so many steps, each once") {
  std::set<std::vector<Rank>> listed;
  for (int steps = 0; steps <= 3; ++steps)
    for (const std::vector<int>& ranks : numbers(steps, 3)) {
      std::vector<Rank> walk{0};
      for (const int rank : ranks) walk.push_back(static_cast<Rank>(rank));
      listed.insert(walk);
    }
  CHECK(listed.size() == 1 + 3 + 9 + 27);
  CHECK(walks(3, 3) == listed);
  CHECK(walks(2, 0).size() == 1);
}

TEST_CASE("token-ring: the token and its branches make at most so many steps") {
  for (const scenario::EngineKind engine : engines())
    for (std::uint64_t seed = 0; seed < sample_of(30, engine); ++seed) {
      Job job(4, quick_machine());
      job.workload("token-ring", {{"most_steps", std::int64_t{9}},
                                  {"stop_probability", 0.0},
                                  {"branch_probability", 0.5},
                                  {"branch_walk_probability", 0.9}});
      const Seen seen = job.detector("four-counter").run(engine, seed);
      CAPTURE(seed, engine_word(engine));
      CHECK(seen.violations().empty());
      const double steps =
          seen.metric("token_moves") + seen.metric("token_stays") + seen.metric("leaf_tasks");
      CHECK(steps <= 9);
      CHECK(steps > 1);
    }
}

}  // namespace faultline::workloads
