// SPDX-License-Identifier: Apache-2.0

// try-script: how the steps of a program are read, and what is refused of them.

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/random.hpp"
#include "tests/support/alone.hpp"
#include "workloads/try_script_steps.hpp"

namespace faultline::workloads {

using namespace test;

namespace {

using Kind = ProgramStep::Kind;
using Words = std::vector<std::string>;

/// The problems of a program for that many processes: "steps[1]: ..." or "steps: ...", line by
/// line.
std::string problems_of(const Words& steps, std::uint32_t processes = 8,
                        const OptionValues& more = {}) {
  const Registration& workload = *find_registration(Family::workload, "try-script");
  OptionValues values;
  for (const OptionSpec& option : workload.options) values[option.name] = option.default_value;
  for (const auto& [name, value] : more) values[name] = value;
  values["steps"] = steps;
  std::string text;
  for (const OptionProblem& problem : workload.check(values, job_of(processes)))
    text += problem.option + (problem.item ? "[" + std::to_string(*problem.item) + "]" : "") +
            ": " + problem.message + "\n";
  return text;
}

TryStep step_of(const std::string& text, std::uint32_t processes = 8) {
  const TryScript script = read_try_script({text}, processes);
  REQUIRE(script.problems.empty());
  return script.steps.at(0);
}

Words around(const std::string& step) { return {"try", step, "finish"}; }

}  // namespace

TEST_CASE("a step says what is done, how long or how large, and among whom") {
  CHECK(step_of("try").step.kind == Kind::begin_try);
  CHECK(!step_of("try").step.local);
  CHECK(step_of("try").ranks == RankRange{0, 8});
  CHECK(step_of("try local").step.local);
  CHECK(step_of("try local among 2-5").ranks == RankRange{2, 4});
  CHECK(step_of("finish").step.kind == Kind::finish);
  CHECK(step_of("checkpoint").step.kind == Kind::checkpoint);
  CHECK(step_of("compute 2.5e-3 s").step.kind == Kind::compute);
  CHECK(step_of("compute 2.5e-3 s").step.duration_s == 2.5e-3);
  CHECK(step_of("compute 0 s among 7").ranks == RankRange{7, 1});
  CHECK(step_of("allreduce 16 B").step.kind == Kind::allreduce);
  CHECK(step_of("allreduce 4294967296 B").step.bytes == 4294967296U);
  CHECK(step_of("allreduce 1e12 B").step.bytes == 1000000000000U);
  CHECK(step_of("allreduce 1e3 B among 0-0").ranks == RankRange{0, 1});
  const TryStep exchange = step_of("  exchange  100 B  with -1 +3   among 1-7 ");
  CHECK(exchange.step.kind == Kind::exchange);
  CHECK(exchange.step.bytes == 100);
  CHECK(exchange.distances == std::vector<std::int64_t>{-1, 3});
  CHECK(exchange.ranks == RankRange{1, 7});
}

TEST_CASE("a rank exchanges with those at a distance around the ring of the communicator") {
  const TryStep step = step_of("exchange 10 B with +1 -3 among 2-6");
  const HaloExchange second = exchange_of(step, 3);
  CHECK(second.sends == std::vector<HaloNeighbour>{{4, 10}, {5, 10}});
  CHECK(second.receives == std::vector<HaloNeighbour>{{2, 10}, {6, 10}});
  CHECK(exchange_of(step, 1) == HaloExchange{});
  CHECK(exchange_of(step, 7) == HaloExchange{});
  // Both ends know the same messages.
  for (Rank from = 0; from < 8; ++from)
    for (const HaloNeighbour& to : exchange_of(step, from).sends) {
      const HaloExchange other = exchange_of(step, to.rank);
      CHECK(std::count(other.receives.begin(), other.receives.end(), HaloNeighbour{from, 10}) == 1);
    }
}

TEST_CASE("the ranks in a TryBlock compute in it, unless the step names others") {
  const TryScript script =
      read_try_script({"compute 1 s", "try", "compute 1 s", "try local among 2-4", "compute 1 s",
                       "compute 1 s among 3", "finish", "compute 1 s", "finish"},
                      8);
  CHECK(script.steps[0].ranks == RankRange{0, 8});
  CHECK(script.steps[2].ranks == RankRange{0, 8});
  CHECK(script.steps[4].ranks == RankRange{2, 3});
  CHECK(script.steps[5].ranks == RankRange{3, 1});
  CHECK(script.steps[7].ranks == RankRange{0, 8});
}

TEST_CASE("a step that cannot be read is refused with its place and the character") {
  const std::string ranks = R"(expected ranks, such as "0-3" or "2", each below 8)";
  const std::string time = R"(expected a time from 0 to 1e6 in seconds, such as "2e-3 s")";
  const std::string bytes =
      R"(expected a whole number of bytes from 0 to 1000000000000, such as "8 B")";
  const std::string distance = R"(expected a distance to another rank, such as "+1" or "-1")";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", R"(character 1: expected "try", "finish", "compute", "exchange", "allreduce" or )"
           R"("checkpoint", got the end)"},
      {"retry", R"(character 1: expected "try", "finish",)"},
      {"Try", R"(character 1: expected "try", "finish",)"},
      {"try global", R"(character 5: expected "among" and ranks, or the end, got "global")"},
      {"try local local", R"(character 11: expected "among" and ranks, or the end, got "local")"},
      {"try among", "character 10: " + ranks + ", got the end"},
      {"try local among 8", "character 17: " + ranks + R"(, got "8")"},
      {"try local among 0-8", "character 17: " + ranks + R"(, got "0-8")"},
      {"try local among 3-2", "character 17: " + ranks + R"(, got "3-2")"},
      {"try local among -2", "character 17: " + ranks + R"(, got "-2")"},
      {"try local among 1-", "character 17: " + ranks + R"(, got "1-")"},
      {"try local among 0-1-2", "character 17: " + ranks + R"(, got "0-1-2")"},
      {"try local among 0-99999999999", "character 17: " + ranks},
      {"try local among 0-3 4", R"(character 21: expected the end, got "4")"},
      {"finish now", R"(character 8: expected the end, got "now")"},
      {"finish among 0-3", R"(character 8: expected the end, got "among")"},
      {"checkpoint 8 B", R"(character 12: expected the end, got "8")"},
      {"compute", "character 8: " + time + ", got the end"},
      {"compute 1", R"(character 10: expected "s", got the end)"},
      {"compute -1 s", "character 9: " + time},
      {"compute nan s", "character 9: " + time},
      {"compute 1e999 s", "character 9: " + time},
      {"compute 1000001 s", "character 9: " + time},
      {"compute 1 s 2", R"(character 13: expected "among" and ranks, or the end, got "2")"},
      {"allreduce", "character 10: " + bytes + ", got the end"},
      {"allreduce 8", R"(character 12: expected "B", got the end)"},
      {"allreduce 8 s", R"(character 13: expected "B", got "s")"},
      {"allreduce -8 B", "character 11: " + bytes},
      {"allreduce 0.5 B", "character 11: " + bytes},
      {"allreduce nan B", "character 11: " + bytes},
      {"allreduce 1000000000001 B", "character 11: " + bytes},
      {"exchange 8 B", R"(character 13: expected "with", got the end)"},
      {"exchange 8 B with", "character 18: " + distance + ", got the end"},
      {"exchange 8 B with 1", "character 19: " + distance + R"(, got "1")"},
      {"exchange 8 B with +0", "character 19: " + distance + R"(, got "+0")"},
      {"exchange 8 B with +-1", "character 19: " + distance},
      {"exchange 8 B with -99999999999", "character 19: " + distance},
      {"exchange 8 B with +1 all", "character 22: " + distance + R"(, got "all")"},
      {"exchange 8 B with among 0-3", "character 19: " + distance + R"(, got "among")"},
      {"exchange 8 B with +8",
       "expected distances to other ranks, one to each, but among ranks 0 to 7 +8 leads to a rank "
       "itself"},
      {"exchange 8 B with +1 -3 among 2-5",
       "expected distances to other ranks, one to each, but among ranks 2 to 5 -3 leads to a rank "
       "to which another one leads"},
      {"exchange 8 B with -1 among 5",
       "expected distances to other ranks, one to each, but among rank 5 -1 leads to a rank "
       "itself"},
      {"\x1b[2J", R"(character 1: expected "try",)"},
      {"try\x1b[2J", R"(character 1: expected "try",)"},
      {"try\tlocal", R"(character 1: expected "try",)"},
      {"try" + std::string(500, ' '), "expected at most 500 characters, got 503"}};
  for (const auto& [step, message] : cases) {
    CAPTURE(step);
    const std::string said = problems_of(around(step));
    CHECK_THAT(said, Catch::Matchers::StartsWith("steps[1]: " + message));
    CHECK(said.find('\n') == said.size() - 1);  // one clear error
    CHECK(said.find('\x1b') == std::string::npos);
  }
}

TEST_CASE("an exchange has up to 26 distances, and what is shown of a step obeys nobody") {
  const std::string turned = problems_of(around("try \xe2\x80\xae"));
  CHECK_THAT(turned, Catch::Matchers::Contains("character 5") &&
                         Catch::Matchers::Contains(R"(got "\u202e")"));
  std::string long_exchange = "exchange 8 B with";
  for (int to = 1; to <= 27; ++to) long_exchange.append(" +").append(std::to_string(to));
  CHECK_THAT(problems_of(around(long_exchange), 64),
             Catch::Matchers::Contains(R"(expected at most 26 distances, got "+27")"));
}

// fampi-2015 section 3.1: "Any communicators used inside a TryBlock should be an improper subset of
// TryBlock's communicator's group", else "the transaction commit will ignore processes that are not
// in the TryBlock's communicator's group".
TEST_CASE("a TryBlock whose group lacks ranks of a communicator inside is refused") {
  const auto inside = [](const std::string& step, const std::string& group = "2-4") {
    return problems_of(
        {"try", "compute 1 s", "try local among " + group, step, "finish", "finish"});
  };
  const auto refusal = [](const std::string& lacking, const std::string& group = "ranks 2 to 4") {
    return "steps[3]: expected ranks of the group of the TryBlock of steps[2], which are " + group +
           ", got also " + lacking + ", which its commit would ignore\n";
  };
  CHECK(inside("allreduce 8 B") == refusal("ranks 0 to 1 and ranks 5 to 7"));
  CHECK(inside("allreduce 8 B among 2-5") == refusal("rank 5"));
  CHECK(inside("allreduce 8 B among 1-4") == refusal("rank 1"));
  CHECK(inside("allreduce 8 B among 6-7") == refusal("ranks 6 to 7"));
  CHECK(inside("allreduce 8 B among 0") == refusal("rank 0"));
  CHECK(inside("exchange 8 B with +1") == refusal("ranks 0 to 1 and ranks 5 to 7"));
  CHECK(inside("exchange 8 B with +1 among 3-6") == refusal("ranks 5 to 6"));
  CHECK(inside("compute 1 s among 4-5") == refusal("rank 5"));
  CHECK(inside("exchange 8 B with +1 among 2-3", "3") == refusal("rank 2", "rank 3"));
  CHECK(inside("allreduce 8 B among 2-4") == "");
  CHECK(inside("allreduce 8 B among 3") == "");
  CHECK(inside("exchange 8 B with +1 among 3-4") == "");
  CHECK(inside("compute 1 s") == "");
  CHECK(inside("allreduce 8 B", "0-7") == "");
}

TEST_CASE("the flag local alone leaves no rank out: a local TryBlock has the group of all") {
  for (const std::string step : {"allreduce 8 B", "exchange 8 B with +1 -1", "compute 1 s"})
    CHECK(problems_of({"try", "try local", step, "finish", "finish"}) == "");
}

TEST_CASE("the group of an inner TryBlock is within that of the one around it") {
  CHECK(
      problems_of(
          {"try", "try local among 0-5", "try local among 4-6", "finish", "finish", "finish"}) ==
      "steps[2]: expected ranks of the group of the TryBlock of steps[1], which are ranks 0 to 5, "
      "got also rank 6, which its commit would ignore\n");
  CHECK(problems_of({"try", "try local among 0-5", "try local among 4-5", "finish",
                     "allreduce 8 B among 0-5", "finish", "allreduce 8 B", "finish"}) == "");
}

TEST_CASE("steps that do not fit together are refused, one mistake in one line") {
  const std::vector<std::pair<Words, std::string>> cases = {
      {{}, "steps: expected a list of 1 to 100 steps, such as \"allreduce 8 B\", got 0"},
      {Words(101, "compute 1 s"),
       "steps: expected a list of 1 to 100 steps, such as \"allreduce 8 B\", got 101"},
      {{"compute 1 s"}, R"(steps: expected a TryBlock: "try", and "finish" after it)"},
      {{"finish", "try"}, "steps[0]: expected \"try\" in a step before it"},
      {{"try", "finish", "finish"}, "steps[2]: expected \"try\" in a step before it"},
      {{"try", "compute 1 s"}, "steps[0]: expected \"finish\" in a step after this one"},
      {{"try", "try local", "finish"}, "steps[0]: expected \"finish\" in a step after this one"},
      {{"try", "try local"}, "steps[1]: expected \"finish\" in a step after this one"},
      {{"try local", "finish"}, "steps[0]: expected inside of a \"try\""},
      {{"try", "try", "finish", "finish"},
       "steps[1]: expected \"try local\" inside of the TryBlock of steps[0]: ranks agree on the "
       "outermost one only"},
      {{"try among 0-3", "finish"}, "steps[0]: expected all ranks in a TryBlock that is not local"},
      {{"try", "checkpoint", "finish"}, "steps[1]: expected as the last step"},
      {{"try", "finish", "checkpoint", "compute 1 s"}, "steps[2]: expected as the last step"},
      {{"try", "finish", "checkpoint", "checkpoint"}, "steps[2]: expected as the last step"}};
  for (const auto& [steps, message] : cases) {
    const std::string said = problems_of(steps);
    CAPTURE(message);
    CHECK_THAT(said, Catch::Matchers::StartsWith(message));
    CHECK(said.find('\n') == said.size() - 1);
  }
  CHECK(problems_of({"try among 0-7", "finish"}) == "");
  CHECK(problems_of({"allreduce 8 B", "try", "finish", "compute 1 s", "try", "finish",
                     "checkpoint"}) == "");
}

TEST_CASE("a TryBlock of several iterations has all steps inside but the checkpoint") {
  const OptionValues two{{"iterations_per_block", std::int64_t{2}}};
  CHECK(problems_of({"try", "compute 1 s", "try local", "finish", "finish"}, 8, two) == "");
  CHECK(problems_of({"try", "compute 1 s", "finish", "checkpoint"}, 8, two) == "");
  for (const Words& steps : std::vector<Words>{{"compute 1 s", "try", "finish"},
                                               {"try", "finish", "compute 1 s"},
                                               {"try", "finish", "try", "finish"},
                                               {"try", "finish", "compute 1 s", "checkpoint"}}) {
    CHECK(problems_of(steps) == "");
    CHECK_THAT(problems_of(steps, 8, two),
               Catch::Matchers::StartsWith("iterations_per_block: expected 1, or one TryBlock"));
  }
}

TEST_CASE("only a program in which all ranks do the same goes on with fewer") {
  const OptionValues fewer{{"needs_all_ranks", false}};
  CHECK(problems_of({"try", "compute 1 s", "try local", "allreduce 8 B", "finish", "finish"}, 8,
                    fewer) == "");
  for (const std::string step :
       {"compute 1 s among 0-7", "exchange 8 B with +1", "allreduce 8 B among 0-3"}) {
    CHECK(problems_of({"try", step, "finish"}) == "");
    CHECK(problems_of({"try", step, "finish"}, 8, fewer) ==
          "needs_all_ranks: expected true: steps[1] names certain ranks, which may be lost\n");
  }
}

TEST_CASE("a collective in each TryBlock is one over all ranks that says so by naming none") {
  const auto contents = [](const Words& steps) {
    const Registration& workload = *find_registration(Family::workload, "try-script");
    OptionValues values;
    for (const OptionSpec& option : workload.options) values[option.name] = option.default_value;
    values["steps"] = steps;
    return workload.as<WorkloadTraits>().try_blocks(values);
  };
  CHECK(contents({"try", "allreduce 8 B", "finish"}).has_collective);
  CHECK(contents({"try", "try local", "allreduce 8 B", "finish", "finish"}).has_collective);
  CHECK(!contents({"try", "allreduce 8 B among 0-7", "finish"}).has_collective);
  CHECK(!contents({"try", "finish", "allreduce 8 B"}).has_collective);
  CHECK(!contents({"try", "allreduce 8 B", "finish", "try", "finish"}).has_collective);
  CHECK(!contents({"try", "exchange 8 B with +1", "finish"}).has_collective);
  CHECK(contents({"try", "exchange 8 B with +1", "finish"}).has_messages);
  CHECK(!contents({"try", "compute 1 s", "finish"}).has_messages);
}

TEST_CASE("whatever is written in steps is read or refused") {
  const Words words = {
      "try",       "try",      "local",     "among", "0-3",   "2",          "finish",
      "compute",   "1e-3",     "s",         "8",     "B",     "+1",         "-1",
      "with",      "exchange", "-",         "0-",    "",      ":",          ",",
      "\xff",      "\t",       "allreduce", "+",     "1e308", "4294967295", "18446744073709551616",
      "checkpoint"};
  const Words good = {"try",        "try local among 0-2", "exchange 8 B with +1 among 0-2",
                      "finish",     "allreduce 8 B",       "compute 1e-6 s among 1",
                      "checkpoint", "compute 1e-6 s"};
  Stream random(6, 0, Purpose::workload, 0);
  std::size_t accepted = 0;
  for (int program = 0; program < 20000; ++program) {
    Words steps{"try"};
    for (std::uint64_t left = random.below(6); left > 0; --left) {
      std::string step = good[random.below(good.size())];
      if (random.chance(0.1))
        for (std::uint64_t more = random.below(8); more > 0; --more)
          step += " " + words[random.below(words.size())];
      if (random.chance(0.02))
        step[random.below(step.size())] = static_cast<char>(random.below(256));
      steps.push_back(step);
    }
    steps.emplace_back("finish");
    if (problems_of(steps, 4).empty()) ++accepted;
  }
  CHECK(accepted > 1000);
  CHECK(accepted < 15000);
}

}  // namespace faultline::workloads
