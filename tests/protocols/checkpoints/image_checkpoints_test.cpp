// SPDX-License-Identifier: Apache-2.0

// A rank's part in the checkpoints of all, without an engine: rank 0 and its keeper, rank 1.

#include "protocols/checkpoints/image_checkpoints.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "sim/core/checkpoint_request.hpp"
#include "tests/support/part_of_layer.hpp"

namespace faultline::checkpoints {

using namespace test;

namespace {

using Due = ImageCheckpoints::Due;

constexpr std::uint64_t kImageBytes = 1000;
constexpr std::uint64_t kControlBytes = 10;

JobShape two_ranks() {
  JobShape job;
  job.processes = job.nodes = 2;
  return job;
}

struct OneRank {
  PartOfLayer around;
  ImageCheckpoints checkpoints;

  explicit OneRank(Rank self)
      : around(self, two_ranks()),
        checkpoints({.control_bytes = kControlBytes, .image_bytes = kImageBytes}, two_ranks(),
                    self) {}

  void ask() {
    StackRequest request;
    request.kind = CheckpointRequest::kRequest;
    request.content.put(CheckpointRequest{checkpoints.epoch()});
    checkpoints.ask(request);
  }
  Due take(const BesideImage& beside = {}) { return checkpoints.take(around.context(), beside); }
  Due gets(const Message& message) { return checkpoints.on_message(around.context(), message); }
  void commit() { checkpoints.commit(around.context(), 0); }
  Message only_sent() {
    const std::vector<Message> sent = around.take_sent();
    REQUIRE(sent.size() == 1);
    return sent.front();
  }
};

/// Takes and commits a checkpoint at both.
void checkpoint(OneRank& own, OneRank& keeper) {
  for (OneRank* rank : {&own, &keeper}) {
    rank->ask();
    rank->take();
  }
  keeper.gets(own.only_sent());
  keeper.around.take_sent();
  for (OneRank* rank : {&own, &keeper}) rank->commit();
}

}  // namespace

TEST_CASE("an image goes to a keeper, which says when it has stored it") {
  OneRank own(0);
  OneRank keeper(1);
  own.ask();
  CHECK(own.take() == Due::nothing);
  const Message image = own.only_sent();
  CHECK(image.to == 1);
  CHECK(image.kind == CheckpointMessage::image);
  CHECK(image.bytes == kImageBytes + kControlBytes);
  keeper.gets(image);
  const Message stored = keeper.only_sent();
  CHECK(stored.to == 0);
  CHECK(stored.kind == CheckpointMessage::image_stored);
  CHECK(keeper.checkpoints.store().clients().of(0).pending->number == 0);
}

TEST_CASE("what is kept back for a checkpoint is part of it, and of its size") {
  OneRank own(0);
  own.ask();
  Message unsent;
  unsent.bytes = 5;
  own.take({.unsent = {unsent, unsent}, .deliveries = 3});
  CHECK(own.only_sent().bytes == kImageBytes + kControlBytes + 10);
  own.commit();
  CHECK(own.checkpoints.last().unsent.size() == 2);
  CHECK(own.checkpoints.last().deliveries == 3);
}

TEST_CASE("where there is no image as yet, it is still to be taken") {
  OneRank own(0);
  own.around.set_image(false);
  own.ask();
  CHECK(own.take() == Due::nothing);
  CHECK(own.checkpoints.is_still_to_take());
  CHECK(own.around.take_sent().empty());
  own.around.set_image(true);
  own.take();
  CHECK(!own.checkpoints.is_still_to_take());
  CHECK(own.around.take_sent().size() == 1);
}

TEST_CASE("a message about another checkpoint than the next is void") {
  OneRank own(0);
  OneRank keeper(1);
  checkpoint(own, keeper);
  Message stored;
  stored.from = 1;
  stored.kind = CheckpointMessage::image_stored;
  stored.payload.put(RoundStep{.number = 0, .level = 0});
  CHECK(own.gets(stored) == Due::nothing);
  CHECK(own.around.take_sent().empty());
}

TEST_CASE("a client that has restarted gets its image, once") {
  OneRank own(0);
  OneRank keeper(1);
  checkpoint(own, keeper);
  keeper.checkpoints.serve_clients(keeper.around.context());
  CHECK(keeper.around.take_sent().empty());
  keeper.around.learn({0, 1});
  keeper.checkpoints.serve_clients(keeper.around.context());
  const Message given = keeper.only_sent();
  CHECK(given.kind == CheckpointMessage::your_image);
  keeper.checkpoints.serve_clients(keeper.around.context());
  CHECK(keeper.around.take_sent().empty());

  OneRank reborn(0);
  reborn.checkpoints.on_your_image(reborn.around.context(), given);
  CHECK(!reborn.checkpoints.take_arrived(reborn.around.context()));  // of no epoch that it knows
  CHECK(reborn.checkpoints.known(reborn.around.context()).epoch == 1);
  reborn.checkpoints.set_epoch(1);
  CHECK(reborn.checkpoints.take_arrived(reborn.around.context()));
  CHECK(reborn.checkpoints.last().number == 0);
  CHECK(reborn.around.take_sent().empty());  // its keeper has it
}

TEST_CASE("a keeper that has restarted gets the committed image again") {
  OneRank own(0);
  OneRank keeper(1);
  checkpoint(own, keeper);
  own.checkpoints.renew_copy(own.around.context());
  CHECK(own.around.take_sent().empty());
  own.around.learn({1, 1});
  own.checkpoints.renew_copy(own.around.context());
  const Message copy = own.only_sent();
  CHECK(copy.payload.get<ImageWords>().committed == 1);
  OneRank reborn(1);
  reborn.checkpoints.keep_renewed(reborn.around.context(), copy);
  CHECK(reborn.checkpoints.store().clients().of(0).committed->number == 0);
  CHECK(reborn.around.take_sent().empty());
}

TEST_CASE("a rank knows the images that it keeps of those who have restarted") {
  OneRank own(0);
  OneRank keeper(1);
  checkpoint(own, keeper);
  CHECK(keeper.checkpoints.known(keeper.around.context()).images.empty());
  keeper.around.learn({0, 1});
  const ImageCheckpoints::Known known = keeper.checkpoints.known(keeper.around.context());
  CHECK(known.epoch == 1);
  REQUIRE(known.images.size() == 1);
  CHECK(known.images.front().client == 0);
  CHECK(known.images.front().number == 0);
}

}  // namespace faultline::checkpoints
