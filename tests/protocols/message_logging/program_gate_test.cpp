// SPDX-License-Identifier: Apache-2.0

// What stands between the components above a layer and the network, without an engine.

#include "protocols/message_logging/program_gate.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/support/part_of_layer.hpp"

namespace faultline::message_logging {

using namespace test;

namespace {

/// Admits messages as the test says, and stamps them with a number.
struct Steps final : MessageSteps {
  Admission admission = Admission::deliver;
  std::uint64_t stamped = 0;

  Admission admit(RecoveryContext&, Message&) override { return admission; }
  void stamp(RecoveryContext&, Message& message) override {
    message.logging.put(LoggingStamp{.epoch = 0, .level = 0, .id = ++stamped});
  }
};

struct Gate {
  PartOfLayer around{0, JobShape{.processes = 2, .nodes = 2}};
  ProgramGate gate;
  Steps steps;

  explicit Gate(bool has_detector = false) { gate.set_up(has_detector, has_detector); }
  RecoveryContext& context() { return around.context(); }
  /// What the gate does with a message of that kind.
  Passage gets(std::uint8_t kind) {
    Message message;
    message.kind = kind;
    message.from = 1;
    return gate.on_receive(context(), message, steps);
  }
  bool sends(Family channel, bool waits = false) {
    Message message;
    message.channel = channel;
    return gate.lets_down(context(), message, waits);
  }
  std::vector<int> delivered() {
    std::vector<int> kinds;
    for (const Message& message : around.take_delivered()) kinds.push_back(message.kind);
    return kinds;
  }
};

}  // namespace

TEST_CASE("a message waits until the program is up and has had its answer") {
  Gate gate;
  CHECK(gate.gets(1) == Passage::hold);
  gate.gate.set_up_again();
  gate.gate.begin_to_resume();
  CHECK(gate.gets(2) == Passage::hold);
  gate.gate.release_held(gate.context(), gate.steps);
  CHECK(gate.delivered().empty());
  gate.gate.end_resuming();
  gate.gate.release_held(gate.context(), gate.steps);
  CHECK(gate.delivered() == std::vector<int>{1, 2});
  CHECK(gate.gets(3) == Passage::deliver);
}

TEST_CASE("a message that the protocol holds is offered again, and one that it keeps is not") {
  Gate gate;
  gate.gate.set_up_again();
  gate.steps.admission = Admission::hold;
  CHECK(gate.gets(1) == Passage::hold);
  gate.steps.admission = Admission::kept;
  CHECK(gate.gets(2) == Passage::hold);
  gate.steps.admission = Admission::discard;
  CHECK(gate.gets(3) == Passage::hold);
  gate.steps.admission = Admission::deliver;
  gate.gate.release_held(gate.context(), gate.steps);
  CHECK(gate.delivered() == std::vector<int>{1});
}

TEST_CASE("below a detector, messages that are ready at once go up one at a time") {
  Gate gate(true);
  gate.gets(1);
  gate.gets(2);
  gate.gate.set_up_again();
  CHECK(gate.gets(3) == Passage::hold);  // those before it go first
  CHECK(gate.gate.release_one_held(gate.context(), gate.steps));
  CHECK(gate.delivered() == std::vector<int>{1});
  CHECK(gate.gate.release_one_held(gate.context(), gate.steps));
  CHECK(gate.delivered() == std::vector<int>{2});
  Message first;
  first.kind = 7;
  gate.gate.hold_again({first});
  CHECK(gate.gate.release_one_held(gate.context(), gate.steps));
  CHECK(gate.delivered() == std::vector<int>{7});
  CHECK(gate.gate.release_one_held(gate.context(), gate.steps));
  CHECK(gate.delivered() == std::vector<int>{3});
  CHECK(!gate.gate.release_one_held(gate.context(), gate.steps));
}

TEST_CASE("what a detector sends before the first checkpoint is kept back") {
  Gate gate(true);
  gate.gate.set_up_again();
  CHECK(gate.sends(Family::workload));
  CHECK(!gate.sends(Family::termination));
  CHECK(gate.gate.in_flight() == 1);
  CHECK(gate.gate.unsent().size() == 1);
  gate.gate.send_unsent(gate.context(), gate.steps);
  CHECK(gate.gate.unsent().empty());
  CHECK(gate.gate.in_flight() == 2);
  const std::vector<Message> sent = gate.around.take_sent();
  REQUIRE(sent.size() == 1);
  CHECK(sent.front().logging.get<LoggingStamp>().id == 1);  // it is sent now, and stamped
}

TEST_CASE("while all are quiet for a checkpoint, only the program sends") {
  Gate gate(true);
  gate.gate.set_up_again();
  gate.gate.send_unsent(gate.context(), gate.steps);
  CHECK(gate.sends(Family::termination));
  gate.gate.be_quiet();
  CHECK(!gate.sends(Family::termination));
  CHECK(gate.sends(Family::workload));
  gate.gate.end_quiet(gate.context(), gate.steps);
  CHECK(gate.around.take_sent().size() == 1);
  CHECK(gate.sends(Family::termination));
}

TEST_CASE("a program that is put back has what was kept back then") {
  Gate gate(true);
  gate.gate.set_up_again();
  gate.gate.send_unsent(gate.context(), gate.steps);
  gate.sends(Family::workload);
  gate.gate.close();
  CHECK(!gate.gate.is_open());
  gate.gate.put_back(gate.context(), {Message{}, Message{}});
  CHECK(gate.gate.unsent().size() == 2);
  CHECK(gate.gate.in_flight() == 0);
}

TEST_CASE("where time makes checkpoints due, the program is kept back, too") {
  Gate gate;
  gate.gate.keep_program_back();
  gate.gate.set_up_again();
  CHECK(gate.gate.counts());
  CHECK(gate.sends(Family::workload));
  gate.gate.be_quiet();
  CHECK(!gate.sends(Family::workload));
  CHECK(gate.gate.in_flight() == 1);
  gate.gate.send_unsent(gate.context(), gate.steps);
  CHECK(gate.gate.in_flight() == 2);
  const std::vector<Message> sent = gate.around.take_sent();
  REQUIRE(sent.size() == 1);
  CHECK(gate.around.turn().counts.resent == 0);
}

// The program of this life sends none of what its image brings back, and what it has sent since
// never was.
TEST_CASE("what an image brings back is sent again, and what was kept back since is undone") {
  Gate gate;
  gate.gate.keep_program_back();
  gate.gate.set_up_again();
  gate.gate.be_quiet();
  gate.sends(Family::workload);
  gate.sends(Family::termination);
  Message of_program;
  of_program.channel = Family::workload;
  Message of_detector;
  of_detector.channel = Family::termination;
  gate.gate.put_back(gate.context(), {of_program, of_detector});
  CHECK(gate.around.turn().counts.discarded == 1);
  gate.gate.put_back(gate.context(), {of_program, of_detector});
  CHECK(gate.around.turn().counts.discarded ==
        1);  // what an image has brought back counts as nowhere
  gate.gate.send_unsent(gate.context(), gate.steps);
  CHECK(gate.around.turn().counts.resent == 1);
  CHECK(gate.around.take_sent().size() == 2);
}

}  // namespace faultline::message_logging
