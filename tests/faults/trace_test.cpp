// SPDX-License-Identifier: Apache-2.0

// Traces of failures: each format by hand, with its quirks, and what cannot be read.

#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "tests/faults/sources.hpp"

namespace faultline::faults {

using namespace test;
using Catch::Matchers::Contains;

namespace {

const std::string kLanlHeader =
    "System,machine type,nodes,procstot,procsinnode,nodenum,nodenumz,node install,node prod,"
    "node decom,fru type,mem,cputype,memtype,num intercon,purpose,Prob Started,Prob Fixed,"
    "Down Time,Facilities,Hardware,Human Error,Network,Undetermined,Software,Same Event\n";

std::string lanl(const std::string& system, const std::string& node, const std::string& started,
                 const std::string& fixed) {
  return system + ",cluster,49,6152,80,1," + node + ",5-Apr,5-Jun,current,part,80,1,1,0,compute," +
         started + "," + fixed + ",6,,Other,,,,,No\n";
}

std::vector<double> times_of(const FaultTrace& trace) {
  std::vector<double> times;
  for (const FaultRecord& record : trace.records) times.push_back(record.time_s);
  return times;
}

}  // namespace

TEST_CASE("LANL: times are the machine's clock, nodes nodenumz, order that of time") {
  const FaultTrace trace =
      parse_fault_trace(kLanlHeader + lanl("20", "7", "6/21/2005 10:54", "6/21/2005 11:00") +
                            lanl("20", "3", "1/2/1970 0:01", "1/2/1970 0:00") +
                            lanl("18", "0", "2/29/2000 23:59", "3/1/2000 0:00"),
                        "t");
  CHECK(trace.format == TraceFormat::lanl);
  CHECK(trace.unreadable.empty());
  // date -u -d '2000-02-29 23:59' +%s, and so on
  CHECK(times_of(trace) == Times{86460, 951868740, 1119351240});
  CHECK(trace.records[0].node == 3);
  CHECK(trace.records[0].end_s == std::nullopt);  // fixed before it broke
  CHECK(trace.records[1].system == 18);
  CHECK(trace.records[1].end_s == 951868800);
  CHECK(trace.records[2].line == 2);
}

TEST_CASE("LANL: a field in quotes keeps its commas, a header is not needed") {
  std::string line = lanl("2", "5", "3/4/2003 5:06", "");
  line.replace(line.find("Other"), 5, "\"Disk, SCSI\"");
  const FaultTrace trace = parse_fault_trace(line, "t");
  REQUIRE(trace.records.size() == 1);
  CHECK(trace.records[0].node == 5);
  CHECK(trace.records[0].end_s == std::nullopt);
}

TEST_CASE("LANL: what cannot be read has its line and its reason") {
  const FaultTrace trace = parse_fault_trace(
      kLanlHeader + lanl("17", "", "1/8/1997 8:40", "1/8/1997 8:50") +
          lanl("x", "1", "1/8/1997 8:40", "") + lanl("2", "1", "13/8/1997 8:40", "") +
          lanl("2", "1", "2/30/1997 8:40", "") + lanl("2", "1", "2/3/1997 8:60", "") + "\n" +
          lanl("2", "1", "", "") + "2,3\n" + lanl("2", "-1", "2/3/1997 8:40", "") +
          lanl("2", "1", "2/3/1997 8:40", "nonsense"),
      "t");
  REQUIRE(trace.records.size() == 1);
  CHECK(trace.records[0].line == 11);
  std::vector<std::size_t> lines;
  for (const UnreadableLine& bad : trace.unreadable) lines.push_back(bad.line);
  CHECK(lines == std::vector<std::size_t>{2, 3, 4, 5, 6, 8, 9, 10});
  CHECK(trace.unreadable[0].reason == "nodenumz: expected the number of a node");
  CHECK(trace.unreadable[2].reason == "Prob Started: expected a time M/D/YYYY H:MM");
  CHECK(trace.unreadable[6].reason == "expected 26 columns, got 2");
  CHECK(describe_unreadable(trace).front() ==
        "line 2 cannot be read: nodenumz: expected the number of a node");
}

TEST_CASE("unreadable lines of another system can be left out") {
  const FaultTrace lanl_trace = parse_fault_trace(
      lanl("2", "1", "1/8/1997 8:40", "") + lanl("3", "", "1/8/1997 8:40", "") +
          lanl("2", "1", "soon", "") + lanl("x", "1", "1/8/1997 8:40", "") + "3,4\n",
      "t");
  REQUIRE(lanl_trace.unreadable.size() == 4);
  std::vector<std::size_t> lines;
  for (const UnreadableLine& bad : without_unreadable_of_others(lanl_trace, 2).unreadable)
    lines.push_back(bad.line);
  // Two lines do not show which system they are of.
  CHECK(lines == std::vector<std::size_t>{3, 4, 5});
  CHECK(without_unreadable_of_others(lanl_trace, 2).records.size() == 1);
  const FaultTrace fta = parse_fault_trace(
      "0 0 4 1 node4 0 1000 2000 0\n1 0 x 2 node4 0 1000 2000 0\n2 0 4 1 node4 0 soon 2000 0\n",
      "t");
  const FaultTrace of_one = without_unreadable_of_others(fta, 1);
  REQUIRE(of_one.unreadable.size() == 1);
  CHECK(of_one.unreadable[0].line == 3);
}

TEST_CASE("a compressed trace is refused as such") {
  for (const auto& [begin, program] :
       std::vector<std::pair<std::string, std::string>>{{"\x1f\x8b\x08", "gzip"},
                                                        {"BZh91AY&SY", "bzip2"},
                                                        {std::string("\xfd\x37zXZ\0", 6), "xz"},
                                                        {"\x28\xb5\x2f\xfd", "zstd"},
                                                        {"PK\x03\x04", "zip"}})
    CHECK(trace_refusal(begin + "2,3,4\n") ==
          "t: is compressed with " + program + "; expected text, unpack it first");
}

TEST_CASE("many unreadable lines are named up to a number, and then counted") {
  std::string text = lanl("2", "1", "2/3/1997 8:40", "");
  for (int i = 0; i < 25; ++i) text += lanl("2", "", "2/3/1997 8:40", "");
  const auto lines = describe_unreadable(parse_fault_trace(text, "t"));
  CHECK(lines.size() == 11);
  CHECK(lines.back() == "15 more lines cannot be read: nodenumz: expected the number of a node");
}

TEST_CASE("unreadable lines that are not named are counted by reason") {
  std::string text = lanl("2", "1", "2/3/1997 8:40", "");
  for (int i = 0; i < 12; ++i) text += lanl("2", "", "2/3/1997 8:40", "");
  text += lanl("x", "1", "2/3/1997 8:40", "");
  const auto lines = describe_unreadable(parse_fault_trace(text, "t"));
  REQUIRE(lines.size() == 12);
  CHECK(lines[10] == "1 more line cannot be read: System: expected a number");
  CHECK(lines[11] == "2 more lines cannot be read: nodenumz: expected the number of a node");
}

TEST_CASE("FTA: unavailable is a failure, names may hold blanks, the end may be missing") {
  const FaultTrace trace = parse_fault_trace(
      "# event_id component_id node_id platform_id node_name event_type start end reason\n"
      "0\t0\t4\t1\tnode4\t1\t1000.5\t2000\t0\n"
      "1 0 4 1 node4 0 2000 2500.25 4\n"
      "2 0 9 1 the big node 0 1500 NULL 0\n"
      "3 0 9 1 node9 2 1500 1600 0\n"
      "4 0 x 1 node9 0 1500 1600 0\n"
      "5 0 9 1 node9 0 soon 1600 0\n"
      "6 0 9 1 0 1500\n",
      "t");
  CHECK(trace.format == TraceFormat::fta);
  CHECK(trace.other_events == 1);
  CHECK(times_of(trace) == Times{1500, 2000});
  CHECK(trace.records[0].node == 9);
  CHECK(trace.records[0].end_s == std::nullopt);
  CHECK(trace.records[1].end_s == 2500.25);
  std::vector<std::string> reasons;
  for (const UnreadableLine& bad : trace.unreadable) reasons.push_back(bad.reason);
  CHECK(reasons == Words{"event_type: expected 0 (unavailable) or 1 (available)",
                         "node_id: expected the number of a node",
                         "event_start_time: expected seconds since 1970",
                         "expected 9 fields, got 6"});
}

TEST_CASE("SimGrid: going off is a failure, being off is not") {
  const FaultTrace trace = parse_fault_trace(
      "% a host\n0 1\n10 0\n12 0.5\n# still on\n13 1\n20 0\n21 0\n19 1\nsoon 0\n", "t");
  CHECK(trace.format == TraceFormat::simgrid);
  CHECK(times_of(trace) == Times{10, 20});
  CHECK(trace.records[0].end_s == 12);
  CHECK(trace.records[0].line == 3);
  CHECK(trace.records[1].end_s == std::nullopt);
  CHECK(trace.other_events == 4);
  REQUIRE(trace.unreadable.size() == 2);
  CHECK(trace.unreadable[0].line == 9);
  CHECK(trace.unreadable[0].reason == "expected a date not before the one above");
  CHECK(trace.unreadable[1].reason == "expected a date and a state");
}

TEST_CASE("SimGrid: profiles that loop, by delay and by period") {
  const auto failures = [](const std::string& text, std::size_t most) {
    const FaultTrace trace = parse_fault_trace(text, "t");
    ProfileWalk walk(trace.profile, Stream(1, 0, Purpose::faults, 0));
    Times times;
    while (times.size() < most)
      if (const auto time_s = walk.next_failure_s())
        times.push_back(*time_s);
      else
        break;
    return times;
  };
  CHECK(failures("2 0\n5 1\n", 9) == Times{2});
  CHECK(failures("2 0\n5 1\nLOOPAFTER 4\n", 4) == Times{2, 11, 20, 29});
  CHECK(failures("PERIODICITY 10\n2 0\n5 1\n", 4) == Times{2, 12, 22, 32});
  // Still off when the next turn begins: the host cannot go off again.
  CHECK(failures("5 1\n6 0\nLOOPAFTER 4\n", 3) == Times{6, 16, 26});
  CHECK(failures("2 0\nLOOPAFTER 4\n", 3) == Times{2});
}

// Where such a state is due, SimGrid ends.
TEST_CASE("SimGrid: a profile with states that are or can be negative is refused") {
  CHECK(trace_refusal("1 0\n2 -1\n3 0\n") ==
        "t: line 2: the state is negative, expected 0 (off) or more (on)");
  CHECK(trace_refusal("1 -0.5\n") ==
        "t: line 1: the state is negative, expected 0 (off) or more (on)");
  for (const std::string law :
       {"DET -1", "NORM -3 0", "NORM 5 1", "UNIF -1 1", "UNIF 1 -1", "EXP -2"})
    CHECK(trace_refusal("STOCHASTIC\nDET 1 DET 0\nDET 1 " + law + "\n") ==
          "t: line 3: a state can be negative, expected a law of 0 (off) and above (on)");
  for (const std::string law : {"DET 0", "DET 2.5", "NORM 1 0", "UNIF 0 1", "EXP 2"})
    CHECK(trace_refusal("STOCHASTIC\nDET 1 DET 0\nDET 1 " + law + "\n").empty());
  CHECK(trace_refusal("1 0\n2 -0\n").empty());
}

TEST_CASE("SimGrid: a profile takes time, and not for ever") {
  for (const std::string law : {"EXP 0", "EXP -1"})
    CHECK(trace_refusal("STOCHASTIC\n" + law + " DET 0\n") ==
          "t: no record can be read\nt: line 2 cannot be read: expected a delay by EXP with a rate "
          "above 0");
  for (const std::string law : {"DET 0", "DET -1", "UNIF -2 0", "NORM -1 0"})
    CHECK(trace_refusal("STOCHASTIC LOOP\n" + law + " DET 0\nDET 0 DET 1\n") ==
          "t: the profile loops without taking any time");
  for (const std::string law : {"DET 1", "UNIF -2 1", "NORM -1 1", "EXP 2"})
    CHECK(trace_refusal("STOCHASTIC LOOP\n" + law + " DET 0\nDET 0 DET 1\n").empty());
  CHECK(trace_refusal("1e13 0\n") ==
        "t: no record can be read\nt: line 1 cannot be read: expected a date of at most 1e12 s");
}

TEST_CASE("FTA: a time beyond reason is none") {
  const FaultTrace trace =
      parse_fault_trace("0 0 4 1 node4 0 1e308 2e308 0\n0 0 4 1 node4 0 1000 1e300 0\n", "t");
  REQUIRE(trace.records.size() == 1);
  CHECK_FALSE(trace.records[0].end_s);
  REQUIRE(trace.unreadable.size() == 1);
  CHECK(trace.unreadable[0].reason == "event_start_time: expected seconds since 1970");
}

TEST_CASE("SimGrid: stochastic profiles follow their laws") {
  const FaultTrace trace =
      parse_fault_trace("STOCHASTIC LOOP\nEXP 0.25 DET 0\nUNIF 1 3 DET 1\nNORM 10 1 DET 1\n", "t");
  CHECK(trace.records.empty());
  ProfileWalk walk(trace.profile, Stream(1, 0, Purpose::faults, 0));
  Times gaps;
  double last_s = 0;
  for (int i = 0; i < 4000; ++i) {
    const double time_s = *walk.next_failure_s();
    gaps.push_back(time_s - last_s);
    last_s = time_s;
  }
  // Mean 4 + 2 + 10, variance 16 + 1/3 + 1.
  CHECK(std::abs(mean(gaps) - 16) < 5 * std::sqrt((16 + 1.0 / 3 + 1) / 4000));
}

TEST_CASE("a file without a record that can be read is refused") {
  CHECK_THAT(trace_refusal("{\"a\": 1}"),
             Contains("t: not a trace of failures, expected the LANL columns"));
  CHECK_THAT(trace_refusal("# nothing\n"), Contains("t: not a trace of failures"));
  CHECK(trace_refusal(kLanlHeader) == "t: has no record of a failure");
  CHECK(trace_refusal("STOCHASTIC\nDET 1\n") ==
        "t: no record can be read\nt: line 2 cannot be read: expected a law for the delay and one "
        "for the state");
  CHECK_THAT(
      trace_refusal(kLanlHeader + lanl("17", "", "1/8/1997 8:40", "")),
      Contains("t: no record can be read") && Contains("t: line 2 cannot be read: nodenumz"));
  CHECK_THAT(trace_refusal("0 0 4 1 node4 1 1000.5 2000 0\n"), Contains("t: has no failure"));
  CHECK_THAT(trace_refusal("0 1\n5 1\n"), Contains("t: has no failure"));
  CHECK_THAT(trace_refusal("0 0\n5 1\nPERIODICITY 3\n"), Contains("shorter than the profile"));
  CHECK_THAT(trace_refusal("0 0\n0 1\nLOOPAFTER 0\n"), Contains("without taking any time"));
  CHECK_THAT(trace_refusal("STOCHASTIC\nPERIODICITY 5\nDET 5 DET 0\n"),
             Contains("expected LOOPAFTER"));
}

TEST_CASE("trace: the job has the trace's nodes from first_node on") {
  const Target target(4);
  const auto file =
      trace_input(lanl("2", "9", "1/1/2000 0:00", "") + lanl("2", "10", "1/1/2000 0:01", "") +
                  lanl("3", "11", "1/1/2000 0:01", "") + lanl("2", "12", "1/1/2000 0:01", "") +
                  lanl("2", "13", "1/1/2000 0:05", "") + lanl("2", "14", "1/1/2000 0:06", ""));
  OptionValues options{{"file", file},
                       {"system", std::int64_t{2}},
                       {"first_node", std::int64_t{10}},
                       {"time_scale", 0.5}};
  // Time zero is the first failure of the system, whichever node's it is.
  const std::vector<Struck> expected{{30, {4, 6}}, {150, {7}}};
  CHECK(faults_of(*target.source("trace", options), 10) == expected);
  options["begin_s"] = 100.0;
  CHECK(faults_of(*target.source("trace", options), 10) == std::vector<Struck>{{100, {7}}});
  options["begin_s"] = -60.0;
  options["limit"] = std::int64_t{1};
  CHECK(faults_of(*target.source("trace", options), 10) == std::vector<Struck>{{60, {4, 6}}});
  options["spare_root"] = true;
  CHECK(faults_of(*target.source("trace", options), 10) == std::vector<Struck>{{60, {6}}});
}

TEST_CASE("trace: each replication can begin at a random moment of the record") {
  Target target(4);
  const auto file =
      trace_input(lanl("2", "0", "1/1/2000 0:00", "") + lanl("2", "1", "1/1/2000 0:01", "") +
                  lanl("2", "2", "1/1/2000 0:03", "") + lanl("2", "3", "1/1/2000 0:08", ""));
  const OptionValues options{{"file", file}, {"begin", "random"}};
  // After the last failure the mean gap passes, 160 s, and then the record begins again.
  const std::vector<double> before_s{160, 60, 120, 300};
  constexpr std::uint32_t kReplications = 4000;
  std::vector<double> first(4, 0.0);
  for (std::uint32_t replication = 0; replication < kReplications; ++replication) {
    target.target().job.replication = replication;
    const auto faults = faults_of(*target.source("trace", options), 10);
    CHECK(faults == faults_of(*target.source("trace", options), 10));
    REQUIRE(faults.size() == 4);
    std::uint32_t node = faults[0].victims.at(0) - 4;
    first[node] += 1.0 / kReplications;
    CHECK(faults[0].time_s >= 0);
    CHECK(faults[0].time_s <= before_s[node]);
    for (std::size_t i = 1; i < faults.size(); ++i) {
      node = (node + 1) % 4;
      CHECK(faults[i].victims == std::vector<ActorId>{4 + node});
      CHECK(faults[i].time_s - faults[i - 1].time_s == Approx(before_s[node]));
    }
  }
  // A moment falls into a gap as often as the gap is long.
  for (std::size_t node = 0; node < 4; ++node) {
    const double p = before_s[node] / 640;
    CHECK(std::abs(first[node] - p) < 5 * std::sqrt(p * (1 - p) / kReplications));
  }
}

TEST_CASE("trace: failures at one moment stay one fault wherever the record begins") {
  Target target(4);
  const auto file =
      trace_input(lanl("2", "0", "1/1/2000 0:00", "") + lanl("2", "1", "1/1/2000 0:07", "") +
                  lanl("2", "2", "1/1/2000 0:07", ""));
  for (std::uint32_t replication = 0; replication < 100; ++replication) {
    target.target().job.replication = replication;
    const OptionValues options{{"file", file}, {"begin", "random"}, {"time_scale", 1e-3}};
    CHECK(faults_of(*target.source("trace", options), 10).size() == 2);
  }
}

TEST_CASE("trace: a random begin needs a record that takes time") {
  const Target target(4);
  const auto moment =
      trace_input(lanl("2", "0", "1/1/2000 0:00", "") + lanl("2", "1", "1/1/2000 0:00", ""));
  CHECK(target.problems("trace", {{"file", moment}}).empty());
  CHECK(target.problems("trace", {{"file", moment}, {"begin", "random"}}) ==
        Words{"begin: all failures of the trace are at the same moment, expected start"});
  CHECK(target.problems("trace", {{"file", moment}, {"begin", "random"}, {"begin_s", -60.0}})
            .empty());
  CHECK(target.problems("trace",
                        {{"file", trace_input("1 0\n2 1\nLOOPAFTER 1\n")}, {"begin", "random"}}) ==
        Words{"begin: a SimGrid profile states itself what is random, expected start"});
}

TEST_CASE("trace: a system or nodes that are not in it are refused") {
  const Target target(4);
  const auto file =
      trace_input(lanl("2", "9", "1/1/2000 0:00", "") + lanl("3", "1", "1/1/2000 0:01", ""));
  const auto profile = trace_input("1 0\n2 1\nLOOPAFTER 1\n");
  CHECK(target.problems("trace", {{"file", file}}) ==
        Words{"system: the trace has several systems, expected one of 2, 3"});
  CHECK(target.problems("trace", {{"file", file}, {"system", std::int64_t{5}}}) ==
        Words{"system: the trace has no failure of this system, expected one of 2, 3"});
  CHECK(
      target.problems("trace", {{"file", file}, {"system", std::int64_t{2}}}) ==
      Words{"first_node: the trace has no failure of nodes 0 to 3 after begin_s, only of node 9"});
  CHECK(
      target.problems("trace", {{"file", file}, {"system", std::int64_t{3}}, {"begin_s", 60.0}}) ==
      Words{"begin_s: the trace has no failure from this time on"});
  std::string many = "node,down,system\n";
  for (int system = 0; system < 25; ++system) many += "1,1," + std::to_string(system) + "\n";
  CHECK(target.problems("trace", {{"file", trace_input(many)}}) ==
        Words{"system: the trace has several systems, expected one of 0, 1, 2, 3, 4, 5, 6, 7, 8, "
              "9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, ..."});
  const auto far = trace_input("node,down\n7,1\n12,2\n");
  CHECK(target.problems("trace", {{"file", far}, {"first_node", std::int64_t{8}}}) ==
        Words{"first_node: the trace has no failure of nodes 8 to 11 after begin_s, only of nodes "
              "from 7 to 12"});
  CHECK(target.problems("trace", {{"file", file}, {"system", std::int64_t{3}}}).empty());
  CHECK(target.problems("trace", {{"file", profile}, {"first_node", std::int64_t{4}}}) ==
        Words{"first_node: expected the job's node of the profile, 0 to 3"});
  CHECK(target.problems("trace", {{"file", profile}, {"system", std::int64_t{1}}}) ==
        Words{"system: a SimGrid profile has no systems, expected null"});
}

TEST_CASE("trace: a profile strikes its own node until the limit") {
  const Target target(4);
  const auto profile = trace_input("1 0\n2 1\nLOOPAFTER 1\n");
  const OptionValues options{{"file", profile},
                             {"first_node", std::int64_t{2}},
                             {"begin_s", 5.0},
                             {"limit", std::int64_t{2}}};
  CHECK(faults_of(*target.source("trace", options), 10) == std::vector<Struck>{{2, {6}}, {5, {6}}});
}

TEST_CASE("trace: a victim's node is back when the record says so, on the run's clock") {
  Target target(4);
  const auto file = trace_input(lanl("2", "0", "1/1/2000 0:00", "1/1/2000 0:10") +
                                lanl("2", "1", "1/1/2000 0:01", "1/1/2000 0:03") +
                                lanl("2", "3", "1/1/2000 0:01", "") +
                                lanl("2", "2", "1/1/2000 0:02", "1/1/2000 0:02"));
  const auto source = target.source(
      "trace", {{"file", file}, {"begin_s", 30.0}, {"time_scale", 0.5}, {"spare_root", true}});
  REQUIRE(source->next_time_s() == 15.0);
  CHECK(source->victims(kOrphans) == std::vector<ActorId>{5, 7});
  CHECK(source->repairs_s() == Times{75, kNever});
  REQUIRE(source->next_time_s() == 45.0);
  CHECK(source->repairs_s() == Times{45});
  // Wherever the record begins, repairs take as long.
  for (std::uint32_t replication = 0; replication < 100; ++replication) {
    target.target().job.replication = replication;
    const auto shifted = target.source("trace", {{"file", file}, {"begin", "random"}});
    while (const auto time_s = shifted->next_time_s()) {
      const auto victims = shifted->victims(kOrphans);
      const auto repairs_s = shifted->repairs_s();
      REQUIRE(repairs_s.size() == victims.size());
      const std::map<ActorId, double> took_s{{4, 600}, {5, 120}, {6, 0}, {7, kNever}};
      for (std::size_t i = 0; i < victims.size(); ++i)
        CHECK(repairs_s[i] - *time_s == Approx(took_s.at(victims[i])).margin(1e-6));
    }
  }
}

TEST_CASE("trace: the node of a profile is back when the host is on again") {
  const Target target(4);
  const auto source = target.source(
      "trace",
      {{"file", trace_input("1 0\n2 1\nLOOPAFTER 1\n")}, {"begin_s", 5.0}, {"time_scale", 2.0}});
  REQUIRE(source->next_time_s() == 4.0);
  CHECK(source->repairs_s() == Times{6});
  REQUIRE(source->next_time_s() == 10.0);
  CHECK(source->repairs_s() == Times{12});
  const auto once = target.source("trace", {{"file", trace_input("1 0\n3 1\n4 0\n")}});
  REQUIRE(once->next_time_s() == 1.0);
  CHECK(once->repairs_s() == Times{3});
  REQUIRE(once->next_time_s() == 4.0);
  CHECK(once->repairs_s() == Times{kNever});
  CHECK(once->next_time_s() == std::nullopt);
}

TEST_CASE("a source that knows of no repairs has none") {
  const Target target(4);
  const auto source = target.source("poisson", {{"mtbf_s", 1.0}});
  REQUIRE(source->next_time_s());
  CHECK(source->repairs_s().empty());
}

}  // namespace faultline::faults
