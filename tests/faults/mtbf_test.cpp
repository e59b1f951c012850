// SPDX-License-Identifier: Apache-2.0

// How often faults strike a job, as far as their sources determine it.

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/faults/sources.hpp"

namespace faultline::faults {

using namespace test;

namespace {

double mtbf_s(const Job& job) { return scenario::job_shape(job.spec).mtbf_s; }

}  // namespace

TEST_CASE("the mean time between faults of a job is that of all its sources together") {
  Job job(8);
  job.spec.platform.processes_per_node = 2;
  CHECK(mtbf_s(job) == kNever);
  add_source(job, "poisson", {{"mtbf_s", 300.0}});
  CHECK(mtbf_s(job) == Approx(300.0));
  add_source(job, "poisson", {{"mtbf_s", 2400.0}, {"per", std::string("node")}});
  CHECK(mtbf_s(job) == Approx(1 / (1 / 300.0 + 4 / 2400.0)));
  add_source(job, "poisson",
             {{"mtbf_s", 2400.0}, {"per", std::string("node")}, {"victims", std::string("ranks")}});
  CHECK(mtbf_s(job) == Approx(1 / (1 / 300.0 + 4 / 2400.0 + 8 / 2400.0)));
}

TEST_CASE("a Weibull source says its mean time between faults by that or by its scale") {
  Job by_mean(2);
  add_source(by_mean, "weibull", {{"mtbf_s", 300.0}, {"shape", 0.7}});
  CHECK(mtbf_s(by_mean) == Approx(300.0));
  Job by_scale(2);
  add_source(by_scale, "weibull", {{"scale_s", 300.0}, {"shape", 0.7}});
  CHECK(mtbf_s(by_scale) == Approx(300.0 * std::tgamma(1 + 1 / 0.7)));
}

TEST_CASE("of the faults of a whole machine it is not known how many strike the job") {
  Job job(2);
  add_source(job, "poisson", {{"mtbf_s", 300.0}, {"scope", std::string("machine")}});
  CHECK(mtbf_s(job) == kNever);
}

}  // namespace faultline::faults
