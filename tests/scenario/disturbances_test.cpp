// SPDX-License-Identifier: Apache-2.0

// What hinders a job without killing anybody: how scenarios state it, and what is refused.

#include <catch2/catch.hpp>

#include "sim/core/error.hpp"
#include "sim/core/types.hpp"
#include "tests/scenario/workspace.hpp"

using Catch::Matchers::Contains;

namespace faultline::scenario {

TEST_CASE("a partition is read, alone or in a list") {
  const Workspace workspace;
  for (const std::string& set :
       {std::string(R"(faults.partition={"nodes": [[0, 1], [3]], "from_s": 2, "to_s": 5})"),
        std::string(R"(faults.partition=[{"nodes": [[0, 1], [3]], "from_s": 2, "to_s": 5}])")}) {
    const RunSpec point = workspace.scenario_after({set}).points.front();
    REQUIRE(point.partitions.size() == 1);
    CHECK_FALSE(point.partitions[0].of_ranks);
    CHECK(point.partitions[0].groups == std::vector<std::vector<std::uint32_t>>{{0, 1}, {3}});
    CHECK(point.partitions[0].from_s == 2);
    CHECK(point.partitions[0].to_s == 5);
  }
  const RunSpec endless =
      workspace.scenario_after({R"(faults.partition={"ranks": [[15], [0]]})"}).points.front();
  CHECK(endless.partitions[0].of_ranks);
  CHECK(endless.partitions[0].from_s == 0);
  CHECK(endless.partitions[0].to_s == kNever);
  CHECK_FALSE(endless.partitions[0].waits);
  const std::string waits = R"(faults.partition={"ranks": [[15], [0]], "messages": "wait")";
  CHECK(workspace.scenario_after({waits + R"(, "to_s": 5})"}).points.front().partitions[0].waits);
  CHECK_THROWS_WITH(workspace.scenario_after({waits + "}"}),
                    Catch::Contains("to_s: expected a time, because messages wait for it"));
}

TEST_CASE("slow nodes are read, alone or in a list") {
  const Workspace workspace;
  const RunSpec point =
      workspace.scenario_after({R"(faults.slow=[{"nodes": [3, 1], "factor": 2.5, "to_s": 4}])"})
          .points.front();
  REQUIRE(point.slow.size() == 1);
  CHECK(point.slow[0].nodes == std::vector<NodeId>{3, 1});
  CHECK(point.slow[0].factor == 2.5);
  CHECK(point.slow[0].from_s == 0);
  CHECK(point.slow[0].to_s == 4);
  CHECK(workspace.scenario_after({R"(faults.slow={"nodes": [0], "factor": 1})"})
            .points.front()
            .slow[0]
            .to_s == kNever);
}

TEST_CASE("noise of the network is read") {
  const Workspace workspace;
  const auto noise_of = [&](const std::string& noise) {
    return workspace.scenario_after({"platform.delay_noise=" + noise})
        .points.front()
        .platform.delay_noise;
  };
  CHECK_FALSE(noise_of("null"));
  const auto plain = noise_of(R"({"mean_s": 1e-5})");
  REQUIRE(plain);
  CHECK(plain->law == DelayLaw::exponential);
  CHECK(plain->mean_s == 1e-5);
  CHECK_FALSE(plain->per_hop);
  CHECK(noise_of(R"({"law": "uniform", "mean_s": 1, "per": "hop"})")->law == DelayLaw::uniform);
  CHECK(noise_of(R"({"law": "uniform", "mean_s": 1, "per": "hop"})")->per_hop);
  CHECK(noise_of(R"({"law": "pareto", "mean_s": 1, "shape": 3})")->law == DelayLaw::pareto);
  CHECK(noise_of(R"({"law": "pareto", "mean_s": 1, "shape": 3})")->shape == 3);
}

TEST_CASE("noise of the system is read") {
  const Workspace workspace;
  const auto noise_of = [&](const std::string& noise) {
    return workspace.scenario_after({"platform.os_noise=" + noise})
        .points.front()
        .platform.os_noise;
  };
  CHECK_FALSE(noise_of("null"));
  const auto everywhere = noise_of(R"({"interval_s": 0.1, "length_s": 0.0025})");
  REQUIRE(everywhere);
  CHECK(everywhere->interval_s == 0.1);
  CHECK(everywhere->length_s == 0.0025);
  CHECK(everywhere->nodes.empty());
  CHECK(noise_of(R"({"interval_s": 1, "length_s": 0.5, "nodes": [2]})")->nodes ==
        std::vector<NodeId>{2});
}

TEST_CASE("fencing is read, and left to the protocols where nothing is said") {
  const Workspace workspace;
  const auto fencing_of = [&](const std::string& fencing) {
    return workspace.scenario_after({"platform.fencing=" + fencing})
        .points.front()
        .platform.fencing;
  };
  CHECK(workspace.scenario_after({}).points.front().platform.fencing == FencingSpec{});
  CHECK(fencing_of("{}") == FencingSpec{});
  const FencingSpec stated =
      fencing_of(R"({"by": "resource-manager", "delay_s": 0, "reach": "connected"})");
  CHECK(stated.by == FencedBy::resource_manager);
  CHECK(stated.delay_s == 0);
  CHECK(stated.reach == FencingReach::connected);
  CHECK(fencing_of(R"({"by": "nobody"})").by == FencedBy::nobody);
}

TEST_CASE("a resource manager that reaches nobody is refused") {
  const Workspace workspace;
  const auto problems_of = [&](const std::string& reach, const std::string& partition) {
    const std::string fencing = R"(platform.fencing={"by": "resource-manager", "reach": ")";
    try {
      static_cast<void>(
          workspace.scenario_after({fencing + reach + "\"}", "faults.partition=" + partition}));
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(problems_of("connected", R"({"nodes": [[0], [1, 2, 3]]})"),
             Contains("platform.fencing.reach: \"connected\" reaches nobody"));
  for (const std::string partition :
       {R"({"nodes": [[0], [1, 2]]})", R"({"nodes": [[0], [1, 2, 3]], "to_s": 5})",
        R"({"nodes": [[0, 1], [2, 3]]})", R"({"ranks": [[0], [1, 2, 3]]})"})
    CHECK(problems_of("connected", partition).empty());
  CHECK(problems_of("all", R"({"nodes": [[0], [1, 2, 3]]})").empty());
}

TEST_CASE("a resource manager whose router fails at the start reaches nobody, either") {
  const Workspace workspace;
  const auto errors_with = [&](const std::string& router) {
    return workspace.errors_after(
        {R"(platform.fencing={"by": "resource-manager", "reach": "connected"})",
         "faults.at=[" + router + "]"});
  };
  CHECK_THAT(errors_with(R"({"time_s": 0, "routers": [0]})"),
             Contains("platform.fencing.reach: \"connected\" reaches nobody: the router of node 0, "
                      "where the resource manager is, fails at the start for good; expected "
                      "\"all\", or a repair_s"));
  CHECK(errors_with(R"({"time_s": 0, "routers": [1]})").empty());
  CHECK(errors_with(R"({"time_s": 0, "routers": [0], "repair_s": 1})").empty());
  CHECK(errors_with(R"({"time_s": 1, "routers": [0]})").empty());
}

TEST_CASE("fencing that has no effect is noted") {
  const Workspace workspace;
  const auto notes_with = [&](const std::string& detector, const std::string& fencing) {
    return workspace
        .scenario_after({"failure_detection=" + detector, "platform.fencing=" + fencing})
        .notes;
  };
  const std::string rdaemon = R"({"name": "rdaemon", "heartbeat_period_s": 0.1, "timeout_s": 0.2})";
  const std::string place = workspace.path("s.json") + ": platform.fencing";
  using Notes = std::vector<std::string>;
  CHECK(notes_with(R"({"name": "none"})", R"({"delay_s": 3})") ==
        Notes{place + ".delay_s: has no effect: there is no failure detector"});
  CHECK(notes_with(R"({"name": "oracle"})", R"({"by": "resource-manager"})") ==
        Notes{place + ".by: has no effect: oracle never errs"});
  CHECK(notes_with(rdaemon, R"({"by": "nobody", "delay_s": 3})") ==
        Notes{place + ".delay_s: has no effect: \"by\" is \"nobody\""});
  CHECK(notes_with(rdaemon, R"({"reach": "connected"})") ==
        Notes{place + ".reach: has no effect: \"by\" is \"nobody\" without message logging and "
                      "transactions"});
  CHECK(notes_with("[{\"name\": \"oracle\"}, " + rdaemon + "]", R"({"by": "resource-manager"})")
            .empty());
  CHECK(notes_with(rdaemon, R"({"by": "nobody"})").empty());
  CHECK(notes_with(rdaemon, R"({"by": "resource-manager", "delay_s": 3})").empty());
}

TEST_CASE("disturbances that begin when the run has ended are noted") {
  const Workspace workspace;
  const auto notes_with = [&](const std::string& set) {
    return workspace.scenario_after({"stop.time_s=5", set}).notes;
  };
  const std::string end = ": has no effect: it begins at 9 s, and the run ends at stop.time_s, 5 s";
  const std::string file = workspace.path("s.json") + ": ";
  const auto [set, place] = GENERATE(table<std::string, std::string>({
      {R"(faults.partition={"nodes": [[0], [1]], "from_s": 9})", "faults.partition"},
      {R"(faults.slow=[{"nodes": [0], "factor": 2},
                       {"nodes": [1], "factor": 2, "from_s": 9}])",
       "faults.slow[1]"},
      {R"(faults.at=[{"time_s": 9, "routers": [1]}])", "faults.at[0]"},
  }));
  CHECK(notes_with(set) == std::vector<std::string>{file + place + end});
}

TEST_CASE("spare nodes can be cut off") {
  const Workspace workspace;
  CHECK(workspace
            .scenario_after({"platform.spare_nodes=2", R"(faults.partition={"nodes": [[0], [5]]})"})
            .points.front()
            .partitions[0]
            .groups[1] == std::vector<std::uint32_t>{5});
}

TEST_CASE("disturbances change a scenario's hash, and at their defaults do not") {
  const Workspace workspace;
  const std::string quiet = workspace.scenario_after({}).hash;
  const auto hash_with = [&](const std::string& set) {
    return workspace.scenario_after({set}).hash;
  };
  CHECK(hash_with("platform.detection_loss_probability=0") == quiet);
  CHECK(hash_with("platform.detection_loss_probability=0.1") != quiet);
  CHECK(hash_with("platform.start_delay_s=0") == quiet);
  CHECK(hash_with("platform.start_delay_s=0.1") != quiet);
  CHECK(hash_with("faults.partition=[]") == quiet);
  const std::string endless = hash_with(R"(faults.partition={"nodes": [[0], [1]]})");
  CHECK(endless != quiet);
  CHECK(hash_with(R"(faults.partition={"nodes": [[0], [1]], "to_s": null})") == endless);
  CHECK(hash_with(R"(faults.partition={"nodes": [[0], [1]], "to_s": 3})") != endless);
  CHECK(hash_with(R"(faults.partition={"ranks": [[0], [1]]})") != endless);
  CHECK(hash_with("platform.delay_noise=null") == quiet);
  const std::string delays = hash_with(R"(platform.delay_noise={"mean_s": 1})");
  CHECK(delays != quiet);
  CHECK(hash_with(R"(platform.delay_noise={"mean_s": 1, "law": "exponential"})") == delays);
  CHECK(hash_with(R"(platform.delay_noise={"mean_s": 1, "law": "uniform"})") != delays);
  CHECK(hash_with(R"(platform.delay_noise={"mean_s": 1, "per": "hop"})") != delays);
  CHECK(hash_with("platform.fencing={}") == quiet);
  CHECK(hash_with(R"(platform.fencing={"delay_s": 1, "reach": "all"})") == quiet);
  CHECK(hash_with(R"(platform.fencing={"delay_s": 2})") != quiet);
  CHECK(hash_with(R"(platform.fencing={"reach": "connected"})") != quiet);
  CHECK(hash_with(R"(platform.fencing={"by": "nobody"})") != quiet);
  CHECK(hash_with("platform.os_noise=null") == quiet);
  const std::string noise = hash_with(R"(platform.os_noise={"interval_s": 1, "length_s": 0.5})");
  CHECK(noise != quiet);
  CHECK(hash_with(R"(platform.os_noise={"interval_s": 1, "length_s": 0.5, "nodes": null})") ==
        noise);
  CHECK(hash_with(R"(platform.os_noise={"interval_s": 1, "length_s": 0.5, "nodes": [0]})") !=
        noise);
  CHECK(hash_with("faults.slow=[]") == quiet);
  CHECK(hash_with(R"(faults.slow={"nodes": [0], "factor": 2})") != quiet);
}

TEST_CASE("a platform that disturbs in no sensible way is refused with its place") {
  const Workspace workspace;
  const auto [set, message] = GENERATE(table<std::string, std::string>({
      {"platform.detection_loss_probability=1",
       "platform.detection_loss_probability: expected a number below 1"},
      {"platform.detection_loss_probability=-0.1",
       "platform.detection_loss_probability: expected a number from 0 to 1, got -0.1"},
      {"platform.start_delay_s=-1",
       "platform.start_delay_s: expected a number of at least 0 in seconds, got -1"},
      {"platform.delay_noise={}",
       "platform.delay_noise.mean_s: missing, expected a number above 0 in seconds"},
      {R"(platform.delay_noise={"mean_s": 0})",
       "platform.delay_noise.mean_s: expected a number above 0 in seconds, got 0"},
      {R"(platform.delay_noise={"mean_s": 1, "law": "normal"})",
       "platform.delay_noise.law: expected one of exponential, uniform or pareto, got \"normal\""},
      {R"(platform.delay_noise={"mean_s": 1, "shape": 1})",
       "platform.delay_noise.shape: expected a number above 1 and at most 1e+06, got 1"},
      {R"(platform.delay_noise={"mean_s": 1, "per": "link"})",
       "platform.delay_noise.per: expected one of message or hop, got \"link\""},
      {R"(platform.fencing={"by": "me"})",
       "platform.fencing.by: expected one of resource-manager or nobody, or null, got \"me\""},
      {R"(platform.fencing={"delay_s": -1})",
       "platform.fencing.delay_s: expected a number of at least 0 in seconds, got -1"},
      {R"(platform.fencing={"reach": "some"})",
       "platform.fencing.reach: expected one of all or connected, got \"some\""},
      {"platform.fencing=3", "platform.fencing: expected an object, got 3"},
      {"platform.os_noise=3", "platform.os_noise: expected an object, got 3"},
      {R"(platform.os_noise={"length_s": 1})",
       "platform.os_noise.interval_s: missing, expected a number above 0 in seconds"},
      {R"(platform.os_noise={"interval_s": 1, "length_s": 0})",
       "platform.os_noise.length_s: expected a number above 0 in seconds, got 0"},
      {R"(platform.os_noise={"interval_s": 1, "length_s": 1})",
       "platform.os_noise.length_s: expected less than interval_s, 1, got 1"},
      {R"(platform.os_noise={"interval_s": 1, "length_s": 0.5, "nodes": []})",
       "platform.os_noise.nodes: expected at least one of the job's nodes"},
      {R"(platform.os_noise={"interval_s": 1, "length_s": 0.5, "nodes": [9]})",
       "platform.os_noise.nodes[0]: expected one of the job's nodes, 0 to 3, got 9"},
  }));
  CAPTURE(set);
  const std::string errors = workspace.errors_after({set});
  CHECK_THAT(errors, Contains(message));
  CHECK(lines_in(errors) == 1);
}

TEST_CASE("partitions and slow nodes that make no sense are refused with their place") {
  const Workspace workspace;
  const auto [set, message] = GENERATE(table<std::string, std::string>({
      {"faults.partition=3", "faults.partition: expected an object, got 3"},
      {"faults.partition={}",
       "faults.partition: expected the groups in exactly one of nodes and ranks"},
      {R"(faults.partition={"nodes": [[0], [1]], "ranks": [[0], [1]]})",
       "faults.partition: expected the groups in exactly one of nodes and ranks"},
      {R"(faults.partition={"nodes": [[0], 1]})",
       "faults.partition.nodes[1]: expected a list of nodes, got 1"},
      {R"(faults.partition={"nodes": [0, 1, 2]})",
       "faults.partition.nodes[0]: expected a list of nodes, got 0"},
      {R"(faults.partition={"nodes": [[0, 1]]})",
       "faults.partition.nodes: expected a list of at least two lists of nodes, got 1"},
      {R"(faults.partition={"nodes": [[0], []]})",
       "faults.partition.nodes[1]: expected at least one of the job's nodes"},
      {R"(faults.partition={"nodes": [[0], [4]]})",
       "faults.partition.nodes[1][0]: expected one of the job's nodes, 0 to 3, got 4"},
      {R"(faults.partition={"ranks": [[0], [16]]})",
       "faults.partition.ranks[1][0]: expected one of the job's ranks, 0 to 15, got 16"},
      {R"(faults.partition=[{"nodes": [[0, 2], [1, 2]]}])",
       "faults.partition[0].nodes[1]: 2 is in faults.partition[0].nodes[0] already"},
      {R"(faults.partition={"nodes": [[0], [1]], "from_s": 5, "to_s": 5})",
       "faults.partition.to_s: expected a time after from_s, 5, got 5"},
      {R"(faults.partition={"nodes": [[0], [1]], "from_s": -1})",
       "faults.partition.from_s: expected a number of at least 0 in seconds, got -1"},
      {R"(faults.partition={"nodes": [[0], [1]], "to_s": 0})",
       "faults.partition.to_s: expected a number above 0 in seconds, or null, got 0"},
      {R"(faults.slow={"nodes": [0]})", "faults.slow.factor: missing, expected a number from 1"},
      {R"(faults.slow={"nodes": [0], "factor": 0.5})",
       "faults.slow.factor: expected a number from 1 to 1e+09, got 0.5"},
      {R"(faults.slow={"factor": 2})", "faults.slow.nodes: missing, expected a list of nodes"},
      {R"(faults.slow={"nodes": [], "factor": 2})",
       "faults.slow.nodes: expected at least one of the job's nodes"},
      {R"(faults.slow={"nodes": [4], "factor": 2})",
       "faults.slow.nodes[0]: expected one of the job's nodes, 0 to 3, got 4"},
      {R"(faults.slow=[{"nodes": [0], "factor": 2, "from_s": 3, "to_s": 2}])",
       "faults.slow[0].to_s: expected a time after from_s, 3, got 2"},
      {R"(faults.partition={"nodes": [[0], [1]], "till_s": 3})",
       "faults.partition.till_s: unknown key"},
  }));
  CAPTURE(set);
  const std::string errors = workspace.errors_after({set});
  CHECK_THAT(errors, Contains(message));
  CHECK(lines_in(errors) == 1);
}

TEST_CASE("all-reported may never come if the network stays cut") {
  const Workspace workspace;
  const std::vector<std::string> sets{"stop.when=all-reported", "failure_detection.name=oracle",
                                      R"(faults.at=[{"time_s": 1, "nodes": [0]}])",
                                      "allow_unsafe=true"};
  const auto errors_with = [&](const std::string& partition) {
    std::vector<std::string> all = sets;
    all.push_back("faults.partition=" + partition);
    return workspace.errors_after(all);
  };
  CHECK_THAT(errors_with(R"({"nodes": [[0], [1]]})"),
             Contains("stop.when: \"all-reported\" may never come under a faults.partition"));
  CHECK(errors_with(R"({"nodes": [[0], [1]], "to_s": 9})").empty());
}

}  // namespace faultline::scenario
