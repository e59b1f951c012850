// SPDX-License-Identifier: Apache-2.0

// Space-time diagrams without scripts: what is drawn of a run that is known by heart.

#include "analysis/traces/space_time_svg.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "sim/engine/engine.hpp"
#include "tests/support/job.hpp"

namespace faultline::traces {

using namespace test;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

}  // namespace

// Rank 0 sends to both others. Rank 1 computes with what it gets; rank 2 dies before its message
// has come.
TEST_CASE("a diagram has a line for each rank, an arrow for each message, a cross for each death") {
  Job job(3);
  job.script(Family::workload, [](ActorId self) {
    Handlers handlers;
    handlers.start = [self](ScriptContext& context) {
      if (self != 0) return;
      context.send(1, 0, 8);
      context.send(2, 1, 8);
    };
    handlers.message = [](ScriptContext& context, const Message&) { context.compute(1); };
    return handlers;
  });
  job.kill(0.5, {2});
  TraceRecorder recorder(3);
  engine::RunResult result =
      engine::run_simulation(job.spec, scenario::EngineKind::loggp, 1, 0, &recorder);
  result.violations = {{.kind = "lost-work", .time_s = 0.0, .actor = std::nullopt, .detail = ""}};
  const std::string svg =
      space_time_svg(recorder.finish(std::move(result)), job.spec, "<title> & more");
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(svg.find("&lt;title&gt; &amp; more") != std::string::npos);
  for (const char* rank : {">rank 0<", ">rank 1<", ">rank 2<"}) CHECK(count(svg, rank) == 1);
  CHECK(count(svg, ">a<") == 1);
  CHECK(count(svg, ">b<") == 1);
  CHECK(count(svg, "Z\" fill=") == 2);                 // heads of arrows
  CHECK(count(svg, "stroke-dasharray=\"5 4\"") == 1);  // of the one that never arrives
  CHECK(count(svg, "stroke-width=\"7\"") == 1);        // a computation
  CHECK(count(svg, "stroke-width=\"2.5\"") == 2);      // a cross
  CHECK(count(svg, ">dies<") == 1);
  CHECK(count(svg, ">lost-work<") == 1);
}

}  // namespace faultline::traces
