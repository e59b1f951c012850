// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/json/json_reader.hpp"
#include "sim/scenario/machine_file.hpp"
#include "tests/scenario/workspace.hpp"

using Catch::Matchers::Contains;

namespace faultline::scenario {

namespace {

/// The errors of the small machine after one replacement in its text.
std::string errors_after(const std::string& from, const std::string& to) {
  const Workspace workspace;
  std::string text = Workspace::machine_text();
  text.replace(text.find(from), from.size(), to);
  const std::string path = workspace.write("m.json", text);
  try {
    load_machine(path, "");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a machine file gives every value of the machine") {
  const Workspace workspace;
  const platform::Machine machine = load_machine(workspace.path("tiny.json"), "");
  CHECK(machine.name == "tiny");
  CHECK(machine.description == "eight nodes");
  CHECK(std::get<platform::Torus>(machine.topology).dimensions == std::vector<std::uint32_t>{4, 2});
  CHECK(machine.nodes == 8);
  CHECK(machine.cores_per_node == 2);
  CHECK(machine.hardware_threads_per_node == 4);
  CHECK(machine.send_overhead_s == 1e-6);
  CHECK(machine.receive_overhead_s == 2e-6);
  CHECK(machine.gap_s == 3e-7);
  CHECK(machine.nic_bandwidth_Bps == 1e9);
  CHECK(machine.nic_latency_s == 4e-7);
  CHECK(machine.hop_latency_s == 5e-8);
  CHECK(machine.link_bandwidth_Bps == 2e9);
  CHECK(machine.local_latency_s == 6e-7);
  CHECK(machine.local_bandwidth_Bps == 3e9);
}

TEST_CASE("a machine file says of every value how it is known") {
  const Workspace workspace;
  std::string text = Workspace::machine_text();
  const auto replace = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("estimated", "measured");  // of the first value, nodes
  const auto statuses = [&] {
    std::string said;
    for (const ValueStatus& of : load_value_statuses(workspace.write("m.json", text), ""))
      said += of.value + "=" + of.status + " ";
    return said;
  };
  // The topology need not have one.
  CHECK_THAT(statuses(), Catch::Matchers::StartsWith("nodes=measured cores_per_node=estimated ") &&
                             Catch::Matchers::EndsWith(" local_bandwidth_Bps=estimated "));
  replace("[4, 2]}", R"([4, 2], "status": "published"})");
  CHECK_THAT(statuses(), Catch::Matchers::StartsWith("topology=published nodes=measured "));
  replace("measured", "guessed");
  workspace.write("m.json", text);
  CHECK_THROWS_AS(load_value_statuses(workspace.path("m.json"), ""), UsageError);
}

TEST_CASE("a relative path starts from the folder that is given") {
  const Workspace workspace;
  CHECK(load_machine("tiny.json", workspace.path("")).name == "tiny");
}

TEST_CASE("every kind of topology can be read") {
  const Workspace workspace;
  const auto topology = [&](const std::string& text) {
    std::string machine = Workspace::machine_text();
    const std::string torus = R"({"kind": "torus", "dimensions": [4, 2]})";
    machine.replace(machine.find(torus), torus.size(), text);
    return load_machine(workspace.write("m.json", machine), "").topology;
  };
  CHECK(topology(R"({"kind": "crossbar", "nodes": 9})") ==
        platform::TopologySpec(platform::Crossbar{9}));
  CHECK(
      topology(R"({"kind": "fat-tree", "children": [4, 2], "parents": [1, 2], "links": [1, 3]})") ==
      platform::TopologySpec(platform::FatTree{{4, 2}, {1, 2}, {1, 3}}));
  CHECK(topology(R"({"kind": "dragonfly", "groups": 2, "chassis_per_group": 3,
                     "routers_per_chassis": 4, "nodes_per_router": 5, "blue_links": 6,
                     "black_links": 7, "green_links": 8})") ==
        platform::TopologySpec(platform::Dragonfly{2, 3, 4, 5, 6, 7, 8}));
}

TEST_CASE("a machine file with a wrong value is refused with file, path and expectation") {
  const auto [from, to, message] = GENERATE(table<std::string, std::string, std::string>({
      {"\"schema_version\": 1", "\"schema_version\": 3", "schema_version: expected an integer: 1"},
      {"\"name\": \"tiny\"", "\"nam\": \"tiny\"", "name: missing"},
      {"\"torus\"", "\"tours\"",
       "topology.kind: expected one of torus, fat-tree, dragonfly or "
       "crossbar, got \"tours\", did you mean \"torus\"?"},
      {"[4, 2]", "[4, 0]", "topology.dimensions[1]: expected an integer from 1 to 65536, got 0"},
      {"[4, 2]", "[]", "topology.dimensions: expected a list of 1 to 6 integers"},
      {"[4, 2]", "[65536, 65536, 65536]", "topology: a torus of 65536x65536x65536 is too large"},
      {"[4, 2]", "[4, 1]", "nodes.value: expected at most 4, the places of the topology, got 8"},
      {"\"dimensions\"", "\"dimension\"", "topology.dimensions: missing, expected a list"},
      {"\"value\": 8", "\"value\": 0", "nodes.value: expected an integer from 1"},
      {"\"gap_s\"", "\"gap_us\"", "gap_us: unknown key, did you mean \"gap_s\"?"},
      {"3e-7, \"unit\": \"s\"", "3e-7, \"unit\": \"us\"", "gap_s.unit: expected s, got \"us\""},
      {"3e-7, \"unit\": \"s\",", "3e-7,", "gap_s.unit: missing, expected s"},
      {"{\"value\": 3e-7, \"unit\": \"s\", \"status\": \"estimated\", \"source\": \"assumed\"}",
       "3e-7", "gap_s: expected an object, got 3e-07"},
      {"3e-7", "-3e-7", "gap_s.value: expected a number from 0 to 1 in seconds, got -3e-07"},
      {"3e-7", "5e-324", "gap_s.value: expected 0, or at least 1e-15 seconds"},
      {"1e9", "0", "nic_bandwidth_Bps.value: expected a number from 1 to 1e+15"},
      {"\"estimated\"", "\"guessed\"", "status: expected one of measured, published or estimated"},
      {", \"source\": \"assumed\"", "", "nodes.source: missing, expected a string"},
      {"\"source\": \"assumed\"", "\"source\": \"\"", "nodes.source: is empty"},
  }));
  CAPTURE(from, to);
  const std::string error = errors_after(from, to);
  CHECK_THAT(error, Contains("m.json: "));
  CHECK_THAT(error, Contains(message));
}

// ---- costs by size ----------------------------------------------------------------------------

namespace {

/// A value of a machine file.
std::string sourced(const std::string& value, const std::string& unit = "s") {
  return R"({"value": )" + value + R"(, "unit": ")" + unit +
         R"(", "status": "measured", "source": "by hand"})";
}

/// The small machine with that text before all else, and without the value of that name.
std::string machine_with(const std::string& text, const std::string& without = "") {
  std::string machine = Workspace::machine_text();
  if (!without.empty()) {
    const std::size_t begin = machine.find("\"" + without + "\"");
    const std::size_t end = machine.find("},", begin) + 2;
    machine.erase(begin, end - begin);
  }
  return machine.insert(machine.find('{') + 1, text + ", ");
}

platform::Machine load_with(const std::string& text, const std::string& without = "") {
  const Workspace workspace;
  return load_machine(workspace.write("m.json", machine_with(text, without)), "");
}

std::string errors_with(const std::string& text, const std::string& without = "") {
  try {
    load_with(text, without);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

/// A range with a latency and, if stated, the time of a byte.
std::string range(const std::string& from_bytes, const std::string& latency_s,
                  const std::string& byte_s = "") {
  return R"({"from_bytes": )" + from_bytes + R"(, "latency_s": )" + sourced(latency_s) +
         (byte_s.empty() ? "" : R"(, "byte_s": )" + sourced(byte_s, "s/B")) + "}";
}

}  // namespace

TEST_CASE("a machine without costs by size has none") {
  const Workspace workspace;
  const platform::Machine machine = load_machine(workspace.path("tiny.json"), "");
  CHECK(machine.costs.empty());
  CHECK(machine.local_costs.empty());
}

TEST_CASE("what a range of sizes does not state is the machine's single value") {
  const platform::Machine machine =
      load_with(R"("costs": [)" + range("0", "4e-7") + ", " + range("512", "5e-7", "2e-9") + "]");
  CHECK(machine.costs == std::vector<platform::MessageCost>{{0, 1e-6, 2e-6, 4e-7, 0},
                                                            {512, 1e-6, 2e-6, 5e-7, 2e-9}});
  CHECK(machine.local_costs == std::vector<platform::MessageCost>{{0, 1e-6, 2e-6, 6e-7, 0}});
}

TEST_CASE("a machine can leave out a single value that all ranges of sizes state") {
  const std::string local =
      R"("local_costs": [)" + range("0", "3e-7") + ", " + range("512", "5e-7") + "]";
  const platform::Machine machine = load_with(local, "local_latency_s");
  CHECK(machine.local_latency_s == 3e-7);
  CHECK(machine.local_costs[1] == platform::MessageCost{512, 1e-6, 2e-6, 5e-7, 0});
  CHECK_THAT(errors_with(local, "nic_latency_s"), Contains("nic_latency_s: missing"));
}

TEST_CASE("a latency can be negative where the bytes of a range make up for it") {
  const platform::Machine machine =
      load_with(R"("costs": [)" + range("0", "1e-6") + ", " + range("1000", "-3e-6", "5e-9") + "]");
  CHECK(machine.costs[1].latency_s == -3e-6);
}

TEST_CASE("costs by size have statuses, too") {
  const Workspace workspace;
  const std::string path =
      workspace.write("m.json", machine_with(R"("costs": [)" + range("0", "4e-7") + ", " +
                                             range("512", "5e-7", "2e-9") + "]"));
  std::string said;
  for (const ValueStatus& of : load_value_statuses(path, ""))
    if (of.value.starts_with("costs")) said += of.value + "=" + of.status + " ";
  CHECK(said ==
        "costs[0].latency_s=measured costs[1].latency_s=measured costs[1].byte_s=measured ");
}

TEST_CASE("costs by size that cannot be are refused with their place") {
  const auto [ranges, message] = GENERATE(table<std::string, std::string>({
      {"3", "costs: expected a list of 1 to 16 objects"},
      {"[]", "costs: expected a list of 1 to 16 objects"},
      {"[" + range("8", "1e-6") + "]", "costs[0].from_bytes: expected 0, so that"},
      {"[" + range("0", "1e-6") + ", " + range("64", "2e-6") + ", " + range("64", "3e-6") + "]",
       "costs[2].from_bytes: expected more than 64, where the range before begins, got 64"},
      {"[" + range("0", "1e-6") + ", " + range("64", "9e-7") + "]",
       "costs[1]: makes a longer message faster: one of 64 bytes takes"},
      {"[" + range("0", "1e-6", "9e-10") + "]",
       "costs[0].byte_s: expected at least 1e-09, which is 1 / nic_bandwidth_Bps, got 9e-10"},
      {"[" + range("0", "-1e-9") + "]", "costs[0].latency_s: lets a message of 0 bytes be there"},
      {"[" + range("0", "1e-6") + ", " + range("1000", "-5e-6", "5e-9") + "]",
       "costs[1].latency_s: lets a message of 1000 bytes be there before it has left, got -5e-06"},
      {"[" + range("0", "1e-6", "-1") + "]",
       "costs[0].byte_s.value: expected a number from 0 to 1"},
      {R"([{"from_bytes": 0, "latency_s": 1e-6}])", "costs[0].latency_s: expected an object"},
      {R"([{"latency_s": )" + sourced("1e-6") + "}]", "costs[0].from_bytes: missing"},
      {R"([{"from_bytes": 0, "latency_us": 1}])", "costs[0].latency_us: unknown key, did you mean"},
      {"[" + range("0", "1e-16") + "]", "costs[0].latency_s.value: expected 0, or at least 1e-15"},
  }));
  CHECK_THAT(errors_with(R"("costs": )" + ranges), Contains(message));
}

TEST_CASE("a cost that a scenario states changes those of all sizes with it") {
  platform::Machine machine =
      load_with(R"("costs": [)" + range("0", "4e-7") + ", " + range("512", "5e-7", "2e-9") + "]");
  const auto change = [&](const std::string& text) {
    json::Problems problems("s.json");
    change_costs(machine, json::parse_json(text, problems), "platform.overheads", problems);
    return problems.empty() ? std::string() : problems.text();
  };
  const auto is = [&](const std::vector<platform::MessageCost>& expected) {
    REQUIRE(machine.costs.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(machine.costs[i].from_bytes == expected[i].from_bytes);
      CHECK(machine.costs[i].send_overhead_s == Approx(expected[i].send_overhead_s));
      CHECK(machine.costs[i].receive_overhead_s == Approx(expected[i].receive_overhead_s));
      CHECK(machine.costs[i].latency_s == Approx(expected[i].latency_s));
      CHECK(machine.costs[i].byte_s == Approx(expected[i].byte_s));
    }
  };
  CHECK(change(R"({"nic_latency_s": 9e-7})") == "");
  is({{0, 1e-6, 2e-6, 9e-7, 0}, {512, 1e-6, 2e-6, 10e-7, 2e-9}});
  CHECK(change(R"({"nic_bandwidth_Bps": 1e8, "send_overhead_s": 0})") == "");
  is({{0, 0, 2e-6, 9e-7, 0}, {512, 0, 2e-6, 10e-7, 2e-8}});
  CHECK(change(R"({"costs": [{"from_bytes": 0, "byte_s": 3e-8}]})") == "");
  is({{0, 0, 2e-6, 9e-7, 3e-8}});
  CHECK_THAT(change(R"({"costs": [{"from_bytes": 0, "byte_s": 2e-9}]})"),
             Contains("platform.overheads.costs[0].byte_s: expected at least 1e-08"));
  CHECK(
      change(R"({"local_costs": [{"from_bytes": 0, "latency_s": 1e-7}], "local_latency_s": 2})") !=
      "");
}

TEST_CASE("sizes that are no topology are refused") {
  CHECK_THAT(
      errors_after(R"({"kind": "torus", "dimensions": [4, 2]})",
                   R"({"kind": "fat-tree", "children": [4, 2], "parents": [1], "links": [1]})"),
      Contains("topology: children, parents and links of a fat tree must have one entry for each "
               "level"));
  CHECK_THAT(errors_after(R"({"kind": "torus", "dimensions": [4, 2]})",
                          R"({"kind": "dragonfly", "groups": 5000, "chassis_per_group": 3,
                              "routers_per_chassis": 4, "nodes_per_router": 5, "blue_links": 6,
                              "black_links": 7, "green_links": 8})"),
             Contains("topology: a dragonfly has at most 4096 groups, got 5000"));
  // Its coordinates would not fit into the table of routes.
  CHECK_THAT(errors_after(R"({"kind": "torus", "dimensions": [4, 2]})",
                          R"({"kind": "dragonfly", "groups": 2, "chassis_per_group": 2000,
                              "routers_per_chassis": 4, "nodes_per_router": 5, "blue_links": 6,
                              "black_links": 7, "green_links": 8})"),
             Contains("topology: chassis_per_group and routers_per_chassis of a dragonfly are at "
                      "most 1023"));
}

TEST_CASE("all errors of a machine file reach the scenario that names it") {
  const Workspace workspace;
  workspace.write("broken.json", R"({"schema_version": 1, "name": "broken"})");
  const std::string error = workspace.errors_after({"platform.machine=broken.json"});
  CHECK_THAT(error, Contains("s.json: platform.machine: " + workspace.path("broken.json") +
                             ": gap_s: missing"));
  CHECK(lines_in(error) == 13);
}

TEST_CASE("every shipped machine can be loaded by its name") {
  REQUIRE(shipped_machines().size() >= 6);
  for (const std::string& name : shipped_machines()) CHECK(load_machine(name, "").name == name);
}

}  // namespace faultline::scenario
