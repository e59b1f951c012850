// SPDX-License-Identifier: Apache-2.0

// Several components attach data to one message. Copies share them.

#include "sim/core/attachments.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace faultline {

namespace {

struct Wide {
  std::array<std::uint64_t, 10> words;

  void digest(Digest& into) const {
    for (const std::uint64_t word : words) into.add(word);
  }
};

}  // namespace

TEST_CASE("each component finds what it has attached, and not what others have") {
  Attachments attachments;
  CHECK(attachments.empty());
  attachments.put(Family::termination, std::string("credit"));
  attachments.put(Family::message_logging, 7);
  REQUIRE(attachments.get<std::string>(Family::termination) != nullptr);
  CHECK(*attachments.get<std::string>(Family::termination) == "credit");
  CHECK(*attachments.get<int>(Family::message_logging) == 7);
  CHECK(attachments.get<int>(Family::termination) == nullptr);
  CHECK(attachments.get<int>(Family::workload) == nullptr);
}

TEST_CASE("a later attachment of the same component hides the earlier one in that copy alone") {
  Attachments first;
  first.put(Family::workload, 1);
  Attachments second = first;
  second.put(Family::workload, 2);
  CHECK(*first.get<int>(Family::workload) == 1);
  CHECK(*second.get<int>(Family::workload) == 2);
}

TEST_CASE(
    "the place of what was attached serves the next, and large things have one of their own") {
  Attachments first;
  first.put(Family::workload, std::uint64_t{1});
  const void* const place = first.get<std::uint64_t>(Family::workload);
  first.clear();
  Attachments second;
  second.put(Family::termination, std::uint64_t{2});
  CHECK(second.get<std::uint64_t>(Family::termination) == place);
  std::vector<Attachments> all(100);
  for (std::uint64_t i = 0; i < all.size(); ++i) {
    all[i].put(Family::workload, i);
    all[i].put(Family::termination, std::vector<std::uint64_t>{i, 2 * i});
    all[i].put(Family::message_logging, Wide{{i, 1, 2, 3, 4, 5, 6, 7, 8, 3 * i}});
  }
  for (std::uint64_t i = 0; i < all.size(); ++i) {
    CHECK(*all[i].get<std::uint64_t>(Family::workload) == i);
    CHECK(all[i].get<std::vector<std::uint64_t>>(Family::termination)->back() == 2 * i);
    CHECK(all[i].get<Wide>(Family::message_logging)->words.back() == 3 * i);
  }
}

TEST_CASE("what is attached lives as long as its last copy") {
  const auto value = std::make_shared<int>(3);
  Attachments kept;
  {
    Attachments original;
    original.put(Family::termination, value);
    original.put(Family::workload, 1);
    kept = original;
    Attachments moved = std::move(original);
    moved.put(Family::message_logging, value);
    CHECK(value.use_count() == 3);
  }
  CHECK(value.use_count() == 2);
  kept = kept;
  CHECK(**kept.get<std::shared_ptr<int>>(Family::termination) == 3);
  kept.clear();
  CHECK(kept.empty());
  CHECK(value.use_count() == 1);
}

}  // namespace faultline
