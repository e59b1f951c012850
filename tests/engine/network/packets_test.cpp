// SPDX-License-Identifier: Apache-2.0

// Long messages and words at NICs and links, by hand. On the round machine a message of k bytes is
// ready 1 s after its send began, passes the NIC in k/100 s, is at the other node 10 s later, and
// is handled 1 s after its last byte is in. Up to 50 bytes it is a word.

#include <catch2/catch.hpp>
#include <vector>

#include "tests/engine/membership/erring.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

struct TimedSend {
  Rank from;
  double after_s;
  Rank to;
  std::uint64_t bytes;
};

/// Each rank sends when it is told, in this order at equal times, and notes what it gets, with the
/// sender as value.
void timed_sends(Job& job, const std::vector<TimedSend>& all) {
  job.script(Family::workload, [&job, all](ActorId self) {
    return Handlers{
        .start =
            [all, self](ScriptContext& context) {
              for (std::size_t i = 0; i < all.size(); ++i)
                if (all[i].from == self) context.set_timer(i, all[i].after_s);
            },
        .message = [&job](ScriptContext& context,
                          const Message& message) { job.note(context, "got", message.from); },
        .timer = [all](ScriptContext& context,
                       std::uint64_t i) { context.send(all[i].to, 0, all[i].bytes); }};
  });
}

/// Two ranks a node; the ranks of node n are 2n and 2n + 1.
class PacketJob : public Job {
 public:
  explicit PacketJob(const std::vector<TimedSend>& all, platform::Machine machine = round_machine())
      : Job(8, std::move(machine)) {
    spec.platform.processes_per_node = 2;
    spec.platform.packet_bytes = 50;
    timed_sends(*this, all);
  }
};

constexpr scenario::EngineKind kLoggp = scenario::EngineKind::loggp;

/// Nodes 1 and 2 of five lie behind one link of node 0, which is a quarter as fast as its NIC, and
/// node 4 behind the other.
platform::Machine narrow_ring() {
  platform::Machine machine = round_machine();
  machine.topology = platform::Torus{{5}};
  machine.nodes = 5;
  machine.nic_bandwidth_Bps = 400;
  return machine;
}

}  // namespace

TEST_CASE("loggp: a word overtakes a long message in the NIC and delays it by its own bytes") {
  // The long one leaves from 1 on, the words from 2.5 and 3.5 on, of which the second is empty.
  PacketJob job({{0, 0, 2, 400}, {1, 1.5, 4, 50}, {0, 2.5, 6, 0}});
  const Seen seen = job.run();
  CHECK(close(seen.times_s(4, "got"), {2.5 + 0.5 + 11}, kLoggp));
  CHECK(close(seen.times_s(6, "got"), {3.5 + 11}, kLoggp));
  CHECK(close(seen.times_s(2, "got"), {1 + 4 + 0.5 + 11}, kLoggp));
}

TEST_CASE("loggp: a message of one byte more than a packet is not a word") {
  PacketJob job({{0, 0, 2, 400}, {1, 1.5, 4, 51}});
  const Seen seen = job.run();
  CHECK(close(seen.times_s(2, "got"), {5 + 11}, kLoggp));
  CHECK(close(seen.times_s(4, "got"), {5.51 + 11}, kLoggp));
}

TEST_CASE("loggp: the gap after a word holds up words, and no long message that has begun") {
  PacketJob job({{0, 0, 2, 400}, {1, 1, 4, 50}, {1, 1.1, 6, 0}});
  job.spec.platform.machine.send_overhead_s = 0;
  job.spec.platform.machine.gap_s = 2;
  const Seen seen = job.run();
  // Words leave at 1 and 1 + 0.5 + 2; the long one has left at 4.5.
  CHECK(close(seen.times_s(4, "got"), {1.5 + 11}, kLoggp));
  CHECK(close(seen.times_s(6, "got"), {3.5 + 11}, kLoggp));
  CHECK(close(seen.times_s(2, "got"), {4.5 + 11}, kLoggp));
}

TEST_CASE("loggp: a long message begins when the gap after a word is over, and keeps one itself") {
  PacketJob job({{0, 0, 2, 50}, {1, 0.1, 4, 400}, {1, 4, 6, 0}});
  job.spec.platform.machine.send_overhead_s = 0;
  job.spec.platform.machine.gap_s = 2;
  const Seen seen = job.run();
  CHECK(close(seen.times_s(2, "got"), {0.5 + 11}, kLoggp));
  // The last word is ready at 4 and leaves while the long one does, from 2.5 to 6.5.
  CHECK(close(seen.times_s(6, "got"), {4 + 11}, kLoggp));
  CHECK(close(seen.times_s(4, "got"), {6.5 + 11}, kLoggp));

  PacketJob late({{0, 0, 4, 400}, {1, 4.5, 6, 0}});
  late.spec.platform.machine.send_overhead_s = 0;
  late.spec.platform.machine.gap_s = 2;
  CHECK(close(late.run().times_s(6, "got"), {4 + 2 + 11}, kLoggp));
}

TEST_CASE(
    "loggp: a word that waits for the gap after a word keeps that after a long message, too") {
  // The first word leaves from 3 to 3.5, so that the long message has left at 4.5, while the second
  // word, ready at 3.2, waits until 5.5.
  PacketJob job({{0, 0, 2, 400}, {1, 3, 4, 50}, {1, 3.2, 6, 0}});
  job.spec.platform.machine.send_overhead_s = 0;
  job.spec.platform.machine.gap_s = 2;
  const Seen seen = job.run();
  CHECK(close(seen.times_s(4, "got"), {3.5 + 11}, kLoggp));
  CHECK(close(seen.times_s(2, "got"), {4.5 + 11}, kLoggp));
  CHECK(close(seen.times_s(6, "got"), {4.5 + 2 + 11}, kLoggp));
}

TEST_CASE("loggp: a word overtakes a long message on a narrow link and delays it there") {
  // A gap that is over before the next message comes changes nothing, nor does the order.
  for (const scenario::Ordering ordering :
       {scenario::Ordering::fifo, scenario::Ordering::unordered}) {
    for (const double gap_s : {0.0, 0.25, 0.5}) {
      Job job(5, narrow_ring());
      job.spec.platform.whole_machine = true;
      job.spec.platform.packet_bytes = 50;
      job.spec.platform.machine.gap_s = gap_s;
      job.spec.platform.ordering = ordering;
      job.spec.platform.unordered_delay_s = 0;
      // The long one is in the NIC from 1 to 2 and on the link from 1 on. One word follows it on
      // its link from 2.5 on, one takes the other link.
      timed_sends(job, {{0, 0, 1, 400}, {0, 1.5, 2, 50}, {0, 3, 4, 50}});
      const Seen seen = job.run();
      CHECK(close(seen.times_s(2, "got"), {2.5 + 0.5 + 10 + 1}, kLoggp));
      CHECK(close(seen.times_s(4, "got"), {4 + 0.5 + 9 + 1}, kLoggp));
      CHECK(close(seen.times_s(1, "got"), {1 + 4 + 0.5 + 9 + 1}, kLoggp));
    }
  }
}

TEST_CASE("loggp: long messages follow each other on a narrow link") {
  Job job(5, narrow_ring());
  job.spec.platform.whole_machine = true;
  job.spec.platform.packet_bytes = 50;
  // In the NIC from 1 to 2 and from 2 to 3; on the link from 1 to 5 and from 5 to 9, less a word
  // of 0.5 s at 7.
  timed_sends(job, {{0, 0, 1, 400}, {0, 1, 2, 400}, {0, 6, 1, 50}});
  const Seen seen = job.run();
  CHECK(close(seen.times_s(1, "got"), {5 + 9 + 1, 7.5 + 9 + 1}, kLoggp));
  CHECK(close(seen.times_s(2, "got"), {9.5 + 10 + 1}, kLoggp));
}

TEST_CASE("loggp: a word that comes while a long message streams in is taken in at once") {
  // The long one streams in from 11 on, the word comes from 13 to 13.5.
  PacketJob job({{2, 0, 0, 400}, {4, 2, 1, 50}});
  const Seen seen = job.run();
  CHECK(close(seen.times_s(1, "got"), {13.5 + 1}, kLoggp));
  CHECK(close(seen.times_s(0, "got"), {15.5 + 1}, kLoggp));
}

TEST_CASE("a NIC with bandwidth to spare takes in a word without delay of the long message") {
  platform::Machine machine = round_machine();
  machine.nic_bandwidth_Bps = 200;
  // The long one streams in from 11 to 15, the word from 13 to 13.5.
  PacketJob job({{2, 0, 0, 400}, {4, 2, 1, 50}}, machine);
  const Seen seen = job.run();
  CHECK(close(seen.times_s(1, "got"), {13.5 + 1}, kLoggp));
  CHECK(close(seen.times_s(0, "got"), {15 + 1}, kLoggp));
}

TEST_CASE("two long messages into one node share the NIC byte by byte") {
  for (const scenario::EngineKind engine : engines()) {
    // They stream in from 11 and 12 on. When the last byte of the first comes, 300 of the second
    // have come before it.
    PacketJob job({{2, 0, 0, 400}, {4, 1, 1, 400}});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(0, "got"), {11 + 7 + 1}, engine));
    CHECK(close(seen.times_s(1, "got"), {11 + 8 + 1}, engine));
  }
}

TEST_CASE("loggp: a word goes before what two long messages have left") {
  // At 15 each has 200 bytes in the NIC or before it; the word takes from 15 to 15.5.
  PacketJob job({{2, 0, 0, 400}, {4, 0, 0, 400}, {6, 4, 1, 50}});
  const Seen seen = job.run();
  CHECK(close(seen.times_s(1, "got"), {15.5 + 1}, kLoggp));
  CHECK(close(seen.times_s(0, "got"), {19.5 + 1, 19.5 + 2}, kLoggp));
}

TEST_CASE("loggp: a NIC takes in no byte before it has come") {
  // Words for another node hold up the first long one at its sender, so that it comes from 11 to
  // 17, and half of it before 15. The second comes from 15 to 19. From 15 on the NIC always has
  // something to take in: at 17 have come 200 bytes of each.
  PacketJob job({{2, 0, 0, 400},
                 {3, 0.5, 6, 50},
                 {3, 1.5, 6, 50},
                 {3, 2.5, 6, 50},
                 {3, 3.5, 6, 50},
                 {4, 4, 1, 400}});
  const Seen seen = job.run();
  CHECK(close(seen.times_s(0, "got"), {19 + 1}, kLoggp));
  CHECK(close(seen.times_s(1, "got"), {21 + 1}, kLoggp));
}

TEST_CASE("loggp: a word that is half in when a long message comes delays it by the other half") {
  // The word comes from 11 to 11.5, the long one from 11.25 to 15.25.
  PacketJob job({{4, 0, 1, 50}, {2, 0.25, 0, 400}});
  const Seen seen = job.run();
  CHECK(close(seen.times_s(1, "got"), {11.5 + 1}, kLoggp));
  CHECK(close(seen.times_s(0, "got"), {15.5 + 1}, kLoggp));
}

TEST_CASE("loggp: a receiving NIC keeps the gap between a long message and a word") {
  PacketJob job({{2, 0, 0, 400}, {4, 4.5, 1, 50}});
  job.spec.platform.machine.gap_s = 3;
  const Seen seen = job.run();
  // The long one is in at 15, before the word comes, which is taken in from 18 on.
  CHECK(close(seen.times_s(0, "got"), {16}, kLoggp));
  CHECK(close(seen.times_s(1, "got"), {18.5 + 1}, kLoggp));

  PacketJob before({{2, 0, 0, 400}, {4, 2, 1, 50}});
  before.spec.platform.machine.gap_s = 3;
  const Seen after = before.run();
  // The word is in at 13.5; the long one, which has come at 15.5, is not in before 16.5.
  CHECK(close(after.times_s(1, "got"), {13.5 + 1}, kLoggp));
  CHECK(close(after.times_s(0, "got"), {16.5 + 1}, kLoggp));
}

TEST_CASE("loggp: a word stays behind the long message of its pair, and others pass both") {
  PacketJob job({{0, 0, 2, 400}, {0, 0.5, 2, 50}, {1, 2, 2, 50}});
  const Seen seen = job.run();
  // The neighbour's word leaves at 3; the long one has left at 5.5 and is handled at 16.5; the word
  // behind it has come at 16.
  CHECK(close(seen.times_s(2, "got"), {3.5 + 11, 5.5 + 11, 5.5 + 11 + 1}, kLoggp));
  CHECK(seen.values(2, "got") == Values{1, 0, 0});
}

TEST_CASE("loggp: a word stays behind the long message of its pair on a link and at the receiver") {
  Job job(10, narrow_ring());
  job.spec.platform.processes_per_node = 2;
  job.spec.platform.whole_machine = true;
  job.spec.platform.packet_bytes = 50;
  // The long one is on the link until 5. At the receiver's NIC, which is fast, nothing waits.
  timed_sends(job, {{0, 0, 2, 400}, {0, 2, 2, 50}, {0, 2.5, 3, 0}});
  const Seen seen = job.run();
  CHECK(close(seen.times_s(3, "got"), {4 + 9 + 1}, kLoggp));
  CHECK(close(seen.times_s(2, "got"), {5 + 9 + 1, 5.5 + 9 + 1 + 0.5}, kLoggp));

  // Two long ones of two nodes are in at 19; the word behind one of them has come at 15.5.
  PacketJob crowd({{2, 0, 0, 400}, {4, 0, 1, 400}, {2, 3.5, 0, 50}});
  const Seen crowded = crowd.run();
  CHECK(close(crowded.times_s(1, "got"), {19 + 1}, kLoggp));
  CHECK(close(crowded.times_s(0, "got"), {19 + 1, 19 + 2}, kLoggp));
}

TEST_CASE("loggp: a word behind the long message of its pair passes those of others") {
  // Two long ones wait when the word is ready. That of its pair leaves first, until 5.
  PacketJob job({{0, 0, 2, 400}, {1, 0.1, 4, 400}, {0, 0.2, 2, 50}});
  const Seen seen = job.run();
  CHECK(close(seen.times_s(2, "got"), {5 + 11, 5.5 + 11 + 0.5}, kLoggp));
  CHECK(close(seen.times_s(4, "got"), {9.5 + 11}, kLoggp));
}

TEST_CASE("loggp: unordered, a word overtakes the long message of its pair") {
  PacketJob job({{0, 0, 2, 400}, {0, 0.5, 2, 50}});
  job.spec.platform.ordering = scenario::Ordering::unordered;
  job.spec.platform.unordered_delay_s = 0;
  CHECK(close(job.run().times_s(2, "got"), {2.5 + 11, 5.5 + 11}, kLoggp));
}

TEST_CASE("a long message that has begun to leave stays in the network when its sender dies") {
  for (const scenario::EngineKind engine : engines()) {
    // It leaves from 1 to 5. Behind it wait a long one and a word of its pair, both of the dead.
    PacketJob job({{0, 0, 2, 400}, {0, 0.5, 4, 400}, {0, 0.6, 2, 50}, {1, 3, 6, 400}});
    job.kill(3.5, {0});
    const Seen seen = job.run(engine);
    CHECK(close(seen.times_s(2, "got"), {5 + 11}, engine));
    CHECK(seen.times_s(4, "got").empty());
    CHECK(close(seen.times_s(6, "got"), {9 + 11}, engine));
    CHECK(seen.metric("application_messages_lost") == 2);
  }
}

TEST_CASE("loggp: words delay a long message whose sender has died in the meantime") {
  PacketJob job({{0, 0, 2, 400}, {1, 3, 4, 50}});
  job.kill(2, {0});
  const Seen seen = job.run();
  CHECK(close(seen.times_s(4, "got"), {4.5 + 11}, kLoggp));
  CHECK(close(seen.times_s(2, "got"), {5.5 + 11}, kLoggp));
}

TEST_CASE("what a process that dies had still to send keeps the NIC no longer, fenced or not") {
  for (const scenario::EngineKind engine : engines())
    for (const bool fences : {false, true}) {
      // The first leaves from 1 to 5; the second would leave from 5 to 9, but its sender dies at 3.
      PacketJob job({{0, 0, 4, 400}, {0, 1.5, 4, 400}, {1, 2, 6, 400}});
      job.spec.platform.packet_bytes = 1000;
      if (fences) {
        job.use(Family::failure_detection, "erring-oracle",
                {{"reporter", std::int64_t{7}},
                 {"accused", std::int64_t{0}},
                 {"report_s", 2.5},
                 {"spreads", false}});
        fence_after(job, 0.5);
      } else {
        job.kill(3, {0});
      }
      const Seen seen = job.run(engine);
      CAPTURE(engine_word(engine), fences);
      CHECK(close(seen.times_s(6, "got"), {9 + 11}, engine));
      CHECK(seen.times_s(4, "got").size() == 1);
    }
}

}  // namespace faultline::engine
