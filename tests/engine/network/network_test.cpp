// SPDX-License-Identifier: Apache-2.0

// How messages leave an actor, seen from the transport that takes them: the network alone, without
// turns and without an engine.

#include "sim/engine/network/network_wire.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <utility>

#include "sim/engine/state/run_state.hpp"
#include "tests/support/job.hpp"

namespace faultline::engine {

using namespace test;

namespace {

/// Whom a message is for, and when it entered the network.
using Entered = std::vector<std::pair<ActorId, double>>;

class Noting final : public Transport {
 public:
  void transmit(Message& message, const platform::Transit& /*transit*/) override {
    entered.push_back({message.to, message.inject_s});
  }
  Entered entered;
};

/// A network of three nodes with one rank each, and what it needs. A send takes its processor 1 s,
/// and the NIC 3 s.
struct Rooms {
  Rooms()
      : job(run_job(spec(), 1, 0)),
        state(*job),
        run{.job = *job, .state = state, .reached = reached, .observer = observer},
        processors(run, state.serial),
        network(run, state.network, processors, transport) {}

  static scenario::RunSpec spec() {
    Job job(3);
    job.spec.platform.machine.send_overhead_s = 1.0;
    job.spec.platform.machine.gap_s = 3.0;
    return job.spec;
  }
  /// A message of rank 0 that has left its stack.
  Message* message(ActorId to, int flags = 0) {
    Message* message = state.pool.take();
    *message = {.from = 0, .to = to};
    message->flags = static_cast<std::uint8_t>(kInFlight | flags);
    message->inject_s = kNever;
    state.schedule.keep_alive(*message);
    state.truth.sent(0, *message);
    return message;
  }

  /// Rank 0 sends these from 5 s on.
  void send_at_5(const std::vector<Message*>& messages) {
    network.put_on_wire(0, state.actors[0], messages, 5.0);
  }

  std::shared_ptr<const RunJob> job;
  RunState state;
  Reached reached;
  audit::RunObserver* observer = nullptr;
  const Common run;
  Processors processors;
  Noting transport;
  Network network;
};

}  // namespace

TEST_CASE("messages enter the network one after the other, each when the NIC is free again") {
  Rooms rooms;
  rooms.send_at_5({rooms.message(1), rooms.message(2)});
  CHECK(rooms.transport.entered == Entered{{1, 6.0}, {2, 9.0}});
  CHECK(rooms.state.actors[0].cpu_free_s == 7.0);
}

TEST_CASE("a fence keeps the processor until what was sent before is in the network") {
  Rooms rooms;
  rooms.send_at_5({rooms.message(1), rooms.message(2), rooms.message(1, kFence)});
  CHECK(rooms.transport.entered == Entered{{1, 6.0}, {2, 9.0}, {1, 12.0}});
  CHECK(rooms.state.actors[0].cpu_free_s == 10.0);
}

TEST_CASE("an actor that dies loses what has not entered the network, and the NIC is free for it") {
  Rooms rooms;
  Message* const first = rooms.message(1);
  Message* const second = rooms.message(2);
  rooms.send_at_5({first, second});
  rooms.state.schedule.set_now_s(7.0);
  rooms.network.lose_messages_of(0);
  CHECK((first->flags & kLost) == 0);
  CHECK((second->flags & kLost) != 0);
  CHECK(second->inject_s == kNever);
  CHECK(rooms.state.truth.auditor().application_lost() == 1);
  CHECK(rooms.network.nic(0).free_s == 9.0);
}

TEST_CASE("a sender is told that a message has left only in the life in which it has sent it") {
  for (const bool dies : {false, true}) {
    Rooms rooms;
    rooms.send_at_5({rooms.message(1, kNotifySent)});
    rooms.state.actors[0].rare().on_sent_due[index_of(Family::workload)] = 1;
    if (dies) ++rooms.state.actors[0].incarnation;
    const Event event = rooms.state.schedule.take_next();
    REQUIRE(event.kind() == EventKind::sent);
    CHECK(rooms.network.leaves_no_choice(event) == dies);
    const auto promise = rooms.network.take_promise(event);
    REQUIRE(promise.has_value() == !dies);
    if (promise) CHECK(promise->to == 1);
    CHECK(rooms.state.network.promises() == 0);
  }
}

TEST_CASE("a NIC takes in one message after the other, a gap apart") {
  Rooms rooms;
  rooms.state.schedule.set_now_s(2.0);
  CHECK(rooms.network.take_in_s(1, 0.5) == 2.0);
  CHECK(rooms.network.take_in_s(1, 0.5) == 5.5);
  CHECK(rooms.network.take_in_s(2, 0.5) == 2.0);
}

TEST_CASE("of a pair of actors something is in flight until it is lost or refused") {
  Rooms rooms;
  Message* const message = rooms.message(1);
  CHECK(rooms.network.any_in_flight({0, 0}, 1));
  CHECK_FALSE(rooms.network.any_in_flight({0, 0}, 2));
  CHECK_FALSE(rooms.network.any_in_flight({0, 1}, 1));
  message->inject_s = 4.0;
  rooms.state.actors[1].rare().refused.add({{0, 0}, 5.0});
  CHECK(rooms.network.any_in_flight({0, 0}, 1));  // it was on its way before
  message->inject_s = 6.0;
  CHECK_FALSE(rooms.network.any_in_flight({0, 0}, 1));
}

}  // namespace faultline::engine
