// SPDX-License-Identifier: Apache-2.0
#include "tests/analysis/theory/table1.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "analysis/theory/survival.hpp"
#include "tests/analysis/theory/exact_survival.hpp"

namespace faultline::theory {

namespace {

/// How a computed table compares with the printed one.
struct Comparison {
  std::size_t compared = 0;
  std::vector<std::string> differences;

  void cell(const exact::Fraction& value, const std::string& printed, const std::string& place) {
    ++compared;
    if (!exact::rounds_to(value, printed)) differences.push_back(place + " is not " + printed);
  }
};

exact::Fraction percent(const exact::Fraction& value) { return exact::share(100, 1) * value; }

/// Compares every figure of the table; `failures` holds one map (size -> probability) per row.
Comparison compare(const std::map<std::int64_t, exact::Fraction>& shares,
                   const std::vector<std::map<std::int64_t, exact::Fraction>>& failures,
                   const std::vector<exact::Fraction>& survival_percents) {
  Comparison result;
  exact::Fraction tail_share;
  for (const std::int64_t size : table1::tail_sizes) tail_share = tail_share + shares.at(size);
  result.cell(percent(tail_share), table1::tail_percent, "tail percentage");
  for (std::size_t s = 0; s < table1::sizes.size(); ++s) {
    result.cell(percent(shares.at(table1::sizes[s])), table1::fault_percent[s], "percentage");
  }
  for (std::size_t r = 0; r < table1::rows.size(); ++r) {
    const table1::Row& row = table1::rows[r];
    const std::string place = row.fanout ? "f=" + std::to_string(*row.fanout) : "REL*";
    for (std::size_t s = 0; s < table1::sizes.size(); ++s) {
      result.cell(failures[r].at(table1::sizes[s]), row.cells[s],
                  place + " k=" + std::to_string(table1::sizes[s]));
    }
    exact::Fraction tail;
    for (const std::int64_t size : table1::tail_sizes) tail = tail + failures[r].at(size);
    result.cell(tail, row.tail, place + " tail");
    result.cell(survival_percents[r], row.survival, place + " survival");
  }
  return result;
}

std::map<std::int64_t, exact::Fraction> shares_of(const faults::FaultCounts& faults) {
  std::map<std::int64_t, exact::Fraction> shares;
  for (const faults::FaultCount& size : faults.by_size) {
    shares[size.failed] = exact::share(size.count, faults.total);
  }
  return shares;
}

/// The table that the program computes, digit for digit as its doubles stand.
Comparison compare_program(const faults::FaultCounts& faults,
                           std::int64_t processes = table1::processes,
                           std::int64_t more_fanout = 0) {
  std::vector<std::map<std::int64_t, exact::Fraction>> failures;
  std::vector<exact::Fraction> survivals;
  for (const table1::Row& printed : table1::rows) {
    const SurvivalRow row = printed.fanout
                                ? indep_row(processes, *printed.fanout + more_fanout, faults)
                                : rel_row(processes, faults);
    failures.emplace_back();
    for (const SizeSurvival& size : row.by_size) {
      failures.back()[size.failed] = exact::of_double(size.failure_probability);
    }
    survivals.push_back(exact::of_double(row.survival_percent));
  }
  return compare(shares_of(faults), failures, survivals);
}

/// The table in exact rational numbers.
Comparison compare_exact(const faults::FaultCounts& faults) {
  std::vector<std::map<std::int64_t, exact::Fraction>> failures;
  std::vector<exact::Fraction> survivals;
  for (const table1::Row& printed : table1::rows) {
    failures.emplace_back();
    exact::Fraction sum;
    for (const faults::FaultCount& size : faults.by_size) {
      const exact::Fraction survival =
          printed.fanout ? exact::indep_survival(table1::processes, size.failed, *printed.fanout)
                         : exact::rel_survival(table1::processes, size.failed);
      const exact::Fraction failure =
          exact::share(size.count, faults.total) * exact::one_minus(survival);
      failures.back()[size.failed] = failure;
      sum = sum + failure;
    }
    survivals.push_back(percent(exact::one_minus(sum)));
  }
  return compare(shares_of(faults), failures, survivals);
}

/// 13 + 1 percentages, 5 x 13 size cells, 5 tail cells, 5 survivals.
constexpr std::size_t printed_figures = 14 + 65 + 5 + 5;

}  // namespace

TEST_CASE("every printed digit of Table 1 comes out of the Jaguar counts") {
  const Comparison comparison = compare_program(table1::counts());
  CHECK(comparison.compared == printed_figures);
  CHECK(comparison.differences == std::vector<std::string>{});
}

TEST_CASE("the exact rational value of every figure of Table 1 rounds half up to the print") {
  const Comparison comparison = compare_exact(table1::counts());
  CHECK(comparison.compared == printed_figures);
  CHECK(comparison.differences == std::vector<std::string>{});
}

TEST_CASE("the comparison with Table 1 fails when any one count is off by one") {
  for (std::size_t i = 0; i < table1::counts().by_size.size(); ++i) {
    faults::FaultCounts perturbed = table1::counts();
    ++perturbed.by_size[i].count;
    ++perturbed.total;
    INFO("size " << perturbed.by_size[i].failed);
    CHECK_FALSE(compare_program(perturbed).differences.empty());
  }
}

TEST_CASE("the comparison with Table 1 fails when a fault is booked under another size") {
  for (std::size_t i = 1; i < table1::counts().by_size.size(); ++i) {
    faults::FaultCounts perturbed = table1::counts();
    --perturbed.by_size.front().count;
    ++perturbed.by_size[i].count;
    INFO("size " << perturbed.by_size[i].failed);
    CHECK_FALSE(compare_program(perturbed).differences.empty());
  }
}

TEST_CASE("the comparison with Table 1 fails for another job size or fanout") {
  CHECK_FALSE(compare_program(table1::counts(), 1000).differences.empty());
  CHECK_FALSE(compare_program(table1::counts(), 1024, 1).differences.empty());
}

TEST_CASE("the shipped distribution jaguar is the one behind Table 1") {
  const faults::FaultCounts shipped = scenario::find_fault_counts("jaguar");
  const faults::FaultCounts expected = table1::counts();
  CHECK(shipped.name == "jaguar");
  CHECK(shipped.source.find("Table 1") != std::string::npos);
  CHECK(shipped.total == expected.total);
  REQUIRE(shipped.by_size.size() == expected.by_size.size());
  for (std::size_t i = 0; i < expected.by_size.size(); ++i) {
    CHECK(shipped.by_size[i].failed == expected.by_size[i].failed);
    CHECK(shipped.by_size[i].count == expected.by_size[i].count);
  }
}

}  // namespace faultline::theory
