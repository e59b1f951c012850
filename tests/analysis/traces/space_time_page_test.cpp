// SPDX-License-Identifier: Apache-2.0

// What the page of a run is given: whom a notice is about, what works on daemons, and names that
// are text and nothing else.

#include "analysis/traces/space_time_page.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/job.hpp"

namespace faultline::traces {

using namespace test;

namespace {

const std::string kBegin = R"(<script type="application/json" id="run">)";

std::string page_of(const scenario::RunSpec& spec, const std::string& name) {
  TraceRecorder recorder(spec.platform.processes);
  const RunTrace trace =
      recorder.finish(engine::run_simulation(spec, scenario::EngineKind::loggp, 1, 0, &recorder));
  return space_time_page(trace, spec, {.scenario = name, .point = "", .engine = "loggp"});
}

/// The run within a page.
nlohmann::json run_in(const std::string& page) {
  const std::size_t begin = page.find(kBegin) + kBegin.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

/// Process 1 dies at 5, and process 0 hears of it at 7.
void add_a_death(Job& job) {
  job.script(Family::workload, [](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) {
      if (self == 0) context.set_timer(1, 7);
    };
    handlers.timer = [](ScriptContext& context, std::uint64_t) { context.report_failed(1); };
    return handlers;
  });
  job.kill(5, {1});
  job.spec.stop.when = scenario::StopWhen::time;
  job.spec.stop.time_s = 20;
}

}  // namespace

TEST_CASE("the page is told whom a notice of death is about") {
  Job job;
  add_a_death(job);
  const nlohmann::json run = run_in(page_of(job.spec, "a test"));
  REQUIRE(run["moments"].size() == 2);
  CHECK(run["moments"][0]["what"] == "dies");
  CHECK(run["moments"][0]["dead"].is_null());
  CHECK(run["moments"][1]["what"] == "hears that process 1 is dead");
  CHECK(run["moments"][1]["dead"] == 1);
  CHECK(run["onDaemons"] == nlohmann::json::array());
}

TEST_CASE("the page is told what works on daemons") {
  Job job;
  add_a_death(job);
  job.script(
      Family::failure_detection, [](ActorId) { return Handlers{}; },
      OwnTerms{.residence = Residence::daemons});
  const nlohmann::json run = run_in(page_of(job.spec, "a test"));
  CHECK(run["onDaemons"] == nlohmann::json::array({"test-own"}));
}

TEST_CASE("a scenario's name ends no element of the page and hides no text") {
  Job job;
  add_a_death(job);
  const std::string page = page_of(job.spec, "</script><!-- \u202e \x1b");
  CHECK(page.find("</script><!--") == std::string::npos);
  CHECK(page.find("\u202e") == std::string::npos);
  CHECK(run_in(page)["title"]["scenario"] == "</script><!-- \\u202e \\x1b");
}

}  // namespace faultline::traces
