#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/drawing/chart.hpp"

namespace faultline {

/// The size of a drawing in pixels of a screen, and how its texts are laid out in it.
struct Canvas {
  std::size_t width = 480;
  std::size_t height = 320;
  std::size_t key_columns = 0;  ///< 0: no key
  bool slanted = false;         ///< names along x that do not fit side by side
  std::size_t left_margin = 0;  ///< in letters, for slanted names; 0: as gnuplot chooses it
  std::size_t below_names = 0;  ///< room under the plot for slanted names and what is below them
};

/// It grows with the names that it shows, so that all of them fit unless they are very long.
/// Nothing of it depends on what names say, only on how long they are.
Canvas canvas_of(const Chart& chart);

/// The texts under the tics of x, from top to bottom: the title of the axis, and notes.
std::vector<std::string> lines_below(const Chart& chart);

/// What stands along x where that is no number: categories, or the names of the lines.
std::vector<std::string> names_along_x(const Chart& chart);

/// A text in a plane, its left end in the unit that is drawn.
struct PlacedLabel {
  std::string text;
  double x = 0.0;
  double y = 0.0;
};

/// What tells the points of each line of a plane apart, beside them, where it hides neither another
/// label nor a point. Labels without such a place are left out, and those of lines of many points.
std::vector<PlacedLabel> labels_of(const Chart& chart);

}  // namespace faultline
