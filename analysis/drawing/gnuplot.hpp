#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace faultline {

/// The beginning of the script STEM.gnuplot, which draws STEM.svg on white, or STEM.pdf when called
/// as `gnuplot -e "format = 'pdf'" STEM.gnuplot`. The size is in pixels of a screen. It sets line
/// types 1 to `kLineTypes`, whose colours the colour-blind tell apart and whose points differ.
std::string gnuplot_head(const std::string& stem, std::size_t width, std::size_t height);

inline constexpr std::size_t kLineTypes = 10;

/// The line type of a protocol, from 1: the same colour in every drawing. 0 for no known one.
std::size_t line_type_of(const std::string& protocol);

/// The texts that a script shows. Whatever they are, gnuplot must not read them as its language,
/// where backquotes run a command even within a string: they are lines of a data block, and the
/// code names them by number. So no text from outside ever stands in the code.
class GnuplotTexts {
 public:
  /// The number of a text, from 1.
  std::size_t number(const std::string& text);

  /// The variable of the script that has this text.
  std::string variable(const std::string& text);

  /// The lines that define the variables, and `text(number)`. They must stand before their use.
  [[nodiscard]] std::string definitions() const;

 private:
  std::vector<std::string> texts_;
};

/// A data block of the script: lines of numbers, as of a CSV file without a header. The fields are
/// not escaped, so they must be of our own making.
std::string gnuplot_block(const std::string& name,
                          const std::vector<std::vector<std::string>>& records);

/// "detection_latency_s" without its unit, as a title: "detection latency".
std::string metric_title(const std::string& name);

/// "detection_latency_s" as the title of an axis: "detection latency [s]".
std::string axis_title(const std::string& name);

/// Runs gnuplot on a script in that folder, to draw it in that format (svg or pdf); no settings of
/// the user's, and nothing to read but the script. False: it is not installed, or it fails.
bool draw(const std::string& directory, const std::string& script, const std::string& format);

/// An SVG of gnuplot for the inside of a page: named for screen readers, identifiers begin with
/// `prefix`, colours are those of the page (analysis/drawing/html_style), no ground.
std::string inline_drawing(const std::string& svg, const std::string& prefix,
                           const std::string& label);

}  // namespace faultline
