#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/store/query.hpp"

namespace faultline {

/// How the points of a study are drawn: what is along the x axis, and what tells lines apart.
struct ReportLayout {
  std::string x;                  ///< path of a swept number, "" for none
  std::vector<std::string> keys;  ///< the other swept paths but `seed`; the protocol leads
  bool has_protocol = false;      ///< is the first of them one that is no number?
};

/// The number with the most values is along x; with `faults_first` one of `faults`, if there is
/// one. Paths that x determines (zipped and derived ones) tell no lines apart. Seeds are pooled.
ReportLayout layout_of(const std::vector<SelectedPoint>& points, bool faults_first);

/// Points of one line, by x ascending; x is 0 where nothing is along it.
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

/// A swept value for people: "cda, initial_credit 1024", "0.01".
std::string value_words(const JsonValue& value);

/// The last part of a path, for people: "processes".
std::string short_path(const std::string& path);

/// Is everything along this path a number, and not always the same?
bool is_numeric_axis(const std::vector<SelectedPoint>& points, const std::string& path);

}  // namespace faultline
