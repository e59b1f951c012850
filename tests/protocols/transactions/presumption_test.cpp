// TryBlocks with a collective inside, which are presumed to be accepted, and local ones.

#include <catch2/catch.hpp>
#include <string>

#include "sim/core/transaction_requests.hpp"
#include "tests/protocols/transactions/transactions_run.hpp"
#include "tests/support/job.hpp"
#include "tests/support/pass_through.hpp"

using namespace faultline;
using namespace faultline::test;
using Catch::Matchers::Contains;

namespace {

void set_up(Job& job, const OptionValues& fampi) {
  job.workload(
      "try-blocks",
      {{"iterations", std::int64_t{5}}, {"compute_s", 1e-4}, {"allreduces", std::int64_t{1}}});
  OptionValues options{{"request_timeout_s", 0.01}};
  for (const auto& [name, value] : fampi) options[name] = value;
  job.use(Family::transactions, "fampi", options);
  job.use(Family::failure_detection, "oracle", {{"delay_s", 1e-5}});
  job.spec.platform.spare_nodes = 3;
  job.spec.stop.when = StopWhen::finished;
}

/// Says of what is presumed that it has been decided.
class TakesPresumedForDecided final : public PassThrough<TakesPresumedForDecided> {
 public:
  using PassThrough::PassThrough;
  void on_request(Context& context, const StackRequest& request) override {
    if (request.is<FinishBlock>()) succeeded_ = request.get<FinishBlock>().errors == 0;
    if (request.is<WaitBlock>() && succeeded_)
      context.answer(request, BlockOutcome{.attempt = request.get<WaitBlock>().attempt});
    PassThrough::on_request(context, request);
  }

 private:
  bool succeeded_ = false;
};

const OptionValues kPresumed{{"scope", std::string("with-collective")},
                             {"checkpoint", std::string("partner")},
                             {"checkpoint_iterations", std::int64_t{1}}};

}  // namespace

TEST_CASE("presumed TryBlocks are agreed on once, at the end") {
  for (const EngineKind engine : engines())
    for (const std::string agreement : {"era", "two-phase", "star"}) {
      Job job(7, quick_machine());
      OptionValues options = kPresumed;
      options["agreement"] = agreement;
      set_up(job, options);
      const Seen seen = job.run(engine);
      CHECK(seen.result.outcome == Outcome::finished);
      CHECK(seen.violations().empty());
      const double each = (agreement == "two-phase" ? 4.0 : 2.0) * 6;
      CHECK(seen.metric("control_messages.up") + seen.metric("control_messages.down") == each);
      CHECK(seen.metric("control_messages.invite") == 0.0);
      CHECK(seen.metric("blocks_committed") == 5.0);
      CHECK(seen.metric("presumptions_revoked") == 0.0);
    }
}

TEST_CASE("a death calls those who have presumed, and all go back to the same TryBlock") {
  Job peaceful(7, quick_machine());
  set_up(peaceful, kPresumed);
  const double right = peaceful.run().metric("state_digest");
  const double end_s = peaceful.run().metric("time_to_solution_s");
  for (const EngineKind engine : engines()) {
    double called = 0.0;
    for (int moment = 1; moment < 37; ++moment)
      for (const Rank victim : {0U, 3U, 6U}) {
        Job job(7, quick_machine());
        set_up(job, kPresumed);
        job.kill(end_s * moment / 40, {victim});
        const Seen seen = job.run(engine);
        INFO(moment << " of " << victim);
        CHECK(seen.result.outcome == Outcome::finished);
        CHECK(seen.violations().empty());
        CHECK(seen.metric("ranks_respawned") == 1.0);
        CHECK(seen.metric("state_digest") == right);
        called += seen.metric("control_messages.invite");
      }
    CHECK(called > 0.0);
  }
}

TEST_CASE("a presumption can be wrong: a sum has ended at one rank, and fails at another") {
  double revoked = 0.0;
  for (std::uint64_t seed = 1; seed <= 2000 && revoked == 0.0; ++seed) {
    const TransactionsRun run = draw_transactions_run(seed, "fampi");
    if (run.scope != "with-collective") continue;
    const Seen seen = make_run(run, "fampi", EngineKind::loggp);
    CHECK(seen.violations().empty());
    if (seen.result.outcome == Outcome::finished) revoked += seen.metric("presumptions_revoked");
  }
  CHECK(revoked > 0.0);
}

TEST_CASE("random runs find that what is presumed was taken for decided") {
  Registration wrong;
  const std::string found = counterexample("fampi", EngineKind::loggp, 2000, [&](RunSpec& spec) {
    const OptionValues& options = spec.components[index_of(Family::transactions)].options;
    if (std::get<std::string>(options.at("scope")) == "with-collective")
      make_mistaken<TakesPresumedForDecided>(spec, Family::transactions, wrong);
  });
  CHECK_THAT(found, Contains("inconsistent"));
}

TEST_CASE("a copy is kept until nobody can go back to it, whoever keeps the next one") {
  // Found by random runs: rank 1 has another keeper after rank 0 has been replaced, and dies when
  // only some have taken the next checkpoint.
  const TransactionsRun run{.seed = 29202,
                            .processes_per_node = 2,
                            .iterations = 4,
                            .iterations_per_block = 2,
                            .notice_delay_s = 1e-4,
                            .checkpoint = "partner",
                            .scope = "with-collective",
                            .faults = {{.event = 92, .mark = {}, .value = 0, .victim = 0},
                                       {.mark = "contributed", .value = 1, .victim = 1}}};
  CHECK(broken_promise(run, "fampi", EngineKind::loggp) == "");
}

TEST_CASE("local TryBlocks need no agreement, and nobody recovers from a death in one") {
  for (const EngineKind engine : engines()) {
    Job job(7, quick_machine());
    set_up(job, {{"scope", std::string("local")}});
    const Seen seen = job.run(engine);
    CHECK(seen.result.outcome == Outcome::finished);
    CHECK(seen.metric("control_messages") == 0.0);
    CHECK(seen.metric("blocks_committed") == 5.0);
    Job dies(7, quick_machine());
    set_up(dies, {{"scope", std::string("local")}});
    dies.kill(2e-4, {3});
    const Seen lost = dies.run(engine);
    CHECK(lost.result.outcome == Outcome::fatal_reported);
    CHECK(lost.result.fatal_reason ==
          "a local TryBlock does not recover from the death of a process");
  }
}
