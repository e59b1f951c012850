// SPDX-License-Identifier: Apache-2.0

// How long a TryBlock takes to be committed, and how many messages: exactly as in theory.

#include <catch2/catch.hpp>
#include <string>

#include "analysis/theory/closed_forms.hpp"
#include "tests/support/job.hpp"

namespace faultline::transactions {

using namespace test;

namespace {

void set_up_commit_time(Job& job, const std::string& agreement) {
  job.workload("try-blocks", {{"compute_s", 1e-3}});
  job.use(Family::transactions, "fampi", {{"agreement", agreement}});
  job.spec.stop.when = scenario::StopWhen::finished;
}

}  // namespace

TEST_CASE("fampi commits a TryBlock in the time and messages that theory says") {
  platform::Machine torus = quick_machine(1000);
  torus.topology = platform::Torus{{10, 10, 10}};
  for (const platform::Machine& machine : {quick_machine(1000), torus})
    for (const std::uint32_t processes : {1U, 2U, 5U, 64U, 300U, 1000U})
      for (const std::string& agreement : {std::string("era"), std::string("two-phase")}) {
        CAPTURE(processes, agreement);
        Job job(processes, machine);
        set_up_commit_time(job, agreement);
        const std::vector<theory::ClosedForm> forms = theory::closed_forms(job.spec);
        REQUIRE(forms.size() == 2);
        const Seen seen = job.run();
        for (const theory::ClosedForm& form : forms)
          CHECK(seen.metric(form.metric) == Approx(form.value).epsilon(1e-12));
      }
}

TEST_CASE("theory says nothing of a commit that anything else disturbs") {
  const auto says = [](auto change) {
    Job job(16, quick_machine());
    set_up_commit_time(job, "era");
    change(job);
    return !theory::closed_forms(job.spec).empty();
  };
  CHECK(says([](Job&) {}));
  CHECK_FALSE(says([](Job& job) { job.kill(1e-4, {2}); }));
  CHECK_FALSE(says([](Job& job) { job.spec.platform.processes_per_node = 2; }));
  CHECK_FALSE(says([](Job& job) { job.spec.platform.mapping = scenario::Mapping::random; }));
  CHECK_FALSE(says([](Job& job) { job.spec.slow.emplace_back(); }));
  CHECK_FALSE(says([](Job& job) {
    job.workload("try-blocks", {{"allreduces", std::int64_t{1}}});
  }));
  CHECK_FALSE(says([](Job& job) { job.use(Family::transactions, "relaunch", {}); }));
}

}  // namespace faultline::transactions
