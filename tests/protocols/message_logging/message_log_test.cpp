// SPDX-License-Identifier: Apache-2.0

// The log of what a rank has sent.

#include "protocols/message_logging/message_log.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "sim/core/random.hpp"
#include "tests/support/digest_of.hpp"

namespace faultline::message_logging {

using namespace test;

namespace {

using FourWords = std::array<std::uint64_t, 4>;

/// As a stencil sends it.
Message short_message(std::uint64_t number) {
  Message message;
  message.kind = static_cast<std::uint8_t>(number % 3);
  message.bytes = (1000 + number) & kLongestMessage_B;
  message.from_object = static_cast<ObjectId>(2 * number + 1);
  message.to_object = static_cast<ObjectId>(3 * number + 2);
  message.payload.put(FourWords{number, number % 26, number << 40U, 0});
  return message;
}

/// What an object sends to one of its neighbours, and for the most part to all.
Message halo(std::uint64_t object, std::uint64_t neighbour) {
  Message message = short_message(object);
  message.to_object = static_cast<ObjectId>(neighbour);
  message.payload.put(FourWords{object, neighbour, object << 40U, 0});
  return message;
}

/// Content that exceeds an entry of the log, each time in one way.
std::vector<Message> long_messages() {
  std::vector<Message> messages(11, short_message(7));
  messages[0].phase = 1;
  messages[1].bytes = std::uint64_t{1} << 32U;
  messages[2].channel = Family::termination;
  messages[3].flags = kNotifySent;
  messages[4].flags = kFence;
  messages[5].attachments.put(Family::termination, std::uint64_t{1});
  messages[6].payload.put(FourWords{std::uint64_t{1} << 32U, 0, 0, 0});
  messages[7].payload.put(FourWords{0, 256, 0, 0});
  messages[8].payload.put(FourWords{0, 0, 0, 1});
  messages[9].termination.put(std::array<std::uint64_t, 2>{0, 1});
  messages[10].transactions.put(std::uint64_t{1});
  return messages;
}

}  // namespace

TEST_CASE("a message comes out of the log as the program has sent it") {
  MessageLog log;
  std::vector<Message> sent = long_messages();
  for (std::uint64_t number = 0; number < 300; ++number) sent.push_back(short_message(number));
  for (const Message& message : sent) log.add(message, 0, 0);
  for (std::size_t place = 0; place < sent.size(); ++place)
    REQUIRE(digest_of(log.message(place)) == digest_of(sent[place]));
}

TEST_CASE("what the engine notes on a message is not in the log") {
  MessageLog log;
  Message message = short_message(7);
  message.flags = kForwarded | kInFlight | kArrived;
  log.add(message, 0, 0);
  CHECK(log.message(0).flags == 0);
}

TEST_CASE("a log keeps messages of all kinds, in their order, for their receivers") {
  constexpr std::uint64_t kNeighbours = 4;
  MessageLog log;
  std::vector<Message> sent;
  std::vector<std::uint32_t> receivers;
  Stream random(1, 0, Purpose::workload, 0);
  const std::vector<Message> whole = long_messages();
  constexpr std::uint32_t kBeyond16Bits = 70000;
  for (std::uint64_t number = 0; number < 200; ++number) {
    sent.push_back(random.chance(0.6)   ? halo(number / kNeighbours, number % kNeighbours)
                   : random.chance(0.5) ? short_message(number)
                                        : whole[random.below(whole.size())]);
    receivers.push_back(random.chance(0.2) ? kBeyond16Bits
                                           : static_cast<std::uint32_t>(random.below(3)));
    log.add(sent.back(), receivers.back(), static_cast<std::uint32_t>(5 * number));
  }
  REQUIRE(log.size() == sent.size());
  for (std::size_t place = 0; place < sent.size(); ++place) {
    REQUIRE(digest_of(log.message(place)) == digest_of(sent[place]));
    REQUIRE(log.note(place) == 5 * place);
    for (const std::uint32_t receiver : {0U, 1U, 2U, kBeyond16Bits, 65535U})
      REQUIRE(log.is_for(receiver, place) == (receiver == receivers[place]));
  }
  log.clear();
  CHECK(log.size() == 0);
  log.add(whole[0], 1, 0);
  CHECK(digest_of(log.message(0)) == digest_of(whole[0]));
}

TEST_CASE("a log that has been cleared forgets what its messages had in common") {
  MessageLog log;
  log.add(halo(1, 0), 0, 0);
  log.clear();
  log.add(halo(1, 1), 0, 0);
  log.add(halo(2, 0), 0, 0);
  CHECK(digest_of(log.message(0)) == digest_of(halo(1, 1)));
  CHECK(digest_of(log.message(1)) == digest_of(halo(2, 0)));
}

}  // namespace faultline::message_logging
