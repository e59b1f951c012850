// SPDX-License-Identifier: Apache-2.0

// Failures in a table whose columns have names.
#include "sim/faults/table_trace.hpp"

#include <catch2/catch.hpp>

#include "tests/faults/sources.hpp"

namespace faultline::faults {

using namespace test;

namespace {

using Reasons = std::vector<std::string>;

std::vector<std::string> reasons_of(const FaultTrace& trace) {
  std::vector<std::string> reasons;
  reasons.reserve(trace.unreadable.size());
  for (const UnreadableLine& line : trace.unreadable) reasons.push_back(line.reason);
  return reasons;
}

}  // namespace

TEST_CASE("a table has its columns in any order, and others beside them") {
  const FaultTrace trace = parse_fault_trace(
      "# kept by hand\nwhy,up,node,down\n\"fan, again\",30,4,20\npower,,2,10\n", "t");
  CHECK(trace.format == TraceFormat::table);
  REQUIRE(trace.records.size() == 2);
  CHECK(trace.records[0].node == 2);
  CHECK(trace.records[0].time_s == 10);
  CHECK(trace.records[0].end_s == std::nullopt);
  CHECK(trace.records[1].node == 4);
  CHECK(trace.records[1].end_s == 30);
  CHECK(trace.records[1].line == 3);
}

TEST_CASE("a table may call its columns time and repaired, and lack the repairs") {
  const FaultTrace trace = parse_fault_trace("Time,Node,Repaired\n5,1,6.5\n", "t");
  CHECK(trace.records[0].end_s == 6.5);
  CHECK_FALSE(parse_fault_trace("time,node\n5,1\n", "t").records[0].end_s);
}

TEST_CASE("the name of a column states the unit of its numbers") {
  const FaultTrace trace = parse_fault_trace("node,down_h,up_min\n1,2,150\n", "t");
  CHECK(trace.records[0].time_s == 7200);
  CHECK(trace.records[0].end_s == 9000);
  CHECK(parse_fault_trace("node,down_d\n1,2\n", "t").records[0].time_s == 172800);
  CHECK(parse_fault_trace("node,down_ms\n1,2\n", "t").records[0].time_s == Approx(0.002));
}

TEST_CASE("times may be those of ISO 8601, by any clock") {
  // 2005-09-01 12:00 is 1125576000 s after the beginning of 1970, by `date -u +%s`.
  CHECK(iso_time_s("2005-09-01T12:00:00Z") == 1125576000.0);
  CHECK(iso_time_s("2005-09-01 12:00") == 1125576000.0);
  CHECK(iso_time_s("2005-09-01T14:00:00.25+02:00") == 1125576000.25);
  CHECK(iso_time_s("2005-09-01T06:30:00-0530") == 1125576000.0);
  CHECK(iso_time_s("2005-09-01") == 1125532800.0);
  for (const char* wrong :
       {"2005-09-31", "2005-9-1", "2005-09-01T24:00", "2005-09-01T12:00:61", "2005-09-01T12",
        "2005-09-01T12:00+1", "2005-09-01T12:00 or so", "", "1125576000 s"})
    CHECK_FALSE(iso_time_s(wrong));
  const FaultTrace trace =
      parse_fault_trace("node,down,up\n7,2005-09-01T12:00:00Z,2005-09-01T13:00:00Z\n", "t");
  CHECK(*trace.records[0].end_s - trace.records[0].time_s == 3600);
}

TEST_CASE("nodes that have names get numbers, in the order in which people count") {
  const FaultTrace trace =
      parse_fault_trace("node,down\nn10,1\nn9,2\nrack2-n1,3\nn9,4\nrack10-n1,5\n", "t");
  std::vector<std::int64_t> nodes;
  nodes.reserve(trace.records.size());
  for (const FaultRecord& record : trace.records) nodes.push_back(record.node);
  CHECK(nodes == std::vector<std::int64_t>{1, 0, 2, 0, 3});
}

TEST_CASE("nodes whose names are numbers keep them") {
  const FaultTrace trace = parse_fault_trace("node,down\n10,1\n007,2\n", "t");
  CHECK(trace.records[0].node == 10);
  CHECK(trace.records[1].node == 7);
}

TEST_CASE("a line of a table that cannot be read says why") {
  const FaultTrace trace = parse_fault_trace(
      "node,down,up,system\n1,5,4,1\n1,soon,,1\n1,5,later,1\n,5,,1\n1,5\n1,5,6,x\n1,5,6,1\n", "t");
  CHECK(reasons_of(trace) ==
        Reasons{"the node is up before it is down", "down: expected a number or a time of ISO 8601",
                "up: expected a number, a time of ISO 8601, or nothing",
                "node: expected a name or a number", "expected as many fields as columns, 4",
                "system: expected a number"});
  CHECK(trace.records.size() == 1);
}

TEST_CASE("a table without a column that is needed is refused") {
  CHECK(trace_refusal("node,up\n1,2\n") ==
        "t: a table of failures without a column down; expected node, down (or time) and, if "
        "known, up (or repaired)");
  CHECK(trace_refusal("down,up\n1,2\n").find("without a column node") != std::string::npos);
  CHECK(trace_refusal("node,down,time\n1,2,3\n") ==
        "t: two columns have the same meaning, 2 and 3");
  CHECK(trace_refusal("host,since\n1,2\n").find("not a trace of failures") != std::string::npos);
}

TEST_CASE("a unit that no column has is refused, and not ignored") {
  CHECK(trace_refusal("node,down,up_sec\n1,2,3\n") ==
        "t: column 3 is \"up\" in the unit \"sec\"; expected the name up_ms, up_s, up_min, up_h or "
        "up_d");
  for (const char* title : {"down_us", "Down (h)", "time [min]", "down hours", "down-s"})
    CHECK_THAT(trace_refusal("node," + std::string(title) + "\n1,2\n"),
               Catch::Matchers::StartsWith("t: column 2 is \""));
  for (const char* title : {"up_by", "time_zone", "up time", "uptime_s", "downtime_h", "time_m"}) {
    CAPTURE(title);
    const FaultTrace trace =
        parse_fault_trace("node,down," + std::string(title) + "\n1,2,3\n", "t");
    CHECK_FALSE(trace.records.at(0).end_s);
  }
  CHECK_THAT(trace_refusal("node_s,down\n1,2\n"),
             Catch::Matchers::Contains("without a column node"));
}

TEST_CASE("a table has nodes of one kind, and times of one form") {
  CHECK(reasons_of(parse_fault_trace("node,down\n7,1\nn8,2\n-1,3\n2.0,4\n99999999999999999999,5\n",
                                     "t")) ==
        Reasons{"node: expected a number, like the other nodes",
                "node: expected a whole number of at least 0, or a name",
                "node: expected a whole number of at least 0, or a name",
                "node: expected a whole number of at least 0, or a name"});
  CHECK(reasons_of(parse_fault_trace("node,down\nlogin,1\n8,2\n", "t")) ==
        Reasons{"node: expected a name, like the other nodes"});
  CHECK(
      reasons_of(parse_fault_trace("node,down,up\n1,5,2005-09-01\n1,5,6\n1,2005-09-01,\n", "t")) ==
      Reasons{"up: expected a number, like the other times",
              "down: expected a number, like the other times"});
  CHECK(reasons_of(parse_fault_trace(
            "node,down,up\n1,2005-09-01,2005-09-02\n1,2005-09-03,60\n1,5,\n", "t")) ==
        Reasons{"up: expected a time of ISO 8601, like the other times",
                "down: expected a time of ISO 8601, like the other times"});
}

TEST_CASE("times of a table are not so large that sums overflow") {
  CHECK(reasons_of(
            parse_fault_trace("node,down_d,up_d\n1,1e308,\n1,-1e8,\n1,1,1e300\n1,1e7,\n", "t")) ==
        Reasons{"down: expected a time between -1e12 and 1e12 s",
                "down: expected a time between -1e12 and 1e12 s",
                "up: expected a time between -1e12 and 1e12 s"});
}

TEST_CASE("a quote that is not closed spoils its own line, and so does a zero byte") {
  using namespace std::string_literals;
  const FaultTrace trace = parse_fault_trace(
      "node,down,why\n1,5,\"a fan,\nand more\"\n2,6,\"12\"\" disk\"\n3\0,7,\n"s, "t");
  CHECK(reasons_of(trace) == Reasons{"a quote is not closed, and a field ends with its line",
                                     "a quote is not closed, and a field ends with its line",
                                     "has a zero byte"});
  REQUIRE(trace.records.size() == 1);
  CHECK(trace.records[0].node == 2);
  CHECK(trace_refusal("node,down\0\n1,2\n"s) ==
        "t: line 1 has a zero byte; expected the text of a trace of failures");
}

TEST_CASE("a table from a spreadsheet may begin with a mark, or end its lines as old Macs did") {
  for (const char* text : {"\xef\xbb\xbfnode,down\n1,2\n3,4\n", "node,down\r1,2\r3,4\r",
                           "node,down\r\n1,2\r\n3,4\r\n"}) {
    const FaultTrace trace = parse_fault_trace(text, "t");
    REQUIRE(trace.records.size() == 2);
    CHECK(trace.records[1].node == 3);
    CHECK(trace.records[1].line == 3);
    CHECK(trace.unreadable.empty());
  }
  CHECK(trace_refusal("\xff\xfen") == "t: is text in UTF-16; expected UTF-8");
  CHECK(trace_refusal("node,down,up\n") == "t: has no record of a failure");
}

TEST_CASE("other columns with commas are not taken for those of LANL") {
  CHECK_THAT(trace_refusal("host,start,end,a,b,c,d,e,f,g\nn1,1,2,,,,,,,\n"),
             Catch::Matchers::StartsWith("t: not a trace of failures"));
}

TEST_CASE("a job runs under the failures of a table") {
  Target target(4);
  const auto source = target.source(
      "trace",
      {{"file", trace_input("node,down_min,up_min\nn1,1,2\nn3,5,\n")}, {"begin_s", -10.0}});
  REQUIRE(*source->next_time_s() == 10);
  CHECK(source->victims(kOrphans) == std::vector<ActorId>{4});
  CHECK(source->repairs_s() == std::vector<double>{70});
  REQUIRE(*source->next_time_s() == 250);
  CHECK(source->victims(kOrphans) == std::vector<ActorId>{5});
  CHECK(source->repairs_s() == std::vector<double>{kNever});
}

}  // namespace faultline::faults
