// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/core/child_process.hpp"

namespace faultline::drawing {

/// The size of a drawing: that of its layout in pixels of a screen, of which an inch has 96, and
/// how many times as large it is drawn. So all texts and places of the layout keep their
/// proportions.
struct DrawingSize {
  std::size_t width = 0;
  std::size_t height = 0;
  double scale = 1.0;
};

/// The size of most texts, in pixels of the layout.
inline constexpr double kTextSize = 13;

/// The size of a font for a text of this size in the layout, for gnuplot: "9.85".
std::string font_size(double text_px, const DrawingSize& size);

/// The beginning of the script STEM.gnuplot. It draws STEM.svg on white, or STEM.pdf or STEM.png
/// (300 pixels to an inch) if called as `gnuplot -e "format = 'pdf'" STEM.gnuplot`, all of the same
/// size, with the same text. It sets line types 1 to `kLineTypes`; colour-blind people can tell
/// their colours apart, and their points differ.
std::string gnuplot_head(const std::string& stem, const DrawingSize& size);

inline constexpr std::size_t kLineTypes = 10;

/// The line type of the protocol, or of another line, that a drawing or a study names at `place`,
/// from 0. This is the rule for all drawings: the colours that differ most go to those that are
/// named first, whatever their names. After `kLineTypes` they begin again.
std::size_t line_type_at(std::size_t place);

/// The dash of that line, which tells it apart without its colour; 1 is solid.
std::size_t dash_at(std::size_t place);

/// The texts that a script shows. Gnuplot must never read them as code, whatever they are; even
/// within a string, backquotes would run a command. So they become lines of a data block, and the
/// code refers to them by number. No text from outside ever stands in the code.
class GnuplotTexts {
 public:
  /// The number of a text, from 1; a new text gets the next one.
  std::size_t number(const std::string& text);

  /// The script variable that holds this text.
  std::string variable(const std::string& text);

  /// The lines that define the variables and the function `text(number)`. They must stand before
  /// their first use.
  [[nodiscard]] std::string definitions() const;

 private:
  std::vector<std::string> texts_;
};

/// A data block of the script: lines of numbers, as of a CSV file without a header. The fields are
/// not escaped, so none may come from outside.
std::string gnuplot_block(const std::string& name,
                          const std::vector<std::vector<std::string>>& records);

/// The style of plots that draw intervals, in a drawing of this width in pixels. Their columns are
/// where an interval begins (x and y), and how far it reaches along x and y. gnuplot's own error
/// bars have a gap around their point, so that two loose strokes are all that is left of a short
/// one.
std::string interval_style(std::size_t width);

/// The title of a metric without its unit: "detection latency" for "detection_latency_s".
std::string metric_title(const std::string& name);

/// The title of a metric's axis: "detection latency [s]" for "detection_latency_s".
std::string axis_title(const std::string& name);

/// Is gnuplot missing, or does it fail? `good` if it says its version.
ProgramEnd try_gnuplot();

/// Runs gnuplot on a script in `directory`, to draw it in this format (svg, pdf or png). It uses no
/// settings of the user and reads nothing but the script. It has failed, too, if it leaves no whole
/// drawing.
ProgramEnd draw(const std::string& directory, const std::string& script, const std::string& format);

/// Prepares an SVG of gnuplot to stand inside a page: it is named `label` for screen readers, its
/// identifiers begin with `prefix`, its colours are those of the page
/// (analysis/drawing/html_style), and it has no background.
std::string inline_drawing(const std::string& svg, const std::string& prefix,
                           const std::string& label);

}  // namespace faultline::drawing
