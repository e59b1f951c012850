// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/drawing/chart.hpp"

namespace faultline {

/// The size of a drawing, in pixels of a screen, and the layout of its texts.
struct Canvas {
  std::size_t width = 480;
  std::size_t height = 320;
  std::size_t key_columns = 0;  ///< 0: no key
  bool slanted = false;         ///< for names along x that do not fit side by side
  std::size_t left_margin = 0;  ///< in letters, for slanted names; 0: gnuplot chooses
  std::size_t below_names = 0;  ///< pixels under the plot for slanted names and the lines below
};

/// The pixels along x that a drawing of this width has for its plot: what stands beside it takes
/// the rest.
double plot_breadth(std::size_t width);

/// Have two lines points or intervals that meet at one place of x, and would hide each other?
bool points_meet(const Chart& chart);

/// So many pixels they are moved apart on the axis of a number; a point is somewhat smaller.
inline constexpr double kStepAside = 10;

/// Chooses the canvas of a chart. It grows with the names that it shows, so that all fit unless
/// they are very long. It depends only on the length of names, not on what they say.
Canvas canvas_of(const Chart& chart);

/// The texts under the tics of x, from top to bottom: the title of the axis, then the notes.
std::vector<std::string> lines_below(const Chart& chart);

/// What stands along x if that is not numbers: categories, or the names of the lines.
std::vector<std::string> names_along_x(const Chart& chart);

/// A text in a plane. `x` and `y` are where its left end is, in the drawn units.
struct PlacedLabel {
  std::string text;
  double x = 0.0;
  double y = 0.0;
};

/// Labels beside the points of a plane, which tell the points of each line apart. A label is left
/// out if it would hide a point or another label wherever it is put. It stands on a line or an
/// interval only where no place is free of them. Lines of many points have no labels.
std::vector<PlacedLabel> labels_of(const Chart& chart);

}  // namespace faultline
