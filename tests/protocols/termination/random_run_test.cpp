// SPDX-License-Identifier: Apache-2.0

// The detectors under random work, costs, orders and mappings: never premature, never hung, credit
// conserved at every event, and the exact relations between message counts.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "tests/protocols/termination/random_run.hpp"

namespace faultline::termination {

using namespace test;

namespace {

double count(const Seen& seen, const std::string& kind) {
  return seen.metric("control_messages." + kind);
}

/// Edges of the control tree, once a phase.
double tree_edges(const RandomRun& run) { return run.phases * (run.processes - 1.0); }

/// One acknowledgement for each message; where all ranks start with work, one more for each rank
/// that the root has engaged before time zero.
std::string acknowledged_once(const RandomRun& run, const Seen& seen) {
  const double engaged = run.starts_at_root ? 0 : tree_edges(run);
  if (count(seen, "acknowledge") != seen.metric("application_messages") + engaged)
    return "not one acknowledgement a message";
  return count(seen, "announce") == tree_edges(run) ? "" : "not one announcement a rank";
}

/// A wave is a STOP up and, but for the last of a phase, a REPEAT down every edge of the tree.
std::string whole_waves(const RandomRun& run, const Seen& seen) {
  if (count(seen, "announce") != tree_edges(run)) return "not one announcement a rank";
  if (count(seen, "stop") - count(seen, "repeat") != tree_edges(run)) return "a torn wave";
  const double waves = seen.metric("waves");
  if (count(seen, "stop") != (run.processes - 1.0) * waves) return "a torn wave";
  return run.processes == 1 || waves >= 2 * run.phases ? "" : "a single wave";
}

/// A rank returns credit when it goes idle or, idle already, when a grant comes; ranks that start
/// without work return their first credit at once. Nothing is borrowed where credit is plenty.
std::string balanced_credit(const RandomRun& run, const Seen& seen) {
  if (count(seen, "announce") != tree_edges(run)) return "not one announcement a rank";
  if (count(seen, "borrow") != count(seen, "grant")) return "a grant without request";
  const double flushes = count(seen, "flush");
  if (run.starts_at_root && flushes < tree_edges(run)) return "a first credit not returned";
  if (flushes > seen.metric("idle_transitions") + count(seen, "grant")) return "too many flushes";
  const bool plenty = run.initial_credit > (std::int64_t{1} << 30) && run.tasks < 30;
  if (plenty && count(seen, "borrow") + seen.metric("delayed_messages") > 0)
    return "borrowed with plenty of credit";
  return "";
}

/// Every STOP but the last of each rank is taken back by a RESUME.
std::string stopped_once(const RandomRun& run, const Seen& seen) {
  if (count(seen, "announce") != tree_edges(run)) return "not one announcement a rank";
  if (count(seen, "stop") - count(seen, "resume") != tree_edges(run)) return "an odd STOP";
  return "";
}

/// Parental responsibility, and no more notes than messages; each INTERIOR has its EXTERIOR.
std::string acknowledged_and_noted(const RandomRun& run, const Seen& seen) {
  if (count(seen, "potential-grandchild") > seen.metric("application_messages"))
    return "more notes than messages";
  const auto& values = seen.result.metrics.values();
  if (values.count("control_messages.inform-interior") == 1 &&
      count(seen, "inform-interior") != count(seen, "inform-exterior"))
    return "not one exterior signal for each interior one";
  return acknowledged_once(run, seen);
}

/// Venkatesan's has none: how often a process is idle is a matter of order.
DetectorUnderTest detector_under_test(const std::string& name) {
  static const std::map<std::string, decltype(DetectorUnderTest::relation)> relations{
      {"dijkstra-scholten", acknowledged_once},
      {"lai-wu", acknowledged_once},
      {"four-counter", whole_waves},
      {"edod", stopped_once},
      {"indep", acknowledged_and_noted},
      {"rel-lazy", acknowledged_and_noted},
      {"rel-eager", acknowledged_and_noted},
      {"hcda", balanced_credit},
      {"cda", balanced_credit}};
  DetectorUnderTest detector = registered(name);
  const auto relation = relations.find(name);
  if (relation != relations.end()) detector.relation = relation->second;
  return detector;
}

void check_search(const std::string& name, std::uint64_t runs) {
  for (const scenario::EngineKind engine : engines()) {
    INFO(engine_word(engine) << " " << name);
    CHECK(counterexample(detector_under_test(name), engine, sample_of(runs, engine)) == "");
  }
}

}  // namespace

TEST_CASE("dijkstra-scholten keeps its promises in random runs") {
  check_search("dijkstra-scholten", 2000);
}

TEST_CASE("four-counter keeps its promises in random runs") { check_search("four-counter", 2000); }

TEST_CASE("edod keeps its promises in random runs") { check_search("edod", 2000); }

TEST_CASE("hcda keeps its promises in random runs") { check_search("hcda", 2000); }

TEST_CASE("cda keeps its promises in random runs") { check_search("cda", 2000); }

TEST_CASE("indep keeps its promises in random runs") { check_search("indep", 1000); }

TEST_CASE("rel-lazy keeps its promises in random runs") { check_search("rel-lazy", 1000); }

TEST_CASE("rel-eager keeps its promises in random runs") { check_search("rel-eager", 1000); }

TEST_CASE("lai-wu keeps its promises in random runs") { check_search("lai-wu", 1000); }

TEST_CASE("venkatesan keeps its promises in random runs") { check_search("venkatesan", 1000); }

TEST_CASE("detectors in many more random runs", "[.soak]") {
  for (const std::string& name : detectors()) check_search(name, 200000);
}

TEST_CASE("random runs differ in everything that they may differ in") {
  std::set<std::string> seen;
  double most_messages = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const RandomRun run = draw_run(seed);
    if (run.processes <= 17) seen.insert("processes " + std::to_string(run.processes));
    if (run.processes > 48) seen.insert("many processes");
    seen.insert("cores " + std::to_string(run.worker_cores));
    seen.insert("phases " + std::to_string(run.phases));
    seen.insert("mapping " + std::to_string(static_cast<int>(run.mapping)));
    seen.insert("progress " + std::to_string(static_cast<int>(run.progress)));
    seen.insert("ordering " + std::to_string(static_cast<int>(run.ordering)));
    seen.insert("credit " + std::to_string(run.initial_credit));
    if (seed % 10 != 0) continue;
    const Seen made = make_run(run, detector_under_test("cda"), scenario::EngineKind::loggp);
    most_messages = std::max(most_messages, made.metric("application_messages"));
    if (made.metric("borrows") > 0) seen.insert("borrows");
    if (made.metric("delayed_messages") > 0) seen.insert("delays");
  }
  CHECK(seen.size() == 17 + 1 + 3 + 3 + 3 + 3 + 2 + 5 + 2);
  CHECK(most_messages > 100);
}

}  // namespace faultline::termination
