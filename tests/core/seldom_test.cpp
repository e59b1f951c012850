// SPDX-License-Identifier: Apache-2.0

// Seldom: a value that takes memory of its own only while it is not what it was at first.

#include "sim/core/seldom.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/support/digest_of.hpp"

namespace faultline {

using namespace test;

namespace {

struct Counts {
  std::vector<int> all{1};

  void digest(Digest& into) const { into.add(all); }
};

}  // namespace

TEST_CASE("a seldom changed value is what it was at first until it is changed, and when reset") {
  Seldom<Counts> counts;
  CHECK(counts->all == std::vector{1});
  CHECK(counts.changed() == nullptr);
  counts.change().all.push_back(2);
  CHECK(counts->all == std::vector{1, 2});
  CHECK(counts.changed() == &counts.change());
  counts.reset();
  CHECK(counts->all == std::vector{1});
  CHECK(counts.changed() == nullptr);
}

TEST_CASE("a copy of a seldom changed value shares nothing with it") {
  Seldom<Counts> counts;
  counts.change().all.push_back(2);
  Seldom<Counts> copy = counts;
  copy.change().all.clear();
  CHECK(counts->all == std::vector{1, 2});
  CHECK(copy->all.empty());
}

TEST_CASE("the digest of a seldom changed value does not say where the value lies") {
  Seldom<Counts> counts;
  const StateDigest before = digest_of(counts);
  counts.change();
  CHECK(digest_of(counts) == before);
  counts.change().all.push_back(2);
  CHECK(digest_of(counts) != before);
}

}  // namespace faultline
