#include "sim/scenario/file_memo.hpp"

#include <catch2/catch.hpp>

#include "sim/core/error.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/study.hpp"
#include "tests/scenario/workspace.hpp"

namespace faultline {
namespace {

/// Counts how often it is read.
struct Source {
  int reads = 0;
  int of(const std::string& name) {
    return *FileMemo::read_once<int>(name, [this] { return ++reads; });
  }
};

}  // namespace

TEST_CASE("a file is read once while a memo lives, and every time without") {
  Source source;
  CHECK(source.of("a") == 1);
  CHECK(source.of("a") == 2);
  {
    const FileMemo outer;
    CHECK(source.of("a") == 3);
    {
      const FileMemo inner;
      CHECK(source.of("a") == 3);
      CHECK(source.of("b") == 4);
    }
    CHECK(source.of("b") == 4);
    // Another kind of content of the same name is another reading.
    CHECK(*FileMemo::read_once<long>("a", [] { return 7L; }) == 7);
    CHECK(source.of("a") == 3);
  }
  CHECK(source.of("a") == 5);
}

TEST_CASE("a reading that fails is tried again") {
  const FileMemo memo;
  CHECK_THROWS_AS(FileMemo::read_once<int>("x", []() -> int { throw UsageError("no"); }),
                  UsageError);
  CHECK(*FileMemo::read_once<int>("x", [] { return 1; }) == 1);
}

TEST_CASE("the points of a study look into each file once") {
  const test::Workspace workspace;
  int inspections = 0;
  set_scenario_backends({.simgrid = true, .inspect_xml = [&](const std::string&, std::uint32_t) {
                           ++inspections;
                           return XmlSummary{.hosts = 64};
                         }});
  workspace.write("p.xml", "<platform/>");
  const Study study = load_study(workspace.write("s.json", R"({"schema_version": 1, "name": "s",
    "replications": 3, "platform": {"xml": "p.xml", "processes": 4},
    "workload": {"name": "token-ring"}, "termination": {"name": "cda"},
    "sweep": {"seed": {"from": 1, "to": 50, "step": 1}, "platform.processes": [4, 8]}})"));
  set_scenario_backends({});
  CHECK(study.points.size() == 100);
  CHECK(inspections == 2);  // the routes of 4 hosts, and those of 8
  CHECK(study.points[99].replications == 3);
}

}  // namespace faultline
