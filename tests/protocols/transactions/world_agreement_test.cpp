// SPDX-License-Identifier: Apache-2.0

// Agreements of a world as messages, without an engine: ranks 0 and 1 of three, whose rank 2 dies.

#include "protocols/transactions/world_agreement.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "tests/support/alone.hpp"
#include "tests/support/part_of_layer.hpp"

namespace faultline::transactions {

using namespace test;

namespace {

struct AgreeingMember final : AgreementSteps {
  PartOfLayer around;
  WorldMembers members;
  WorldAgreement agreement;
  std::vector<AgreementOutput::Decision> decisions;

  explicit AgreeingMember(Rank self)
      : around(self, JobShape{.processes = 3, .nodes = 3}, Family::transactions),
        members(3, self),
        agreement(AgreementAlgorithm::era, self, 3) {}

  void carry_out(RecoveryContext& context, const AgreementOutput& output) override {
    agreement.send(context, output, members);
    for (const auto& decision : output.decisions) decisions.push_back(decision);
  }
  void contribute(std::uint64_t number, const AgreementValue& value = {}) {
    agreement.contribute(around.context(), number, value, members, *this);
  }
  void gets(const Message& message) {
    agreement.on_message(around.context(), message, members, *this);
  }
  void hears_of(Rank dead) {
    members.add_dead({dead, 0});
    agreement.on_death(around.context(), dead, *this);
  }
  Message only_sent() {
    const std::vector<Message> sent = around.take_sent();
    REQUIRE(sent.size() == 1);
    return sent.front();
  }
};

}  // namespace

TEST_CASE(
    "a contribution goes up with the epoch of its world, and the "
    "decision comes down") {
  AgreeingMember root(0);
  AgreeingMember below(1);
  below.contribute(1, {.codes = 4});
  const Message up = below.only_sent();
  CHECK(up.to == 0);
  CHECK(up.kind == AgreementKind::up);
  CHECK(up.payload.get<AgreementWords>().epoch == WorldEpoch{});
  CHECK(WorldAgreement::received(root.around.context(), up).value.codes == 4);
  root.contribute(1);
  root.gets(up);
  CHECK(root.decisions.empty());
  root.hears_of(2);
  REQUIRE(root.decisions.size() == 1);
  CHECK(root.decisions.front().value.failed == std::vector<Rank>{2});
  const Message down = root.only_sent();
  CHECK(down.kind == AgreementKind::down);
  below.gets(down);
  REQUIRE(below.decisions.size() == 1);
  CHECK(below.decisions.front().value == root.decisions.front().value);
  MetricTotals totals({&kAgreementMessages});
  root.agreement.report(totals);
  CHECK(totals.value(kAgreementMessages) == 1.0);
}

TEST_CASE("a rank that knows of a death has not succeeded") {
  AgreeingMember member(1);
  member.hears_of(2);
  member.contribute(1);
  CHECK(!WorldAgreement::received(member.around.context(), member.only_sent()).value.success);
}

TEST_CASE(
    "agreements begin anew in a new world, among those who are not known "
    "to be dead") {
  AgreeingMember root(0);
  root.contribute(1);
  root.members.add_dead({2, 1});
  root.members.enter({1, 1},
                     std::make_shared<const WorldNews>(WorldNews{World(3), {{{2, 1}}, {2}, 0}, 1}));
  root.agreement.enter(root.around.context(), root.members, root);
  root.contribute(0);
  CHECK(root.decisions.empty());
  const Message up =
      arriving(Family::transactions, 1, AgreementKind::up, AgreementWords{{1, 1}, 0, 1, 0});
  root.gets(up);
  REQUIRE(root.decisions.size() == 1);
  CHECK(!root.decisions.front().value.success);
  CHECK(root.only_sent().payload.get<AgreementWords>().epoch == WorldEpoch{1, 1});
}

}  // namespace faultline::transactions
