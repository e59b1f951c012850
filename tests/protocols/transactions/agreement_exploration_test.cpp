// SPDX-License-Identifier: Apache-2.0

// The agreement of small groups in all orders of contributions, messages, deaths and notices, and
// of larger ones in random orders. Mistakes must be found.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/random.hpp"
#include "tests/protocols/transactions/agreement_world.hpp"

namespace faultline::transactions {

namespace {

struct Explored {
  std::size_t states = 0;
  std::size_t orphans = 0;  ///< states in which one that died had decided otherwise
  std::size_t ends = 0;     ///< states in which all have decided all
  std::string wrong;        ///< of the first wrong state, after which the search stops
};

class Exploration {
 public:
  explicit Exploration(const AgreementCase& job) {
    reach(AgreementWorld(job));
    while (!waiting_.empty() && found_.wrong.empty()) {
      const AgreementWorld world = std::move(waiting_.back());
      waiting_.pop_back();
      for (const AgreementEvent& event : world.events()) branch(world, event);
    }
  }
  [[nodiscard]] const Explored& found() const { return found_; }

 private:
  /// The event happens, and also all deaths in the middle of it.
  void branch(const AgreementWorld& world, const AgreementEvent& event) {
    AgreementWorld next = world;
    next.take(event);
    reach(std::move(next));
    if (event.kind == AgreementEvent::Kind::death || !world.may_die()) return;
    for (std::size_t sends = 0;; ++sends) {
      AgreementWorld cut = world;
      if (!cut.take(event, sends)) return;
      reach(std::move(cut));
    }
  }

  void reach(AgreementWorld world) {
    Digest digest;
    digest.add(world);
    if (!seen_.insert(digest.value()).second) return;
    ++found_.states;
    if (world.has_orphan()) ++found_.orphans;
    if (world.is_done()) ++found_.ends;
    if (found_.wrong.empty()) found_.wrong = world.wrong();
    waiting_.push_back(std::move(world));
  }

  std::set<StateDigest> seen_;
  std::vector<AgreementWorld> waiting_;
  Explored found_;
};

Explored explore(const AgreementCase& job) { return Exploration(job).found(); }

/// One random order of events, to its end.
void walk(const AgreementCase& job, std::uint64_t seed) {
  Stream random(seed, 0, Purpose::workload, 0);
  AgreementWorld world(job);
  std::size_t decided = 0;
  while (true) {
    const std::vector<AgreementEvent> events = world.events();
    const bool is_over = std::all_of(events.begin(), events.end(), [](const AgreementEvent& event) {
      return event.kind == AgreementEvent::Kind::death;
    });
    if (is_over) break;
    const AgreementEvent& event = events[random.below(events.size())];
    if (event.kind == AgreementEvent::Kind::death) {
      if (random.below(8) == 0) world.take(event);
    } else if (world.may_die() && random.below(10UL * job.members) == 0) {
      world.take(event, random.below(3));
    } else {
      world.take(event);
    }
    if (std::exchange(decided, world.decisions()) != world.decisions())
      if (const std::string wrong = world.wrong(); !wrong.empty()) FAIL(wrong << ", seed " << seed);
  }
  REQUIRE(world.wrong().empty());
  REQUIRE(world.is_done());
}

constexpr std::array kAlgorithms{AgreementAlgorithm::era, AgreementAlgorithm::two_phase,
                                 AgreementAlgorithm::star};

/// Everything that can happen is right; a dead member had decided otherwise only where that may be.
void check(const AgreementCase& job) {
  const Explored found = explore(job);
  CAPTURE(static_cast<int>(job.algorithm), job.fifo, found.states, found.wrong);
  CHECK(found.wrong.empty());
  CHECK(found.ends > 0);
  CHECK((found.orphans > 0) == (job.algorithm != AgreementAlgorithm::two_phase));
}

}  // namespace

TEST_CASE("agreement: three members agree in every order, with two deaths", "[agreement]") {
  for (const bool fifo : {false, true})
    for (const AgreementAlgorithm algorithm : kAlgorithms)
      check({.algorithm = algorithm, .members = 3, .most_deaths = 2, .fifo = fifo});
}

TEST_CASE("agreement: four members agree in every order, over a heap with two deaths",
          "[agreement]") {
  check({.algorithm = AgreementAlgorithm::era, .members = 4, .most_deaths = 2});
  check({.algorithm = AgreementAlgorithm::star, .members = 4, .most_deaths = 1});
}

TEST_CASE("agreement: four members agree in two sweeps in every order, with a death",
          "[agreement]") {
  check({.algorithm = AgreementAlgorithm::two_phase, .members = 4, .most_deaths = 1});
}

TEST_CASE("agreement: two agreements in a row hold in every order", "[agreement]") {
  for (const AgreementAlgorithm algorithm : kAlgorithms)
    check({.algorithm = algorithm, .members = 3, .agreements = 2, .most_deaths = 2});
  check({.algorithm = AgreementAlgorithm::era, .members = 4, .agreements = 2, .most_deaths = 1});
}

TEST_CASE("agreement: up to 64 members agree in random orders, with up to 63 deaths",
          "[agreement]") {
  Stream random(7, 0, Purpose::workload, 0);
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const auto members =
        static_cast<std::uint32_t>(seed % 20 == 0 ? 32 + random.below(33) : 2 + random.below(12));
    walk({.algorithm = kAlgorithms[seed % 3],
          .members = members,
          .agreements = 3,
          .most_deaths = static_cast<std::uint32_t>(random.below(members)),
          .fifo = random.below(2) == 0},
         seed);
  }
}

TEST_CASE("agreement: mistakes are found", "[agreement]") {
  const auto wrong = [](AgreementMistake mistake, AgreementAlgorithm algorithm) {
    return explore({.algorithm = algorithm, .members = 3, .most_deaths = 1, .mistake = mistake})
        .wrong;
  };
  for (const AgreementAlgorithm algorithm : kAlgorithms) {
    CHECK(wrong(AgreementMistake::none, algorithm).empty());
    CHECK(wrong(AgreementMistake::no_second_up, algorithm) == "somebody waits for ever");
    CHECK_FALSE(wrong(AgreementMistake::root_asks_nobody, algorithm).empty());
    CHECK(wrong(AgreementMistake::starts_anew, algorithm) == "somebody waits for ever");
  }
}

TEST_CASE("agreement: a decision that is forgotten on return is found", "[agreement]") {
  const auto wrong = [](AgreementMistake mistake) {
    return explore({.members = 4, .most_deaths = 1, .mistake = mistake}).wrong;
  };
  CHECK(wrong(AgreementMistake::none).empty());
  CHECK(wrong(AgreementMistake::forgets_on_return) == "somebody waits for ever");
}

}  // namespace faultline::transactions
