// SPDX-License-Identifier: Apache-2.0

// Summaries of traces by hand, and traces that are written, read back and summarised.

#include "analysis/failures/trace_summary.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/failures/trace_generator.hpp"

namespace faultline::failures {

namespace {

faults::FaultTrace trace_of(std::vector<faults::FaultRecord> records) {
  faults::FaultTrace trace;
  trace.records = std::move(records);
  return trace;
}

faults::FaultRecord failure(double time_s, std::int64_t node, std::int64_t system = 1,
                            std::optional<double> end_s = {}) {
  return {.time_s = time_s, .end_s = end_s, .system = system, .node = node};
}

using Sizes = std::vector<std::pair<std::int64_t, std::int64_t>>;

Sizes sizes_of(const TraceSummary& summary) {
  Sizes sizes;
  for (const faults::FaultCount& size : summary.by_size)
    sizes.emplace_back(size.failed, size.count);
  return sizes;
}

faults::FaultSourceChoice weibull(const OptionValues& changes) {
  const faults::FaultSourceRegistration* kind = faults::find_fault_source("weibull");
  faults::FaultSourceChoice choice{.registration = kind, .options = {}, .key = "weibull[0]"};
  for (const OptionSpec& option : kind->options) choice.options[option.name] = option.default_value;
  for (const auto& [name, value] : changes) choice.options.at(name) = value;
  return choice;
}

}  // namespace

TEST_CASE("a fault takes what fails within the window after its first failure") {
  // Nodes 1, 2 and again 1; system 2 at the same time is another fault.
  const faults::FaultTrace trace =
      trace_of({failure(0, 1), failure(0, 2), failure(0, 1, 2), failure(50, 1), failure(60, 2),
                failure(110, 3), failure(200, 3)});
  CHECK(sizes_of(*summarize_trace(trace, 0, {})) == Sizes{{1, 5}, {2, 1}});
  CHECK(sizes_of(*summarize_trace(trace, 10, {})) == Sizes{{1, 3}, {2, 2}});
  // 0 to 60 is one fault of two nodes; 110 is not within 60 of 50, which began no fault.
  CHECK(sizes_of(*summarize_trace(trace, 60, {})) == Sizes{{1, 3}, {2, 1}});
  CHECK(sizes_of(*summarize_trace(trace, 60, 1)) == Sizes{{1, 2}, {2, 1}});
  CHECK_FALSE(summarize_trace(trace, 0, 3));
}

TEST_CASE("gaps are those of a system and those of a node") {
  const faults::FaultTrace trace =
      trace_of({failure(0, 1), failure(0, 2), failure(10, 1, 2), failure(30, 1, 1, 45),
                failure(35, 1, 2, 35), failure(90, 2)});
  const auto summary = summarize_trace(trace, 0, {});
  REQUIRE(summary);
  CHECK(summary->failures == 6);
  REQUIRE(summary->systems.size() == 2);
  CHECK(summary->systems[0].failures == 4);
  CHECK(summary->systems[0].nodes == 2);
  CHECK(summary->last_s - summary->first_s == 90);
  // System 1: 0 0 30 90; system 2: 10 35.
  CHECK(summary->between_failures.simultaneous == 1);
  CHECK(summary->between_failures.gaps_s.count == 3);
  CHECK(*summary->between_failures.gaps_s.mean == Approx((30 + 60 + 25) / 3.0));
  // Node 1: 0 30, node 2: 0 90, node 1 of system 2: 10 35.
  CHECK(*summary->between_failures_of_node.gaps_s.mean == Approx((30 + 90 + 25) / 3.0));
  // A repair that takes no time is none.
  CHECK(summary->repairs_s->count == 1);
  CHECK(*summary->repairs_s->mean == 15);
}

TEST_CASE("a generated trace reads back the same in every format") {
  const GeneratedTrace request{
      .nodes = 20, .duration_s = 3e6, .seed = 4, .repair_median_s = 4000, .repair_sigma = 1.2};
  const auto source = weibull({{"mtbf_s", 2e4}, {"size", std::int64_t{2}}});
  const auto records = generate_trace(source, request);
  REQUIRE(records.size() > 100);
  for (const faults::TraceFormat format : {faults::TraceFormat::fta, faults::TraceFormat::lanl}) {
    const faults::FaultTrace read = faults::parse_fault_trace(trace_text(records, format), "t");
    CHECK(read.format == format);
    CHECK(read.unreadable.empty());
    REQUIRE(read.records.size() == records.size());
    const double unit_s = format == faults::TraceFormat::lanl ? 60 : 1e-6;
    for (std::size_t i = 0; i < records.size(); ++i) {
      CHECK(read.records[i].node == records[i].node);
      CHECK(read.records[i].system == 1);
      CHECK(read.records[i].time_s - 946684800 == Approx(records[i].time_s).margin(unit_s));
      CHECK(*read.records[i].end_s - 946684800 == Approx(*records[i].end_s).margin(unit_s));
    }
  }
  const faults::FaultTrace table =
      faults::parse_fault_trace(trace_text(records, faults::TraceFormat::table), "t");
  CHECK(table.format == faults::TraceFormat::table);
  REQUIRE(table.records.size() == records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    CHECK(table.records[i].node == records[i].node);
    CHECK(table.records[i].time_s == Approx(records[i].time_s).epsilon(1e-12));
    CHECK(*table.records[i].end_s == Approx(*records[i].end_s).epsilon(1e-12));
  }
  GeneratedTrace alone = request;
  alone.nodes = 1;
  const auto of_one = generate_trace(source, alone);
  const faults::FaultTrace read =
      faults::parse_fault_trace(trace_text(of_one, faults::TraceFormat::simgrid), "t");
  CHECK(read.format == faults::TraceFormat::simgrid);
  REQUIRE(read.records.size() == of_one.size());
  for (std::size_t i = 0; i < of_one.size(); ++i) {
    CHECK(read.records[i].time_s == Approx(of_one[i].time_s).epsilon(1e-12));
    CHECK(*read.records[i].end_s == Approx(*of_one[i].end_s).epsilon(1e-12));
  }
}

TEST_CASE("a node that is down does not fail, and the same seed draws the same") {
  const GeneratedTrace request{
      .nodes = 3, .duration_s = 1e5, .seed = 1, .repair_median_s = 1000, .repair_sigma = 1};
  const auto source = weibull({{"mtbf_s", 100.0}});
  const auto records = generate_trace(source, request);
  std::vector<double> back_s(3, 0);
  for (const faults::FaultRecord& record : records) {
    const auto node = static_cast<std::size_t>(record.node);
    CHECK(record.time_s >= back_s[node]);
    back_s[node] = *record.end_s;
  }
  CHECK(trace_text(generate_trace(source, request), faults::TraceFormat::fta) ==
        trace_text(records, faults::TraceFormat::fta));
}

TEST_CASE("the law of a generated trace is found in it") {
  const GeneratedTrace request{.nodes = 100000, .duration_s = 1e6, .seed = 2};
  const auto source = weibull({{"shape", 0.7}, {"scale_s", 200.0}});
  const auto summary = summarize_trace(trace_of(generate_trace(source, request)), 0, {});
  const WeibullFit& fit = *summary->between_failures.weibull;
  CHECK(summary->failures > 3000);
  // Five standard errors, of which the interval is four wide.
  const auto near = [](const FittedParameter& fitted, double truth) {
    const double error = (fitted.confidence_95.high - fitted.confidence_95.low) / 3.92;
    return std::abs(fitted.estimate - truth) < 5 * error;
  };
  CHECK(near(fit.shape, 0.7));
  CHECK(near(fit.scale_s, 200));
  CHECK(fit.shape.confidence_95.high - fit.shape.confidence_95.low < 0.05);
  CHECK(fit.log_likelihood > summary->between_failures.lognormal->log_likelihood);
  CHECK(fit.log_likelihood > *summary->between_failures.exponential_log_likelihood);
}

}  // namespace faultline::failures
