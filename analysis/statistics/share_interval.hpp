#pragma once

#include <cstddef>

#include "analysis/statistics/summary.hpp"

namespace faultline {

/// A probability p of which `successes` of `trials` independent runs are known: the interval of
/// Clopper and Pearson (1934), which misses p with probability `outside` at most, whatever p is.
/// From 0 to 1 for no trials. Throws std::invalid_argument for more successes than trials.
Interval share_interval(std::size_t successes, std::size_t trials, double outside);

/// The expectation of values from 0 to 1 of which the mean of `count` independent ones is known, as
/// shares of several runs that belong together: Hoeffding (1963, theorem 1) bounds how far the mean
/// can stray, however the values are spread.
Interval bounded_mean_interval(double mean, std::size_t count, double outside);

/// Pairs of runs that met the same chance, of which each ends well or not.
struct PairedShares {
  std::size_t pairs = 0;
  std::size_t first_alone = 0;   ///< pairs of which the first ended well and the second did not
  std::size_t second_alone = 0;  ///< the other way round
};

/// The first probability minus the second: within [-1, 1], and missed with probability `outside` at
/// most, whatever both are. It is q (2 r - 1), where q is the probability that a pair parts and r
/// that the first is the better one then. Given how many pairs part, r is a share of them (McNemar
/// 1947, exact: Liddell 1983) and gets nine tenths of `outside`; q has its own interval for the
/// last tenth (Berger and Boos 1994), and both are Clopper and Pearson's.
Interval share_difference_interval(const PairedShares& shares, double outside);

}  // namespace faultline
