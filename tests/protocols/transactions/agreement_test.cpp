// SPDX-License-Identifier: Apache-2.0

// The agreement of a group: messages without and with a death, what is decided, and what is kept.

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "tests/protocols/transactions/agreement_group.hpp"

namespace faultline::transactions {

namespace {

constexpr std::uint64_t kMostMessagesOfADeath = 10;

const std::vector<AgreementAlgorithm>& all_algorithms() {
  static const std::vector<AgreementAlgorithm> all{
      AgreementAlgorithm::era, AgreementAlgorithm::two_phase, AgreementAlgorithm::star};
  return all;
}

std::uint64_t messages_without_faults(AgreementAlgorithm algorithm, std::uint64_t members) {
  return (algorithm == AgreementAlgorithm::two_phase ? 4 : 2) * (members - 1);
}

/// One agreement in which a rank dies after a number of deliveries, and the others hear of it as
/// many deliveries later.
AgreementGroup run_with_death(AgreementAlgorithm algorithm, std::uint32_t members, Rank victim,
                              std::uint64_t deliveries, std::uint64_t later) {
  AgreementGroup group(algorithm, members);
  group.contribute_all(0);
  while (deliveries-- > 0) group.deliver();
  group.kill(victim);
  while (later-- > 0) group.deliver();
  group.all_hear(victim);
  group.deliver_all();
  return group;
}

}  // namespace

TEST_CASE("agreement: without faults, each algorithm sends its messages and no more",
          "[agreement]") {
  for (const AgreementAlgorithm algorithm : all_algorithms())
    for (std::uint32_t members = 1; members <= 1024; members += members < 70 ? 1 : 53) {
      AgreementGroup group(algorithm, members);
      for (std::uint64_t number = 0; number < 2; ++number) {
        group.contribute_all(number);
        group.deliver_all();
        REQUIRE(group.common_decision(number) == AgreementValue{});
        REQUIRE(group.messages() == (number + 1) * messages_without_faults(algorithm, members));
      }
    }
}

TEST_CASE("agreement: what is decided unites what all have contributed", "[agreement]") {
  for (const AgreementAlgorithm algorithm : all_algorithms()) {
    AgreementGroup group(algorithm, 6);
    for (const Rank rank : {3U, 0U, 5U, 1U}) group.contribute(rank, 0);
    group.contribute(4, 0, {.success = false, .codes = 0b101});
    group.deliver_all();
    REQUIRE_FALSE(group.common_decision(0));
    group.contribute(2, 0, {.success = true, .codes = 0b10});
    group.deliver_all();
    CHECK(group.common_decision(0) == AgreementValue{.success = false, .codes = 0b111});
  }
}

TEST_CASE("agreement: a contribution stands, whatever its member hears or says later",
          "[agreement]") {
  AgreementGroup group(AgreementAlgorithm::era, 3);
  group.contribute(2, 0);
  group.deliver_all();
  group.kill(2);
  group.contribute(0, 0);
  group.contribute(0, 0, {.success = false});
  group.all_hear(2);
  group.contribute(1, 0, {.success = true, .failed = {}});
  group.deliver_all();
  // Rank 1 knew of the death when it contributed. Rank 0 did not, and its second word is none.
  CHECK(group.common_decision(0) == AgreementValue{.failed = {2}});
}

TEST_CASE(
    "agreement: a member that dies after its contribution has come counts as having contributed",
    "[agreement]") {
  AgreementGroup group(AgreementAlgorithm::era, 3);
  group.contribute_all(0);
  group.deliver();
  group.deliver();
  group.kill(2);
  group.deliver_all();
  group.all_hear(2);
  group.deliver_all();
  CHECK(group.common_decision(0) == AgreementValue{});
}

TEST_CASE("agreement: a member that dies before anyone has its contribution has failed",
          "[agreement]") {
  for (const AgreementAlgorithm algorithm : all_algorithms())
    for (Rank victim = 0; victim < 7; ++victim) {
      AgreementGroup group(algorithm, 7);
      for (Rank rank = 0; rank < 7; ++rank)
        if (rank != victim) group.contribute(rank, 0);
      group.kill(victim);
      group.deliver_all();
      group.all_hear(victim);
      group.deliver_all();
      CHECK(group.common_decision(0) == AgreementValue{.failed = {victim}});
    }
}

TEST_CASE("agreement: a death during era adds at most 10 messages, at any moment and size",
          "[agreement]") {
  for (const std::uint32_t members : {2U, 3U, 7U, 16U, 21U})
    for (Rank victim = 0; victim < members; ++victim)
      for (std::uint64_t moment = 0; moment <= 2UL * (members - 1); ++moment)
        for (const std::uint64_t later : {0UL, 1UL, 3UL, 1000UL}) {
          auto group = run_with_death(AgreementAlgorithm::era, members, victim, moment, later);
          REQUIRE(group.common_decision(0));
          REQUIRE(group.messages() <= 2UL * (members - 1) + kMostMessagesOfADeath);
        }
  for (const std::uint32_t members : {1024U, 16384U, 65536U})
    for (const Rank victim : {0U, 1U, 2U, 5U, members / 2, members - 1})
      for (const std::uint64_t moment : {members / 2, members - 2, members - 1, members + 1}) {
        auto group = run_with_death(AgreementAlgorithm::era, members, victim, moment, 5);
        REQUIRE(group.common_decision(0));
        REQUIRE(group.messages() <= 2UL * (members - 1) + kMostMessagesOfADeath);
      }
}

TEST_CASE("agreement: the next one leaves out failed members, and costs as many messages less",
          "[agreement]") {
  for (const AgreementAlgorithm algorithm : all_algorithms()) {
    AgreementGroup group(algorithm, 100);
    for (const Rank victim : {0U, 1U, 40U, 99U}) {
      group.kill(victim);
      group.all_hear(victim);
    }
    group.contribute_all(0);
    group.deliver_all();
    REQUIRE(group.common_decision(0) == AgreementValue{.failed = {0, 1, 40, 99}});
    const std::uint64_t before = group.messages();
    group.contribute_all(1);
    group.deliver_all();
    CHECK(group.common_decision(1) == AgreementValue{.failed = {0, 1, 40, 99}});
    CHECK(group.messages() - before == messages_without_faults(algorithm, 96));
  }
}

TEST_CASE("agreement: members that are absent from the start take no part", "[agreement]") {
  AgreementOutput output;
  Agreement last(AgreementAlgorithm::era, 3, 4, {0, 1, 2});
  CHECK(last.contribute(0, {}, output));
  REQUIRE(output.decisions.size() == 1);
  CHECK(output.decisions[0].value == AgreementValue{.failed = {0, 1, 2}});
  CHECK(output.sends.empty());
}

TEST_CASE("agreement: a decision is told again until a later one is decided", "[agreement]") {
  Agreement root(AgreementAlgorithm::era, 0, 2);
  const auto up = [](std::uint64_t sweep) {
    return AgreementMessage{.kind = AgreementMessageKind::up, .sweep = sweep};
  };
  AgreementOutput output;
  root.contribute(0, {}, output);
  root.on_message(1, up(0), output);
  REQUIRE(output.decisions.size() == 1);
  REQUIRE(output.sends.size() == 1);
  root.on_message(1, up(0), output);
  REQUIRE(output.sends.size() == 2);
  CHECK(output.sends[1].message.kind == AgreementMessageKind::down);
  CHECK_FALSE(root.contribute(0, {.success = false}, output));
  root.contribute(1, {}, output);
  root.on_message(1, up(1), output);
  REQUIRE(output.sends.size() == 3);
  root.on_message(1, up(0), output);
  CHECK(output.sends.size() == 3);
}

TEST_CASE("agreement: a parent's word counts no more once its death is known", "[agreement]") {
  Agreement child(AgreementAlgorithm::era, 2, 3);
  AgreementOutput output;
  child.contribute(0, {}, output);
  REQUIRE(output.sends.size() == 1);
  CHECK(output.sends[0].to == 0);
  child.on_peer_failed(0, output);
  REQUIRE(output.sends.size() == 2);
  CHECK(output.sends[1].to == 1);
  const AgreementMessage down{.kind = AgreementMessageKind::down, .sweep = 0};
  child.on_message(0, down, output);
  CHECK(output.decisions.empty());
  child.on_message(1, down, output);
  CHECK(output.decisions.size() == 1);
}

// 0 decides, 2 passes that on to 5, and both die. 1 knows so, 5 does not: had it both given 1 its
// contribution and taken 2's word, it could stand alone with that decision.
TEST_CASE("agreement: a parent's word counts no more once the root has asked", "[agreement]") {
  Agreement child(AgreementAlgorithm::era, 5, 6);
  AgreementOutput output;
  child.contribute(0, {}, output);
  REQUIRE(output.sends.size() == 1);
  CHECK(output.sends[0].to == 2);
  child.on_message(1, {.kind = AgreementMessageKind::result_request, .sweep = 0}, output);
  REQUIRE(output.sends.size() == 2);
  CHECK(output.sends[1].to == 1);
  child.on_message(2, {.kind = AgreementMessageKind::down, .sweep = 0}, output);
  CHECK(output.decisions.empty());
  child.on_message(1, {.kind = AgreementMessageKind::down, .sweep = 0}, output);
  CHECK(output.decisions.size() == 1);
}

TEST_CASE("agreement: a member that the others take for dead takes no part any more",
          "[agreement]") {
  Agreement expelled(AgreementAlgorithm::era, 1, 3);
  AgreementOutput output;
  expelled.contribute(0, {}, output);
  expelled.on_message(0, {.kind = AgreementMessageKind::down, .sweep = 0, .value = {.failed = {1}}},
                      output);
  REQUIRE(output.decisions.size() == 1);
  CHECK(output.decisions.front().value.failed == std::vector<Rank>{1});
  output = {};
  expelled.contribute(1, {}, output);
  expelled.on_peer_failed(0, output);
  expelled.on_peer_failed(2, output);  // nobody is left that it could ask
  CHECK(output.sends.empty());
  CHECK(output.decisions.empty());
  CHECK(expelled.waiting_for() == "its end, since the others have agreed that it is dead");
}

TEST_CASE("agreement: says for whom it waits, and equals its copy", "[agreement]") {
  Agreement middle(AgreementAlgorithm::era, 1, 4);
  AgreementOutput output;
  CHECK(middle.waiting_for().empty());
  middle.contribute(0, {}, output);
  CHECK(middle.waiting_for() == "the contribution of rank 3");
  const Agreement copy = middle;
  middle.on_message(3, {.kind = AgreementMessageKind::up, .sweep = 0}, output);
  CHECK(middle.waiting_for() == "the decision from rank 0");
  CHECK(copy.waiting_for() == "the contribution of rank 3");
  CHECK_FALSE(copy == middle);
}

TEST_CASE("agreement: messages have the sizes of Open MPI's", "[agreement]") {
  CHECK(agreement_bytes({}) == 92);
  CHECK(agreement_bytes({.value = {.failed = {3, 4, 9}}}) == 104);
}

TEST_CASE("agreement: the tree counts positions around the absent", "[agreement]") {
  const AgreementTree tree{.members = 40, .absent = {0, 3, 4, 5, 20, 39}};
  std::vector<Rank> present;
  for (Rank rank = 0; rank < tree.members; ++rank)
    if (!std::binary_search(tree.absent.begin(), tree.absent.end(), rank)) present.push_back(rank);
  REQUIRE(tree.size() == present.size());
  for (std::uint32_t position = 0; position < present.size(); ++position) {
    CHECK(tree.rank_at(position) == present[position]);
    CHECK(tree.position_of(present[position]) == position);
  }
}

}  // namespace faultline::transactions
