// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <sstream>

#include "cli/verbs.hpp"
#include "sim/json/json_reader.hpp"
#include "tests/scenario/workspace.hpp"

using Catch::Matchers::Contains;

namespace faultline::scenario {

namespace {

std::string output_of(const cli::Verb& verb, const std::vector<std::string>& arguments) {
  std::ostringstream out;
  CHECK(cli::carry_out(verb, arguments, out) == 0);
  return out.str();
}

std::string error_of(const cli::Verb& verb, const std::vector<std::string>& arguments) {
  std::ostringstream out;
  try {
    cli::carry_out(verb, arguments, out);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

json::JsonValue parsed(const std::string& text) {
  json::Problems problems("out");
  return json::parse_json(text, problems);
}

}  // namespace

TEST_CASE("validate names each valid file and its points") {
  const Workspace workspace;
  const std::string good = workspace.write("good.json", Workspace::good());
  CHECK(output_of(cli::validate_verb(), {good}) == good + ": valid, 1 point\n");
  CHECK(output_of(cli::validate_verb(), {good, "--", good}).size() ==
        2 * (good + ": valid, 1 point\n").size());
}

TEST_CASE("validate reports all errors of all files") {
  const Workspace workspace;
  const std::string good = workspace.write("good.json", Workspace::good());
  const std::string bad = workspace.write("bad.json", R"({"workload": {}})");
  const std::string neither = workspace.write("neither.json", "{}");
  const std::string cut = workspace.write("cut.json", "{\"schema_version\": ");
  std::ostringstream out;
  std::string error;
  try {
    cli::carry_out(cli::validate_verb(), {bad, good, neither, cut, workspace.path("missing.json")},
                   out);
  } catch (const UsageError& problem) {
    error = problem.what();
  }
  CHECK(out.str() == good + ": valid, 1 point\n");
  CHECK_THAT(error, Contains(bad + ": workload.name: missing") &&
                        Contains(bad + ": platform: missing") &&
                        Contains(neither + ": is neither a scenario") && Contains(cut + ":1:") &&
                        Contains("missing.json: no such file"));
}

TEST_CASE("verbs refuse arguments that they do not know") {
  CHECK_THAT(error_of(cli::validate_verb(), {}), Contains("expected at least one file"));
  CHECK_THAT(error_of(cli::validate_verb(), {"--all"}), Contains("unknown option \"--all\""));
  CHECK_THAT(error_of(cli::schema_verb(), {"x"}), Contains("unexpected word \"x\""));
  CHECK_THAT(error_of(cli::list_verb(), {"machine"}), Contains("did you mean \"machines\"?"));
  CHECK_THAT(error_of(cli::list_verb(), {"--fromat", "json"}),
             Contains("did you mean \"--format\"?"));
  CHECK_THAT(error_of(cli::list_verb(), {"--format", "xml"}),
             Contains("expected table, json or csv"));
  CHECK_THAT(error_of(cli::list_verb(), {"--format"}),
             Contains("argument for option '--format' is missing"));
  CHECK_THAT(error_of(cli::list_verb(), {"machines", "engines"}),
             Contains("unexpected word \"engines\""));
}

TEST_CASE("verbs explain themselves") {
  for (const cli::Verb& verb : {cli::validate_verb(), cli::schema_verb(), cli::list_verb()})
    CHECK_THAT(output_of(verb, {"--help"}), Contains("usage: faultline "));
}

TEST_CASE("list as a table stays within 80 columns and has every component") {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{},
                                                    {"protocols"},
                                                    {"workloads"},
                                                    {"machines"},
                                                    {"engines"},
                                                    {"faults"},
                                                    {"metrics"},
                                                    {"stacks"}}) {
    const std::string table = output_of(cli::list_verb(), arguments);
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      CHECK(line.size() <= 80);
    }
  }
  const std::string whole = output_of(cli::list_verb(), {});
  for (const Registration& registration : registrations())
    CHECK_THAT(whole, Contains("    " + registration.name));
}

TEST_CASE("list as JSON has options with units and defaults, and message kinds") {
  const json::JsonValue whole = parsed(output_of(cli::list_verb(), {"--format", "json"}));
  for (const std::string section :
       {"protocols", "workloads", "machines", "engines", "faults", "metrics"}) {
    CAPTURE(section);
    REQUIRE(whole.find(section) != nullptr);
    CHECK_FALSE(whole.find(section)->list()->empty());
  }
  bool found = false;
  for (const json::JsonValue& protocol : *whole.find("protocols")->list()) {
    if (*protocol.find("name")->text() != "oracle") continue;
    found = true;
    const json::JsonValue& option = protocol.find("options")->list()->front();
    CHECK(*option.find("name")->text() == "delay_s");
    CHECK(*option.find("unit")->text() == "s");
    CHECK(option.find("default") != nullptr);
  }
  CHECK(found);
  CHECK(parsed(output_of(cli::list_verb(), {"machines", "--format=json"})).find("protocols") ==
        nullptr);
}

TEST_CASE("an engine that is not in this build is marked") {
  const bool marked =
      output_of(cli::list_verb(), {"engines"}).find("(not in this build)") != std::string::npos;
  CHECK(marked == !platform::kHasSimGrid);
}

}  // namespace faultline::scenario
