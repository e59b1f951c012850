// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "analysis/drawing/gnuplot.hpp"
#include "analysis/drawing/html_style.hpp"

namespace faultline::drawing {

namespace {

using Triple = std::array<double, 3>;
using Matrix = std::array<Triple, 3>;

constexpr double kPi = 3.14159265358979323846;

/// What people see: with all cones, and with protanopia, deuteranopia and tritanopia of severity 1
/// (Machado, Oliveira and Fernandes 2009, table 1, on linear RGB).
constexpr Matrix kSights[] = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                              {{{0.152286, 1.052583, -0.204868},
                                {0.114503, 0.786281, 0.099216},
                                {-0.003882, -0.048116, 1.051998}}},
                              {{{0.367322, 0.860646, -0.227968},
                                {0.280085, 0.672501, 0.047413},
                                {-0.011820, 0.042940, 0.968881}}},
                              {{{1.255528, -0.076749, -0.178779},
                                {-0.078411, 0.930809, 0.147602},
                                {0.004733, 0.691367, 0.303900}}}};

Triple times(const Matrix& matrix, const Triple& vector) {
  Triple product{};
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t i = 0; i < 3; ++i) product[row] += matrix[row][i] * vector[i];
  return product;
}

/// "0072b2" as linear RGB.
Triple linear(const std::string& colour) {
  Triple rgb{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double part = std::stoi(colour.substr(2 * i, 2), nullptr, 16) / 255.0;
    rgb[i] = part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
  }
  return rgb;
}

double luminance(const Triple& rgb) { return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]; }

double contrast(const std::string& a, const std::string& b) {
  const auto [dark, bright] = std::minmax({luminance(linear(a)), luminance(linear(b))});
  return (bright + 0.05) / (dark + 0.05);
}

/// CIELAB of linear RGB under D65.
Triple lab(Triple rgb) {
  for (double& part : rgb) part = std::clamp(part, 0.0, 1.0);
  const Triple xyz = times({{{0.4124 / 0.95047, 0.3576 / 0.95047, 0.1805 / 0.95047},
                             {0.2126, 0.7152, 0.0722},
                             {0.0193 / 1.08883, 0.1192 / 1.08883, 0.9505 / 1.08883}}},
                           rgb);
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  return {116 * f(xyz[1]) - 16, 500 * (f(xyz[0]) - f(xyz[1])), 200 * (f(xyz[1]) - f(xyz[2]))};
}

double degrees(double y, double x) {
  const double angle = std::atan2(y, x) * 180 / kPi;
  return angle < 0 ? angle + 360 : angle;
}

/// CIEDE2000 of two colours, after Sharma, Wu and Dalal (2005).
double difference(Triple a, Triple b) {
  const auto seventh = [](double chroma) {
    return std::sqrt(std::pow(chroma, 7) / (std::pow(chroma, 7) + std::pow(25.0, 7)));
  };
  const double stretch = 1.5 - 0.5 * seventh((std::hypot(a[1], a[2]) + std::hypot(b[1], b[2])) / 2);
  a[1] *= stretch;
  b[1] *= stretch;
  const double chroma_a = std::hypot(a[1], a[2]);
  const double chroma_b = std::hypot(b[1], b[2]);
  const double hue_a = degrees(a[2], a[1]);
  const double hue_b = degrees(b[2], b[1]);
  double turn = hue_b - hue_a;
  if (std::fabs(turn) > 180) turn += turn > 0 ? -360 : 360;
  const double hue = hue_a + turn / 2;
  const double light = (a[0] + b[0]) / 2 - 50;
  const double chroma = (chroma_a + chroma_b) / 2;
  const auto cosine = [](double angle) { return std::cos(angle * kPi / 180); };
  const double t = 1 - 0.17 * cosine(hue - 30) + 0.24 * cosine(2 * hue) +
                   0.32 * cosine(3 * hue + 6) - 0.2 * cosine(4 * hue - 63);
  const double by_light =
      (b[0] - a[0]) / (1 + 0.015 * light * light / std::sqrt(20 + light * light));
  const double by_chroma = (chroma_b - chroma_a) / (1 + 0.045 * chroma);
  const double by_hue = 2 * std::sqrt(chroma_a * chroma_b) * std::sin(turn / 2 * kPi / 180) /
                        (1 + 0.015 * chroma * t);
  const double around = (std::fmod(hue + 360, 360) - 275) / 25;
  const double rotation =
      -2 * seventh(chroma) * std::sin(60 * std::exp(-around * around) * kPi / 180);
  return std::sqrt(by_light * by_light + by_chroma * by_chroma + by_hue * by_hue +
                   rotation * by_chroma * by_hue);
}

/// The colours of lines in each block of the style that sets them: light, dark, print.
std::vector<std::vector<std::string>> palettes() {
  const std::string style = faultline::drawing::kHtmlStyle;
  std::vector<std::vector<std::string>> found;
  for (std::size_t at = style.find("--line-"); at != std::string::npos;
       at = style.find("--line-", at + 1)) {
    const std::size_t colour = style.find('#', at);
    if (style.compare(at, 9, "--line-1:") == 0) found.emplace_back();
    found.back().push_back(style.substr(colour + 1, 6));
  }
  return found;
}

}  // namespace

TEST_CASE("the difference of colours is that of published pairs") {
  // Pairs 1, 7 and 25 of table 1 of Sharma, Wu and Dalal (2005).
  CHECK(difference({50, 2.6772, -79.7751}, {50, 0, -82.7485}) == Approx(2.0425).margin(1e-4));
  CHECK(difference({50, 0, 0}, {50, -1, 2}) == Approx(2.3669).margin(1e-4));
  CHECK(difference({60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}) ==
        Approx(1.2644).margin(1e-4));
}

TEST_CASE("lines differ in colour for everyone, and from the ground, on light and dark pages") {
  const auto all = palettes();
  REQUIRE(all.size() == 3);
  CHECK(all[0] == all[2]);
  const std::string grounds[] = {"ffffff", "12171d"};
  for (std::size_t page = 0; page < 2; ++page) {
    const auto& colours = all[page];
    REQUIRE(colours.size() == faultline::drawing::kLineTypes);
    for (std::size_t i = 0; i < colours.size(); ++i) {
      CAPTURE(page, colours[i]);
      CHECK(contrast(colours[i], grounds[page]) >= 3.0);
      for (std::size_t j = 0; j < i; ++j)
        for (const Matrix& sight : kSights) {
          CAPTURE(colours[j]);
          CHECK(difference(lab(times(sight, linear(colours[i]))),
                           lab(times(sight, linear(colours[j])))) >= 11.0);
        }
    }
  }
}

TEST_CASE("scripts have the colours of light pages") {
  const std::string head = faultline::drawing::gnuplot_head("x", {1, 1});
  const auto colours = palettes().at(0);
  for (std::size_t i = 0; i < colours.size(); ++i)
    CHECK_THAT(head, Catch::Contains("set linetype " + std::to_string(i + 1) + " lc rgb '#" +
                                     colours[i] + "'"));
}

}  // namespace faultline::drawing
