// SPDX-License-Identifier: Apache-2.0
#include "analysis/drawing/gnuplot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "analysis/statistics/metric_type.hpp"
#include "analysis/text/text_table.hpp"
#include "sim/core/visible_text.hpp"

namespace faultline::drawing {

namespace {

/// The red, green and blue parts, each from 0 to 255.
struct Colour {
  int red;
  int green;
  int blue;
};

struct LineType {
  Colour colour;
  int point;
};

/// The first four are those of Okabe and Ito (Color Universal Design, 2008) that have a contrast of
/// at least 3 on white. Any two differ by at least 11 in CIEDE2000, also as people with protanopia,
/// deuteranopia and tritanopia see them (Machado, Oliveira and Fernandes, 2009).
/// tests/analysis/drawing checks this, and the same for the colours of dark pages
/// (analysis/drawing/html_style).
constexpr LineType kPalette[kLineTypes] = {{{0x00, 0x72, 0xb2}, 7},  {{0xd5, 0x5e, 0x00}, 5},
                                           {{0x00, 0x9e, 0x73}, 9},  {{0xcc, 0x79, 0xa7}, 13},
                                           {{0x09, 0x1d, 0x00}, 11}, {{0x2c, 0x1d, 0xc9}, 6},
                                           {{0xc0, 0x17, 0x2a}, 4},  {{0x97, 0x5e, 0x75}, 8},
                                           {{0x40, 0x00, 0x45}, 12}, {{0xaa, 0x76, 0xfc}, 10}};

constexpr Colour kGrid = {0xd5, 0xdb, 0xe1};

std::string in_format(const char* format, const Colour& colour) {
  char text[40];
  std::snprintf(text, sizeof text, format, colour.red, colour.green, colour.blue);
  return text;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

void replace_colour(std::string& svg, const Colour& colour, const std::string& variable) {
  for (const char* format : {"rgb(%3d, %3d, %3d)", "rgb(%d,%d,%d)"})
    replace_all(svg, in_format(format, colour), "var(--" + variable + ")");
}

void drop_element(std::string& svg, const std::string& name) {
  const std::size_t begin = svg.find("<" + name + ">");
  const std::string closing = "</" + name + ">";
  const std::size_t end = svg.find(closing);
  if (begin != std::string::npos && end != std::string::npos && begin < end)
    svg.erase(begin, end + closing.size() - begin);
}

/// Most groups of gnuplot are empty: two lines, `<g ...>` and `</g>`.
std::string without_empty_groups(const std::string& svg) {
  std::string text;
  text.reserve(svg.size());
  std::size_t begin = 0;
  while (begin < svg.size()) {
    const std::size_t end = std::min(svg.find('\n', begin), svg.size() - 1) + 1;
    const bool is_empty = svg.compare(begin, 8, "<g fill=") == 0 && svg[end - 2] == '>' &&
                          svg.compare(end, 5, "</g>\n") == 0;
    if (!is_empty) text.append(svg, begin, end - begin);
    begin = is_empty ? end + 5 : end;
  }
  return text;
}

/// A PDF contains the time at which it was made. Overwriting it makes equal drawings equal in
/// bytes, but for those of cairo 1.18, in which it is compressed with others.
void forget_date(std::string& pdf) {
  constexpr std::string_view kKey = "/CreationDate (D:";
  constexpr std::string_view kNever = "19700101000000";
  const std::size_t key = pdf.find(kKey);
  if (key == std::string::npos || key + kKey.size() + kNever.size() > pdf.size()) return;
  pdf.replace(key + kKey.size(), kNever.size(), kNever);
}

/// A kind of drawing that gnuplot makes. The factors make fonts, lines and points as large as those
/// of an SVG, in which they are in pixels: gnuplot's PDF and PNG have fonts in points of 4/3
/// pixels, times its own factors.
struct Terminal {
  const char* format;
  const char* name;
  double units_of_inch;  ///< points or pixels
  bool in_inches;        ///< how the script states its size
  const char* words;
};

constexpr Terminal kTerminals[] = {
    {"svg", "svg", 96, false, "background 'white'"},
    {"pdf", "pdfcairo", 72, true, "fontscale 0.5625 linewidth 1.5 pointscale 1.25"},
    {"png", "pngcairo", 300, false,
     "background 'white' fontscale 2.34375 linewidth 3.125 pointscale 5"},
};

std::string terminal_script(const Terminal& terminal, const DrawingSize& size) {
  const auto length = [&](std::size_t pixels) {
    const double inches = static_cast<double>(pixels) * size.scale / 96;
    const double units = std::round(inches * terminal.units_of_inch);
    // gnuplot cuts off what is not a whole unit.
    return terminal.in_inches ? text::fixed((units + 0.01) / terminal.units_of_inch, 4) + "in"
                              : text::fixed(units, 0);
  };
  return std::string("if (format eq '") + terminal.format + "') set terminal " + terminal.name +
         " enhanced size " + length(size.width) + "," + length(size.height) + " font 'sans," +
         font_size(kTextSize, size) + "' " + terminal.words + "\n";
}

/// Does a drawing begin and end as such a file does? Gnuplot can end well without having drawn.
bool is_whole(const std::string& drawing, const std::string& format) {
  if (format == "png")
    return drawing.starts_with("\x89PNG") && drawing.find("IEND") < drawing.size();
  if (format == "pdf") return drawing.starts_with("%PDF") && drawing.find("%%EOF") < drawing.size();
  return drawing.find("<svg") < drawing.find("</svg>") && drawing.find("</svg>") < drawing.size();
}

/// Returns false if there is no whole drawing, or the file cannot be written.
bool mend_drawing(const std::filesystem::path& drawing, const std::string& format) {
  std::string drawn;
  {
    std::ifstream file(drawing, std::ios::binary);
    drawn.assign(std::istreambuf_iterator<char>(file), {});
  }
  if (!is_whole(drawn, format)) return false;
  std::string text = drawn;
  if (format == "pdf")
    forget_date(text);
  else if (format == "svg")
    // In a name, gnuplot does not escape this, and XML forbids it.
    replace_all(text, "]]>", "]]&gt;");
  if (text == drawn) return true;
  std::ofstream file(drawing, std::ios::binary);
  file << text;
  file.close();
  return !file.fail();
}

/// Changes each tag, but not the text between tags.
template <class Change>
void change_tags(std::string& svg, const Change& change) {
  std::string changed;
  changed.reserve(svg.size());
  std::size_t at = 0;
  while (at < svg.size()) {
    const std::size_t tag = std::min(svg.find('<', at), svg.size());
    const std::size_t end = std::min(svg.find('>', tag), svg.size() - 1) + 1;
    changed.append(svg, at, tag - at);
    if (tag < svg.size()) {
      std::string inside = svg.substr(tag, end - tag);
      change(inside);
      changed += inside;
    }
    at = std::max(tag, end);
  }
  svg = std::move(changed);
}

/// Changes the identifiers and colours of one tag as inline_drawing() describes.
void fit_to_page(std::string& tag, const std::string& prefix) {
  for (const char* quote : {"'", "\""}) {
    replace_all(tag, " id=" + std::string(quote), " id=" + (quote + prefix));
    replace_all(tag, "href=" + std::string(quote) + "#", "href=" + (quote + ("#" + prefix)));
    replace_all(tag, "=" + std::string(quote) + "black" + quote,
                "=" + std::string(quote) + "currentColor" + quote);
    replace_all(tag, "=" + std::string(quote) + "gray" + quote,
                "=" + std::string(quote) + "var(--grid)" + quote);
  }
  replace_all(tag, "url(#", "url(#" + prefix);
  replace_all(tag, " color=\"currentColor\"", "");
  replace_all(tag, "fill=\"#ffffff\"", "fill=\"none\"");
  replace_all(tag, "'#FFFFFF'", "'var(--ground)'");
  replace_all(tag, " font-family=\"sans\"", "");
  for (std::size_t i = 0; i < kLineTypes; ++i)
    replace_colour(tag, kPalette[i].colour, "line-" + std::to_string(i + 1));
  replace_colour(tag, kGrid, "grid");
}

}  // namespace

std::string font_size(double text_px, const DrawingSize& size) {
  const double drawn = text_px * size.scale;
  return drawn == std::floor(drawn) ? text::fixed(drawn, 0) : text::fixed(drawn, 2);
}

std::string gnuplot_head(const std::string& stem, const DrawingSize& size) {
  std::string text = "if (!exists('format')) format = 'svg'\n";
  for (const Terminal& terminal : kTerminals) text += terminal_script(terminal, size);
  text += "set output '" + stem + ".' . format\nset encoding utf8\n";
  text += "set datafile separator ','\nset datafile missing NaN\nset datafile commentschars ''\n";
  text +=
      "set border 3\nset tics nomirror out scale 0.6\nset xlabel offset 0,0.5\nset format '%h'\n";
  text += "set grid ytics lt 1 lw 1 lc rgb '" + in_format("#%02x%02x%02x", kGrid) +
          "'\nset key outside top center horizontal Left reverse noenhanced samplen 2 "
          "width 1 font '," +
          font_size(12, size) + "'\n";
  for (std::size_t i = 0; i < kLineTypes; ++i)
    text += "set linetype " + std::to_string(i + 1) + " lc rgb '" +
            in_format("#%02x%02x%02x", kPalette[i].colour) + "' lw 1.5 pt " +
            std::to_string(kPalette[i].point) + " ps " + text::fixed(0.8 * size.scale, 2) +
            " dt solid\n";
  return text;
}

std::size_t line_type_at(std::size_t place) { return place % kLineTypes + 1; }

std::size_t dash_at(std::size_t place) {
  constexpr std::size_t kDashes = 5;  // that gnuplot has
  return place % kDashes + 1;
}

std::size_t GnuplotTexts::number(const std::string& text) {
  texts_.push_back(visible(text));
  return texts_.size();
}

std::string GnuplotTexts::variable(const std::string& text) {
  return "text_" + std::to_string(number(text));
}

std::string GnuplotTexts::definitions() const {
  if (texts_.empty()) return {};
  // Each line begins with a colon, so that no text can be the line that ends the block.
  std::string block = "$texts << END_OF_TEXTS\n";
  std::string variables = "text(number) = $texts[int(number)][2:*]\n";
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    block += ":" + texts_[i] + "\n";
    variables.append("text_").append(number).append(" = text(").append(number).append(")\n");
  }
  return block + "END_OF_TEXTS\n" + variables;
}

std::string gnuplot_block(const std::string& name,
                          const std::vector<std::vector<std::string>>& records) {
  return "$" + name + " << END_OF_NUMBERS\n" + text::csv_records(records) + "END_OF_NUMBERS\n";
}

std::string interval_style(std::size_t width) {
  constexpr double kHalfCap = 4;  // pixels
  return "vectors heads size screen " + text::fixed(kHalfCap / static_cast<double>(width), 5) +
         ",90";
}

std::string metric_title(const std::string& name) {
  std::string title = statistics::without_unit(name);
  std::replace(title.begin(), title.end(), '_', ' ');
  return title;
}

std::string axis_title(const std::string& name) {
  return metric_title(name) +
         (statistics::metric_type(name) == statistics::MetricType::time ? " [s]" : "");
}

ProgramEnd try_gnuplot() { return run_silently({.words = {"gnuplot", "--version"}}); }

ProgramEnd draw(const std::string& directory, const std::string& script,
                const std::string& format) {
  // Its warnings do not help a user, who did not write the script. A PDF has the time zone, too.
  const ProgramEnd end =
      run_silently({.words = {"gnuplot", "-d", "-e", "format = '" + format + "'", script},
                    .directory = directory,
                    .environment = {{"TZ", "UTC"}, {"LC_ALL", "C.UTF-8"}}});
  if (end != ProgramEnd::good) return end;
  const auto drawing = std::filesystem::path(directory) / script;
  const bool mended =
      mend_drawing(std::filesystem::path(drawing).replace_extension(format), format);
  return mended ? ProgramEnd::good : ProgramEnd::failed;
}

std::string inline_drawing(const std::string& svg, const std::string& prefix,
                           const std::string& label) {
  std::string text = without_empty_groups(svg);
  text.erase(0, std::min(text.find("<svg"), text.size()));
  drop_element(text, "title");
  drop_element(text, "desc");
  // Only in tags: the text of a name may contain the same words.
  change_tags(text, [&](std::string& tag) { fit_to_page(tag, prefix); });
  text.insert(std::min<std::size_t>(4, text.size()), R"( role="img" aria-label=")" + label + "\"");
  return text;
}

}  // namespace faultline::drawing
