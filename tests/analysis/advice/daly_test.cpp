// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/daly.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

namespace faultline::advice {

namespace {

/// Daly's model of the expected time of a job (equation 20 of his paper): work is done in pieces,
/// after each of which comes a checkpoint, and a fault costs what was done since the last one.
double expected_time(double piece_s, double checkpoint_s, double mtbf_s) {
  constexpr double kWork_s = 1e6;
  return mtbf_s * std::expm1((piece_s + checkpoint_s) / mtbf_s) * kWork_s / piece_s;
}

/// The best piece, found by trying them all.
double best_piece_s(double checkpoint_s, double mtbf_s) {
  double best = 0;
  double least = HUGE_VAL;
  for (double piece_s = mtbf_s / 1e4; piece_s < 3 * mtbf_s; piece_s *= 1.0005) {
    const double time = expected_time(piece_s, checkpoint_s, mtbf_s);
    if (time >= least) continue;
    least = time;
    best = piece_s;
  }
  return best;
}

}  // namespace

TEST_CASE("Daly's interval is near the one with which the model's expected time is least") {
  const double checkpoint_s = GENERATE(0.1, 1.0, 10.0, 40.0);
  constexpr double kMtbf_s = 100;
  const double exact = best_piece_s(checkpoint_s, kMtbf_s);
  CAPTURE(checkpoint_s, exact);
  CHECK(daly_interval_s(checkpoint_s, kMtbf_s) == Approx(exact).epsilon(0.02));
}

TEST_CASE("no checkpoint is worth it that takes twice the time between faults") {
  CHECK(daly_interval_s(300, 100) == 100);
  CHECK(daly_interval_s(0, 100) == 0);
}

TEST_CASE("values around a number of iterations are whole, different, and at least 1") {
  using Whole = std::vector<std::int64_t>;
  CHECK(iterations_around(20) == Whole{10, 14, 20, 28, 40});
  CHECK(iterations_around(1) == Whole{1, 2});
  CHECK(iterations_around(0.01) == Whole{1});
  CHECK(iterations_around(2.4) == Whole{1, 2, 3, 5});
}

}  // namespace faultline::advice
