// SPDX-License-Identifier: Apache-2.0

// Channels between objects.

#include "protocols/message_logging/object_channel.hpp"

#include <catch2/catch.hpp>

namespace faultline::message_logging {

namespace {

Message between(Rank from, ObjectId from_object, Rank to, ObjectId to_object) {
  Message message;
  message.from = from;
  message.to = to;
  message.from_object = from_object;
  message.to_object = to_object;
  return message;
}

}  // namespace

TEST_CASE("a channel has the same ends wherever its objects are") {
  CHECK(channel_of(between(0, 5, 1, 7)) == channel_of(between(2, 5, 3, 7)));
  CHECK(channel_of(between(0, 5, 1, 7)) != channel_of(between(0, 5, 1, 8)));
  CHECK(channel_of(between(0, 5, 1, 7)) != channel_of(between(0, 7, 1, 5)));
}

TEST_CASE("the end of a channel that is no object is its rank") {
  CHECK(channel_of(between(0, 0, 1, 0)) != channel_of(between(0, 0, 2, 0)));
  CHECK(channel_of(between(0, kNoObject, 1, 7)) != channel_of(between(2, kNoObject, 1, 7)));
  CHECK(channel_of(between(3, 0, 4, kNoObject)) == channel_of(between(5, 0, 4, kNoObject)));
}

}  // namespace faultline::message_logging
