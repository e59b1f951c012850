// SPDX-License-Identifier: Apache-2.0

// The images that a rank keeps for others.

#include "protocols/checkpoints/image_store.hpp"

#include <catch2/catch.hpp>

namespace faultline::checkpoints {

namespace {

Checkpoint of_number(std::uint64_t number) {
  Checkpoint checkpoint;
  checkpoint.number = number;
  return checkpoint;
}

}  // namespace

TEST_CASE("an old image stays until the new one is committed") {
  ImageStore store;
  store.put_pending({4, 0}, of_number(0));
  store.commit(0);
  store.put_pending({4, 0}, of_number(1));
  const KeptImages& kept = store.clients().of(4);
  CHECK(kept.committed->number == 0);
  CHECK(kept.pending->number == 1);
  store.commit(1);
  CHECK(kept.committed->number == 1);
  CHECK(!kept.pending);
}

TEST_CASE("images of a round that does not come about are dropped, and those before stay") {
  ImageStore store;
  store.put_pending({4, 0}, of_number(0));
  store.commit(0);
  store.put_pending({4, 0}, of_number(1));
  store.drop_pending();
  CHECK(store.clients().of(4).committed->number == 0);
  CHECK(!store.clients().of(4).pending);
}

TEST_CASE("a client whose image was not stored has none when the others commit") {
  ImageStore store;
  store.put_pending({4, 0}, of_number(0));
  store.commit(0);
  store.commit(1);
  CHECK(!store.clients().of(4).committed);
}

TEST_CASE("a copy that comes late does not replace a newer one") {
  ImageStore store;
  store.put_committed({4, 0}, of_number(2));
  store.put_committed({4, 0}, of_number(1));
  CHECK(store.clients().of(4).committed->number == 2);
}

TEST_CASE("an image from a client says in which life it has its image itself") {
  ImageStore store;
  store.put_pending({4, 2}, of_number(0));
  store.put_pending({4, 1}, of_number(0));
  CHECK(store.clients().of(4).sent_to == 2);
}

}  // namespace faultline::checkpoints
