// SPDX-License-Identifier: Apache-2.0

// The detectors with one mistake each that random search finds (adoption_mutants_test.cpp,
// broken_detectors_test.cpp) are found by exploring, too. The runs are shortest ones, of one to
// eleven steps with the start. The shrunk runs of random search have as many events or up to 300
// more, but for three that it shrinks to a job of one rank, which nobody needs to explore.

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/exploration/counterexample.hpp"
#include "analysis/exploration/exploration.hpp"
#include "tests/protocols/termination/adoption_mutants.hpp"
#include "tests/protocols/termination/detector_mutants.hpp"
#include "tests/support/job.hpp"

namespace faultline::termination {

using namespace test;

namespace {

/// What the ranks do, and how many of them die.
struct Bound {
  std::function<void(Job&)> tasks;
  std::uint32_t faults = 0;
  scenario::Ordering ordering = scenario::Ordering::fifo;
  bool histories = false;  ///< runs that were told different things are judged apart
  exploration::Departures departures = exploration::Departures::at_once;
};

/// All task graphs of up to that many messages.
Bound graphs(std::int64_t messages, std::uint32_t faults,
             scenario::Ordering ordering = scenario::Ordering::fifo) {
  return {
      [messages](Job& job) {
        job.workload("random-tree", {{"most_messages", messages}, {"choices", std::string("all")}});
      },
      faults, ordering};
}

/// A program of rules (docs/workloads.md).
Bound program(std::vector<std::string> rules,
              scenario::Ordering ordering = scenario::Ordering::fifo) {
  return {[rules = std::move(rules)](Job& job) {
            job.workload("script", {{"rules", rules}});
          },
          0, ordering};
}

Bound to_itself() { return program({"0 at start: send a to 0"}); }

/// Does nothing, and begins a phase when it has heard of a death and that its phase is over.
class BeginsAnew final : public Workload {
 public:
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<BeginsAnew>(*this);
  }
  void on_peer_failed(WorkloadContext& context, Incarnation) override {
    lost_ = true;
    begin(context);
  }
  void on_announced(WorkloadContext& context, std::uint32_t) override {
    announced_ = true;
    begin(context);
  }

 private:
  void begin(WorkloadContext& context) {
    if (!lost_ || !announced_ || context.self() != 0) return;
    lost_ = announced_ = false;
    context.start_phase();
  }
  void digest_state(Digest& into) const override { into.add(lost_, announced_); }

  bool lost_ = false;
  bool announced_ = false;
};

/// Four ranks, so that rank 1 has others below it in the tree of the announcement.
Bound phases(std::uint32_t faults) {
  return {[](Job& job) {
            job.spec.platform.processes = 4;
            job.own(Family::workload, [](ActorId) { return std::make_unique<BeginsAnew>(); });
          },
          faults};
}

using Install = std::function<void(Job&)>;

/// Makes the job, which must stay as long as it is explored.
template <class Use>
auto with_job(const Install& install, const Bound& bound, Use use) {
  Job job(3);
  bound.tasks(job);
  job.use(Family::failure_detection, "oracle");
  job.spec.platform.ordering = bound.ordering;
  install(job);
  return use(job.spec, exploration::ExplorationRequest{.spec = exploration::explored_spec(job.spec),
                                                       .faults = bound.faults,
                                                       .departures = bound.departures,
                                                       .histories = bound.histories});
}

exploration::ExplorationResult explored(
    const Install& install, const Bound& bound,
    exploration::RankOrder alike = exploration::RankOrder::kept) {
  return with_job(install, bound,
                  [=](const scenario::RunSpec&, exploration::ExplorationRequest request) {
                    request.alike = alike;
                    return exploration::explore(request);
                  });
}

/// How `run` ends when it repeats the run that is found.
engine::Outcome repeated(const Install& install, const Bound& bound) {
  return with_job(install, bound,
                  [](scenario::RunSpec ordered, const exploration::ExplorationRequest& request) {
                    const exploration::ExplorationResult result = exploration::explore(request);
                    REQUIRE(result.refutation);
                    ordered.order = exploration::told_run(request, result.refutation->steps).order;
                    return engine::run_simulation(ordered, scenario::EngineKind::loggp,
                                                  request.seed, 0)
                        .outcome;
                  });
}

/// Checks that the shortest run within the bound to a broken promise has this many steps, and
/// breaks a promise of that kind.
void check_refuted(const Install& install, const Bound& bound, const std::string& kind,
                   std::size_t steps) {
  const exploration::ExplorationResult result = explored(install, bound);
  CAPTURE(kind, result.states);
  REQUIRE(result.refutation);
  const audit::Violation& violation = result.refutation->violations.front();
  CAPTURE(violation.detail);
  CHECK(violation.kind == kind);
  CHECK(result.refutation->steps.size() == steps);
  if (bound.histories) return;  // it takes long, and exchanged_ranks_test.cpp has some
  const exploration::ExplorationResult exchanged =
      explored(install, bound, exploration::RankOrder::exchanged);
  REQUIRE(exchanged.refutation);
  CHECK(exchanged.refutation->steps.size() == steps);
  CHECK(exchanged.refutation->violations.front().kind == kind);
}

template <class Mistake>
Install mistaken(const std::string& name) {
  return [name, spoilt = std::make_shared<Registration>()](Job& job) {
    job.detector(name);
    make_mistaken<Mistake>(job.spec, Family::termination, *spoilt);
  };
}

Install tampered(const std::string& name, Tamper tamper) {
  return [name, tamper, layer = std::make_shared<Registration>()](Job& job) {
    job.detector(name);
    with_tampering(tamper, *layer)(job.spec);
  };
}

Install answering_for_the_dead(const std::string& name) {
  return [name, layer = std::make_shared<Registration>()](Job& job) {
    job.detector(name);
    with_layer<AnswersForTheDead> (*layer)(job.spec);
  };
}

Install at_the_notice(const std::string& name) {
  return [name, layer = std::make_shared<Registration>(),
          above = std::make_shared<Registration>()](Job& job) {
    job.detector(name);
    giving_up_at_the_notice(*layer, *above)(job.spec);
  };
}

template <class Mistake>
Install layered(const std::string& name) {
  return [name, layer = std::make_shared<Registration>()](Job& job) {
    job.detector(name);
    with_layer<Mistake> (*layer)(job.spec);
  };
}

}  // namespace

TEST_CASE("explored: a detector that believes one wave") {
  check_refuted(
      [](Job& job) {
        job.own(Family::termination, [](ActorId) { return std::make_unique<Polling>(1); });
      },
      program({"1 at start: send a to 0", "0 on a: send b to 1, send b to 1",
               "1 on 2nd b: send c to 0"},
              scenario::Ordering::unordered),
      "premature", 7);
}

TEST_CASE("explored: a Dijkstra-Scholten without parents") {
  check_refuted(
      [](Job& job) {
        job.own(Family::termination, [](ActorId) { return std::make_unique<WithoutParents>(); });
      },
      graphs(2, 0), "premature", 4);
}

TEST_CASE("explored: real detectors that count or pay wrongly") {
  check_refuted(mistaken<MissesMessagesToItself>("cda"), to_itself(), "credit", 2);
  check_refuted(mistaken<HandsOutTooMuch>("cda"), graphs(1, 0), "credit", 2);
  check_refuted(mistaken<NeverFlushes>("cda"), graphs(1, 0), "hung", 2);
  check_refuted(mistaken<MissesMessagesToItself>("four-counter"), to_itself(), "hung", 1);
  check_refuted(mistaken<CountsNothing>("four-counter"), program({"1 at start: send a to 2"}),
                "premature", 7);
  check_refuted(mistaken<TakesOneForTwo>("dijkstra-scholten"), graphs(3, 0), "broken-invariant", 7);
}

TEST_CASE("explored: adoption whose messages leave in a wrong order") {
  check_refuted(tampered("indep", send_first), graphs(2, 1), "premature", 5);
  check_refuted(tampered("rel-lazy", send_first), graphs(3, 1), "premature", 5);
  check_refuted(tampered("rel-eager", send_first), graphs(3, 1), "premature", 5);
}

// Rank 2 tells its parent of its successor. That waits for the NIC, and is lost with rank 2. The
// task does not leave the node.
TEST_CASE("explored: adoption that takes the order of sending for a fence") {
  Bound bound = graphs(2, 1);
  bound.departures = exploration::Departures::any;
  bound.tasks = [tasks = bound.tasks](Job& job) {
    job.spec.platform.processes = 4;
    job.spec.platform.processes_per_node = 2;
    tasks(job);
  };
  check_refuted(tampered("indep", send_without_fence), bound, "premature", 6);
  CHECK(repeated(tampered("indep", send_without_fence), bound) == engine::Outcome::premature);
  const Install right = [](Job& job) { job.detector("indep"); };
  CHECK(explored(right, bound).verdict == exploration::ExplorationResult::Verdict::exhausted);
  bound.departures = exploration::Departures::at_once;
  CHECK(explored(tampered("indep", send_without_fence), bound).verdict ==
        exploration::ExplorationResult::Verdict::exhausted);
}

TEST_CASE("explored: adoption that decides before the flush") {
  check_refuted(mistaken<DecidesBeforeTheFlush>("indep"), graphs(2, 1), "premature", 6);
}

TEST_CASE("explored: the printed cornet") {
  check_refuted(mistaken<PrintedCornet>("indep"), graphs(2, 0), "hung", 7);
}

TEST_CASE("explored: adoption that forgets the dead with a new phase") {
  for (const char* detector : {"indep", "rel-lazy", "rel-eager"})
    check_refuted(mistaken<ForgetsTheDead>(detector), phases(1), "hung", 8);
}

TEST_CASE("explored: adoption that does not answer its own messages") {
  for (const char* detector : {"indep", "rel-lazy", "rel-eager"})
    check_refuted(mistaken<NoWordToItself>(detector), to_itself(), "hung", 2);
}

TEST_CASE("explored: adoption that gives up before it must") {
  for (const char* detector : {"indep", "rel-lazy", "rel-eager"})
    check_refuted(at_the_notice(detector), graphs(2, 2), "needless-fatal",
                  std::string(detector) == "indep" ? 9 : 8);
}

// What a rank was told has no trace in the state that it ends in. RELLAZY and RELEAGER with this
// mistake go right under all graphs of two messages.
TEST_CASE("explored: adoption that does not give up, though all ends well") {
  Bound bound = graphs(2, 2);
  bound.histories = true;
  check_refuted(answering_for_the_dead("indep"), bound, "not-given-up", 8);
  bound = graphs(3, 2);
  bound.histories = true;
  for (const char* detector : {"rel-lazy", "rel-eager"})
    check_refuted(answering_for_the_dead(detector), bound, "not-given-up", 11);
}

TEST_CASE("explored: adoption that gives up because of children that it has made up") {
  check_refuted(tampered("indep", tell_of_another), graphs(2, 2), "needless-fatal", 7);
}

TEST_CASE("explored: an acknowledgement that comes twice") {
  check_refuted(tampered("lai-wu", acknowledge_twice), graphs(2, 0), "broken-invariant", 6);
}

}  // namespace faultline::termination
