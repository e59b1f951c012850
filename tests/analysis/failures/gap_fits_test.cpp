// SPDX-License-Identifier: Apache-2.0

// Fits against published ones, against the equations that they must solve, and against the samples
// that they are drawn from.

#include "analysis/failures/gap_fits.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "sim/core/random.hpp"

namespace faultline::failures {

namespace {

/// Millions of revolutions until 23 ball bearings failed (Lieblein and Zelen 1956), and the
/// fits that Lawless prints: Statistical Models and Methods for Lifetime Data (1982).
const std::vector<double> kBearings = {17.88, 28.92, 33.00,  41.52,  42.12,  45.60,  48.48, 51.84,
                                       51.96, 54.12, 55.56,  67.80,  68.64,  68.64,  68.88, 84.12,
                                       93.12, 98.64, 105.12, 105.84, 127.92, 128.04, 173.40};

double weibull_log_likelihood(const std::vector<double>& values, double shape, double scale) {
  double sum = 0;
  for (const double x : values)
    sum += std::log(shape / scale) + (shape - 1) * std::log(x / scale) - std::pow(x / scale, shape);
  return sum;
}

std::vector<double> weibull_sample(std::size_t count, double shape, double scale, Stream random) {
  std::vector<double> values(count);
  for (double& value : values) value = scale * std::pow(random.exponential(1.0), 1 / shape);
  return values;
}

}  // namespace

TEST_CASE("the fits to the ball bearings are the published ones") {
  const auto weibull = fit_weibull(kBearings);
  REQUIRE(weibull);
  CHECK(weibull->shape.estimate == Approx(2.102).margin(0.0005));
  CHECK(weibull->scale_s.estimate == Approx(81.88).margin(0.005));
  const auto lognormal = fit_lognormal(kBearings);
  REQUIRE(lognormal);
  CHECK(lognormal->mu.estimate == Approx(4.150).margin(0.0005));
  CHECK(lognormal->sigma.estimate == Approx(0.522).margin(0.0005));
}

TEST_CASE("the estimates are where the likelihood is largest, the ends where it has lost enough") {
  for (const double scale : {1e-6, 1.0, 1e9}) {
    std::vector<double> values = weibull_sample(200, 0.6, scale, Stream(7, 0, Purpose::faults, 0));
    const auto fit = fit_weibull(values);
    REQUIRE(fit);
    const double shape = fit->shape.estimate;
    const double best = weibull_log_likelihood(values, shape, fit->scale_s.estimate);
    CHECK(fit->log_likelihood == Approx(best));
    for (const double factor : {0.99, 1.01}) {
      CHECK(weibull_log_likelihood(values, shape * factor, fit->scale_s.estimate) < best);
      CHECK(weibull_log_likelihood(values, shape, fit->scale_s.estimate * factor) < best);
    }
    // The profile: the best of the other parameter, found here by trying many.
    const auto loss = [&](bool of_shape, double fixed) {
      double most = -1e300;
      for (double other = 0.8; other <= 1.25; other *= 1.0005)
        most = std::max(
            most, of_shape ? weibull_log_likelihood(values, fixed, other * fit->scale_s.estimate)
                           : weibull_log_likelihood(values, other * shape, fixed));
      return best - most;
    };
    constexpr double kHalfQuantile = 3.841458820694124 / 2;
    CHECK(loss(true, fit->shape.confidence_95.low) == Approx(kHalfQuantile).margin(1e-4));
    CHECK(loss(true, fit->shape.confidence_95.high) == Approx(kHalfQuantile).margin(1e-4));
    CHECK(loss(false, fit->scale_s.confidence_95.low) == Approx(kHalfQuantile).margin(1e-4));
    CHECK(loss(false, fit->scale_s.confidence_95.high) == Approx(kHalfQuantile).margin(1e-4));
  }
}

TEST_CASE("95 % intervals hold the truth in 95 % of samples") {
  constexpr int kSamples = 2000;
  int shape = 0;
  int scale = 0;
  int mu = 0;
  int sigma = 0;
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    Stream random(i, 0, Purpose::faults, 1);
    const auto values = weibull_sample(40, 0.7, 5.0, random);
    const auto weibull = *fit_weibull(values);
    shape += weibull.shape.confidence_95.low <= 0.7 && 0.7 <= weibull.shape.confidence_95.high;
    scale += weibull.scale_s.confidence_95.low <= 5 && 5 <= weibull.scale_s.confidence_95.high;
    // ln of an exponential value to a power is not normal; Box and Muller's values are.
    std::vector<double> normal(20);
    for (double& value : normal)
      value = std::exp(2 + 0.5 * std::sqrt(2 * random.exponential(1.0)) *
                               std::cos(6.283185307179586 * random.uniform()));
    const auto lognormal = *fit_lognormal(normal);
    mu += lognormal.mu.confidence_95.low <= 2 && 2 <= lognormal.mu.confidence_95.high;
    sigma += lognormal.sigma.confidence_95.low <= 0.5 && 0.5 <= lognormal.sigma.confidence_95.high;
  }
  // Five standard errors of a share of 95 % are 2.4 %; profile intervals are only asymptotic.
  for (const int held : {shape, scale, mu, sigma}) {
    CHECK(held > kSamples * 0.92);
    CHECK(held < kSamples * 0.975);
  }
}

TEST_CASE("a sample that cannot be fitted says so") {
  CHECK_FALSE(fit_weibull({1.0, 2.0}));
  CHECK_FALSE(fit_weibull({2.0, 2.0, 2.0, 2.0}));
  CHECK_FALSE(fit_lognormal({}));
  CHECK(fit_weibull({1.0, 2.0, 3.0}));
  CHECK(fit_lognormal({1.0, 2.0, 3.0}));
}

TEST_CASE("the exponential law is Weibull's of shape one") {
  const std::vector<double> values = {1, 2, 4, 9};
  CHECK(exponential_log_likelihood(values) == Approx(weibull_log_likelihood(values, 1, 4)));
}

}  // namespace faultline::failures
