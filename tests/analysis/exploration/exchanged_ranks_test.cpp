// SPDX-License-Identifier: Apache-2.0

// A search that sees one state for all in which ranks that are alike have changed places comes to
// the verdict of one that tells them apart, with a violation of the same kind after as many steps.

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "analysis/exploration/counterexample.hpp"
#include "analysis/exploration/exchanged_parts.hpp"
#include "analysis/exploration/exploration.hpp"
#include "analysis/exploration/goal.hpp"
#include "protocols/termination/dijkstra_scholten.hpp"
#include "sim/engine/engine.hpp"
#include "tests/analysis/exploration/hasty_detector.hpp"
#include "tests/analysis/exploration/same_searches.hpp"
#include "tests/support/job.hpp"

namespace faultline::exploration {

using namespace test;

namespace {

using Alike = std::vector<std::vector<Rank>>;

const Alike kNone;
const Alike kOneAndTwo{{1, 2}};

ExplorationResult explored(ExplorationRequest request, RankOrder alike, unsigned jobs = 1) {
  request.alike = alike;
  request.jobs = jobs;
  return explore(request);
}

/// Explores with and without exchange, and with several threads.
ExplorationResult check_same(const ExplorationRequest& request, const Alike& alike) {
  const ExplorationResult kept = explored(request, RankOrder::kept);
  ExplorationResult exchanged = explored(request, RankOrder::exchanged);
  CHECK(kept.exchanged.empty());
  CHECK(exchanged.exchanged == alike);
  check_same_verdict(exchanged, kept);
  const ExplorationResult threaded = explored(request, RankOrder::exchanged, 3);
  check_same_found(threaded, exchanged);
  CHECK(threaded.transitions == exchanged.transitions);
  if (alike.empty()) {
    CHECK(exchanged.states == kept.states);
    CHECK(exchanged.transitions == kept.transitions);
  } else if (alike == kOneAndTwo && found_by(kept) == nullptr) {
    // No more than two states are one, and some are themselves when the ranks change places.
    CHECK(exchanged.states < kept.states);
    CHECK(2 * exchanged.states >= kept.states);
    for (const auto& [outcome, states] : exchanged.ends) CHECK(2 * states >= kept.ends.at(outcome));
  }
  return exchanged;
}

/// By their numbers tell these ranks apart: leaders, and a token that goes round a ring.
Alike alike_under(const Registration& detector) {
  return detector.name == "venkatesan" || detector.name == "safra" ? kNone : kOneAndTwo;
}

/// Each of the other ranks gets a message from rank 0, computes, and answers.
void work_for_root(Job& job) {
  job.script(Family::workload, [](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) {
      for (Rank rank = 1; self == 0 && rank < context.job().processes; ++rank)
        context.send(rank, 0, 8);
    };
    handlers.message = [self](ScriptContext& context, const Message&) {
      if (self != 0) context.compute(1);
    };
    handlers.compute_done = [](ScriptContext& context, std::uint64_t) { context.send(0, 0, 8); };
    return handlers;
  });
}

/// Ranks 1 and 2 send six messages each. Rank 0 remembers from whom they came, and answers only if
/// the first three came in one order.
class Pedant final : public Workload {
 public:
  explicit Pedant(Rank self) : self_(self) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Pedant>(*this);
  }
  void start(WorkloadContext& context) override {
    constexpr int kMessages = 6;
    for (int i = 0; self_ != 0 && i < kMessages; ++i) context.send(0, 0, 8);
  }
  void on_message(WorkloadContext& context, const Message& message) override {
    if (self_ != 0) return;
    senders_.push_back(message.from);
    if (senders_ == std::vector<Rank>{1, 2, 1}) context.send(1, 0, 8);
  }

 private:
  void digest_state(Digest& into) const override { into.add(senders_); }
  Rank self_;
  std::vector<Rank> senders_;
};

/// Ranks 1 and 2 have each a token that goes to rank 0 and back, until one comes twice in a row.
class Alternating final : public TerminationDetector {
 public:
  explicit Alternating(Rank self) : self_(self) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Alternating>(*this);
  }
  void start(TerminationContext& context) override {
    if (self_ != 0) context.send(0, kToken, 8);
  }
  void on_message(TerminationContext& context, const Message& message) override {
    if (over_) return;
    over_ = message.kind == kOver || (self_ == 0 && message.from == last_);
    last_ = message.from;
    if (!over_) return static_cast<void>(context.send(message.from, kToken, 8));
    if (self_ == 0)
      for (const Rank other : {1, 2}) context.send(other, kOver, 8);
    context.announce();
  }

 private:
  enum Kind : std::uint16_t { kToken, kOver };
  void digest_state(Digest& into) const override { into.add(over_, last_); }

  Rank self_;
  bool over_ = false;
  Rank last_ = kNobody;
};

/// Dijkstra and Scholten's detector in another class, or with other properties.
template <class Made>
void use_instead(Job& job, const std::vector<StateProperty>& properties) {
  const Registration* shipped = find_registration(Family::termination, "dijkstra-scholten");
  REQUIRE(shipped != nullptr);
  const JobShape shape = scenario::job_shape(job.spec);
  job.own(Family::termination,
          [shape](ActorId self) {
            return std::make_unique<Made>(std::make_shared<termination::DijkstraScholtenOptions>(),
                                          shape, self);
          },
          {.traits = shipped->traits, .metrics = shipped->metrics, .properties = properties});
}

void all_graphs(Job& job, std::int64_t messages) {
  job.workload("random-tree", {{"most_messages", messages}, {"choices", std::string("all")}});
}

}  // namespace

// Each of the other ranks is at one of four stages, whichever the others are at: 4^n states. Those
// that are told apart by how many are at each stage: (n + 3) over 3. Of five that are alike, four
// are exchanged: 35 states of these, times 4.
TEST_CASE("states that differ by an exchange are as many as counted by hand") {
  const auto check = [](std::uint32_t processes, std::uint64_t kept, std::uint64_t exchanged,
                        const Alike& alike) {
    Job job(processes);
    work_for_root(job);
    const ExplorationRequest request{.spec = explored_spec(job.spec)};
    CHECK(explored(request, RankOrder::kept).states == kept);
    CHECK(check_same(request, alike).states == exchanged);
  };
  check(3, 16, 10, {{1, 2}});
  check(4, 64, 20, {{1, 2, 3}});
  check(5, 256, 35, {{1, 2, 3, 4}});
  check(6, 1024, 140, {{1, 2, 3, 4}});
}

TEST_CASE("the exchange of ranks makes no difference to any detector") {
  for_each_detector([](const Registration& detector, scenario::Ordering ordering) {
    check_same({.spec = any_tree(detector, ordering, 3, 3)}, alike_under(detector));
    check_same({.spec = any_tree(detector, ordering, 2, 2)}, kNone);
  });
}

// The control tree has two leaves below one rank on five ranks, and on four it has none.
TEST_CASE("ranks are alike if they are leaves below one rank of the control tree") {
  for (const char* name : {"dijkstra-scholten", "indep", "edod", "four-counter"}) {
    CAPTURE(name);
    const Registration& detector = *find_registration(Family::termination, name);
    check_same({.spec = any_tree(detector, scenario::Ordering::fifo, 4, 2)}, kNone);
    check_same({.spec = any_tree(detector, scenario::Ordering::fifo, 5, 1)}, {{3, 4}});
  }
}

TEST_CASE("the exchange of ranks makes no difference with deaths between events") {
  for_each_detector([](const Registration& detector, scenario::Ordering ordering) {
    if (!detector.tolerates_faults()) return;
    for (const std::uint32_t faults : {1U, 2U})
      check_same({.spec = any_tree(detector, ordering, 3, 2),
                  .faults = faults,
                  .crash = CrashPlaces::between_events},
                 alike_under(detector));
  });
}

// A root that dies while it announces has told the lower number first.
TEST_CASE("where the root can die within a step, nobody is alike") {
  for_each_detector([](const Registration& detector, scenario::Ordering ordering) {
    if (!detector.tolerates_faults()) return;
    ExplorationRequest request{.spec = any_tree(detector, ordering, 3, 2), .faults = 1};
    check_same(request, kNone);
    request.victims = {1, 2};
    check_same(request, alike_under(detector));
    request.victims = {1};
    check_same(request, kNone);
    request.victims = {1, 2};
    request.in_order = true;
    check_same(request, kNone);
  });
}

TEST_CASE("the exchange of ranks makes no difference to histories and wherever deaths may fall") {
  const Registration& detector = *find_registration(Family::termination, "rel-eager");
  ExplorationRequest request{.spec = any_tree(detector, scenario::Ordering::fifo, 3, 2),
                             .faults = 2};
  for (const CrashPlaces places : {CrashPlaces::calm, CrashPlaces::calm_together}) {
    request.crash = places;
    check_same(request, kOneAndTwo);
  }
  request.crash = CrashPlaces::between_events;
  request.faults = 1;
  request.histories = true;
  check_same(request, kOneAndTwo);
}

TEST_CASE("the exchange of ranks makes no difference to other workloads") {
  const auto check = [](const char* workload, const OptionValues& options, const Alike& alike) {
    CAPTURE(workload);
    Job job(3);
    job.workload(workload, options);
    job.detector("cda");
    job.use(Family::failure_detection, "oracle");
    check_same({.spec = explored_spec(job.spec)}, alike);
  };
  using Rules = std::vector<std::string>;
  check("script",
        {{"rules", Rules{"0 at start: send x to 1, send x to 2", "1 on x: send y to 2",
                         "2 on x: send y to 1", "1 on y: compute w", "2 on y: compute w",
                         "1 after w: send z to 0", "2 after w: send z to 0"}}},
        kOneAndTwo);
  check("script",
        {{"rules", Rules{"0 at start: send x to 1, send x to 2", "1 on x: send y to 2",
                         "2 on x: send y to 1", "2 on y: compute w"}}},
        kNone);
  check("token-ring",
        {{"most_steps", std::int64_t{3}},
         {"route", std::string("random")},
         {"branch_probability", 0.5},
         {"choices", std::string("all")}},
        kOneAndTwo);
  // Ranks choose while they start, and a search does not know which of them has.
  check("uniform-traffic",
        {{"tokens", std::int64_t{1}}, {"hops", std::int64_t{1}}, {"choices", std::string("all")}},
        kNone);
  // Whom a rank sends to is drawn for each rank by itself.
  check("random-tree", {{"most_messages", std::int64_t{4}}}, kNone);
}

TEST_CASE("a mistake is found after as many steps, and its run can be repeated") {
  int found = 0;
  const auto check = [&](const std::string& detector, const std::string& point) {
    CAPTURE(detector, point);
    const bool dies = find_registration(Family::termination, detector)->tolerates_faults();
    const ExplorationRequest request{
        .spec = as_printed(detector, point, 3),
        .faults = dies ? 1U : 0U,
        .victims = dies ? std::vector<ActorId>{1, 2} : std::vector<ActorId>{}};
    const ExplorationResult result = check_same(request, kOneAndTwo);
    if (result.verdict != ExplorationResult::Verdict::violated) return;
    ++found;
    scenario::RunSpec again = request.spec;
    again.order = told_run(request, result.refutation->steps).order;
    const engine::RunResult repeated =
        engine::run_simulation(again, scenario::EngineKind::loggp, 1, 0);
    REQUIRE_FALSE(repeated.violations.empty());
    CHECK(repeated.violations.front().kind == result.refutation->violations.front().kind);
  };
  check("dijkstra-scholten", "cornet");
  check("edod", "early-confirmation");
  for (const char* point : {"cornet", "old-notes", "late-notes", "child-flush"})
    check("indep", point);
  for (const char* point : {"cornet", "old-notes", "child-flush"}) check("rel-lazy", point);
  for (const char* point :
       {"silent-adoption", "aggregated-response", "message-label", "window", "child-flush"})
    check("rel-eager", point);
  CHECK(found >= 5);
}

TEST_CASE("a property is broken after as many steps, and a goal is as far away") {
  Job hasty(3);
  all_graphs(hasty, 3);
  use_instead<Hasty>(hasty,
                     find_registration(Family::termination, "dijkstra-scholten")->properties);
  CHECK(check_same({.spec = explored_spec(hasty.spec)}, kOneAndTwo).verdict ==
        ExplorationResult::Verdict::violated);

  const Registration& detector = *find_registration(Family::termination, "dijkstra-scholten");
  ExplorationRequest request{.spec = any_tree(detector, scenario::Ordering::fifo, 3, 3)};
  for (const char* goal : {"all-engaged", "terminated", "hung"}) {
    request.goal = goal_named(request.spec, goal);
    check_same(request, kOneAndTwo);
  }
  request.goal.reset();
  request.prune = find_property(request.spec, "all-engaged");
  CHECK(check_same(request, kOneAndTwo).pruned > 0);
}

// It holds in a state, and not in the one in which the ranks have changed places.
TEST_CASE("where a property tells ranks apart, they are not alike") {
  Job job(3);
  all_graphs(job, 3);
  use_instead<termination::DijkstraScholten>(
      job,
      {{.name = "two-works-alone",
        .doc = "rank 2 is active and rank 1 is not",
        .use = StateProperty::Use::predicate,
        .holds = [](const WholeState& whole) { return whole.active(2) && !whole.active(1); }}});
  ExplorationRequest request{.spec = explored_spec(job.spec)};
  check_same(request, kOneAndTwo);
  request.goal = goal_named(request.spec, "two-works-alone");
  CHECK(check_same(request, kNone).verdict == ExplorationResult::Verdict::reached);
}

TEST_CASE("ranks that turn out late not to be alike are not exchanged") {
  Job job(3);
  job.own(Family::workload, [](ActorId self) { return std::make_unique<Pedant>(self); });
  check_same({.spec = explored_spec(job.spec)}, kNone);
}

// Tokens that come in turn come to the exchanged state in half a round.
TEST_CASE("a circle in which a fair run can stay is found where ranks are exchanged") {
  Job job(3);
  job.script(Family::workload, [](ActorId) { return Handlers(); });
  job.own(Family::termination, [](ActorId self) { return std::make_unique<Alternating>(self); },
          {.traits = TerminationTraits{.announces = true}});
  ExplorationRequest request{.spec = explored_spec(job.spec)};
  request.goal = Goal{.name = "hung"};
  const ExplorationResult result = check_same(request, kOneAndTwo);
  REQUIRE(result.verdict == ExplorationResult::Verdict::reached);
  CHECK(result.reached->violations.front().detail.find("lead back to the same state") !=
        std::string::npos);
}

TEST_CASE("remembered steps are those that the engine takes, also where ranks are exchanged") {
  for_each_detector([](const Registration& detector, scenario::Ordering ordering) {
    ExplorationRequest request{.spec = any_tree(detector, ordering, 3, 3)};
    const ExplorationResult taken = explored(request, RankOrder::exchanged);
    request.recall = StepRecall::checked;
    check_same_found(explored(request, RankOrder::exchanged), taken);
  });
}

TEST_CASE("a bounded search and one by depth exchange ranks, too") {
  const Registration& detector = *find_registration(Family::termination, "indep");
  ExplorationRequest request{.spec = any_tree(detector, scenario::Ordering::fifo, 3, 3)};
  request.depth = 7;
  CHECK(check_same(request, kOneAndTwo).limit == SearchLimit::depth);
  request.depth = UINT32_MAX;
  const std::uint64_t states = explored(request, RankOrder::exchanged).states;
  request.search = SearchOrder::depth;
  const ExplorationResult result = explored(request, RankOrder::exchanged);
  CHECK(result.exchanged == kOneAndTwo);
  CHECK(result.states == states);
}

// Without memory, the parts of a state are not known.
TEST_CASE("ranks are exchanged only where steps are remembered") {
  const Registration& detector = *find_registration(Family::termination, "indep");
  const ExplorationRequest request{.spec = any_tree(detector, scenario::Ordering::fifo, 3, 2),
                                   .alike = RankOrder::exchanged};
  CHECK(exchanges_ranks(request));
  ExplorationRequest other = request;
  other.alike = RankOrder::kept;
  CHECK_FALSE(exchanges_ranks(other));
  other = request;
  other.recall = StepRecall::nothing;
  CHECK_FALSE(exchanges_ranks(other));
  CHECK(explore(other).exchanged.empty());
  other = request;
  other.timers = TimerRule::patient;
  CHECK_FALSE(exchanges_ranks(other));
}

TEST_CASE("what a choice means becomes what it means to the other rank") {
  const JobShape job{.processes = 4, .nodes = 4};
  const std::vector<RankExchange> exchanges = exchanges_of({{1, 3}}, job);
  REQUIRE(exchanges.size() == 1);
  const RankExchange& swap = exchanges.front();
  CHECK(swap(0) == 0);
  CHECK(swap(1) == 3);
  CHECK(swap(4 + 3) == 4 + 1);  // the daemon of its node
  CHECK(swap(kNobody) == kNobody);
  CHECK(swap.decision("the next rank", 1, 0) == 3);
  // Of ranks 0, 2 and 3, rank 1 chooses 3; of ranks 0, 1 and 2, rank 3 chooses 1.
  CHECK(swap.decision("the child, among the other ranks", 2, 1) == 1);
  CHECK(swap.decision("the receiver, among the other ranks", 0, 1) == 0);
  CHECK(swap.decision("the number of messages below it", 2, 1) == 2);
  CHECK(exchanges_of({{1, 2, 3}}, job).size() == 5);
  CHECK(exchanges_of({}, job).empty());
}

}  // namespace faultline::exploration
