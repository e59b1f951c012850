// SPDX-License-Identifier: Apache-2.0

// Whom the resource manager believes, and whom it ends.

#include <catch2/catch.hpp>

#include "sim/engine/membership/fence_list.hpp"

namespace faultline::engine {

namespace {

constexpr Incarnation kA{1, 0};
constexpr Incarnation kB{2, 0};
constexpr Incarnation kC{3, 0};

StateDigest digest_of(const FenceList& fences, const std::vector<Incarnation>& living) {
  Digest into;
  fences.digest(into, [&](Incarnation life) {
    return std::find(living.begin(), living.end(), life) != living.end();
  });
  return into.value();
}

}  // namespace

TEST_CASE("an accuser that was accused before is not believed, whoever the accuser of that is") {
  FenceList fences;
  const std::uint32_t first = fences.add({.accused = kB, .accuser = kA, .heard_s = 1});
  const std::uint32_t back = fences.add({.accused = kA, .accuser = kB, .heard_s = 2});
  CHECK(fences.is_believed(first));
  CHECK_FALSE(fences.is_believed(back));
  CHECK(fences.is_accused(kB));
  CHECK_FALSE(fences.is_accused(kA));
  // Of two at the same time, the first counts.
  const std::uint32_t later = fences.add({.accused = kC, .accuser = kB, .heard_s = 1});
  CHECK_FALSE(fences.is_believed(later));
}

TEST_CASE("whoever an unbelieved accuser accuses is still believed") {
  FenceList fences;
  fences.add({.accused = kB, .accuser = kA, .heard_s = 1});
  fences.add({.accused = kC, .accuser = kB, .heard_s = 2});
  const std::uint32_t by_c = fences.add({.accused = kA, .accuser = kC, .heard_s = 3});
  CHECK(fences.is_believed(by_c));
  CHECK(fences.is_accused(kA));
}

TEST_CASE("what the manager hears late does not undo what it heard before") {
  FenceList fences;
  const std::uint32_t cut_off = fences.add({.accused = kA, .accuser = kB, .heard_s = 9});
  CHECK(fences.is_believed(cut_off));
  fences.add({.accused = kB, .accuser = kA, .heard_s = 2});
  CHECK_FALSE(fences.is_believed(cut_off));
  CHECK_FALSE(fences.is_accused(kA));
  CHECK_FALSE(fences.is_accused_by(kB, 1));
  CHECK(fences.is_accused_by(kB, 2));
}

TEST_CASE("what the manager never hears accuses nobody") {
  FenceList fences;
  fences.add({.accused = kA, .accuser = kB, .heard_s = kNever});
  CHECK_FALSE(fences.is_accused(kA));
}

TEST_CASE("the digest of fences names the living that are accused, in whatever order") {
  FenceList fences;
  fences.add({.accused = kA, .accuser = kC, .heard_s = 1});
  fences.add({.accused = kB, .accuser = kC, .heard_s = 1});
  FenceList other;
  other.add({.accused = kB, .accuser = kC, .heard_s = 5});
  other.add({.accused = kA, .accuser = kC, .heard_s = 6});
  CHECK(digest_of(fences, {kA, kB, kC}) == digest_of(other, {kA, kB, kC}));
  CHECK(digest_of(fences, {kB, kC}) != digest_of(fences, {kA, kB, kC}));
  CHECK(digest_of(fences, {kC}) == digest_of(FenceList(), {kC}));
}

}  // namespace faultline::engine
