// SPDX-License-Identifier: Apache-2.0

// The log of a sender, and how far a restarted rank is with what it had sent, without an engine.

#include "protocols/message_logging/sender_log.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "protocols/message_logging/repeated_sends.hpp"
#include "tests/support/digest_of.hpp"
#include "tests/support/part_of_layer.hpp"

namespace faultline::message_logging {

using namespace test;

namespace {

JobShape job_of(std::uint32_t processes) {
  JobShape job;
  job.processes = job.nodes = processes;
  return job;
}

struct Sender {
  PartOfLayer around{0, job_of(4)};
  SenderLog log{0};
  RepeatedSends repeats;
  CheckpointedProgram program{{}, job_of(4), 0, Survivors::go_on};
  RestartReport report;
  bool replays = false;

  Sender() { program.gate().set_up_again(); }
  /// Knows of the restart of that rank. Does it give up?
  bool gives_up_for(Rank root) {
    repeats.join(around.context(), root, program, replays, log, report);
    const std::vector<Action> actions = around.take_actions();
    return std::ranges::any_of(actions,
                               [](const Action& action) { return action.is<Action::GiveUp>(); });
  }
  /// Does it mark now that it has recovered?
  bool recovers() {
    repeats.try_end(around.context(), log, replays, program);
    const std::vector<Action> actions = around.take_actions();
    return std::ranges::any_of(actions,
                               [](const Action& action) { return action.is<Action::SetMark>(); });
  }
  /// Sends a rank a message with that word. Returns its number, and whether it is sent first.
  std::pair<std::uint64_t, bool> send(Rank to, std::uint64_t word, std::uint32_t note = 0) {
    Message message;
    message.from = 0;
    message.to = to;
    message.channel = Family::workload;
    message.payload.put(word);
    const std::uint64_t number = log.identity_of(message);
    return {number, repeats.count(log.add(around.context(), message, note))};
  }
  /// The words, with the numbers, that a peer gets again.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> resent(Rank to) {
    log.resend_all(around.context(), log.peer(around.context(), to), LoggingStamp{}, 32);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
    for (const Message& message : around.take_sent())
      if (message.channel == Family::workload)
        all.emplace_back(message.payload.get<std::uint64_t>(),
                         message.logging.get<LoggingStamp>().id);
      else
        end = message.payload.get<LogEnd>().received;
    return all;
  }
  std::uint64_t end = UINT64_MAX;
};

using Resent = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

}  // namespace

TEST_CASE("a peer gets again what was sent to it, in order and with the same numbers") {
  Sender sender;
  CHECK(sender.send(1, 10).first == 1);
  CHECK(sender.send(2, 20).first == 1);
  CHECK(sender.send(1, 11).first == 2);
  sender.log.peer(sender.around.context(), 1).taken_in = 7;
  CHECK(sender.resent(1) == Resent{{10, 1}, {11, 2}});
  CHECK(sender.end == 7);
  CHECK(sender.resent(2) == Resent{{20, 1}});
  CHECK(sender.resent(3).empty());
}

TEST_CASE("after a checkpoint nothing is logged, and numbers begin anew") {
  Sender sender;
  sender.send(1, 10);
  sender.log.clear();
  CHECK(sender.resent(1).empty());
  CHECK(sender.send(1, 12).first == 1);
}

TEST_CASE("a log by tags tells a message by the word of its program") {
  PartOfLayer around(0, job_of(2));
  SenderLog log(0, SenderLog::Identity::tag);
  Message message;
  message.to = 1;
  message.payload.put(std::uint64_t{41});
  CHECK(log.identity_of(message) == 42);
  CHECK(log.identity_of(message) == 42);
}

TEST_CASE("a rank has a log for the successor of a peer until that is served") {
  Sender sender;
  RecoveryContext& context = sender.around.context();
  sender.send(1, 10);
  CHECK(!sender.log.is_partner(context, 1));
  CHECK(!sender.log.is_partner(context, 3));
  sender.around.learn({1, 1});
  CHECK(sender.log.is_partner(context, 1));
}

TEST_CASE("a rank that has restarted has recovered when others have nothing more of it") {
  Sender sender;
  RestartWave wave(4, 0, 32);
  RecoveryContext& context = sender.around.context();
  CHECK(sender.repeats.has_recovered());
  CHECK(!sender.gives_up_for(0));
  CHECK(!sender.repeats.has_recovered());
  sender.repeats.await_logs(2, wave);
  sender.repeats.log_ended(context, 1, 2, sender.log);
  sender.repeats.log_ended(context, 2, 0, sender.log);
  CHECK(!sender.recovers());
  CHECK(!sender.send(1, 10).second);
  CHECK(sender.send(2, 20).second);  // rank 2 has nothing of the old incarnation
  CHECK(!sender.send(1, 11).second);
  CHECK(sender.recovers());
  CHECK(!sender.recovers());  // once
  CHECK(sender.send(1, 12).second);
}

TEST_CASE("the log of a rank that has died since is not awaited") {
  Sender sender;
  RestartWave wave(4, 0, 32);
  RecoveryContext& context = sender.around.context();
  CHECK(!sender.gives_up_for(0));
  sender.repeats.await_logs(1, wave);
  sender.log.peer(context, 1);
  CHECK(!sender.recovers());
  sender.around.learn({1, 1});
  CHECK(sender.recovers());
}

TEST_CASE("a rank that replays, or has not started again, has not recovered") {
  Sender sender;
  sender.gives_up_for(0);
  sender.repeats.await_logs(0, RestartWave(4, 0, 32));
  sender.replays = true;
  CHECK(!sender.recovers());
  sender.replays = false;
  sender.program.gate().close();
  CHECK(!sender.recovers());
  sender.program.gate().set_up_again();
  CHECK(sender.recovers());
}

TEST_CASE("a rank gives up if another one dies while it recovers, and not otherwise") {
  Sender sender;
  CHECK(!sender.gives_up_for(1));
  sender.replays = true;
  CHECK(!sender.gives_up_for(0));
  CHECK(sender.gives_up_for(1));
  sender.replays = false;
  CHECK(!sender.gives_up_for(1));
  sender.program.gate().close();
  CHECK(sender.gives_up_for(1));
}

}  // namespace faultline::message_logging
