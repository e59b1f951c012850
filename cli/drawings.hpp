// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "sim/core/scratch_directory.hpp"

namespace faultline::cli {

/// Throws UsageError, which names the option, if gnuplot is missing, and RunError if it fails. Call
/// it before the work whose results gnuplot is to draw.
void need_gnuplot(const std::string& option);

/// Declares --figures DIR, with these words about it, and --width LENGTH.
void add_figures(VerbOptions& verb, const char* about);

/// The width of the figures in cm, if --width states one. Throws UsageError, which begins with the
/// verb, if it is no length, or there are no figures.
std::optional<double> figure_width_cm(const std::string& verb,
                                      const boost::program_options::variables_map& values);

/// Draws charts in a temporary directory. When all are drawn, copies the CSV, gnuplot script, SVG,
/// PDF and PNG of each to the user's directory, if there is one. So an interrupted command leaves
/// nothing there.
class Drawings {
 public:
  /// Makes the user's directory if it is missing. Throws UsageError, which names the option, if
  /// nothing can be written there.
  Drawings(const std::optional<std::string>& directory, const std::string& option);
  ~Drawings();
  Drawings(const Drawings&) = delete;
  Drawings& operator=(const Drawings&) = delete;

  /// Draws one chart from its CSV and its script. Returns the SVG, or "" if gnuplot is missing, or
  /// fails, or draws nothing, which is reported once.
  std::string draw(const std::string& stem, const std::string& csv, const std::string& script);

  /// Takes a drawing that is an SVG already.
  void add(const std::string& stem, const std::string& svg);

  /// Writes the drawings to the user's directory, if there is one. Throws UsageError if it cannot
  /// be written.
  void keep();

  /// True if gnuplot has failed, or if the user's directory lacks a drawing. A page made without
  /// gnuplot shows tables instead, which is no failure.
  [[nodiscard]] bool failed() const { return failed_ || (missing_ && !directory_.empty()); }

 private:
  void make_directory();
  bool draw_in(const std::string& stem, const std::string& format);
  void keep_file(const std::string& name);

  ScratchDirectory scratch_;
  std::string directory_;                             ///< the user's directory, or ""
  std::vector<std::unique_ptr<TemporaryPath>> made_;  ///< new directories, until one has a file
  std::vector<std::string> stems_;
  bool missing_ = false;  ///< gnuplot is not installed
  bool failed_ = false;   ///< gnuplot is installed, but could not draw
};

}  // namespace faultline::cli
