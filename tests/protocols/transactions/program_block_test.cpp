// SPDX-License-Identifier: Apache-2.0

// What a program hears about its TryBlock, without an engine.

#include "protocols/transactions/program_block.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/support/part_of_layer.hpp"

namespace faultline::transactions {

using namespace test;

namespace {

struct BlockOfProgram {
  PartOfLayer around{0, JobShape{.processes = 3, .nodes = 3}, Family::transactions};
  ProgramBlock block{0.5};

  template <class Question>
  static StackRequest asking(const Question& question) {
    StackRequest request;
    request.kind = Question::kRequest;
    request.content.put(question);
    return request;
  }
  void start(std::uint64_t attempt) { block.start(around.context(), asking(StartBlock{attempt})); }
  /// The only answer that the program has got since the last call.
  template <class Answer>
  Answer answer() {
    const std::vector<StackRequest> answers = around.take_requests();
    REQUIRE(answers.size() == 1);
    REQUIRE(answers.front().is_answer);
    REQUIRE(answers.front().is<Answer>());
    return answers.front().get<Answer>();
  }
};

}  // namespace

TEST_CASE(
    "a TryBlock starts with its number and the time after which its "
    "requests fail") {
  BlockOfProgram block;
  CHECK(!block.block.has_started());
  block.start(3);
  const auto started = block.answer<BlockStarted>();
  CHECK(started.attempt == 3);
  CHECK(started.request_timeout_s == 0.5);
  CHECK(started.released == 0);
  CHECK(block.block.attempt() == 3);
  block.block.release(block.around.context());
  CHECK(block.answer<BlockStarted>().released == 1);
}

TEST_CASE(
    "a program hears that its TryBlock is accepted if all have succeeded "
    "and nobody is dead") {
  const std::vector<AgreementValue> outcomes{
      {}, {.success = false}, {.success = true, .failed = {1}}};
  for (const AgreementValue& outcome : outcomes) {
    BlockOfProgram block;
    block.start(1);
    block.around.take_requests();
    block.block.wait(BlockOfProgram::asking(WaitBlock{1}));
    CHECK(block.block.is_awaited());
    block.block.set_outcome(outcome);
    block.block.answer_outcome(block.around.context());
    const auto told = block.answer<BlockOutcome>();
    CHECK(told.attempt == 1);
    CHECK((told.verdict == BlockVerdict::accepted) == (outcome == AgreementValue{}));
    CHECK(!block.block.is_awaited());
  }
}

TEST_CASE("a program can ask which processes have failed, one after the other") {
  BlockOfProgram block;
  const WorldMembers members(3, 0);
  const auto ask = [&](std::uint64_t index) {
    block.block.answer_query(block.around.context(), BlockOfProgram::asking(QueryBlock{1, index}),
                             members);
    return block.answer<FailedGroup>();
  };
  CHECK(ask(0).count == 0);
  block.block.set_outcome({.failed = {1, 2}});
  CHECK(ask(0).count == 2);
  CHECK(ask(1).failed == Incarnation{2, 0});
  CHECK(ask(2).failed.actor == kNobody);
}

TEST_CASE("in a new world no TryBlock has begun") {
  BlockOfProgram block;
  block.start(2);
  block.block.set_outcome({});
  block.block.reset();
  CHECK(block.block.attempt() == 0);
  CHECK(!block.block.outcome());
  block.block.forget_requests();
  CHECK(!block.block.has_started());
}

}  // namespace faultline::transactions
