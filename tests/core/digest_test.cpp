// SPDX-License-Identifier: Apache-2.0

// Equal states have equal digests, and different states have different ones.

#include "sim/core/digest.hpp"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "sim/core/message.hpp"
#include "sim/core/random.hpp"
#include "sim/core/termination_context.hpp"
#include "tests/support/digest_of.hpp"

namespace faultline {

using namespace test;

namespace {

using Numbers = std::vector<int>;
using Lists = std::vector<Numbers>;

// A list whose order is that of memory must not compile.
static_assert(detail::Ordered<std::set<int>>);
static_assert(!detail::Ordered<std::unordered_set<int>>);

AttachedWords attached(std::vector<std::uint64_t> words) {
  return std::make_shared<const std::vector<std::uint64_t>>(std::move(words));
}

class NoServices final : public Services {
 public:
  [[nodiscard]] Incarnation known(ActorId, ActorId peer) const override { return {peer, 0}; }
};

}  // namespace

// Computed by an independent implementation in Python, from the SplitMix64 finaliser and the
// fraction of pi.
TEST_CASE("a digest has its golden values") {
  CHECK(digest_of() == StateDigest{0x243f6a8885a308d3, 0x13198a2e03707344});
  CHECK(digest_of(1, 2U, std::uint64_t{3}) == StateDigest{0xcd8d705991914ea1, 0x87e2ae327fa80c37});
  CHECK(digest_of(-1, 1.5, std::string("ab")) ==
        StateDigest{0xfe3c9e0456c9ebc4, 0xb74fbf9d48156633});
}

TEST_CASE("values have digests that tell them apart") {
  const std::vector<StateDigest> digests{
      digest_of(),
      digest_of(0),
      digest_of(0, 0),
      digest_of(1),
      digest_of(-1),
      digest_of(1.0),
      digest_of(-1.0),
      digest_of(std::optional<int>(1)),
      digest_of(std::optional<int>(2)),
      digest_of(Numbers{1, 2}),
      digest_of(Numbers{2, 1}),
      digest_of(Lists{{1, 2}, {3}}),
      digest_of(Lists{{1}, {2, 3}}),
      digest_of(Lists{{}, {1, 2, 3}}),
      digest_of(std::string("abcdefgh"), std::string("i")),
      digest_of(std::string("abcdefg"), std::string("hi")),
      digest_of(std::vector<bool>{true, false}),
      digest_of(std::vector<bool>{false, true}),
      digest_of(std::map<int, int>{{1, 2}, {3, 4}}),
      digest_of(std::map<int, int>{{1, 3}, {2, 4}}),
      digest_of(Incarnation{3, 1}),
      digest_of(Incarnation{3, 2}),
      digest_of(Incarnation{4, 1}),
      digest_of(std::numeric_limits<double>::infinity()),
      digest_of(Stream(1, 2, Purpose::workload, 3)),
      digest_of(Stream(1, 2, Purpose::workload, 4)),
  };
  const std::set<StateDigest> distinct(digests.begin(), digests.end());
  CHECK(distinct.size() == digests.size());
}

TEST_CASE("what is equal has equal digests, wherever it is stored and however it came about") {
  CHECK(digest_of(0.0) == digest_of(-0.0));
  CHECK(digest_of(Numbers{1, 2}) == digest_of(std::set<int>{2, 1}));
  CHECK(digest_of(std::make_shared<int>(7)) == digest_of(std::make_unique<int>(7)));
  CHECK(digest_of(std::make_shared<int>(7)) != digest_of(std::make_shared<int>(8)));
  CHECK(digest_of(attached({1, 2})) == digest_of(attached({1, 2})));
  CHECK(digest_of(AttachedWords()) == digest_of(std::optional<int>()));
  CHECK(digest_of(1, 2, 3) == [] {
    Digest digest;
    digest.add(1);
    digest.add(2, 3);
    return digest.value();
  }());
  Numbers roomy{1, 2, 3};
  roomy.reserve(100);
  roomy.pop_back();
  CHECK(digest_of(roomy) == digest_of(Numbers{1, 2}));
}

TEST_CASE("a list whose order means nothing has one digest, but what has one key keeps its order") {
  using Pairs = std::vector<std::pair<int, int>>;
  const auto sorted = [](const Pairs& pairs) {
    Digest digest;
    digest.add_sorted(pairs, &std::pair<int, int>::first);
    return digest.value();
  };
  CHECK(sorted({{1, 5}, {2, 6}}) == sorted({{2, 6}, {1, 5}}));
  CHECK(sorted({{1, 5}, {1, 6}}) != sorted({{1, 6}, {1, 5}}));
  CHECK(sorted({{1, 5}}) != sorted({{1, 5}, {1, 5}}));
}

TEST_CASE("a NaN is refused") {
  CHECK_THROWS_AS(digest_of(std::numeric_limits<double>::quiet_NaN()), std::logic_error);
}

TEST_CASE("a copy of a stream has its digest until it has drawn") {
  Stream stream(7, 3, Purpose::workload, 11);
  Stream copy = stream;
  CHECK(digest_of(copy) == digest_of(stream));
  copy.next();
  CHECK(digest_of(copy) != digest_of(stream));
  stream.uniform();
  CHECK(digest_of(copy) == digest_of(stream));
}

// Neither half may collide by itself: the expected number of collisions of 64 bits is 3e-8.
TEST_CASE("a million small states have a million digests, and as many halves of them") {
  std::vector<std::uint64_t> high;
  std::vector<std::uint64_t> low;
  constexpr std::uint64_t kStates = 1000000;
  high.reserve(kStates);
  low.reserve(kStates);
  for (std::uint64_t state = 0; state < kStates; ++state) {
    Digest digest;
    for (std::uint64_t rest = state, place = 0; place < 6; ++place, rest /= 10)
      digest.add(rest % 10);
    high.push_back(digest.value().high);
    low.push_back(digest.value().low);
  }
  for (auto* half : {&high, &low}) {
    std::sort(half->begin(), half->end());
    CHECK(std::adjacent_find(half->begin(), half->end()) == half->end());
  }
}

// Each of the 64 bits flips with probability 1/2: over 3 x 64 x 100 changes, the mean number is 32
// with a standard deviation of 4 / sqrt(19,200) = 0.03.
TEST_CASE("one changed bit of a state changes half of the bits of each half") {
  Stream random(1, 0, Purpose::workload, 0);
  double changed_high = 0;
  double changed_low = 0;
  int changes = 0;
  for (int repetition = 0; repetition < 100; ++repetition) {
    const std::vector<std::uint64_t> state{random.below(10), random.next(), random.below(3)};
    const StateDigest before = digest_of(state);
    for (std::size_t word = 0; word < state.size(); ++word)
      for (unsigned bit = 0; bit < 64; ++bit) {
        std::vector<std::uint64_t> other = state;
        other[word] ^= std::uint64_t{1} << bit;
        const StateDigest after = digest_of(other);
        changed_high += std::popcount(before.high ^ after.high);
        changed_low += std::popcount(before.low ^ after.low);
        ++changes;
      }
  }
  CHECK(changed_high / changes == Approx(32).margin(0.2));
  CHECK(changed_low / changes == Approx(32).margin(0.2));
}

TEST_CASE("all that a receiver can see of a message is in its digest, and nothing else") {
  Message plain;
  plain.from = 1;
  plain.to = 2;
  using Change = void (*)(Message&);
  const std::vector<Change> seen{
      [](Message& m) { m.from = 3; },
      [](Message& m) { m.to = 3; },
      [](Message& m) { m.kind = 3; },
      [](Message& m) { m.channel = Family::termination; },
      [](Message& m) { m.flags = kFence; },
      [](Message& m) { m.flags = kNotifySent; },
      [](Message& m) { m.from_incarnation = 3; },
      [](Message& m) { m.to_incarnation = 3; },
      [](Message& m) { m.bytes = 3; },
      [](Message& m) { m.phase = 3; },
      [](Message& m) { m.from_object = 3; },
      [](Message& m) { m.to_object = 3; },
      [](Message& m) { m.transactions.put(3); },
      [](Message& m) { m.termination.put(3); },
      [](Message& m) { m.logging.put(3); },
      [](Message& m) { m.payload.put(3); },
      [](Message& m) { m.attachments.put(Family::termination, attached({3})); },
      [](Message& m) { m.attachments.put(Family::message_logging, attached({3})); },
      [](Message& m) {
        m.attachments.put(Family::termination, attached({3, 4}));
      },
  };
  std::set<StateDigest> digests{digest_of(plain)};
  for (const Change change : seen) {
    Message changed = plain;
    change(changed);
    digests.insert(digest_of(changed));
  }
  CHECK(digests.size() == seen.size() + 1);
  Message noted = plain;
  noted.flags = kForwarded | kInFlight | kArrived;
  noted.inject_s = 3;
  noted.next = &plain;
  CHECK(digest_of(noted) == digest_of(plain));
}

TEST_CASE("attachments are compared by value, whoever attached first and whatever is hidden") {
  Attachments first;
  first.put(Family::termination, attached({1, 2}));
  first.put(Family::message_logging, std::string("determinants"));
  Attachments second;
  second.put(Family::message_logging, std::string("hidden"));
  second.put(Family::message_logging, std::string("determinants"));
  second.put(Family::termination, attached({1, 2}));
  CHECK(digest_of(first) == digest_of(second));
  CHECK(digest_of(Attachments(first)) == digest_of(first));
  second.put(Family::termination, attached({1}));
  CHECK(digest_of(first) != digest_of(second));
  first.clear();
  CHECK(digest_of(first) == digest_of(Attachments()));
}

TEST_CASE("a message has nothing of the one that had its memory before") {
  MessagePool pool;
  const NoServices services;
  Turn turn;
  turn.pool = &pool;
  turn.services = &services;
  turn.self = 1;
  TerminationContext context(turn, Family::termination);
  Message* const used = pool.take();
  used->from_incarnation = used->to_incarnation = 5;
  used->from_object = used->to_object = 5;
  used->transactions.put(5);
  used->termination.put(5);
  used->logging.put(5);
  used->payload.put(5);
  used->inject_s = 5;
  used->attachments.put(Family::workload, 5);
  const Message& fresh = context.send(2, 3, 4);
  pool.give_back(used);
  const Message& again = context.send(2, 3, 4);
  REQUIRE(&again == used);  // a small pool hands out what was given back last
  CHECK(&fresh != used);
  CHECK(digest_of(again) == digest_of(fresh));
  CHECK(again.inject_s == 0);
}

}  // namespace faultline
