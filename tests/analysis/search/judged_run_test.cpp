// SPDX-License-Identifier: Apache-2.0

// Judgements of runs that look wrong and are not.

#include "analysis/search/judged_run.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/job.hpp"
#include "tests/support/json_tree.hpp"

namespace faultline::search {

using faultline::test::kSimGridEngine;
using faultline::test::tree;

TEST_CASE("a commit may time out where a rank takes longer to cancel than others wait") {
  // Each request that is cancelled takes 1e9 s, more than any timeout of the judge.
  const Judgement judgement = judged(
      tree(R"({"schema_version": 1, "seed": 603865, "platform": {"machine": "mira", "processes": 8,
    "ordering": "unordered", "packet_bytes": 26, "local_exit_delay_s": 0.000166,
    "link_lost_delay_s": 0.00179, "daemon_core": "dedicated", "context_switch_s": 4.89e-05,
    "detection_loss_probability": 0, "spare_nodes": 2}, "workload": {"name": "lulesh-mpi",
    "iterations": 5, "iterations_per_block": 6, "exchanges": 3, "zone_compute_s": 4.44e-05,
    "state_bytes": 20000}, "transactions": {"name": "fampi", "checkpoint_iterations": null,
    "storage_bandwidth_Bps": 36500000000, "node_storage_bandwidth_Bps": 8640000, "spawn":
    "spare-node", "rebuild_over": "tree", "control_bytes": 600, "agreement": "star",
    "recovery": "merge", "protect_recovery": true, "request_timeout_s": 9.97,
    "wait_timeout_s": 0.7, "retries": 3, "cancel_s": 1000000000}, "failure_detection":
    {"name": "connection-loss", "radix": 5}, "faults": {"at": [{"event": 493, "daemons": [1,
    4]}, {"event": 283, "daemons": [1, 7]}, {"event": 254, "daemons": [6, 7]}, {"mark":
    {"name": "redo", "value": 7}, "nodes": [5, 6, 7]}, {"mark": {"name": "restore", "value":
    1}, "ranks": [2, 3]}, {"event": 5, "ranks": [7]}, {"time_s": 0.003, "nodes": [2, 6, 8]}]},
    "stop": {"time_s": 10}})"),
      {});
  CHECK(judgement.outcome == "fatal-reported");
  CHECK_FALSE(judgement.finding);
}

TEST_CASE("a rank that computes for long, and hears of nothing meanwhile, has not missed a death") {
  const Judgement judgement = judged(
      tree(R"({"schema_version": 1, "seed": 606020, "platform": {"machine": "mira", "processes": 40,
    "whole_machine": true, "mapping": "block", "progress": "between", "ordering": "fifo",
    "packet_bytes": 9920, "silent_link_lost_delay_s": 200}, "workload": {"name": "flood",
    "graph": "random", "bytes": 565, "compute_s": 1000000000}, "termination": {"name":
    "rel-eager"}, "failure_detection": {"name": "connection-loss", "members": "ranks",
    "radix": 10}, "faults": {"at": [{"time_s": 3.14e-05, "ranks": [0]}]}, "stop": {"grace_s":
    8.59, "time_s": 1.4}})"),
      {});
  CHECK(judgement.refused.empty());
  CHECK_FALSE(judgement.finding);
}

// One task of the tree takes minutes, however short the options' times are.
TEST_CASE("a rank amid a computation that no option bounds has not missed a death") {
  const Judgement judgement = judged(
      tree(R"({"schema_version": 1, "platform": {"machine": "cori", "processes": 2, "progress":
    "between"}, "workload": {"name": "work-stealing", "node_compute_s": 1}, "failure_detection":
    {"name": "connection-loss"}, "faults": {"at": [{"ranks": [0], "event": 1}]}})"),
      {});
  CHECK_FALSE(judgement.finding);
}

TEST_CASE("a death that PRRTE's graphs lose, as their page says, is not missed") {
  const auto judged_over = [](const std::string& graph, int processes) {
    return judged(
               tree(R"({"schema_version": 1, "platform": {"machine": "stampede", "processes": )" +
                    std::to_string(processes) + R"(}, "workload": {"name": "allreduce"},
    "failure_detection": {"name": "rdaemon", "broadcast": )" +
                    graph + R"(}, "faults": {"at": [{"time_s": 0, "ranks": [1]}]}})"),
               {})
        .finding;
  };
  CHECK_FALSE(judged_over(R"("routed-tree", "radix": 1)", 3));
  CHECK_FALSE(judged_over(R"("prrte-as-built")", 2));
  CHECK_FALSE(judged_over(R"("bmg")", 2));
}

TEST_CASE("a death in a life that its page says nobody watches is missed, and is no finding") {
  const auto judged_over = [](const std::string& detector) {
    return judged(tree(R"({"schema_version": 1, "platform": {"machine": "cori", "processes": 8,
    "spare_nodes": 4}, "workload": {"name": "try-blocks", "compute_s": 5, "iterations": 8},
    "transactions": {"name": "ulfm"}, "failure_detection": {"name": "ulfm", )" +
                       detector + R"(}, "faults": {"at": [{"time_s": 3, "ranks": [2]},
    {"time_s": 20, "ranks": [2]}]}, "stop": {"time_s": 1000}})"),
                  {});
  };
  const Judgement unwatched = judged_over(R"("rejoin": false)");
  CHECK(unwatched.outcome == "missed-death");
  CHECK(unwatched.by_membership);
  CHECK_FALSE(unwatched.finding);
  const Judgement watched = judged_over(R"("rejoin": true)");
  CHECK(watched.outcome == "finished");
  CHECK_FALSE(watched.by_membership);
  CHECK_FALSE(watched.finding);
}

// The run ends at 60 s, before the bound of its detector.
TEST_CASE(
    "a run in which all wait for somebody who may be dead is judged when that must be known") {
  const auto judged_over = [](const std::string& detector) {
    return judged(tree(R"({"schema_version": 1, "platform": {"machine": "cori", "processes": 8,
    "spare_nodes": 4}, "workload": {"name": "try-blocks", "compute_s": 5, "iterations": 8},
    "transactions": {"name": "ulfm"}, "failure_detection": {"name": "ulfm", )" +
                       detector + R"(}, "faults": {"at": [{"time_s": 3, "ranks": [2]},
    {"time_s": 40, "ranks": [2]}]}})"),
                  {});
  };
  // Nobody watches the second life, as the page says.
  const Judgement unwatched = judged_over(R"("rejoin": false)");
  CHECK(unwatched.outcome == "limit");
  CHECK_FALSE(unwatched.finding);
  CHECK_FALSE(judged_over(R"("rejoin": true)").finding);
}

TEST_CASE("a detector whose words wait behind gigabytes has not erred without a reason") {
  const Judgement judgement =
      judged(tree(R"({"schema_version": 1, "platform": {"machine": "intrepid", "processes": 4},
    "workload": {"name": "ordered-stencil"}, "termination": {"name": "rel-eager",
    "control_bytes": 31249999438}, "failure_detection": {"name": "swim", "members": "ranks",
    "heartbeat_period_s": 0.0204, "suspicion_multiplier": 11, "lifeguard": false}})"),
             {});
  CHECK_FALSE(judgement.finding);
}

TEST_CASE("a detector whose own words fill the network bears no stall") {
  const Judgement judgement =
      judged(tree(R"({"schema_version": 1, "seed": 118022008, "platform": {"machine": "intrepid",
    "processes": 20, "spare_nodes": 1, "whole_machine": false, "mapping": "random",
    "ordering": "fifo", "packet_bytes": 65536, "fencing": {"by": null, "delay_s": 0.8,
    "reach": "connected"}}, "workload": {"name": "stencil", "dimensions": 2, "iterations":
    34, "bytes": 9340, "object_bytes": 1460000, "synchronization": "tags"}, "termination":
    {"name": "venkatesan"}, "failure_detection": {"name": "ulfm", "heartbeat_period_s":
    1.42, "timeout_s": 300, "as_built": true, "rejoin": false, "message_delay_s": 0.002,
    "control_bytes": 1000000000000}, "stop": {"grace_s": 25.4}, "faults": {"at":
    [{"ranks": [8], "time_s": 0.036291736134581}, {"nodes": [9], "time_s":
    0.036321736134581}, {"ranks": [0, 1], "event": 6078}, {"nodes": [10], "event": 6078},
    {"ranks": [19], "time_s": 0.03629306216374018}, {"ranks": [6, 9], "time_s":
    0.03630527358865778}, {"stall_s": 240, "ranks": [0, 11], "time_s":
    0.03629747463458098}, {"ranks": [6, 19], "time_s": 0.036306236134580956}]}})"),
             {});
  CHECK(judgement.outcome == "limit");
  CHECK_FALSE(judgement.finding);
}

TEST_CASE("a program whose words take minutes may be given up") {
  const Judgement judgement =
      judged(tree(R"({"schema_version": 1, "platform": {"machine": "mira", "processes": 8,
    "processes_per_node": 2, "spare_nodes": 2}, "workload": {"name": "lulesh-mpi"},
    "transactions": {"name": "fampi", "control_bytes": 31249999452}, "failure_detection":
    {"name": "swim", "members": "ranks", "heartbeat_period_s": 1.56, "fallback_probe": false,
    "suspicion_multiplier": 16, "suspicion_maximum": 3.16, "lifeguard": false,
    "gossip_period_s": 0.0309, "gossip_members": 1, "retransmit_multiplier": 1}, "faults":
    {"at": [{"ranks": [3], "event": 974}, {"stall_s": 0.5, "ranks": [0], "time_s": 2.86}]}})"),
             {});
  CHECK(judgement.outcome == "fatal-reported");
  CHECK_FALSE(judgement.finding);
}

TEST_CASE("a death that few words of swim tell, and that gigabytes keep back, is not missed") {
  const auto finding = [](const std::string& scenario) {
    return judged(tree(scenario), {}).finding;
  };
  CHECK_FALSE(finding(R"({"schema_version": 1, "platform": {"machine": "cori", "processes": 6},
    "workload": {"name": "try-script", "steps": ["try", "try local among 5-5", "finish", "finish"]},
    "failure_detection": {"name": "swim", "members": "daemons", "retransmit_multiplier": 1,
    "push_pull_period_s": null}, "faults": {"at": [{"ranks": [0], "time_s": 0.01}]}})"));
  CHECK_FALSE(finding(R"({"schema_version": 1, "platform": {"machine": "intrepid",
    "processes": 6, "silent_link_lost_delay_s": 0}, "workload": {"name": "stencil"},
    "failure_detection": {"name": "connection-loss", "control_bytes": 31249999449}, "faults":
    {"at": [{"event": 70, "nodes": [5]}, {"nodes": [0, 1], "time_s": 30.000087190906605}]}})"));
}

TEST_CASE("a rank of ulfm that all others take for dead, and takes for dead, only waits") {
  const Judgement judgement =
      judged(tree(
                 R"({"schema_version": 1, "seed": 30609165, "platform": {"machine": "stampede",
    "processes": 8, "detection_loss_probability": 0.7}, "workload": {"name": "lulesh-mpi"},
    "transactions": {"name": "ulfm", "spawn": "same-node"}, "failure_detection": {"name": "swim",
    "suspicion_multiplier": 3, "lifeguard": false, "gossip_members": 1}, "faults": {"at": [
    {"ranks": [7], "time_s": 0}]}})"),
             {});
  CHECK_FALSE(judgement.finding);
}

TEST_CASE("a phase may hang whose detector's word of a death is lost while it waits for longer") {
  const Judgement judgement =
      judged(tree(
                 R"({"schema_version": 1, "seed": 30901390, "platform": {"machine": "mira",
    "processes": 50, "processes_per_node": 6, "mapping": "round-robin",
    "detection_loss_probability": 0.6}, "workload": {"name": "projection"}, "termination": {"name":
    "venkatesan"}, "failure_detection": {"name": "connection-loss", "radix": 2, "control_bytes":
    31249999465}, "faults": {"at": [{"event": 400, "ranks": [10]}, {"daemons": [8], "time_s":
    0.001324630137442999}]}})"),
             {});
  CHECK(judgement.outcome == "hung");
  CHECK(judgement.by_membership);
  CHECK_FALSE(judgement.finding);
}

TEST_CASE("a phase has not hung for good while terabytes are on their way") {
  const Judgement judgement = judged(
      tree(
          R"({"schema_version": 1, "platform": {"machine": "jaguar", "processes": 50}, "workload":
    {"name": "ping-pong"}, "termination": {"name": "venkatesan", "control_bytes": 999999999447},
    "failure_detection": {"name": "oracle", "delay_s": 0.001, "spread_s": 3.2e-06}, "faults": {"at":
    [{"ranks": [41], "event": 4}, {"daemons": [5], "time_s": 0.001}, {"ranks": [0], "time_s":
    0.0002}, {"time_s": 6.26, "daemons": [19]}, {"daemons": [20, 21, 37], "time_s": 0.002}]}})"),
      {});
  CHECK(judgement.outcome == "hung");
  CHECK_FALSE(judgement.finding);
}

TEST_CASE("a program that gives up after an announcement has not promised the end of its work") {
  const Judgement judgement = judged(
      tree(
          R"({"schema_version": 1, "seed": 50007555, "platform": {"machine": "cori", "processes": 4,
    "worker_cores": 3}, "workload": {"name": "work-stealing", "board": 5, "steal_attempts": 0},
    "termination": {"name": "venkatesan", "leaders": 4}, "failure_detection": {"name":
    "erring-oracle", "delay_s": 0.0004, "spread_s": 1e-05}, "faults": {"at": [{"ranks": [1],
    "event": 20}, {"ranks": [0], "time_s": 0.0004183449979959162}]}})"),
      {});
  CHECK(judgement.outcome == "fatal-reported");
  CHECK_FALSE(judgement.finding);
}

TEST_CASE("work is lost with the rank that has it done again, if nobody is told of its death") {
  const auto judgement = [](const std::string& victim) {
    return judged(
        tree(
            R"({"schema_version": 1, "platform": {"machine": "cori", "processes": 3, "worker_cores":
      3, "link_lost_delay_s": 0.04}, "workload": {"name": "work-stealing"}, "termination": {"name":
      "venkatesan", "leaders": 3}, "failure_detection": {"name": "connection-loss", "radix": 1},
      "faults": {"at": [{"daemons": [1], "time_s": 0.07135561399999997}, {"ranks": [)" +
            victim + R"(], "time_s": 0.11136032006666662}]}})"),
        {});
  };
  CHECK(judgement("0").outcome == "violated");
  CHECK(judgement("0").by_membership);
  CHECK_FALSE(judgement("0").finding);
  CHECK_FALSE(judgement("2").finding);
  CHECK_FALSE(judgement("2").by_membership);
}

TEST_CASE("a suspicion of swim that nobody confirms may last long, and misses no death") {
  const Judgement judgement =
      judged(tree(
                 R"({"schema_version": 1, "seed": 30000000, "platform": {"machine": "stampede",
    "processes": 4}, "workload": {"name": "stencil"}, "failure_detection": {"name": "swim",
    "members": "daemons", "heartbeat_period_s": 30, "suspicion_maximum": 60, "gossip_to_dead_s": 0,
    "push_pull_period_s": 1}, "faults": {"at": [{"mark": {"name": "iteration", "value": 0},
    "daemons": [3]}]}})"),
             {});
  CHECK(judgement.outcome == "limit");
  CHECK_FALSE(judgement.finding);
}

TEST_CASE("a program may be given up whose detector's words are lost while it waits for longer") {
  const Judgement judgement = judged(
      tree(
          R"({"schema_version": 1, "seed": 7202977, "platform": {"machine": "cori", "processes": 53,
    "link_lost_delay_s": 0.09, "detection_loss_probability": 0.01}, "workload": {"name":
    "try-blocks"}, "transactions": {"name": "fampi", "recovery": "shrink", "wait_timeout_s": 0.03,
    "retries": 1}, "failure_detection": {"name": "connection-loss", "members": "ranks"}, "faults":
    {"at": [{"time_s": 0, "ranks": [0]}, {"ranks": [8], "time_s": 0}]}})"),
      {});
  CHECK(judgement.outcome == "fatal-reported");
  CHECK_FALSE(judgement.finding);
}

TEST_CASE(
    "a program in peace may be given up for a false report that comes while it waits longer") {
  const Judgement judgement =
      judged(tree(R"({"schema_version": 1, "platform": {"machine": "cori", "processes": 2,
    "detection_loss_probability": 0.4}, "workload": {"name": "try-blocks", "allreduces": 1,
    "bytes": 3906249446}, "transactions": {"name": "fampi", "checkpoint": "storage",
    "checkpoint_iterations": 1, "storage_bandwidth_Bps": 2000000000000,
    "node_storage_bandwidth_Bps": 2400000000, "rebuild_over": "tree", "scope": "local",
    "request_timeout_s": 0.004, "wait_timeout_s": 0.186, "retries": 2, "spawn_s": 5e-05,
    "cancel_s": 0.002}, "failure_detection": {"name": "rdaemon"}})"),
             {});
  CHECK(judgement.outcome == "fatal-reported");
  CHECK_FALSE(judgement.finding);
}

TEST_CASE("four members that die at once are more than a ring of six promises to bear") {
  const Judgement judgement =
      judged(tree(R"({"schema_version": 1, "platform": {"machine": "cori", "processes": 6,
    "processes_per_node": 2, "mapping": "round-robin"}, "workload": {"name": "random-tree"},
    "failure_detection": {"name": "ulfm"}, "faults": {"at": [{"nodes": [1, 0], "time_s": 0}]}})"),
             {});
  CHECK_FALSE(judgement.finding);
}

TEST_CASE("engines may differ in what a program sends before a false report stops it") {
  const Judgement judgement =
      judged(tree(R"({"schema_version": 1, "engine": "simgrid", "platform": {"machine": "intrepid",
    "processes": 10}, "workload": {"name": "stencil", "checkpoint_iterations": 1},
    "failure_detection": {"name": "erring-oracle"}})"),
             {});
  if (kSimGridEngine) CHECK(judgement.outcome == "unsafe-detector");
  CHECK_FALSE(judgement.finding);
}

// Its heartbeats wait behind long messages for longer on one engine than on the other.
TEST_CASE("engines may differ where a detector errs on one of them") {
  const Judgement judgement =
      judged(tree(R"({"schema_version": 1, "engine": "simgrid", "platform": {"machine": "nacl",
    "processes": 6}, "workload": {"name": "allreduce", "bytes": 300000, "repetitions": 10},
    "failure_detection": {"name": "ulfm", "heartbeat_period_s": 0.0001, "timeout_s": 0.0002}})"),
             {});
  if (kSimGridEngine) CHECK(judgement.outcome == "finished");
  CHECK_FALSE(judgement.finding);
}

TEST_CASE("a program whose messages are late by days may be given up") {
  const auto judged_under = [](const std::string& noise, const std::string& faults) {
    return judged(tree(R"({"schema_version": 1, "platform": {"machine": "nacl", "processes": 6)" +
                       noise + R"(}, "workload": {"name": "try-blocks"}, "transactions": {"name":
    "fampi", "request_timeout_s": 0.01, "wait_timeout_s": 0.01, "retries": 1}, "failure_detection":
    {"name": "connection-loss"}, "faults": {)" +
                       faults + "}}"),
                  {});
  };
  const std::string noise = R"(, "delay_noise": {"law": "exponential", "mean_s": 1000000})";
  const std::string cut = R"("partition": {"nodes": [[0, 1, 2], [3, 4, 5]], "messages": "wait",
    "to_s": 5000000})";
  for (const Judgement& judgement : {judged_under(noise, ""), judged_under("", cut)}) {
    CHECK(judgement.outcome == "fatal-reported");
    CHECK_FALSE(judgement.finding);
  }
}

TEST_CASE("a recovery from a false report is late, and not stuck, where each word takes a second") {
  const Judgement judgement =
      judged(tree(R"({"schema_version": 1, "platform": {"machine": "nacl", "processes": 3},
    "workload": {"name": "ordered-stencil", "iterations": 1, "checkpoint_iterations": 1},
    "termination": {"name": "four-counter"}, "message_logging": {"name": "causal",
    "determinant_s": 1}, "failure_detection": {"name": "erring-oracle"}})"),
             {});
  CHECK(judgement.outcome == "unsafe-detector");
  CHECK_FALSE(judgement.finding);
}

// Each acknowledgement of 1 TB takes 9 minutes on a link of this machine, and one on its NICs.
TEST_CASE("a detector that announces late because its messages are long does not hang") {
  const Judgement judgement =
      judged(tree(R"({"schema_version": 1, "platform": {"machine": "mira", "processes": 200},
    "workload": {"name": "try-blocks"}, "termination": {"name": "lai-wu", "control_bytes":
    999999999451}, "failure_detection": {"name": "connection-loss", "members": "ranks", "radix": 2,
    "control_bytes": 451}, "faults": {"at": [{"event": 30, "ranks": [41, 131]}]}})"),
             {});
  CHECK(judgement.outcome == "hung");
  CHECK_FALSE(judgement.finding);
}

TEST_CASE("an accused rank begins again at its start where there are no checkpoints") {
  const Judgement judgement =
      judged(tree(R"({"schema_version": 1, "platform": {"machine": "stampede", "processes": 3},
    "workload": {"name": "ping-pong"}, "message_logging": {"name": "checkpoint-restart"},
    "failure_detection": {"name": "erring-oracle", "report_s": 0}})"),
             {});
  CHECK(judgement.outcome == "finished");
  CHECK_FALSE(judgement.finding);
}

}  // namespace faultline::search
