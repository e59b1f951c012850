// SPDX-License-Identifier: Apache-2.0

#include "analysis/calibration/measurements.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "sim/core/error.hpp"
#include "tests/scenario/workspace.hpp"

using Catch::Matchers::Contains;

namespace faultline::calibration {

namespace {

Measurements read(const std::string& text, const std::optional<TableColumns>& columns = {}) {
  const scenario::Workspace workspace;
  Measurements measurements;
  add_measurements(workspace.write("m.txt", text), columns, measurements);
  return measurements;
}

std::string error_of(const std::string& text, const std::optional<TableColumns>& columns = {}) {
  try {
    read(text, columns);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

/// "0:1.5 8:1.75": sizes and microseconds.
std::string times_of(const Measurements& measurements) {
  std::string text;
  for (const Timing& one : measurements.half_round_trips) {
    std::string time = std::to_string(one.time_s * 1e6);
    time.erase(time.find_last_not_of('0') + 1);
    text += (text.empty() ? "" : " ") + std::to_string(one.bytes) + ":" + time;
  }
  return text;
}

}  // namespace

TEST_CASE("osu_latency has microseconds for one way") {
  CHECK(times_of(read("# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n"
                      "# Datatype: MPI_CHAR.\n0                       1.5\n"
                      "8                       1.75\n1048576               90.25\n")) ==
        "0:1.5 8:1.75 1048576:90.25");
  // With -f it has more columns.
  CHECK(times_of(read("# OSU MPI Latency Test\n# Size  Avg Latency(us)  Min  Max  Iterations\r\n"
                      "8  1.75  1.5  9.5  10000\r\n")) == "8:1.75");
}

TEST_CASE("osu_bw and osu_mbw_mr have what a node sends") {
  const Measurements one = read(
      "# OSU MPI Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)\n1  2.5\n4194304  12000.5\n");
  REQUIRE(one.streams.size() == 2);
  CHECK(one.half_round_trips.empty());
  CHECK(one.streams[1].bytes == 4194304);
  CHECK(one.streams[1].bandwidth_Bps == Approx(1.20005e10));
  CHECK(!one.streams[1].messages_per_s);
  const Measurements many = read(
      "# OSU MPI Multiple Bandwidth / Message Rate Test v7.3\n"
      "# [ pairs: 16 ] [ window size: 64 ]\n# Size      MB/s     Messages/s\n1  20.5  "
      "20500000.25\n");
  REQUIRE(many.streams.size() == 1);
  CHECK(many.streams[0].pairs == 16);
  CHECK(*many.streams[0].messages_per_s == Approx(20500000.25));
}

TEST_CASE("of IMB, PingPong counts and nothing else") {
  CHECK(times_of(read("# Intel(R) MPI Benchmarks 2019, MPI-1 part\n#----\n"
                      "# Benchmarking PingPing\n# #processes = 2\n"
                      " #bytes #repetitions      t[usec]   Mbytes/sec\n 0 1000 9.5 0.00\n"
                      "#----\n# Benchmarking PingPong\n# #processes = 2\n"
                      " #bytes #repetitions      t[usec]   Mbytes/sec\n"
                      "            0         1000         1.25         0.00\n"
                      "         4096          500         4.5       910.22\n"
                      "      8388608       out-of-mem.; needed X= 0.02 GB\n"
                      "# Benchmarking Allreduce\n 0 1000 7.5 7.5 7.5\n"))
            .starts_with("0:1.25 4096:4.5"));
}

TEST_CASE("netgauge has round trips in microseconds") {
  CHECK(times_of(read("# size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L o_s o_r g G lsqu\n"
                      "# to get o: plot \"./loggp.out\"\n"
                      "1 10 3.5 12.5 60.25 1.5 0.5 0.5 -nan -nan -nan\n")) == "1:1.75");
}

TEST_CASE("a table has its columns where --columns says") {
  const auto table = [](const std::string& list, bool half) { return read_columns(list, half); };
  CHECK(times_of(read("8,3e-6\n# a comment\n\n16,4e-6\n", table("bytes,seconds", false))) ==
        "8:1.5 16:2.");
  CHECK(times_of(read("size;us\n8;1.5\n", table("bytes,microseconds", true))) == "8:1.5");
  CHECK(times_of(read("MPI_Recv\t0.002\t64\n", table("-, milliseconds ,bytes", true))) == "64:2.");
  CHECK(times_of(read("64 250\n", table("bytes,nanoseconds", true))) == "64:0.25");
}

TEST_CASE("columns that are none are refused") {
  for (const auto& [list, why] : std::vector<std::pair<std::string, std::string>>{
           {"", "--columns: expected bytes, seconds"},
           {"bytes", "--columns: expected one column of bytes and one of times"},
           {"bytes,seconds,seconds", "--columns: expected one column of bytes and one of times"},
           {"bytes,secs", "for each column, got \"secs\""}})
    CHECK_THROWS_WITH(read_columns(list, false), Contains(why));
}

TEST_CASE("a file that cannot be read is refused with the line") {
  const auto table = read_columns("bytes,seconds", true);
  CHECK_THAT(error_of("hello\n"), Contains("m.txt: is no output of osu_latency, osu_bw"));
  CHECK_THAT(error_of("# OSU MPI Bi-Directional Bandwidth Test v7.3\n1 2.5\n"),
             Contains("is no output of"));
  CHECK_THAT(error_of("8,1e-6\n16\n", table),
             Contains("m.txt: line 2: expected at least 2 columns, got 1"));
  CHECK_THAT(error_of("8,1e-6\n-16,1e-6\n", table),
             Contains("line 2: expected a size in bytes, got \"-16\""));
  CHECK_THAT(error_of("8,1e-6\n16,0\n", table), Contains("line 2: expected a time above 0"));
  CHECK_THAT(error_of("8,1e-6\n16,nan\n", table), Contains("line 2: expected a time above 0"));
  CHECK_THAT(error_of("8,1e-6\n16,1e300\n", table), Contains("line 2: expected a time above 0"));
  CHECK_THAT(error_of(std::string("8,1e-6\n1\0006,1e-6\n", 16), table), Contains("line 2: is no"));
  CHECK_THAT(error_of(std::string(5000, '8'), table), Contains("line 1: is no line of text"));
  CHECK_THAT(error_of("# OSU MPI Latency Test\n8 -1\n"), Contains("line 2: expected a time"));
  CHECK_THAT(error_of("8,1e-6\nword,other\n", table), Contains("line 2: expected a size in bytes"));
}

TEST_CASE("the median of each size counts") {
  const std::vector<Timing> found = medians({{8, 3}, {0, 1}, {8, 100}, {8, 2}, {16, 4}, {16, 6}});
  REQUIRE(found.size() == 3);
  CHECK(found[0].time_s == 1);
  CHECK(found[1].time_s == 3);
  CHECK(found[2].time_s == 5);
}

TEST_CASE("timings apart are those whose sizes have grown by so much") {
  std::string sizes;
  for (const Timing& one : apart({{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}, {7, 1}, {8, 1}}, 2))
    sizes += std::to_string(one.bytes) + " ";
  CHECK(sizes == "0 1 2 4 8 ");
}

}  // namespace faultline::calibration
