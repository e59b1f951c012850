// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/report/titles.hpp"
#include "analysis/store/query.hpp"

namespace faultline::report {

/// How to draw the points of a study: what is along the x axis, and what distinguishes the lines.
struct ReportLayout {
  std::string x;                  ///< the path along the x axis; "" for none
  bool x_is_numeric = true;       ///< if not, each of its values is a category
  std::vector<std::string> keys;  ///< all other swept paths but `seed`, the protocol first
  bool has_protocol = false;      ///< whether the first key is a path whose values are not numbers
  Titles titles = {};             ///< the reader's titles of paths and metrics
};

/// Chooses the layout. Along x is the first of these that applies:
/// - the path that the reader chose, if it has several values;
/// - with `faults_first`, a number of `faults`;
/// - the number with the most values;
/// - the protocol, if anything else is swept, too.
/// Paths that x determines (zipped and derived ones) do not distinguish lines. Seeds are pooled.
ReportLayout layout_of(const std::vector<store::SelectedPoint>& points, bool faults_first,
                       const std::string& chosen_x = {});

/// The path of the protocol, or else of another swept value that is not a number; "" if there is
/// none.
std::string protocol_path(const std::vector<store::SelectedPoint>& points);

/// The paths whose values compete in a study: the protocol, and what changes with it, such as
/// another family of a zipped axis. Empty if there is no protocol.
std::vector<std::string> competing_paths(const std::vector<store::SelectedPoint>& points);

/// The distinct values along x for people, in the order of the points; empty if they are numbers.
std::vector<std::string> categories_of(const std::vector<store::SelectedPoint>& points,
                                       const ReportLayout& layout);

/// The points of one line, ascending in x. For categories x is 1, 2, ...; if nothing is along x, it
/// is 0.
struct ReportLine {
  std::string name;      ///< everything that distinguishes it from the others
  std::string protocol;  ///< the first part of the name; "" for none
  std::string rest;      ///< the rest of the name
  std::string own_rest;  ///< the rest in the paths' own words, whatever their titles
  std::size_t line_type = 1;
  std::size_t dash = 1;
  std::vector<std::pair<double, store::PointGroup>> groups;
};

/// The lines of one chart.
struct ReportPanel {
  std::string rest;      ///< what its lines have in common; "" for nothing
  std::string own_rest;  ///< `rest` in the paths' own words, whatever their titles
  std::vector<ReportLine> lines;
};

/// All lines, in panels. If they are too many for one, there is a panel for each combination of
/// values other than the protocol. A protocol has the same colour in all panels. `points` must
/// outlive them.
std::vector<ReportPanel> panels_of(const std::vector<store::SelectedPoint>& points,
                                   const ReportLayout& layout);

/// Points as charts show them. All charts of a study that have the same x axis share it.
struct ArrangedPoints {
  ReportLayout layout;
  std::vector<std::string> categories;  ///< as categories_of
  std::vector<ReportPanel> panels;      ///< as panels_of
};

/// Arranges the points by their layout (layout_of). `points` must outlive the result.
ArrangedPoints arranged(const std::vector<store::SelectedPoint>& points, bool faults_first,
                        const std::string& chosen_x = {}, const Titles& titles = {});

/// True if the points have several values at this path.
bool has_several_values(const std::vector<store::SelectedPoint>& points, const std::string& path);

/// True if all values at this path are numbers, and not all the same.
bool is_numeric_axis(const std::vector<store::SelectedPoint>& points, const std::string& path);

}  // namespace faultline::report
