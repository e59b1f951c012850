// SPDX-License-Identifier: Apache-2.0
#include "sim/core/random.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <vector>

namespace faultline {

namespace {

std::vector<std::uint64_t> first(Stream stream, int count) {
  std::vector<std::uint64_t> drawn;
  drawn.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) drawn.push_back(stream.next());
  return drawn;
}

/// Chi-square of 60,000 draws of below(count) against equal shares.
double chi_square(Stream stream, std::uint64_t count) {
  constexpr int kDraws = 60000;
  std::vector<int> seen(count);
  for (int i = 0; i < kDraws; ++i) ++seen.at(stream.below(count));
  const double expected = kDraws / static_cast<double>(count);
  double sum = 0;
  for (const int times : seen) sum += (times - expected) * (times - expected) / expected;
  return sum;
}

}  // namespace

// Computed by an independent implementation in Python, from the SplitMix64 finaliser of Steele, Lea
// and Flood (OOPSLA 2014); its first value for the seed 1234567 is 6457827717110365317, the
// published one.
TEST_CASE("a stream draws its golden values") {
  using Golden = std::vector<std::uint64_t>;
  CHECK(first(Stream(1, 0, Purpose::workload, 0), 3) ==
        Golden{0x72ff66f1e3fbd695, 0x3423302135c4258d, 0xcac400953e6ccce3});
  CHECK(first(Stream(1, 0, Purpose::workload, 1), 3) ==
        Golden{0x97abfa79b860482e, 0xdd21af295f066228, 0x5b6f3dafeacd0601});
  CHECK(first(Stream(42, 7, Purpose::network, 1023), 3) ==
        Golden{0xce6ecbdad6ed7335, 0xd671dfa9e1e38689, 0x10c609d8d683ffed});
}

TEST_CASE("what a stream draws does not depend on when others are made or draw") {
  Stream a(7, 3, Purpose::workload, 11);
  Stream b(7, 3, Purpose::workload, 12);
  std::vector<std::uint64_t> interleaved_a;
  for (int i = 0; i < 50; ++i) {
    interleaved_a.push_back(a.next());
    b.next();
    if (i % 3 == 0) Stream(7, 3, Purpose::faults, static_cast<std::uint64_t>(i)).next();
  }
  CHECK(interleaved_a == first(Stream(7, 3, Purpose::workload, 11), 50));
}

TEST_CASE("a copy of a stream goes on with the same draws") {
  Stream stream(7, 3, Purpose::workload, 11);
  stream.next();
  const Stream copy = stream;
  CHECK(first(stream, 20) == first(copy, 20));
}

TEST_CASE("seed, replication, purpose and rank each tell streams apart") {
  std::set<std::uint64_t> seen;
  std::size_t made = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    for (std::uint64_t replication = 0; replication < 12; ++replication)
      for (std::uint32_t purpose = 1; purpose <= 7; ++purpose)
        for (std::uint64_t rank = 0; rank < 12; ++rank, ++made)
          seen.insert(Stream(seed, replication, static_cast<Purpose>(purpose), rank).next());
  CHECK(seen.size() == made);
}

TEST_CASE("neighbouring ranks draw independently") {
  double product_sum = 0;
  constexpr int kRanks = 40000;
  for (std::uint64_t rank = 0; rank < kRanks; ++rank)
    product_sum += (Stream(1, 0, Purpose::workload, rank).uniform() - 0.5) *
                   (Stream(1, 0, Purpose::workload, rank + 1).uniform() - 0.5);
  // The correlation of independent pairs has standard deviation 1/sqrt(n).
  CHECK(std::abs(product_sum / kRanks * 12) < 4.0 / std::sqrt(kRanks));
}

TEST_CASE("uniform stays below 1 and has the mean and variance of its distribution") {
  Stream stream(5, 0, Purpose::workload, 0);
  double sum = 0;
  double squares = 0;
  constexpr int kDraws = 200000;
  for (int i = 0; i < kDraws; ++i) {
    const double drawn = stream.uniform();
    REQUIRE(drawn >= 0.0);
    REQUIRE(drawn < 1.0);
    sum += drawn;
    squares += drawn * drawn;
  }
  CHECK(sum / kDraws == Approx(0.5).margin(4 * 0.2887 / std::sqrt(kDraws)));
  CHECK(squares / kDraws == Approx(1.0 / 3.0).margin(4 * 0.2981 / std::sqrt(kDraws)));
}

TEST_CASE("below is equally likely everywhere at awkward sizes") {
  for (const std::uint64_t count : {3ULL, 6ULL, 7ULL, 10ULL, 97ULL, 1000ULL}) {
    const auto freedom = static_cast<double>(count - 1);
    INFO("count " << count);
    const double found = chi_square(Stream(3, 0, Purpose::workload, count), count);
    CHECK(found < freedom + 4 * std::sqrt(2 * freedom));
    CHECK(found > freedom - 4 * std::sqrt(2 * freedom));
  }
  Stream one(3, 0, Purpose::workload, 0);
  CHECK(one.below(1) == 0);
}

// Without the rejection step, multiples of 3 would come up half of the time here instead of a third
// of it: four equally likely quarters of 2^64 fall on three values.
TEST_CASE("below is unbiased where the size is three quarters of the range") {
  Stream stream(3, 0, Purpose::workload, 1);
  constexpr int kDraws = 90000;
  int multiples = 0;
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t drawn = stream.below(std::uint64_t{3} << 62);
    REQUIRE(drawn < std::uint64_t{3} << 62);
    multiples += static_cast<int>(drawn % 3 == 0);
  }
  CHECK(multiples / double{kDraws} == Approx(1.0 / 3).margin(4 * 0.4714 / std::sqrt(kDraws)));
}

TEST_CASE("exponential has its mean, and its variance is the square of it") {
  Stream stream(9, 0, Purpose::network, 0);
  double sum = 0;
  double squares = 0;
  constexpr int kDraws = 200000;
  for (int i = 0; i < kDraws; ++i) {
    const double drawn = stream.exponential(2.5);
    REQUIRE(drawn >= 0.0);
    REQUIRE(std::isfinite(drawn));
    sum += drawn;
    squares += drawn * drawn;
  }
  CHECK(sum / kDraws == Approx(2.5).margin(4 * 2.5 / std::sqrt(kDraws)));
  CHECK(squares / kDraws == Approx(12.5).margin(4 * 2.5 * 2.5 * std::sqrt(20.0 / kDraws)));
}

TEST_CASE("pareto has its mean, and a tail that falls as a power") {
  Stream stream(9, 0, Purpose::delay_noise, 0);
  double sum = 0;
  int above = 0;
  constexpr int kDraws = 200000;
  for (int i = 0; i < kDraws; ++i) {
    const double drawn = stream.pareto(2.0, 4.0);
    REQUIRE(drawn >= 0.0);
    REQUIRE(std::isfinite(drawn));
    sum += drawn;
    above += static_cast<int>(drawn > 18.0);
  }
  // The variance of shape 4 is twice the square of the mean. P(X > 18) = (1 + 18 / 6)^-4 = 1/256.
  CHECK(sum / kDraws == Approx(2.0).margin(4 * 2.0 * std::sqrt(2.0 / kDraws)));
  CHECK(above / double{kDraws} == Approx(1.0 / 256).margin(4 * std::sqrt(1.0 / 256 / kDraws)));
}

TEST_CASE("chance 0 never comes and chance 1 always does") {
  Stream stream(9, 0, Purpose::network, 1);
  for (int i = 0; i < 1000; ++i) {
    CHECK_FALSE(stream.chance(0.0));
    CHECK(stream.chance(1.0));
  }
}

}  // namespace faultline
