// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "analysis/statistics/summary.hpp"

namespace faultline {

/// The tics of an axis in the unit that is drawn, ascending. A text is one of gnuplot's enhanced
/// mode, and has nothing but numbers.
using Tics = std::vector<std::pair<std::string, double>>;

/// The text of a number at a tic: "5", "0.02", "1048576", "10^{6}", "2.5·10^{-6}".
std::string tic_text(double value);

/// The room that so many letters at a tic take along an axis, in pixels, with the distance to what
/// stands beside them. Every drawing asks this whether labels would run into each other.
double breadth_of_letters(std::size_t letters);

/// The same for a text of tic_text, without what is only markup.
double breadth_of_tic(const std::string& text);

/// About five round numbers within a range. Along x they have `room` pixels, in which their texts
/// must stand side by side; 0: they stand above each other. None if the range has no extent.
Tics linear_tics(const Interval& range, double room = 0.0);

/// Powers of ten within a range above 0, and 2 and 5 times as much if there are few of them. Round
/// numbers if even these are fewer than three.
Tics logarithmic_tics(const Interval& range, double room = 0.0);

/// The tics without texts between those of logarithmic_tics, by which a logarithmic axis is known.
std::vector<double> minor_tics(const Interval& range, const Tics& tics);

/// Both as gnuplot's "set ytics" takes them: "('1' 1, '' 2 1, '10' 10)".
std::string tic_list(const Tics& tics, const std::vector<double>& minor = {});

/// What gnuplot must be told to slant texts at tics that would run into each other.
inline constexpr const char* kSlanted = " rotate by 35 right";

}  // namespace faultline
