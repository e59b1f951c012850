// SPDX-License-Identifier: Apache-2.0

// Which messages wait for which at the NIC of a node and before its links, by hand. On the round
// machine a message of k bytes is ready 1 s after its send began, keeps the NIC for k/100 s, and is
// handled 11 + k/100 s after the NIC has taken it up.

#include <catch2/catch.hpp>
#include <vector>

#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

struct Send {
  Rank to;
  std::uint32_t bytes;
  std::uint8_t flags = 0;
};

/// What a rank sends in one handler, once it has computed for a while.
struct SendingTurn {
  Rank from;
  double after_s;
  std::vector<Send> sends;
};

/// Every rank makes its turns and notes what it gets, with the sender as value.
void turns(Job& job, const std::vector<SendingTurn>& all) {
  job.script(Family::workload, [&job, all](ActorId self) {
    const auto make = [self, all](ScriptContext& context, std::uint64_t tag) {
      for (const Send& send : all[tag].sends)
        context.send(send.to, 0, send.bytes).flags |= send.flags;
    };
    return Handlers{
        .start =
            [=](ScriptContext& context) {
              for (std::size_t tag = 0; tag < all.size(); ++tag) {
                if (all[tag].from != self) continue;
                if (all[tag].after_s == 0)
                  make(context, tag);
                else
                  context.set_timer(tag, all[tag].after_s);
              }
            },
        .message = [&job](ScriptContext& context,
                          const Message& message) { job.note(context, "got", message.from); },
        .timer = make};
  });
}

}  // namespace

TEST_CASE("a NIC that is faster than a link feeds several links at once") {
  for (const scenario::EngineKind engine : engines()) {
    platform::Machine machine = round_machine();
    machine.topology = platform::Torus{{4, 4}};
    machine.nodes = 16;
    machine.nic_bandwidth_Bps = 400;
    Job job(16, machine);
    job.spec.platform.whole_machine = true;
    // Four neighbours by four links, and the first of them once more.
    turns(job, {{0, 0, {{1, 400}, {3, 400}, {4, 400}, {12, 400}, {1, 400}}}});
    const Seen seen = job.run(engine);
    // Taken up at 1, 2, 3, 4 and 5, one second each; 4 s on the link, 9 s of latency, o_r.
    CHECK(close(seen.times_s(1, "got"), {15, 19}, engine));
    CHECK(close(seen.times_s(3, "got"), {16}, engine));
    CHECK(close(seen.times_s(4, "got"), {17}, engine));
    CHECK(close(seen.times_s(12, "got"), {18}, engine));
  }
}

TEST_CASE("loggp: messages that leave a node by one link follow each other on it") {
  platform::Machine machine = round_machine();
  machine.topology = platform::Torus{{5, 4}};
  machine.nodes = 20;
  machine.nic_bandwidth_Bps = 400;
  Job job(20, machine);
  job.spec.platform.whole_machine = true;
  // Nodes 1, 2 and 7 (2 along the first dimension, 1 along the second) lie behind one link.
  turns(job, {{0, 0, {{1, 400}, {7, 400}, {2, 0}}}});
  const Seen seen = job.run(scenario::EngineKind::loggp);
  CHECK(close(seen.times_s(1, "got"), {1 + 4 + 9 + 1}, scenario::EngineKind::loggp));
  CHECK(close(seen.times_s(7, "got"), {5 + 4 + 11 + 1}, scenario::EngineKind::loggp));
  CHECK(close(seen.times_s(2, "got"), {9 + 0 + 10 + 1}, scenario::EngineKind::loggp));
}

TEST_CASE("a NIC serves the processes of its node in the order of time, not of turns") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6);
    job.spec.platform.processes_per_node = 2;
    job.spec.platform.machine.gap_s = 0.25;
    turns(job, {{0, 0, {{2, 0}, {2, 0}, {2, 0}, {2, 0}}}, {1, 0, {{4, 0}}}});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(2, "got"), {12, 13, 14, 15}, engine));
    CHECK(close(seen.times_s(4, "got"), {12.25}, engine));
  }
}

TEST_CASE("a busy NIC takes waiting messages in the order in which they were ready") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6);
    job.spec.platform.processes_per_node = 2;
    // Ready at 1, 2, 3 and, of the other process, at 2.5; each keeps the NIC for 4 s.
    turns(job, {{0, 0, {{2, 400}, {2, 400}, {2, 400}}}, {1, 1.5, {{4, 400}}}});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(2, "got"), {16, 20, 28}, engine));
    CHECK(close(seen.times_s(4, "got"), {24}, engine));
  }
}

TEST_CASE("the dead leave their place before the NIC to others") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6);
    job.spec.platform.processes_per_node = 2;
    // Taken up at 1, and were to be at 5 and 9.
    turns(job, {{0, 0, {{2, 400}, {2, 400}, {2, 400}}}, {1, 3.5, {{4, 0}}}});
    job.kill(4, {0});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(2, "got"), {16}, engine));
    CHECK(close(seen.times_s(4, "got"), {16}, engine));
    CHECK(seen.metric("application_messages_lost") == 2);
  }
}

TEST_CASE("a NIC that the dead had reserved and not used is free for others") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(6);
    job.spec.platform.processes_per_node = 2;
    turns(job, {{0, 0, {{2, 400}}}, {1, 0.75, {{4, 0}}}});
    job.kill(0.5, {0});
    CHECK(close(job.run(engine).times_s(4, "got"), {12.75}, engine));
  }
}

TEST_CASE("a node takes in no two messages within the gap") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(8);
    job.spec.platform.processes_per_node = 2;
    job.spec.platform.machine.gap_s = 3;
    turns(job, {{2, 0, {{0, 0}}}, {4, 0.25, {{1, 0}}}, {6, 0.5, {{0, 0}}}});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "got"), {12, 18}, engine));
    CHECK(close(seen.times_s(1, "got"), {15}, engine));
  }
}

TEST_CASE("loggp: a message that the NIC is receiving does not delay one within the node") {
  Job job(6);
  job.spec.platform.processes_per_node = 2;
  // The two from outside are in at 16 and 21; the neighbour's has come at 17.
  turns(job, {{2, 0, {{0, 500}}}, {4, 0, {{0, 500}}}, {1, 14, {{0, 0}}}});
  const Seen seen = job.run(scenario::EngineKind::loggp);
  CHECK(close(seen.times_s(0, "got"), {17, 18, 22}, scenario::EngineKind::loggp));
  CHECK(seen.values(0, "got") == Values{2, 1, 4});
}

TEST_CASE("a fence waits for what earlier handlers have sent, and holds up its processor") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    job.spec.platform.processes_per_node = 2;
    // The second message enters the network at 9; the fenced one within the node is sent then.
    turns(job, {{0, 0, {{2, 800}, {2, 100}}}, {0, 4, {{1, 0, kFence}, {1, 0}}}, {1, 3, {{0, 0}}}});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(2, "got"), {20, 21}, engine));
    CHECK(close(seen.times_s(1, "got"), {13, 14}, engine));
    // It had come at 6; the processor is free when both have been sent, at 11.
    CHECK(close(seen.times_s(0, "got"), {12}, engine));
  }
}

TEST_CASE("what waits at a fence dies with its sender") {
  for (const scenario::EngineKind engine : engines()) {
    Job job(4);
    job.spec.platform.processes_per_node = 2;
    turns(job, {{0, 0, {{2, 800}, {2, 100}, {1, 0, kFence}}}});
    job.kill(8.5, {0});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(2, "got"), {20}, engine));
    CHECK(seen.count("got") == 1);
    CHECK(seen.metric("application_messages_lost") == 2);
    CHECK(seen.result.outcome == Outcome::finished);
  }
}

}  // namespace faultline::engine
