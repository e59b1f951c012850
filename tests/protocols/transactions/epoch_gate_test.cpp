// SPDX-License-Identifier: Apache-2.0

// What stands between a program and the messages of other worlds, without an engine.

#include "protocols/transactions/epoch_gate.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/support/part_of_layer.hpp"

namespace faultline::transactions {

using namespace test;

namespace {

struct GateOfEpochs {
  PartOfLayer around{0, JobShape{.processes = 2, .nodes = 2}, Family::transactions};
  EpochGate gate;

  /// What the gate does with a message of that epoch, in epoch 2.
  Passage gets(std::uint32_t number, bool is_open = true, bool has_world = true) {
    Message message;
    message.from = 1;
    message.kind = static_cast<std::uint8_t>(number);
    message.transactions.put(WorldEpoch{number, number});
    return gate.on_receive(around.context(), message, {2, 2}, is_open, has_world);
  }
  /// What the program gets when it goes on in that epoch: the epochs of messages.
  std::vector<int> released_in(std::uint32_t number) {
    gate.release(around.context(), {number, number});
    std::vector<int> epochs;
    for (const Message& message : around.take_delivered()) epochs.push_back(message.kind);
    return epochs;
  }
  [[nodiscard]] std::uint32_t discarded() { return around.turn().counts.discarded; }
};

}  // namespace

TEST_CASE("a message carries the epoch of its sender") {
  GateOfEpochs gate;
  Message message;
  message.to = 1;
  Message* const batch[] = {&message};
  EpochGate::on_sends(gate.around.context(), batch, {3, 4});
  CHECK(message.transactions.get<WorldEpoch>() == WorldEpoch{3, 4});
  CHECK(gate.around.take_sent().size() == 1);
}

TEST_CASE("a program gets messages of its own epoch alone") {
  GateOfEpochs gate;
  CHECK(gate.gets(2) == Passage::deliver);
  CHECK(gate.gets(1) == Passage::hold);
  CHECK(gate.discarded() == 1);
  CHECK(gate.gets(3) == Passage::hold);
  CHECK(gate.discarded() == 1);
  CHECK(gate.released_in(3) == std::vector<int>{3});
  CHECK(gate.gate.is_empty());
}

TEST_CASE("what comes while a program waits for a world is sorted when it goes on") {
  GateOfEpochs gate;
  for (const std::uint32_t number : {2U, 3U, 4U}) CHECK(gate.gets(number, false) == Passage::hold);
  CHECK(gate.released_in(3) == std::vector<int>{3});
  CHECK(gate.discarded() == 1);  // of epoch 2
  CHECK(!gate.gate.is_empty());
  CHECK(gate.released_in(4) == std::vector<int>{4});
}

TEST_CASE("a process that is in no world yet does not know what is stale") {
  GateOfEpochs gate;
  CHECK(gate.gets(1, false, false) == Passage::hold);
  CHECK(gate.discarded() == 0);
  CHECK(gate.released_in(1) == std::vector<int>{1});
}

}  // namespace faultline::transactions
