// SPDX-License-Identifier: Apache-2.0

// Every detector reports the same statistics under the same names.

#include <catch2/catch.hpp>

#include "tests/support/job.hpp"

namespace faultline::termination {

using namespace test;

namespace {

struct Row {
  std::string detector;
  OptionValues options;
  bool borrows;
  bool flushes;
  bool waves;
  Words kinds;
};

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Which statistics have a meaning for which detector, and the names of its messages.
const std::vector<Row>& table() {
  static const Words credit_kinds{"flush", "borrow", "grant", "announce"};
  static const Words indep_kinds{"acknowledge", "potential-grandchild", "try-engage-grandchild",
                                 "reply-to-grandparent", "announce"};
  static const Words lazy_kinds = with(indep_kinds, {"inform-interior", "inform-exterior"});
  static const std::vector<Row> rows{
      {"dijkstra-scholten", {}, false, false, false, {"acknowledge", "announce"}},
      {"four-counter", {}, false, false, true, {"stop", "repeat", "announce"}},
      {"edod", {}, false, false, false, {"stop", "resume", "acknowledge", "announce"}},
      {"hcda", {}, true, true, false, credit_kinds},
      {"hcda", {{"credit", "mattern"}}, false, true, false, credit_kinds},
      {"hcda", {{"credit", "own-currency"}}, false, true, false, credit_kinds},
      {"cda", {}, true, true, false, credit_kinds},
      {"indep", {}, false, false, false, indep_kinds},
      {"rel-lazy", {}, false, false, false, lazy_kinds},
      {"rel-eager",
       {},
       false,
       false,
       false,
       with(lazy_kinds, {"new-grandparent", "answer-to-parent", "grandchild-recovered"})},
      {"lai-wu", {}, false, false, false, {"acknowledge", "query", "announce"}},
      {"venkatesan", {{"entry_bytes", 0}}, false, false, false, {"signal", "query", "announce"}}};
  return rows;
}

/// Is the metric there, and has it a value?
bool has_value(const Seen& seen, const std::string& name) {
  INFO(name);
  const auto& values = seen.result.metrics.values();
  REQUIRE(values.count(name) == 1);
  return values.at(name).has_value();
}

}  // namespace

TEST_CASE("every detector reports the same statistics, null where it has no such thing") {
  for (const scenario::EngineKind engine : engines())
    for (const Row& row : table()) {
      Job job(9, quick_machine());
      job.workload("token-ring", {{"walk_length", 50}});
      job.detector(row.detector, row.options);
      const Seen seen = job.run(engine);
      INFO(engine_word(engine) << " " << row.detector);
      CHECK(has_value(seen, "borrows") == row.borrows);
      CHECK(has_value(seen, "delayed_messages") == row.borrows);
      CHECK(has_value(seen, "flushes") == row.flushes);
      CHECK(has_value(seen, "waves") == row.waves);

      double messages = 0;
      for (const std::string& kind : row.kinds) messages += seen.metric("control_messages." + kind);
      CHECK(seen.metric("control_messages") == messages);
      CHECK(messages > 0);
      CHECK(seen.metric("control_bytes") == messages * (row.waves ? 24 : 16));
      CHECK(seen.metric("idle_transitions") == seen.metric("busy_transitions") + 9);
      CHECK(seen.metric("detection_latency_s") ==
            seen.metric("announce_time_s") - seen.metric("termination_time_s"));
      CHECK(seen.metric("detection_latency_s") > 0);
      if (row.borrows) CHECK(seen.metric("borrows") == seen.metric("control_messages.borrow"));
      if (row.waves) CHECK(seen.metric("waves") * 8 == seen.metric("control_messages.stop"));
      CHECK(seen.violations().empty());
    }
}

TEST_CASE("the table of statistics leaves no detector out") {
  for (const std::string& detector : detectors())
    CHECK(std::any_of(table().begin(), table().end(),
                      [&](const Row& row) { return row.detector == detector; }));
}

TEST_CASE("without a detector there are no statistics of one") {
  Job job(2, quick_machine());
  job.workload("token-ring", {{"walk_length", 5}});
  const Seen seen = job.run();
  for (const std::string name : {"borrows", "flushes", "delayed_messages", "waves"})
    CHECK(seen.result.metrics.values().count(name) == 0);
}

}  // namespace faultline::termination
