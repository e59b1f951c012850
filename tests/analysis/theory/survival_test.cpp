// SPDX-License-Identifier: Apache-2.0
#include "analysis/theory/survival.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <stdexcept>

#include "tests/analysis/theory/exact_survival.hpp"
#include "tests/analysis/theory/table1.hpp"

namespace faultline::theory {

namespace {

void check_against_exact(std::int64_t n, std::int64_t k, std::int64_t f) {
  INFO("n " << n << " k " << k << " f " << f);
  const FaultOutcome outcome = indep_outcome(n, k, f);
  const exact::Fraction survival = exact::indep_survival(n, k, f);
  CHECK(exact::agrees_to_1e12(outcome.survival, survival));
  CHECK(exact::agrees_to_1e12(outcome.failure, exact::one_minus(survival)));
}

/// Share of the fanout-`f` successor sets of process 0 that hold none of processes 1 .. k-1, found
/// by walking through all sets of its n - 1 possible successors.
double share_of_untouched_successor_sets(unsigned n, unsigned k, unsigned f) {
  const unsigned others = n - 1;
  const unsigned dead = (1U << (k - 1)) - 1U;
  int sets = 0;
  int untouched = 0;
  for (unsigned set = 0; set < (1U << others); ++set) {
    if (std::popcount(set) != static_cast<int>(f)) continue;
    ++sets;
    if ((set & dead) == 0) ++untouched;
  }
  return static_cast<double>(untouched) / sets;
}

}  // namespace

TEST_CASE("the exact comparison sees an error of 2e-12 and not one of 1e-13") {
  const exact::Fraction third = exact::share(1, 3);
  CHECK(exact::agrees_to_1e12(1.0 / 3.0, third));
  CHECK(exact::agrees_to_1e12(1.0 / 3.0 * (1 + 1e-13), third));
  CHECK_FALSE(exact::agrees_to_1e12(1.0 / 3.0 * (1 + 2e-12), third));
  CHECK_FALSE(exact::agrees_to_1e12(1.0 / 3.0 * (1 - 2e-12), third));
  CHECK_FALSE(exact::agrees_to_1e12(0.0, third));
}

TEST_CASE("the exact rounding rounds half up") {
  CHECK(exact::rounds_to(exact::share(5, 1000), "0.01"));
  CHECK_FALSE(exact::rounds_to(exact::share(4999, 1000000), "0.01"));
  CHECK(exact::rounds_to(exact::share(135, 1000000), "1.4e-4"));
  CHECK_FALSE(exact::rounds_to(exact::share(145, 1000000), "1.4e-4"));
}

TEST_CASE(
    "INDEP equals exact rational arithmetic to 1e-12 for the paper's job and all its faults") {
  for (const faults::FaultCount& size : table1::counts().by_size) {
    for (const std::int64_t f : {1, 2, 8, 32, 512}) check_against_exact(1024, size.failed, f);
  }
}

TEST_CASE("INDEP equals exact rational arithmetic to 1e-12 for every fault of every small job") {
  for (std::int64_t n = 1; n <= 16; ++n) {
    for (std::int64_t k = 1; k <= n + 1; ++k) {
      for (std::int64_t f = 0; f < n; ++f) check_against_exact(n, k, f);
    }
  }
}

TEST_CASE("INDEP keeps 12 digits of probabilities as small as 1e-9 in jobs of a million and more") {
  for (const std::int64_t n : {1'000'000, 1'000'000'000}) {
    for (const std::int64_t k : {2, 3, 7, 18, 60}) {
      for (const std::int64_t f : {std::int64_t{1}, std::int64_t{2}, std::int64_t{33}, n / 3,
                                   n / 2 + 1, n - k - 1, n - k, n - k + 1, n - 1}) {
        check_against_exact(n, k, f);
      }
    }
  }
  CHECK(indep_outcome(1'000'000'000, 2, 1).failure == Approx(2.0e-9).epsilon(1e-8));
}

TEST_CASE("INDEP keeps 12 digits where hundreds fail at once and where survival all but vanishes") {
  check_against_exact(1'000'000, 338, 4);
  check_against_exact(1'000'000, 250, 300);
  check_against_exact(100'000, 200, 900);  // survival about e^-400
}

TEST_CASE("INDEP answers at once for the largest job, whatever the fault and the fanout") {
  const std::int64_t n = faults::max_fault_size;
  CHECK(indep_outcome(n, n / 2, n / 2).survival == 0.0);
  CHECK(indep_outcome(n, n - 1, 1).failure == 1.0);
  // ln S = k sum_{j<k} ln(1 - f/(n-j)), about -k (k-1) f / n so far from the edge
  CHECK(std::log(indep_outcome(n, 8'000, 8'000).survival) ==
        Approx(-8'000.0 * 7'999.0 * 8'000.0 / 1e9).epsilon(1e-5));
}

TEST_CASE(
    "INDEP is the chance that k processes with random successor sets name none of each other") {
  for (unsigned n = 2; n <= 10; ++n) {
    for (unsigned k = 1; k < n; ++k) {
      for (unsigned f = 0; f < n; ++f) {
        const double expected = std::pow(share_of_untouched_successor_sets(n, k, f), k);
        INFO("n " << n << " k " << k << " f " << f);
        CHECK(indep_outcome(n, k, f).survival == Approx(expected).epsilon(1e-12).margin(1e-300));
      }
    }
  }
}

TEST_CASE("REL* equals exact rational arithmetic to 1e-12") {
  for (const std::int64_t n : {2, 3, 17, 1024, 1'000'000, 1'000'000'000}) {
    for (const std::int64_t k : {1, 2, 3, 16, 126, 338}) {
      INFO("n " << n << " k " << k);
      const exact::Fraction survival = exact::rel_survival(n, k);
      CHECK(exact::agrees_to_1e12(rel_outcome(n, k).survival, survival));
      CHECK(exact::agrees_to_1e12(rel_outcome(n, k).failure, exact::one_minus(survival)));
    }
  }
}

TEST_CASE("REL* is INDEP with fanout 1") {
  for (const std::int64_t n : {2, 3, 10, 1024, 65'537, 1'000'000'000}) {
    for (std::int64_t k = 1; k < 2'000; k = k * 3 / 2 + 1) {
      INFO("n " << n << " k " << k);
      CHECK(rel_outcome(n, k).survival == Approx(indep_outcome(n, k, 1).survival).epsilon(1e-13));
      CHECK(rel_outcome(n, k).failure == Approx(indep_outcome(n, k, 1).failure).epsilon(1e-13));
    }
  }
}

TEST_CASE("a single death is survived whatever the fanout, unless it was the whole job") {
  for (const std::int64_t f : {0, 1, 512, 1023}) CHECK(indep_outcome(1024, 1, f).failure == 0.0);
  CHECK(rel_outcome(1024, 1).failure == 0.0);
  CHECK(indep_outcome(1, 1, 0).survival == 0.0);
  CHECK(rel_outcome(1, 1).survival == 0.0);
}

TEST_CASE("a fault as large as the job or larger is never survived") {
  for (const std::int64_t k : {1024, 1025, 1'000'000}) {
    for (const std::int64_t f : {0, 1, 1023}) {
      CHECK(indep_outcome(1024, k, f).survival == 0.0);
      CHECK(indep_outcome(1024, k, f).failure == 1.0);
    }
    CHECK(rel_outcome(1024, k).survival == 0.0);
    CHECK(rel_outcome(1024, k).failure == 1.0);
  }
}

TEST_CASE("processes that send to nobody survive every fault that leaves one of them") {
  CHECK(indep_outcome(1024, 1023, 0).survival == 1.0);
  CHECK(indep_outcome(1024, 1023, 0).failure == 0.0);
}

TEST_CASE("more successors than survivors cannot all have survived") {
  CHECK(indep_outcome(1024, 2, 1022).survival > 0.0);
  CHECK(indep_outcome(1024, 2, 1023).survival == 0.0);
  CHECK(indep_outcome(10, 3, 7).survival > 0.0);
  CHECK(indep_outcome(10, 3, 8).survival == 0.0);
  CHECK(indep_outcome(10, 3, 8).failure == 1.0);
}

TEST_CASE("survival falls with the size of the fault and with the fanout and grows with the job") {
  for (std::int64_t k = 2; k < 40; ++k) {
    for (std::int64_t f = 1; f < 40; ++f) {
      INFO("k " << k << " f " << f);
      const double survival = indep_outcome(1000, k, f).survival;
      CHECK(indep_outcome(1000, k + 1, f).survival < survival);
      CHECK(indep_outcome(1000, k, f + 1).survival < survival);
      CHECK(indep_outcome(1001, k, f).survival > survival);
    }
  }
}

TEST_CASE("a job, fault or fanout that cannot be is refused") {
  CHECK_THROWS_AS(indep_outcome(0, 1, 0), std::invalid_argument);
  CHECK_THROWS_AS(indep_outcome(10, 0, 1), std::invalid_argument);
  CHECK_THROWS_AS(indep_outcome(10, 2, 10), std::invalid_argument);
  CHECK_THROWS_AS(indep_outcome(10, 2, -1), std::invalid_argument);
  CHECK_THROWS_AS(rel_outcome(0, 1), std::invalid_argument);
  CHECK_THROWS_AS(rel_outcome(10, 0), std::invalid_argument);
}

TEST_CASE("a row's survival and failure are the exact weighted sums over the distribution") {
  for (const std::int64_t n : {300, 1024, 1'000'000}) {
    const faults::FaultCounts faults = table1::counts();
    const SurvivalRow row = indep_row(n, 2, faults);
    exact::Fraction survival;
    exact::Fraction failure;
    for (const faults::FaultCount& size : faults.by_size) {
      const exact::Fraction one = exact::indep_survival(n, size.failed, 2);
      survival = survival + exact::share(size.count, faults.total) * one;
      failure = failure + exact::share(size.count, faults.total) * exact::one_minus(one);
    }
    CHECK(exact::agrees_to_1e12(row.survival_percent, exact::share(100, 1) * survival));
    CHECK(exact::agrees_to_1e12(row.failure_probability, failure));
  }
}

TEST_CASE("the digits of a survival far below one percent are kept") {
  const faults::FaultCounts fatal{"fatal", "", "", {{40, 1}}, 1};
  const SurvivalRow row = indep_row(1024, 30, fatal);
  const exact::Fraction survival = exact::indep_survival(1024, 40, 30);
  CHECK(row.survival_percent < 1e-15);
  CHECK(exact::agrees_to_1e12(row.survival_percent, exact::share(100, 1) * survival));
}

TEST_CASE("the table has one INDEP row per fanout in the order asked, then REL*") {
  const std::vector<SurvivalRow> rows = survival_rows(1024, {32, 2}, table1::counts());
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].protocol == "indep");
  CHECK(rows[0].fanout == 32);
  CHECK(rows[1].fanout == 2);
  CHECK(rows[2].protocol == "rel");
  CHECK(rows[2].fanout == std::nullopt);
}

}  // namespace faultline::theory
