#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/store/query.hpp"

namespace faultline {

/// How the points of a study are drawn: what is along the x axis, and what tells lines apart.
struct ReportLayout {
  std::string x;                  ///< path of what is along the x axis, "" for nothing
  bool x_is_numeric = true;       ///< else each of its values is a category
  std::vector<std::string> keys;  ///< the other swept paths but `seed`; the protocol leads
  bool has_protocol = false;      ///< is the first of them one that is no number?
};

/// What the reader chose is along x, where that path has several values. Else it is the number with
/// the most values; with `faults_first` one of `faults`, if there is one. Without numbers it is the
/// protocol, if more than that is swept. Paths that x determines (zipped and derived ones) tell no
/// lines apart. Seeds are pooled.
ReportLayout layout_of(const std::vector<SelectedPoint>& points, bool faults_first,
                       const std::string& chosen_x = {});

/// The path of the protocol, or of what else is swept and no number; "" for none.
std::string protocol_path(const std::vector<SelectedPoint>& points);

/// The different values along x for people, in the order of the points; none for numbers.
std::vector<std::string> categories_of(const std::vector<SelectedPoint>& points,
                                       const ReportLayout& layout);

/// Points of one line, by x ascending; x is 0 where nothing is along it, and 1, 2, ... for
/// categories.
struct ReportLine {
  std::string name;      ///< all that tells it from the others
  std::string protocol;  ///< its first part, "" for none
  std::string rest;      ///< the other part
  std::size_t line_type = 1;
  std::size_t dash = 1;
  std::vector<std::pair<double, PointGroup>> groups;
};

/// Lines that stand in one chart.
struct ReportPanel {
  std::string rest;  ///< what its lines have in common, "" for nothing
  std::vector<ReportLine> lines;
};

/// All lines; one panel for each combination of values beside the protocol where there are too many
/// for one. A protocol has the same colour in all of them. `points` must outlive them.
std::vector<ReportPanel> panels_of(const std::vector<SelectedPoint>& points,
                                   const ReportLayout& layout);

/// Has what is along this path several values among the points?
bool has_several_values(const std::vector<SelectedPoint>& points, const std::string& path);

/// The last part of a path, for people: "processes".
std::string short_path(const std::string& path);

/// Is everything along this path a number, and not always the same?
bool is_numeric_axis(const std::vector<SelectedPoint>& points, const std::string& path);

}  // namespace faultline
