#pragma once

#include <optional>
#include <string>

#include "sim/core/scratch_directory.hpp"

namespace faultline {

/// Throws UsageError, which names the option, where gnuplot, which draws, is missing. To be asked
/// before the work whose results shall be drawn.
void need_gnuplot(const std::string& option);

/// Where charts are drawn: in a directory of the user's, which keeps CSV, gnuplot script, SVG and
/// PDF of each, or in one that is gone afterwards.
class Drawings {
 public:
  /// Makes the directory where it is missing. Throws UsageError, which names the option, when it
  /// cannot be written.
  Drawings(const std::optional<std::string>& directory, const std::string& option);

  /// Draws one chart from its CSV and its script. Returns the SVG, or "" where gnuplot is missing
  /// or fails, which is said once.
  std::string draw(const std::string& stem, const std::string& csv, const std::string& script);

  /// True when the user's directory lacks a drawing.
  [[nodiscard]] bool failed() const { return complained_ && !scratch_; }

 private:
  bool draw_in(const std::string& stem, const std::string& format);

  std::string directory_;
  std::optional<ScratchDirectory> scratch_;
  bool complained_ = false;
};

}  // namespace faultline
