// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/drawing/chart.hpp"

namespace faultline::drawing {

/// The size of a chart, in pixels of a screen.
struct Canvas {
  std::size_t width = 480;
  std::size_t height = 320;
  bool upright_names = false;  ///< for names along x that do not fit side by side
};

/// The canvas of a chart, which grows from `smallest` with the texts that it shows: gnuplot places
/// them, and what they leave is the plot. It depends only on how long they are.
Canvas canvas_of(const Chart& chart, const Canvas& smallest = {});

/// Has a chart a key, which names its lines?
bool has_key(const Chart& chart);

/// Do texts of so many letters fit side by side at places of the x axis that are a share of its
/// length apart, in a chart that is `width` pixels wide?
bool fit_side_by_side(std::size_t letters, double apart, std::size_t width);

/// Have two lines points or intervals that meet at one place of x, and would hide each other?
bool points_meet(const Chart& chart);

/// By such a share of an axis they are moved apart; a point is somewhat smaller.
inline constexpr double kStepAside = 10.0 / 390;

/// The texts under the tics of x, from top to bottom: the title of the axis, then the notes.
std::vector<std::string> lines_below(const Chart& chart);

/// What stands along x if that is not numbers: categories, or the names of the lines.
std::vector<std::string> names_along_x(const Chart& chart);

/// The label of a point in a plane, at one of its corners.
struct PointLabel {
  const ChartPoint* point = nullptr;
  bool left = false;   ///< else at the right
  bool below = false;  ///< else above
};

/// The labels of a plane, which tell the points of each line apart. One that would meet another
/// point or label at every corner is left out. Lines of many points have none.
std::vector<PointLabel> labels_of(const Chart& chart);

}  // namespace faultline::drawing
