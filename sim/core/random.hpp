// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "sim/core/digest.hpp"
#include "sim/core/split_mix.hpp"

namespace faultline {

/// What a random stream is used for. Part of its key, so that draws for one purpose do not change
/// those for another.
enum class Purpose : std::uint32_t {
  workload = 1,
  termination,
  message_logging,
  failure_detection,
  network,
  mapping,
  faults,
  task_mapping,
  transactions,
  notices,         ///< how late each listener hears of a death
  delay_noise,     ///< how long the network delays each message
  os_noise,        ///< when the system takes the processors of a node away
  detection_loss,  ///< which messages of failure detection the network loses
};

/// A stream of random numbers with the key (seed, replication, purpose, rank). Draw i is a fixed
/// function of the key and i on every machine; it does not depend on when the stream was created.
///
/// The numbers are two rounds of the SplitMix64 finaliser (Steele, Lea, Flood: Fast Splittable
/// Pseudorandom Number Generators, OOPSLA 2014) over a counter. A stream takes 16 bytes, so that
/// each of a million ranks can own several. Generators of <random> with this quality take hundreds
/// of bytes, and the distributions of <random> differ between standard libraries.
class Stream {
 public:
  Stream() = default;
  Stream(std::uint64_t seed, std::uint64_t replication, Purpose purpose, std::uint64_t rank)
      : key_(split_mix(split_mix(split_mix(split_mix(seed) + replication) +
                                 static_cast<std::uint64_t>(purpose)) +
                       rank)) {}

  std::uint64_t next() { return split_mix(key_ ^ split_mix(counter_++)); }

  /// Uniform on [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  /// Uniform on 0..count-1 without bias (Lemire, ACM TOMACS 29(1), 2019). count > 0.
  std::uint64_t below(std::uint64_t count) {
    __extension__ using Wide = unsigned __int128;
    Wide product = static_cast<Wide>(next()) * count;
    if (static_cast<std::uint64_t>(product) < count) {
      const std::uint64_t threshold = (0 - count) % count;
      while (static_cast<std::uint64_t>(product) < threshold)
        product = static_cast<Wide>(next()) * count;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  /// True with probability p.
  bool chance(double p) { return uniform() < p; }

  /// Exponentially distributed with the given mean, in the mean's unit.
  double exponential(double mean) { return -mean * std::log1p(-uniform()); }

  /// Pareto of the second kind (Lomax) with the given mean, in the mean's unit: it begins at 0, and
  /// P(X > t) = (1 + t / (mean (shape - 1)))^-shape. shape > 1.
  double pareto(double mean, double shape) {
    return mean * (shape - 1.0) * std::expm1(-std::log1p(-uniform()) / shape);
  }

  /// Normally distributed with mean 0 and variance 1 (Box and Muller, 1958). Takes two draws.
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log1p(-uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

  /// Lognormally distributed: its logarithm is normal with mean mu and standard deviation sigma.
  double lognormal(double mu, double sigma) { return std::exp(mu + sigma * normal()); }

  /// Two streams with equal digests draw the same numbers from here on.
  void digest(Digest& into) const { into.add(key_, counter_); }

 private:
  std::uint64_t key_ = 0;
  std::uint64_t counter_ = 0;
};

}  // namespace faultline
