// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "analysis/statistics/summary.hpp"

namespace faultline::statistics {

/// Returns an interval for a probability p, given that `successes` of `trials` independent runs
/// succeeded (Clopper and Pearson 1934). Whatever p is, the interval misses it with probability
/// `outside` at most. It is [0, 1] if there are no trials. Throws std::invalid_argument if there
/// are more successes than trials.
Interval share_interval(std::size_t successes, std::size_t trials, double outside);

/// Returns an interval for the expectation of values from 0 to 1, given the mean of `count`
/// independent ones. Such a value can be the share of successes among several runs that are not
/// independent of each other. However the values are distributed, Hoeffding (1963, theorem 1)
/// bounds how far their mean strays. Throws std::invalid_argument if the mean is not from 0 to 1.
Interval bounded_mean_interval(double mean, std::size_t count, double outside);

/// Counts of pairs of runs that used the same random numbers. Each run of a pair ends well or not.
struct PairedShares {
  std::size_t pairs = 0;
  std::size_t first_alone = 0;   ///< pairs in which only the first run ended well
  std::size_t second_alone = 0;  ///< pairs in which only the second run ended well
};

/// Returns an interval for the first run's probability of ending well minus the second's. It lies
/// within [-1, 1], and misses the difference with probability `outside` at most, whatever the two
/// probabilities are.
///
/// The difference is q (2 r - 1), where q is the probability that the two runs of a pair end
/// differently, and r the probability that the first is then the better one. The number of such
/// pairs is taken as given to estimate r (McNemar 1947, exact: Liddell 1983), with nine tenths of
/// `outside`; the interval of q gets the last tenth (Berger and Boos 1994). Both are Clopper and
/// Pearson's.
Interval share_difference_interval(const PairedShares& shares, double outside);

}  // namespace faultline::statistics
