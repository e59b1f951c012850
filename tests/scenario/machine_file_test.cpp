// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

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
