// SPDX-License-Identifier: Apache-2.0

// script: what each rank does on which occasion, by the scenario's rules.

#include <catch2/catch.hpp>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "sim/core/random.hpp"
#include "sim/engine/stepwise/stepwise_engine.hpp"
#include "tests/support/alone.hpp"
#include "tests/workloads/observed.hpp"

namespace faultline::workloads {

using namespace test;

namespace {

using Rules = std::vector<std::string>;

Job& scripted(Job& job, const Rules& rules, std::int64_t bytes = 100) {
  return job.workload("script", {{"rules", rules}, {"bytes", bytes}});
}

/// The problems of a script for that many processes: "rules[1]: ..." or "rules: ...", line by line.
std::string problems_of(const Rules& rules, std::uint32_t processes = 3) {
  const Registration& script = *find_registration(Family::workload, "script");
  OptionValues values;
  for (const OptionSpec& option : script.options) values[option.name] = option.default_value;
  values["rules"] = rules;
  std::string text;
  for (const OptionProblem& problem : script.check(values, job_of(processes)))
    text += problem.option + (problem.item ? "[" + std::to_string(*problem.item) + "]" : "") +
            ": " + problem.message + "\n";
  return text;
}

}  // namespace

TEST_CASE("a script takes the time that paper says, message by message") {
  // A message of 100 B is handled 13 s after its send began. Rank 0 sends at 0 s, and its
  // computation begins when that is done, at 1 s, and ends at 51 s; rank 1 answers at 13 s, and
  // rank 0 sends c at 26 s.
  for (const scenario::EngineKind engine : engines()) {
    CAPTURE(engine_word(engine));
    Job job(3);
    scripted(job, {"0 at start: send a to 1, compute work 50 s", "1 on a: send b to 0",
                   "0 on b from 1: send c to 2", "0 after work: send d to 2"});
    observe_sends(job);
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "to"), {0, 26, 51}, engine));
    CHECK(close(seen.times_s(1, "to"), {13}, engine));
    CHECK(seen.values(0, "to") == Values{1, 2, 2});
    CHECK(seen.metric("rules_applied") == 4);
    CHECK(seen.result.outcome == engine::Outcome::finished);
  }
}

TEST_CASE("a rule that counts applies once, the others each time") {
  for (const scenario::EngineKind engine : engines()) {
    CAPTURE(engine_word(engine));
    Job job(4, quick_machine());
    scripted(job, {"0 at start: send a to 3, send a to 3", "1 at start: compute wait 1 s",
                   "1 after wait: send a to 3", "3 on 2nd a: send two to 0",
                   "3 on a: send each to 1", "3 on 1st a from 1: send one to 2"});
    observe_sends(job);
    const Seen seen = job.run(engine);
    CHECK(seen.values(3, "to") == Values{1, 0, 1, 1, 2});
    CHECK(seen.metric("rules_applied") == 3 + 5);
  }
}

TEST_CASE("computations are told apart by their names, and take the workload's time or their own") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(2);
    job.workload("script",
                 {{"rules", Rules{"0 at start: compute short, compute long 7e0 s",
                                  "0 after short: send a to 1", "0 after long: compute short",
                                  "0 after 2nd short: send b to 1"}},
                  {"compute_s", 3.0}});
    observe_sends(job);
    // One worker core: short until 3 s, long until 10 s, short until 13 s. The second short is one
    // after which both rules apply.
    CHECK(close(job.run(engine).times_s(0, "to"), {3, 3 + 7 + 3, 3 + 7 + 3}, engine));
  }
}

TEST_CASE("every detector sees the end of a script, also where several ranks begin") {
  const std::vector<Rules> scripts = {
      {"0 at start: send a to 1", "1 on a: send b to 2, compute work",
       "2 on b: send c to 0, send c to 1", "1 on 1st c: send d to 1"},
      {"0 at start: compute work", "2 at start: send a to 1, send b to 3", "3 on b: send a to 1",
       "1 on 2nd a: compute work, send c to 0"}};
  for (const scenario::EngineKind engine : engines())
    for (const std::string& detector : detectors())
      for (std::size_t script = 0; script < scripts.size(); ++script)
        for (const scenario::Ordering ordering :
             {scenario::Ordering::fifo, scenario::Ordering::unordered}) {
          if (ordering == scenario::Ordering::unordered && needed_ordering(detector)) continue;
          CAPTURE(engine_word(engine), detector, script);
          Job job(4, quick_machine());
          job.spec.platform.ordering = ordering;
          scripted(job, scripts[script]).detector(detector);
          const Seen seen = job.run(engine);
          CHECK(seen.violations().empty());
          CHECK(seen.result.outcome == engine::Outcome::terminated);
          CHECK(seen.metric("application_messages") == (script == 0 ? 5 : 4));
        }
}

TEST_CASE("a fault can strike at a rule: its rank's grandparent adopts the child") {
  for (const scenario::EngineKind engine : engines()) {
    CAPTURE(engine_word(engine));
    Job job(3, quick_machine());
    scripted(job, {"0 at start: send a to 1", "1 on a: send b to 2, compute work 1 s",
                   "2 on b: compute work 2 s"});
    job.spec.faults.push_back(at_mark("rule", 2, {1}));
    job.use(Family::failure_detection, "oracle").detector("indep");
    const Seen seen = job.run(engine);
    CHECK(seen.violations().empty());
    CHECK(seen.result.outcome == engine::Outcome::terminated);
    CHECK(seen.metric("adoptions") == 1);
  }
}

// Ranks 0 and 1 send a and b to rank 2, which answers each to rank 0: x after a, y after b. The
// answers arrive in the order of sending. Orders: a x b y, a b x y, and the same from b on. States:
// nothing has come; a or b; both, in either order of their answers; an answer to either; both, and
// either answer; all.
TEST_CASE("all orders of a small script are those counted by hand") {
  Job job(3);
  scripted(job, {"0 at start: send a to 2", "1 at start: send b to 2", "2 on a: send x to 0",
                 "2 on b: send y to 0"});
  engine::StepwiseEngine engine(engine::run_job(engine::without_costs(job.spec), 1, 0));
  engine.begin();
  std::set<StateDigest> states;
  std::size_t orders = 0;
  const auto go_on = [&](const auto& again) -> void {
    states.insert(engine.digest());
    if (engine.agenda().empty()) ++orders;
    const std::size_t choices = engine.agenda().size();
    const engine::RunState here = engine.state().copy();
    for (std::size_t choice = 0; choice < choices; ++choice) {
      engine.go_on_from(here);
      engine.take(choice);
      again(again);
    }
  };
  go_on(go_on);
  CHECK(orders == 4);
  CHECK(states.size() == 10);
}

TEST_CASE("what a rule has counted is the state of its rank, up to its number") {
  const OptionValues options{{"rules", Rules{"0 at start: send a to 1, send a to 1, send a to 1",
                                             "1 on 2nd a: send b to 0"}}};
  Alone alone(Family::workload, "script", job_of(2), 1, options);
  constexpr std::uint64_t kA = 0;
  const StateDigest none = alone.digest();
  const StateDigest one = alone.gets(0, 0, kA).digest();
  const StateDigest two = alone.gets(0, 0, kA).digest();
  const StateDigest three = alone.gets(0, 0, kA).digest();
  CHECK(none != one);
  CHECK(one != two);
  CHECK(two == three);
}

TEST_CASE("a rule that cannot be read is refused with its place and the character") {
  const auto refused = [](const std::string& rule) {
    return problems_of({"0 at start: send a to 1", rule});
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "character 1: expected a rank from 0 to 2, got the end"},
      {"3 on a: send b to 1", "character 1: expected a rank from 0 to 2, got \"3\""},
      {"-1 on a: send b to 1", "character 1: expected a rank from 0 to 2, got \"-1\""},
      {"99999999999 on a: send b to 1", "character 1: expected a rank from 0 to 2"},
      {"1", R"(character 2: expected "at start", "on" or "after", got the end)"},
      {"1 in a: send b to 2", R"(character 3: expected "at start", "on" or "after", got "in")"},
      {"1 at end: send b to 2", R"(character 6: expected "start", got "end")"},
      {"1 on : send b to 2", "character 6: expected the tag of a message, a letter followed by"},
      {"1 on 7: send b to 2", R"(character 6: expected "7th", got "7")"},
      {"1 on 2th a: send b to 2", R"(character 6: expected "2nd", got "2th")"},
      {"1 on 0th a: send b to 2", "character 6: expected a name, or 1st to 1000000th before it"},
      {"1 on 1000001st a: send b to 2", "character 6: expected a name, or 1st to 1000000th"},
      {"1 on a from x: send b to 2", "character 13: expected a rank from 0 to 2, got \"x\""},
      {"1 after a from 0: send b to 2", R"(character 11: expected ":", got "from")"},
      {"1 on a send b to 2", R"(character 8: expected ":", got "send")"},
      {"1 on a:", R"(character 8: expected "send" or "compute", got the end)"},
      {"1 on a: send b", "character 15: expected \"to\", got the end"},
      {"1 on a: send b to 5", "character 19: expected a rank from 0 to 2, got \"5\""},
      {"1 on a: send b to 2,", R"(character 21: expected "send" or "compute", got the end)"},
      {"1 on a: send b to 2 c", "character 21: expected \",\" and another action, or the end"},
      {"1 on a: compute", "character 16: expected the name of a computation"},
      {"1 on a: compute w 2", "character 20: expected \"s\", got the end"},
      {"1 on a: compute w -2 s", "character 19: expected a time from 0 to 1e6 in seconds"},
      {"1 on a: compute w nan s", "character 19: expected a time from 0 to 1e6 in seconds"},
      {"1 on a: compute w 1e999 s", "character 19: expected a time from 0 to 1e6 in seconds"},
      {"1 on \x1b[2J: send b to 2", "character 6: expected the tag of a message"},
      {"1 on " + std::string(33, 'x') + ": send b to 2", "character 6: expected the tag"},
      {"1 on a:" + std::string(500, ' '), "expected at most 500 characters, got 507"}};
  for (const auto& [rule, message] : cases) {
    CAPTURE(rule);
    const std::string said = refused(rule);
    CHECK_THAT(said, Catch::Matchers::StartsWith("rules[1]: " + message));
    CHECK(said.find('\n') == said.size() - 1);  // one clear error
    CHECK(said.find('\x1b') == std::string::npos);
  }
  CHECK(refused("1  on  1st a from 0 :send b to 2,compute w 0 s") == "");
}

TEST_CASE("a script in which a rule can never apply is refused") {
  const std::vector<std::pair<Rules, std::string>> cases = {
      {{},
       "rules: expected a list of 1 to 200 rules, such as \"0 at start: send a to 1\", got 0\n"},
      {Rules(201, "0 at start: compute w"),
       "rules: expected a list of 1 to 200 rules, such as \"0 at start: send a to 1\", got 201\n"},
      {{"1 on a: send b to 2"},
       "rules: no rule has the occasion \"at start\", so nothing would happen\n"},
      {{"0 at start: send a to 1", "2 on a: send b to 1"},
       "rules[1]: never applies: rank 2 gets no a\n"},
      {{"0 at start: send a to 1", "1 on a from 2: send b to 1"},
       "rules[1]: never applies: rank 1 gets no a from rank 2\n"},
      {{"0 at start: send a to 1", "1 on 2nd a: send b to 1"},
       "rules[1]: never applies: rank 1 gets no 2nd a\n"},
      {{"0 at start: send a to 1", "0 after a: send b to 1"},
       "rules[1]: never applies: rank 0 computes no a\n"},
      // Two rules that wait for each other.
      {{"0 at start: compute w", "0 on a: send b to 1", "1 on b: send a to 0"},
       "rules[1]: never applies: rank 0 gets no a\n"
       "rules[2]: never applies: rank 1 gets no b\n"}};
  for (const auto& [rules, problems] : cases) CHECK(problems_of(rules) == problems);
}

TEST_CASE("a message that goes round comes any number of times, and a count ends it") {
  CHECK(problems_of({"0 at start: send a to 1", "1 on a: send b to 0", "0 on b: send a to 1",
                     "1 on 1000th a: send c to 2"}) == "");
  CHECK(problems_of({"0 at start: send a to 1", "1 on 1st a: send b to 0", "0 on b: send a to 1",
                     "1 on 3rd a: send c to 2"}) ==
        "rules[3]: never applies: rank 1 gets no 3rd a\n");
}

TEST_CASE("whatever is written in rules is read or refused, and what is read runs") {
  const std::vector<std::string> words = {"0",
                                          "1",
                                          "2",
                                          "7",
                                          "at",
                                          "start",
                                          "on",
                                          "after",
                                          "from",
                                          "a",
                                          "b",
                                          "w",
                                          ":",
                                          ":",
                                          ":",
                                          ",",
                                          "send",
                                          "send",
                                          "to",
                                          "to",
                                          "compute",
                                          "1st",
                                          "2nd",
                                          "9th",
                                          "1e-3",
                                          "s",
                                          "",
                                          "\xff",
                                          "\t",
                                          "4294967295",
                                          "18446744073709551616",
                                          "start:",
                                          "::",
                                          "-",
                                          "1e308"};
  Stream random(5, 0, Purpose::workload, 0);
  const auto some_rule = [&]() -> std::string {
    static const std::vector<std::string> good = {
        "0 at start: send a to 1", "1 on a: send b to 2, compute w", "2 on b: send a to 1",
        "1 after w: send b to 0",  "1 on 2nd a from 0: send b to 1", "0 on b: compute w 1e-3 s"};
    std::string rule;
    if (random.chance(0.7)) {
      rule = good[random.below(good.size())];
      if (random.chance(0.2))
        rule[random.below(rule.size())] = static_cast<char>(random.below(256));
      return rule;
    }
    for (std::uint64_t left = random.below(12); left > 0; --left)
      rule += words[random.below(words.size())] + " ";
    return rule;
  };
  std::size_t good = 0;
  for (int script = 0; script < 4000; ++script) {
    Rules rules{"0 at start: send a to 1"};
    for (std::uint64_t left = random.below(5); left > 0; --left) rules.push_back(some_rule());
    if (!problems_of(rules).empty()) continue;
    ++good;
    Job job(3, quick_machine());
    job.spec.stop.events = 300;
    scripted(job, rules).detector("cda");
    CHECK(job.run().violations().empty());
  }
  CHECK(good > 100);
  CHECK(good < 3500);
}

}  // namespace faultline::workloads
