#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/scratch_directory.hpp"

namespace faultline {

/// Throws UsageError, which names the option, where gnuplot, which draws, is missing. To be asked
/// before the work whose results shall be drawn.
void need_gnuplot(const std::string& option);

/// Where charts are drawn: in a directory that is gone afterwards. One of the user's gets CSV,
/// gnuplot script, SVG and PDF of each when all are drawn, so that what is interrupted leaves
/// nothing there.
class Drawings {
 public:
  /// Makes the user's directory where it is missing. Throws UsageError, which names the option,
  /// when it cannot be written.
  Drawings(const std::optional<std::string>& directory, const std::string& option);
  ~Drawings();
  Drawings(const Drawings&) = delete;
  Drawings& operator=(const Drawings&) = delete;

  /// Draws one chart from its CSV and its script. Returns the SVG, or "" where gnuplot is missing
  /// or fails, which is said once.
  std::string draw(const std::string& stem, const std::string& csv, const std::string& script);

  /// Writes what is drawn to the user's directory, if there is one. Throws UsageError where it
  /// cannot be written.
  void keep();

  /// True when the user's directory lacks a drawing.
  [[nodiscard]] bool failed() const { return complained_ && !directory_.empty(); }

 private:
  void make_directory();
  bool draw_in(const std::string& stem, const std::string& format);
  void keep_file(const std::string& name);

  ScratchDirectory scratch_;
  std::string directory_;                             ///< of the user, or ""
  std::vector<std::unique_ptr<TemporaryPath>> made_;  ///< directories, until they are of use
  std::vector<std::string> stems_;
  bool complained_ = false;
};

}  // namespace faultline
