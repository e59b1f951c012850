// Several components attach data to one message. Copies share them.

#include "sim/core/attachments.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace faultline;

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
