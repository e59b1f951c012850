// SPDX-License-Identifier: Apache-2.0

// The flood that revokes a world, and that calls ranks to give up a TryBlock: it reaches all live
// ranks, whichever have died, and whenever each rank hears of that.

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "protocols/transactions/revoke_graph.hpp"
#include "sim/core/random.hpp"
#include "tests/protocols/transactions/fampi_mutants.hpp"
#include "tests/support/job.hpp"

namespace faultline::transactions {

using namespace test;

namespace {

/// Ranks that pass a flood on, and hear of the dead in any order, before and after that.
class Flood {
 public:
  Flood(std::uint32_t ranks, std::uint32_t dead_set) : knows_(ranks) {
    for (Rank rank = 0; rank < ranks; ++rank)
      if ((dead_set >> rank & 1U) != 0) dead_.insert(rank);
  }

  /// Lets a live rank begin, and everything happen that can, in a random order. True if then all
  /// live ranks have been reached.
  bool reaches_all(Stream& random) {
    std::vector<std::pair<Rank, Rank>> notices;  // to whom, of whose death
    const std::vector<Rank> alive = living();
    for (const Rank rank : alive)
      for (const Rank dead : dead_) notices.emplace_back(rank, dead);
    pass_on(alive[random.below(alive.size())]);
    while (!notices.empty() || !under_way_.empty()) {
      const std::uint64_t next = random.below(notices.size() + under_way_.size());
      if (next < under_way_.size()) {
        const Rank to = take(under_way_, next);
        if (!dead_.contains(to)) pass_on(to);
      } else {
        const auto [rank, dead] = take(notices, next - under_way_.size());
        hear(rank, dead);
      }
    }
    return std::all_of(alive.begin(), alive.end(),
                       [this](Rank rank) { return reached_.contains(rank); });
  }

 private:
  template <class Value>
  static Value take(std::vector<Value>& list, std::uint64_t place) {
    std::swap(list[place], list.back());
    const Value taken = list.back();
    list.pop_back();
    return taken;
  }

  [[nodiscard]] std::uint32_t ranks() const { return static_cast<std::uint32_t>(knows_.size()); }
  [[nodiscard]] std::vector<Rank> living() const {
    std::vector<Rank> alive;
    for (Rank rank = 0; rank < ranks(); ++rank)
      if (!dead_.contains(rank)) alive.push_back(rank);
    return alive;
  }
  [[nodiscard]] auto known_to(Rank rank) const {
    return [this, rank](Rank of) { return knows_[rank].contains(of); };
  }
  void send(const std::vector<Rank>& targets) {
    under_way_.insert(under_way_.end(), targets.begin(), targets.end());
  }

  void pass_on(Rank rank) {
    if (reached_.insert(rank).second) send(revoke_targets(rank, ranks(), known_to(rank)));
  }

  void hear(Rank rank, Rank dead) {
    knows_[rank].insert(dead);
    if (reached_.contains(rank)) send(mended_targets(rank, ranks(), dead, known_to(rank)));
  }

  std::set<Rank> dead_;
  std::vector<std::set<Rank>> knows_;  ///< of each rank: of whose deaths it has heard
  std::set<Rank> reached_;
  std::vector<Rank> under_way_;  ///< to whom messages are
};

/// A program of sums whose requests never time out, under the protocol that floods.
void set_up_flood(Job& job, const std::string& protocol, const std::string& scope,
                  double spread_s) {
  job.workload("try-blocks", {{"iterations", std::int64_t{3}}, {"allreduces", std::int64_t{1}}});
  OptionValues options;
  if (protocol == "fampi")
    options = {{"release", std::string("invite")},
               {"scope", scope},
               {"request_timeout_s", 1e6},
               {"wait_timeout_s", 1e3}};
  job.use(Family::transactions, protocol, options);
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-6}, {"spread_s", spread_s}});
  job.spec.platform.spare_nodes = 8;
  job.spec.stop.when = scenario::StopWhen::finished;
  job.spec.stop.time_s = 1e5;
}

/// The ranks of that set die at the start. `mistaken`: in the place of fampi, if there is one.
Seen run_with_dead(scenario::EngineKind engine, std::uint32_t processes, std::uint32_t dead_set,
                   const std::string& scope, double spread_s,
                   const Registration* mistaken = nullptr) {
  Job job(processes, quick_machine());
  set_up_flood(job, "fampi", scope, spread_s);
  if (mistaken != nullptr)
    job.spec.components[index_of(Family::transactions)].registration = mistaken;
  std::vector<Rank> dead;
  for (Rank rank = 0; rank < processes; ++rank)
    if ((dead_set >> rank & 1U) != 0) dead.push_back(rank);
  job.kill(0, dead);
  return job.run(engine, dead_set);
}

/// Every death at the start is survived as long as a rank is left, and nobody waits until it has
/// lost its patience.
void check_dead(scenario::EngineKind engine, std::uint32_t processes, std::uint32_t dead_set,
                const std::string& scope, double spread_s) {
  INFO(engine_word(engine) << ", " << processes << " ranks, dead: " << dead_set << ", " << scope
                           << ", spread " << spread_s);
  const Seen seen = run_with_dead(engine, processes, dead_set, scope, spread_s);
  REQUIRE(seen.result.outcome == engine::Outcome::finished);
  REQUIRE(seen.violations().empty());
  REQUIRE(seen.metric("ranks_respawned") == std::popcount(dead_set));
  REQUIRE(seen.metric("wait_timeouts") == 0.0);
  REQUIRE(seen.metric("end_time_s") < 0.1);
}

}  // namespace

TEST_CASE("a flood reaches all live ranks, whichever are dead and whenever each hears of that") {
  for (std::uint32_t ranks = 2; ranks <= 9; ++ranks)
    for (std::uint32_t dead_set = 0; dead_set + 1 < 1U << ranks; ++dead_set) {
      Stream random(dead_set, ranks, Purpose::faults, 0);
      for (int order = 0; order < 5; ++order) {
        INFO(ranks << " ranks, dead: " << dead_set);
        REQUIRE(Flood(ranks, dead_set).reaches_all(random));
      }
    }
}

TEST_CASE("a rank that hears of the death of its neighbour on the ring tells the next live one") {
  const std::set<Rank> dead{3, 4, 7};
  const auto is_dead = [&](Rank rank) { return dead.contains(rank); };
  CHECK(mended_targets(2, 8, 3, is_dead) == std::vector<Rank>{5});  // 4 is dead, too
  CHECK(mended_targets(2, 8, 4, is_dead) == std::vector<Rank>{5});  // so is 3
  CHECK(mended_targets(2, 8, 7, is_dead).empty());                  // 1 is the neighbour
  CHECK(mended_targets(0, 8, 7, is_dead) == std::vector<Rank>{6});
  const auto is_any_but_0 = [](Rank rank) { return rank != 0; };
  CHECK(mended_targets(0, 3, 1, is_any_but_0).empty());
}

TEST_CASE("invitations go round the dead, whoever they are") {
  for (const scenario::EngineKind engine : engines())
    for (const std::uint32_t processes : {3U, 5U, 7U})
      for (std::uint32_t dead_set = 1; dead_set + 1 < 1U << processes; ++dead_set) {
        // On simgrid, each run is a process of its own.
        if (engine == scenario::EngineKind::simgrid && dead_set % 17 != 1) continue;
        for (const std::string scope : {"global", "with-collective"})
          for (const double spread_s : {0.0, 1e-3})
            check_dead(engine, processes, dead_set, scope, spread_s);
      }
}

TEST_CASE("a rank that does not mend its invitations leaves another one waiting") {
  Registration mistaken = *find_registration(Family::transactions, "fampi");
  mistaken.make = [](const OptionValues& values, const JobShape& job) -> ComponentFactory {
    const auto options = std::make_shared<const FampiOptions>(fampi_options().read(values));
    return [options, job](ActorId self) {
      return std::make_unique<MendsNoInvitation>(options, job, self);
    };
  };
  int waits = 0;
  for (std::uint32_t dead_set = 1; dead_set + 1 < 1U << 7; ++dead_set)
    if (run_with_dead(scenario::EngineKind::loggp, 7, dead_set, "global", 1e-3, &mistaken)
            .result.outcome != engine::Outcome::finished)
      ++waits;
  CHECK(waits > 0);
}

// Ranks 2, 3 and 6 live. No distance of a power of two leads from 2 or 3 to 6.
TEST_CASE("an invitation reaches a rank whose every neighbour is dead") {
  for (const scenario::EngineKind engine : engines())
    check_dead(engine, 7, 0b0110011, "global", 0.0);
}

// Ranks 2, 7 and 10 live, on the other node. Rank 10 is at no distance of a power of two from 2 or
// 7.
TEST_CASE("the death of a node that leaves three of eleven ranks is survived") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(11, quick_machine());
    job.spec.platform.processes_per_node = 8;
    set_up_flood(job, "fampi", "global", 1e-3);
    job.kill(1e-5, {0, 1, 3, 4, 5, 6, 8, 9});
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.metric("ranks_respawned") == 8.0);
    CHECK(seen.metric("wait_timeouts") == 0.0);
  }
}

TEST_CASE("without deaths a rank invites each at a distance of a power of two once") {
  for (const scenario::EngineKind engine : engines()) {
    // An error in the data of one rank makes all give up the TryBlock: 8 ranks, +-1, +-2 and 4.
    Job job(8, quick_machine());
    set_up_flood(job, "fampi", "global", 0.0);
    faults::FaultSpec error;
    error.time_s = 0.0;
    error.ranks = {3};
    error.soft = true;
    job.spec.faults.push_back(error);
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == engine::Outcome::finished);
    CHECK(seen.metric("control_messages.invite") == 8 * 5);
  }
}

}  // namespace faultline::transactions
