// SPDX-License-Identifier: Apache-2.0

// What a rank has delivered, and the parts of it that others refer to.

#include "protocols/message_logging/delivery_list.hpp"

#include <catch2/catch.hpp>

#include "tests/support/digest_of.hpp"

namespace faultline::message_logging {

using namespace test;

namespace {

Delivery delivery(std::uint64_t number) {
  return {.channel = {.from = {.object = 1}, .to = {.object = 2}}, .number = number};
}

/// Deliveries whose numbers are ten times their tickets.
DeliveryList list_of(std::uint64_t size) {
  DeliveryList list;
  for (std::uint64_t ticket = 1; ticket <= size; ++ticket) list.push_back(delivery(10 * ticket));
  return list;
}

/// Has the run these tickets, and numbers that are ten times as large?
bool has(const DeliveryRun& run, std::uint64_t first, std::uint64_t last) {
  std::uint64_t next = first;
  bool is_so = run.first() == first && run.last() == last;
  run.for_each([&](std::uint64_t ticket, const Delivery& found) {
    is_so = is_so && ticket == next++ && found == delivery(10 * ticket);
  });
  return is_so && next == last + 1;
}

}  // namespace

TEST_CASE("a run of deliveries has those with its tickets, wherever its list is divided") {
  const DeliveryList list = list_of(200);
  for (const std::uint64_t first : {1, 63, 64, 65, 128, 129, 200})
    for (const std::uint64_t last : {64, 65, 128, 130, 200})
      if (first <= last) CHECK(has(list.run(first, last), first, last));
  const DeliveryRun all = list.run(1, 200);
  CHECK(has(all.from(64).up_to(129), 64, 129));
  CHECK(has(all.from(200), 200, 200));
  CHECK(digest_of(all.from(64).up_to(129)) == digest_of(list.run(64, 129)));
  CHECK(digest_of(list.run(64, 129)) != digest_of(list.run(64, 130)));
}

TEST_CASE("a run of deliveries takes in those of its list that follow") {
  const DeliveryList list = list_of(100);
  const DeliveryList copy = list;  // NOLINT(performance-unnecessary-copy-initialization)
  DeliveryRun run = list.run(60, 62);
  CHECK(run.extend(list.run(63, 64)));
  CHECK(has(run, 60, 64));
  CHECK_FALSE(run.extend(list.run(66, 70)));
  CHECK_FALSE(run.extend(list.run(60, 64)));
  CHECK_FALSE(run.extend(copy.run(65, 70)));
  CHECK(has(run, 60, 64));
}

TEST_CASE("a run of deliveries stays when its list grows, is replaced, or is gone") {
  DeliveryRun run;
  {
    DeliveryList list = list_of(100);
    run = list.run(60, 70);
    list.push_back(delivery(0));
    CHECK(has(run, 60, 70));
    list = {};
    CHECK(list.size() == 0);
    list.push_back(delivery(0));
    CHECK(has(run, 60, 70));
  }
  CHECK(has(run, 60, 70));
}

TEST_CASE("an index finds the messages of a list up to a ticket, and no events of its own rank") {
  DeliveryList list = list_of(100);
  const Delivery event{{Endpoint{.object = 1}, Endpoint{}}, 5};  // a number of no message
  list.push_back(event);
  list.push_back(delivery(7));
  DeliveryIndex index;
  CHECK_FALSE(index.contains(list, 0, delivery(10)));
  CHECK(index.contains(list, 64, delivery(640)));
  CHECK_FALSE(index.contains(list, 64, delivery(650)));
  CHECK_FALSE(index.contains(list, 101, delivery(7)));
  CHECK_FALSE(index.contains(list, 101, delivery(5)));
  CHECK_FALSE(index.contains(list, 101, event));
  CHECK(index.contains(list, 102, delivery(7)));
  Delivery elsewhere = delivery(10);
  elsewhere.channel.to.object = 3;
  CHECK_FALSE(index.contains(list, 102, elsewhere));
  index.clear();
  CHECK_FALSE(index.contains(DeliveryList(), 0, delivery(10)));
}

TEST_CASE("deliveries from objects are in the order of the objects, whoever has them") {
  const auto from = [](Endpoint end) { return Delivery{{end, Endpoint{.object = 9}}, 1}; };
  CHECK(from({.rank = 5, .object = 1}) < from({.rank = 2, .object = 3}));
  CHECK_FALSE(from({.rank = 2, .object = 3}) < from({.rank = 5, .object = 1}));
  CHECK(from({.rank = 2}) < from({.rank = 5}));
  CHECK(from({.rank = 5}) < from({.rank = 2, .object = 1}));  // ranks come first
}

TEST_CASE("a copy of a list of deliveries grows by itself") {
  DeliveryList list = list_of(100);
  DeliveryList copy = list;
  const DeliveryRun before = list.run(90, 100);
  for (std::uint64_t ticket = 101; ticket <= 200; ++ticket) {
    list.push_back(delivery(10 * ticket));
    copy.push_back(delivery(7));
  }
  CHECK(has(before, 90, 100));
  CHECK(has(list.run(1, 200), 1, 200));
  CHECK(has(copy.run(1, 100), 1, 100));
  CHECK_FALSE(has(copy.run(1, 101), 1, 101));
  CHECK(copy.at(200) == delivery(7));
  CHECK(digest_of(list) != digest_of(copy));
  CHECK(digest_of(list) == digest_of(list_of(200)));
}

}  // namespace faultline::message_logging
