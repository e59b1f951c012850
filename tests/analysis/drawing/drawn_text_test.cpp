// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "analysis/drawing/chart.hpp"
#include "analysis/drawing/gnuplot.hpp"
#include "analysis/reproduction/figure.hpp"
#include "analysis/text/text_table.hpp"
#include "sim/core/random.hpp"
#include "sim/core/visible_text.hpp"
#include "tests/support/temporary_directory.hpp"

namespace faultline::drawing {

namespace {

bool has_gnuplot() {
  static const bool found = std::system("gnuplot --version > /dev/null 2>&1") == 0;
  if (!found) WARN("gnuplot is not installed: nothing was drawn");
  return found;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::set<std::string> files_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.insert(entry.path().filename().string());
  return names;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1))
    text.replace(at, from.size(), to);
}

/// What a reader of the SVG sees.
std::set<std::string> words_of(const std::string& svg) {
  static const std::regex element("<text>(.*)</text>");
  static const std::regex tag("<[^>]*>");
  std::set<std::string> words;
  for (std::sregex_iterator found(svg.begin(), svg.end(), element), end; found != end; ++found) {
    std::string text = std::regex_replace((*found)[1].str(), tag, "");
    for (const auto& [entity, character] :
         {std::pair{"&lt;", "<"}, std::pair{"&gt;", ">"}, std::pair{"&amp;", "&"}})
      replace_all(text, entity, character);
    words.insert(text);
  }
  return words;
}

/// What gnuplot's language, shells, CSV, XML and terminals take for more than a text.
const std::vector<std::string> kPieces = {"`touch canary`",
                                          "$(touch canary)",
                                          "system(\"touch canary\")",
                                          "!touch canary",
                                          "\n!touch canary\n",
                                          "'",
                                          "''",
                                          "\"",
                                          "\\",
                                          "\\\n",
                                          std::string("\\\0", 2),
                                          std::string("\0", 1),
                                          "`",
                                          "@",
                                          "@text_1",
                                          "#",
                                          "{",
                                          "}",
                                          "{/Symbol a}",
                                          "^2",
                                          "_2",
                                          "&",
                                          "~",
                                          "%",
                                          "%s%n",
                                          "%%",
                                          "%g",
                                          "$texts",
                                          "$1",
                                          "END_OF_TEXTS",
                                          "\nEND_OF_TEXTS\n",
                                          "\nEND_OF_NUMBERS\n",
                                          "EOD",
                                          ",",
                                          ";",
                                          ":",
                                          "=1+1",
                                          "<script>alert(1)</script>",
                                          "</text>",
                                          "]]>",
                                          "&amp;",
                                          "-->",
                                          "\x1b[31m",
                                          "\r",
                                          "\t",
                                          " ",
                                          "\xff",
                                          "\xc3",
                                          "\u009b",
                                          "\u202e",
                                          "\u00e9",
                                          "\u6f22",
                                          "\U0001F600",
                                          "NaN",
                                          "a",
                                          "processes"};

std::string draw_name(Stream& random) {
  std::string name;
  for (std::uint64_t pieces = 1 + random.below(5); pieces > 0; --pieces) {
    if (random.below(3) == 0)
      name += static_cast<char>(random.below(256));
    else
      name += kPieces[random.below(kPieces.size())];
  }
  return name;
}

/// Two lines of three points. What a name has to do with the drawing differs from kind to kind.
Chart chart_of(std::uint64_t shape, const std::string& first, const std::string& second,
               const std::string& axis) {
  Chart chart;
  chart.stem = "chart";
  chart.x.name = "processes";
  chart.x.title = axis;
  chart.x.names_lines = shape == 0 || shape == 2;
  chart.y.name = "end_time_s";
  chart.y.title = axis;
  chart.kind = shape < 2 ? ChartKind::curves : shape == 4 ? ChartKind::plane : ChartKind::boxes;
  for (const std::string& name : {first, second}) {
    ChartLine& line = chart.lines.emplace_back();
    line.name = name;
    for (const double x : {1.0, 2.0, 3.0}) {
      ChartPoint point;
      point.x = x;
      point.y = 5 + x;
      point.box = statistics::Boxplot{1, 2, 3, 4, 5, 6, 7};
      point.of = "8";
      line.points.push_back(point);
    }
  }
  std::vector<Chart> panels = {chart};
  fit_axes(panels);
  return panels.front();
}

std::string without_texts(std::string script) {
  const std::size_t begin = script.find("$texts << END_OF_TEXTS\n");
  const std::size_t end = script.find("\nEND_OF_TEXTS\n");
  REQUIRE(begin != std::string::npos);
  REQUIRE(end != std::string::npos);
  return script.erase(begin, end - begin);
}

}  // namespace

TEST_CASE("the code of a script does not depend on the texts that it shows") {
  Stream random(1, 0, Purpose::workload, 0);
  for (int i = 0; i < 2000; ++i) {
    const std::string first = draw_name(random);
    const std::string second = draw_name(random);
    const std::string axis = draw_name(random);
    const std::uint64_t shape = random.below(5);
    const auto plain = [](const std::string& name) {
      return std::string(visible(name).size(), 'x');
    };
    const std::string script = chart_script(chart_of(shape, first, second, axis));
    CAPTURE(shape, first, second, axis);
    CHECK(without_texts(script) ==
          without_texts(chart_script(chart_of(shape, plain(first), plain(second), plain(axis)))));
    for (const char letter : script)
      REQUIRE((static_cast<unsigned char>(letter) >= ' ' || letter == '\n'));
  }
}

TEST_CASE("any text is drawn as it is, and none is carried out") {
  if (!has_gnuplot()) return;
  Stream random(2, 0, Purpose::workload, 0);
  for (int i = 0; i < 120; ++i) {
    const TemporaryDirectory folder;
    const std::string first = draw_name(random);
    const std::string second = draw_name(random);
    const std::string axis = draw_name(random);
    const std::uint64_t shape = static_cast<std::uint64_t>(i) % 5;
    CAPTURE(shape, first, second, axis);
    const Chart chart = chart_of(shape, first, second, axis);
    (void)folder.write("chart.gnuplot", chart_script(chart));
    CHECK(draw(folder.path().string(), "chart.gnuplot", "svg") == ProgramEnd::good);
    CHECK(files_in(folder.path()) == std::set<std::string>{"chart.gnuplot", "chart.svg"});
    const auto words = words_of(text_of(folder.path() / "chart.svg"));
    CHECK(words.count(visible(first)) == 1);
    CHECK(words.count(visible(second)) == 1);
    CHECK(words.count(visible(axis)) == 1);
    if (i >= 5) continue;
    CHECK(draw(folder.path().string(), "chart.gnuplot", "pdf") == ProgramEnd::good);
    CHECK(text_of(folder.path() / "chart.pdf").starts_with("%PDF-"));
  }
}

TEST_CASE("where points are drawn does not depend on the name of their line") {
  if (!has_gnuplot()) return;
  const auto places_of = [](const std::string& name) {
    const TemporaryDirectory folder;
    Chart chart = chart_of(1, name, name, "x");
    chart.lines.resize(1);  // no key, whose place would depend on the name
    (void)folder.write("chart.gnuplot", chart_script(chart));
    (void)folder.write("chart.csv", text::csv_records(chart_rows(chart)));
    CHECK(draw(folder.path().string(), "chart.gnuplot", "svg") == ProgramEnd::good);
    return text_of(folder.path() / "chart.svg");
  };
  const std::string drawn = places_of("hcda");
  for (const char* name : {"#hcda", "a,b", R"(a"","b)", "\"", "a\nb", "NaN", " ", "1,2,3"})
    CHECK(places_of(name) == drawn);
}

TEST_CASE("figures of papers show any name as it is, and carry out none") {
  if (!has_gnuplot()) return;
  Stream random(3, 0, Purpose::workload, 0);
  for (int i = 0; i < 20; ++i) {
    const std::string name = draw_name(random);
    const std::string over = "a." + draw_name(random);
    CAPTURE(name, over);
    reproduction::ItemResult result;
    reproduction::SeriesMeasure series;
    series.over = over;
    series.metrics = {"announce_time_s"};
    if (i % 2 == 0) series.drawn_relative_to = "edod";
    result.item.measures.push_back({name, series});
    result.item.curves = {0};
    reproduction::SeriesPoint point{8, {}};
    point.samples["indep"] = {{"announce_time_s", {3, 4, 5}}};
    point.samples["edod"] = {{"announce_time_s", {1, 2, 3}}};
    point.detectors = {"edod", "indep"};
    result.measured.push_back({{}, {point}, "", false});
    const TemporaryDirectory folder;
    const reproduction::FigurePanels panels = reproduction::figure_panels(result);
    (void)folder.write("figure.gnuplot", panels_script("figure", panels.charts, panels.columns));
    CHECK(draw(folder.path().string(), "figure.gnuplot", "svg") == ProgramEnd::good);
    CHECK(files_in(folder.path()) == std::set<std::string>{"figure.gnuplot", "figure.svg"});
    const auto words = words_of(text_of(folder.path() / "figure.svg"));
    CHECK(words.count(visible(name)) == 1);
    CHECK(words.count("INDEP") == 1);
  }
}

TEST_CASE("a page changes the colours of a drawing, and nothing that it says") {
  const std::string said = " id='a' href='#b' stroke='black' url(#c) rgb(0,114,178) \" id=\"";
  CHECK(inline_drawing("<svg>\n<text>" + said + "</text><path stroke='black'/></svg>\n", "d1-",
                       "x") == "<svg role=\"img\" aria-label=\"x\">\n<text>" + said +
                                   "</text><path stroke='currentColor'/></svg>\n");
}

}  // namespace faultline::drawing
