// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "analysis/drawing/chart.hpp"

namespace faultline::drawing {

/// The lines of a gnuplot script that set up an axis ("x" or "y") of a chart that is `width` pixels
/// wide: scale, range, tics, and the format of their numbers.
std::string axis_script(const std::string& axis, const ChartAxis& of, std::size_t width);

/// The format of gnuplot for the numbers at an axis with a range, where gnuplot chooses the tics.
/// All numbers of an axis have one style: plain (0.5, 20000), or powers of ten. `labels_between`
/// says whether a logarithmic axis has labels at 2 and 5 times a power of ten, too.
std::string number_format(const ChartAxis& axis, bool labels_between);

}  // namespace faultline::drawing
