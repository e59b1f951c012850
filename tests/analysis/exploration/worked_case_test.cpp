// SPDX-License-Identifier: Apache-2.0

// The worked case of docs/explore.md: a wrong detector is refuted, mended and exhausted.

#include <catch2/catch.hpp>
#include <memory>
#include <utility>

#include "analysis/exploration/counterexample.hpp"
#include "analysis/exploration/exploration.hpp"
#include "tests/support/job.hpp"

namespace faultline::exploration {

using namespace test;

namespace {

enum Kind : std::uint16_t { kAcknowledge, kOver };

/// Every task is acknowledged. Rank 0 announces when all its tasks are.
class Echo : public TerminationDetector {
 public:
  explicit Echo(Rank self, bool mended) : self_(self), mended_(mended) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Echo>(*this);
  }

  void on_sends(TerminationContext& context, std::span<Message* const> batch, bool) override {
    owed_ += batch.size();
    for (Message* message : batch) context.forward(*message);
  }

  Passage on_receive(TerminationContext& context, Message& message) override {
    if (mended_ && self_ != 0 && parent_ == kNobody)
      parent_ = message.from;  // is acknowledged when all that follows from it is
    else
      context.send(message.from, kAcknowledge, 8);
    return Passage::deliver;
  }

  void on_message(TerminationContext& context, const Message& message) override {
    if (message.kind == kOver) return context.announce();
    --owed_;
    if (!context.active()) on_idle(context);
  }

  void on_idle(TerminationContext& context) override {
    if (owed_ > 0) return;
    if (parent_ != kNobody) context.send(std::exchange(parent_, kNobody), kAcknowledge, 8);
    if (self_ != 0) return;
    for (Rank rank = 1; rank < context.job().processes; ++rank) context.send(rank, kOver, 8);
    context.announce();
  }

 private:
  void digest_state(Digest& into) const override { into.add(owed_, parent_); }

  Rank self_;
  bool mended_;
  std::uint64_t owed_ = 0;
  Rank parent_ = kNobody;
};

/// Rank 0 sends a task to rank 1, which sends one to rank 2.
ExplorationRequest request_of(Job& job, bool mended) {
  job.workload("token-ring", {{"walk_length", std::int64_t{1}},
                              {"route", std::string("pipeline")},
                              {"branch_probability", 1.0}});
  job.own(Family::termination,
          [mended](ActorId self) { return std::make_unique<Echo>(self, mended); },
          {.traits = TerminationTraits{.announces = true}});
  return {.spec = explored_spec(job.spec)};
}

}  // namespace

TEST_CASE("the detector of the page is refuted by a run of five steps, and exhausted once mended") {
  for (const bool mended : {false, true}) {
    Job job(3);
    const ExplorationRequest request = request_of(job, mended);
    const ExplorationResult result = explore(request);
    if (mended) {
      CHECK(result.verdict == ExplorationResult::Verdict::exhausted);
      CHECK(result.ends == std::map<std::string, std::uint64_t>{{"terminated", 1}});
      continue;
    }
    REQUIRE(result.verdict == ExplorationResult::Verdict::violated);
    CHECK(result.refutation->violations.front().kind == "premature");
    CHECK(told_run(request, result.refutation->steps).words ==
          Words{"all start", "rank 1 receives token from rank 0", "rank 0 receives a from rank 1"});
  }
}

}  // namespace faultline::exploration
