// SPDX-License-Identifier: Apache-2.0

// Which ranks have heard of which death, and when: the auditor's figures, by hand and against a
// model.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sim/audit/auditor.hpp"
#include "sim/core/random.hpp"

namespace faultline::audit {

namespace {

using Heard = std::set<std::pair<Rank, Incarnation>>;

/// The figures, if these pairs of ranks and dead have been declared.
HearingFigures figures(const Auditor& auditor, const Heard& heard = {}) {
  return auditor.hearing([&](Rank rank, Incarnation dead) { return heard.contains({rank, dead}); });
}

constexpr ActorId kDaemon = 4;  // of four ranks

}  // namespace

TEST_CASE("latencies reach from a death to its first report and to the last rank that hears") {
  Auditor auditor(4);
  auditor.died({3, 0}, true, false, 10);
  auditor.declared_dead(kDaemon, {3, 0}, false, 11);  // the first report may be a daemon's
  auditor.declared_dead(0, {3, 0}, false, 12);
  auditor.declared_dead(2, {3, 0}, false, 13);
  auditor.declared_dead(1, {3, 0}, false, 17);
  auditor.declared_dead(kDaemon + 1, {3, 0}, false, 30);  // no rank hears of it so
  auditor.died({2, 0}, true, false, 40);
  auditor.declared_dead(0, {2, 0}, false, 43);
  auditor.died({1, 0}, true, false, 50);  // before it has heard of rank 2
  auditor.declared_dead(0, {1, 0}, false, 59);
  const HearingFigures seen = figures(auditor);
  CHECK(seen.first_max_s == 9.0);
  CHECK(seen.first_mean_s == (1.0 + 3 + 9) / 3);
  CHECK(seen.last_max_s == 9.0);
  CHECK(seen.last_mean_s == (7.0 + 3 + 9) / 3);
  CHECK(seen.missed == 0);
}

TEST_CASE("a node and the ranks that die with it are one death and one report") {
  Auditor auditor(4);
  const Incarnation daemon{kDaemon + 1, 0};
  for (const Rank rank : {2U, 3U}) auditor.died({rank, 0}, true, false, 10, daemon);
  auditor.died(daemon, false, false, 10);
  auditor.declared_dead(kDaemon, daemon, false, 12);
  CHECK(auditor.reports() == 1);
  CHECK_FALSE(auditor.word_spreads());  // no rank knows yet
  auditor.declared_dead(0, daemon, false, 14);
  for (const Rank rank : {2U, 3U}) auditor.heard_with_node(0, {rank, 0}, 14);
  CHECK(auditor.word_spreads());
  auditor.declared_dead(1, {2, 0}, false, 15);  // one of the ranks by itself
  CHECK_FALSE(auditor.all_reported());
  auditor.declared_dead(1, daemon, false, 19);
  auditor.heard_with_node(1, {3, 0}, 19);
  CHECK(auditor.all_reported());
  CHECK_FALSE(auditor.word_spreads());
  CHECK(auditor.reports() == 4);
  const HearingFigures seen = figures(auditor);
  CHECK(seen.first_max_s == 2.0);
  CHECK(seen.first_mean_s == 2.0);
  CHECK(seen.last_max_s == 9.0);
  CHECK(seen.last_mean_s == 9.0);
}

TEST_CASE("a death that a live rank has not heard of is missed, and has not reached the last one") {
  Auditor auditor(4);
  CHECK(figures(auditor).missed == 0);
  CHECK_FALSE(figures(auditor).first_max_s.has_value());
  auditor.died({3, 0}, true, false, 10);
  CHECK(figures(auditor).missed == 1);
  CHECK_FALSE(figures(auditor).first_max_s.has_value());
  auditor.declared_dead(0, {3, 0}, false, 12);
  auditor.declared_dead(1, {3, 0}, false, 13);
  const HearingFigures spreading = figures(auditor, {{0, {3, 0}}, {1, {3, 0}}});
  CHECK(spreading.missed == 1);
  CHECK(spreading.first_max_s == 2.0);
  CHECK_FALSE(spreading.last_max_s.has_value());
  auditor.died({2, 0}, true, false, 20);  // the only rank that had not heard
  const HearingFigures left = figures(auditor, {{0, {3, 0}}, {1, {3, 0}}});
  CHECK(left.missed == 1);  // rank 2
  CHECK(left.last_max_s == 3.0);
}

TEST_CASE("a death that was reported before it happened is no measure of detection") {
  Auditor auditor(4);
  auditor.declared_dead(0, {3, 0}, false, 5);
  auditor.died({3, 0}, true, false, 10);
  auditor.declared_dead(1, {3, 0}, false, 12);
  auditor.declared_dead(2, {3, 0}, false, 13);
  CHECK(auditor.all_reported());
  const HearingFigures seen = figures(auditor);
  CHECK_FALSE(seen.first_max_s.has_value());
  CHECK_FALSE(seen.last_mean_s.has_value());
  CHECK(seen.missed == 0);
  CHECK(auditor.false_reports() == 1);
}

TEST_CASE("a rank that starts after a death has to hear of it, but does not slow its news down") {
  Auditor auditor(4);
  auditor.died({3, 0}, true, false, 10);
  for (const Rank rank : {0U, 1U, 2U}) auditor.declared_dead(rank, {3, 0}, false, 12);
  auditor.died({2, 0}, true, false, 20);
  for (const Rank rank : {0U, 1U}) auditor.declared_dead(rank, {2, 0}, false, 21);
  auditor.restarted({2, 1}, true);
  CHECK(figures(auditor, {}).missed == 1);  // rank 3, which has not restarted
  CHECK(figures(auditor, {}).last_max_s == 2.0);
  auditor.declared_dead(2, {3, 0}, false, 90);
  CHECK(figures(auditor).missed == 0);
  CHECK(figures(auditor).last_max_s == 2.0);
  CHECK(auditor.report_latency_max_s() == 80.0);
}

// ---- against a model --------------------------------------------------------------------------

namespace {

constexpr std::uint32_t kRanks = 6;  // two on each node

/// What happens to some ranks, and the definitions of the figures, read off word by word.
class Model {
 public:
  explicit Model(std::uint64_t seed) : random_(seed, 0, Purpose::workload, 0), auditor_(kRanks) {}

  void step() {
    ++now_;
    const auto actor = static_cast<Rank>(random_.below(kRanks));
    switch (random_.below(8)) {
      case 0:
        if (lives(actor)) kill(actor, {});
        break;
      case 1:
        kill_node(actor / 2);
        break;
      case 2:
        if (!lives(actor)) restart(actor);
        break;
      default:
        if (lives(actor)) report(actor);
    }
  }

  void check() const {
    std::uint64_t missed = 0;
    bool spreads = false;
    for (const Dead& dead : dead_) {
      bool any = false;
      for (Rank rank = 0; rank < kRanks; ++rank) any = any || owes(rank, dead);
      missed += static_cast<std::uint64_t>(any);
      spreads = spreads || (any && (dead.known || dead.mended < kNever));
    }
    CHECK(auditor_.all_reported() == (missed == 0));
    CHECK(auditor_.word_spreads() == spreads);
    const HearingFigures seen = auditor_.hearing(
        [this](Rank rank, Incarnation dead) { return heard_[rank].contains(dead); });
    CHECK(seen.missed == missed);
    check_latencies(seen);
  }

 private:
  struct Dead {
    Incarnation who;
    std::size_t group;
    double mended = kNever;
    bool known = false;
  };
  struct Group {
    double time_s;
    bool foretold = false;
    std::vector<double> reports = {};
    std::vector<double> heard = {};  ///< by ranks that were there
  };

  [[nodiscard]] bool lives(Rank rank) const { return alive_[rank]; }
  [[nodiscard]] Incarnation current(Rank rank) const { return {rank, number_[rank]}; }
  [[nodiscard]] bool owes(Rank rank, const Dead& dead) const {
    return alive_[rank] && dead.mended > started_[rank] && !heard_[rank].contains(dead.who);
  }
  [[nodiscard]] bool was_there(Rank rank, const Group& group) const {
    return started_[rank] < group.time_s;
  }

  void die(Rank rank, Incarnation daemon, std::size_t group) {
    const Incarnation who = current(rank);
    alive_[rank] = false;
    heard_[rank].clear();
    groups_[group].foretold = groups_[group].foretold || foretold_.contains(who);
    bool known = false;
    for (Rank other = 0; other < kRanks; ++other)
      known = known || (alive_[other] && heard_[other].contains(who));
    dead_.push_back({.who = who, .group = group, .known = known});
    auditor_.died(who, true, false, now_, daemon);
  }
  void kill(Rank rank, Incarnation daemon) {
    groups_.push_back({.time_s = now_});
    die(rank, daemon, groups_.size() - 1);
  }
  /// Each time under a daemon of a new incarnation.
  void kill_node(std::uint32_t node) {
    const Incarnation daemon{kRanks + node, daemons_++};
    groups_.push_back({.time_s = now_});
    for (const Rank rank : {2 * node, 2 * node + 1})
      if (lives(rank)) die(rank, daemon, groups_.size() - 1);
    auditor_.died(daemon, false, false, now_);
    nodes_.emplace_back(daemon, groups_.size() - 1);
  }
  void restart(Rank rank) {
    for (Dead& dead : dead_)
      if (dead.who == current(rank)) dead.mended = now_;
    alive_[rank] = true;
    started_[rank] = now_;
    ++number_[rank];
    auditor_.restarted(current(rank), true);
  }

  void report(Rank by) {
    const auto whom = static_cast<Rank>(random_.below(kRanks));
    const std::uint64_t kind = random_.below(4);
    if (kind == 0 && whom != by && lives(whom)) return report_falsely(by, current(whom));
    if (kind == 1 && !nodes_.empty()) return report_node(by, nodes_[random_.below(nodes_.size())]);
    if (dead_.empty()) return;
    const Dead& dead = dead_[random_.below(dead_.size())];
    if (!heard_[by].insert(dead.who).second) return;
    auditor_.declared_dead(by, dead.who, false, now_);
    hear(by, dead.who);
  }
  void report_falsely(Rank by, Incarnation victim) {
    if (!heard_[by].insert(victim).second) return;
    foretold_.insert(victim);
    auditor_.declared_dead(by, victim, false, now_);
  }
  void report_node(Rank by, std::pair<Incarnation, std::size_t> node) {
    if (!heard_[by].insert(node.first).second) return;
    auditor_.declared_dead(by, node.first, false, now_);
    for (const Dead& dead : dead_)
      if (dead.group == node.second && heard_[by].insert(dead.who).second) {
        auditor_.heard_with_node(by, dead.who, now_);
        hear(by, dead.who);
      }
    groups_[node.second].reports.push_back(now_);
  }
  void hear(Rank by, Incarnation who) {
    for (Dead& dead : dead_)
      if (dead.who == who) {
        dead.known = true;
        Group& group = groups_[dead.group];
        group.reports.push_back(now_);
        if (was_there(by, group)) group.heard.push_back(now_);
      }
  }

  void check_latencies(const HearingFigures& seen) const {
    std::vector<double> first;
    std::vector<double> last;
    for (std::size_t number = 0; number < groups_.size(); ++number) {
      const Group& group = groups_[number];
      bool empty = true;
      bool missed = false;
      for (const Dead& dead : dead_) {
        if (dead.group != number) continue;
        empty = false;
        for (Rank rank = 0; rank < kRanks; ++rank)
          missed = missed || (owes(rank, dead) && was_there(rank, group));
      }
      if (empty || group.foretold) continue;
      if (!group.reports.empty()) first.push_back(group.reports.front() - group.time_s);
      if (!group.heard.empty() && !missed) last.push_back(group.heard.back() - group.time_s);
    }
    check_one(first, seen.first_max_s, seen.first_mean_s);
    check_one(last, seen.last_max_s, seen.last_mean_s);
  }
  static void check_one(const std::vector<double>& all, std::optional<double> max_s,
                        std::optional<double> mean_s) {
    REQUIRE(max_s.has_value() == !all.empty());
    REQUIRE(mean_s.has_value() == !all.empty());
    if (all.empty()) return;
    double sum_s = 0.0;  // of whole numbers
    for (const double one_s : all) sum_s += one_s;
    CHECK(*max_s == *std::max_element(all.begin(), all.end()));
    CHECK(*mean_s == sum_s / static_cast<double>(all.size()));
  }

  Stream random_;
  Auditor auditor_;
  double now_ = 0.0;
  std::array<bool, kRanks> alive_{true, true, true, true, true, true};
  std::array<std::uint16_t, kRanks> number_{};
  std::array<double, kRanks> started_{};
  std::array<std::set<Incarnation>, kRanks> heard_;
  std::set<Incarnation> foretold_;
  std::vector<Dead> dead_;
  std::vector<Group> groups_;
  std::vector<std::pair<Incarnation, std::size_t>> nodes_;
  std::uint16_t daemons_ = 0;
};

}  // namespace

TEST_CASE("the figures are what they are defined to be, whatever dies, restarts and is reported") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    Model model(seed);
    for (int step = 0; step < 120; ++step) {
      model.step();
      model.check();
    }
  }
}

}  // namespace faultline::audit
