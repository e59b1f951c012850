// SPDX-License-Identifier: Apache-2.0
#include "analysis/drawing/axis_script.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/drawing/chart_canvas.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::drawing {

namespace {

double position(const ChartAxis& axis, double drawn) {
  return axis.logarithmic ? std::log10(drawn) : drawn;
}

/// The letters of a label as it is drawn, without the marks of powers.
std::size_t letters_of(const std::string& label) {
  return static_cast<std::size_t>(std::count_if(label.begin(), label.end(), [](char c) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
    return c != '^' && c != '{' && c != '}' && !continues;
  }));
}

/// Would some labels of the tics run into each other side by side?
bool labels_meet(const ChartAxis& of, std::size_t width) {
  const double length = position(of, of.range->high) - position(of, of.range->low);
  double labelled = -HUGE_VAL;
  std::size_t letters = 0;  // of the label before
  for (const auto& [label, value] : of.tics) {
    if (label.empty()) continue;
    const double at = position(of, value) / length;
    if (!fit_side_by_side((letters + letters_of(label)) / 2, at - labelled, width)) return true;
    labelled = at;
    letters = letters_of(label);
  }
  return false;
}

std::string listed_tics(const std::string& axis, const ChartAxis& of, std::size_t width) {
  std::string list;
  for (const auto& [label, value] : of.tics)
    list.append(list.empty() ? "'" : ", '")
        .append(label)
        .append("' ")
        .append(json::shortest(value));
  return "set " + axis + "tics" + (labels_meet(of, width) ? " rotate by 35 right" : "") + " (" +
         list + ")\n";
}

/// Where gnuplot places the tics. On a logarithmic axis it has powers of ten alone; along x there
/// is less room for more.
std::string own_tics(const std::string& axis, const ChartAxis& of) {
  if (!of.range) return "";
  const double few = axis == "x" ? 100 : 1500;
  const bool between = of.logarithmic && of.range->high < few * of.range->low;
  std::string text = "set format " + axis + " '" + number_format(of, between) + "'\n";
  if (between) text += "set for [i=-30:30] " + axis + "tics add (2*10.0**i, 5*10.0**i)\n";
  return text;
}

}  // namespace

std::string number_format(const ChartAxis& axis, bool labels_between) {
  constexpr double kMostPlain = 1e6;  // from here on %h has a power of ten
  const double low = axis.range->low;
  const double high = axis.range->high;
  if (!axis.logarithmic) return high >= kMostPlain && high < 1e3 * kMostPlain ? "%.0f" : "%h";
  if (low >= 1e-4 && high < kMostPlain) return "%h";
  if (low >= 1 && high < 10 * kMostPlain) return "%.0f";
  return labels_between ? "%.0t\u00d710^{%T}" : "10^{%T}";
}

std::string axis_script(const std::string& axis, const ChartAxis& of, std::size_t width) {
  std::string text;
  if (of.logarithmic) text += "set logscale " + axis + "\n";
  if (of.range)
    text += "set " + axis + "range [" + json::shortest(of.range->low) + ":" +
            json::shortest(of.range->high) + "]\n";
  return text + (of.tics.empty() ? own_tics(axis, of) : listed_tics(axis, of, width));
}

}  // namespace faultline::drawing
