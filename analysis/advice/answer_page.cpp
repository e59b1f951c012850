// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/answer_page.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "analysis/advice/answer_parts.hpp"
#include "analysis/advice/sentences.hpp"
#include "analysis/advice/words.hpp"

namespace faultline::advice {

namespace {

drawing::ChartLine& line_of(drawing::Chart& chart, const std::string& stack) {
  const auto known = std::ranges::find(chart.lines, stack, &drawing::ChartLine::name);
  if (known != chart.lines.end()) return *known;
  return chart.lines.emplace_back(
      drawing::ChartLine{.name = stack, .line_type = chart.lines.size() + 1, .points = {}});
}

drawing::Chart chart_of(const Crossovers& crossed, const std::string& objective,
                        std::size_t number) {
  drawing::Chart chart;
  chart.stem = "choice-" + std::to_string(number);
  chart.title = words_of(objective) + " over " + crossed.path;
  chart.caption =
      " Means over the runs that completed; bars are 95 % intervals. A stack that falls behind at "
      "a value has fewer runs there.";
  chart.x.name = crossed.path;
  chart.y.name = objective;
  for (const RacedValue& at : crossed.raced)
    for (const auto& [stack, mean] : at.means)
      line_of(chart, stack)
          .points.push_back({.x = at.value,
                             .y = mean.mean,
                             .x_interval = {},
                             .y_interval = mean.confidence_95,
                             .box = {},
                             .outliers = {},
                             .runs = mean.count,
                             .bound = mean.bound,
                             .of = {}});
  return chart;
}

/// Text of an answer as HTML, with a sign for each "+-".
std::string html_of(const std::string& text) {
  constexpr std::string_view kPlain = "+-";
  std::string html = drawing::escaped(text);
  for (std::size_t at = 0; (at = html.find(kPlain, at)) != std::string::npos;)
    html.replace(at, kPlain.size(), "&#177;");
  return html;
}

drawing::HtmlTable html_table(const text::TextTable& table) {
  drawing::HtmlTable html{.caption = {}, .columns = {}, .rows = {}};
  for (const text::Column& column : table.columns) {
    std::string title = column.title;
    std::ranges::replace(title, '\n', ' ');
    html.columns.push_back(std::move(title));
  }
  for (const std::vector<std::string>& row : table.rows) {
    std::vector<drawing::HtmlCell>& cells = html.rows.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i)
      cells.push_back(
          {html_of(row[i]), table.columns[i].align == text::Align::right ? "number" : ""});
  }
  return html;
}

drawing::HtmlFigure figure_of(const drawing::Chart& chart,
                              const std::map<std::string, std::string>& drawings) {
  const auto drawn = drawings.find(chart.stem);
  return {.drawing = drawn == drawings.end() ? "" : drawn->second,
          .label = chart.title + ". The numbers are in the table below.",
          .caption = "<strong>" + drawing::escaped(chart.title) + ".</strong>" + chart.caption,
          .command = {},
          .numbers = drawing::chart_table(chart)};
}

}  // namespace

std::vector<drawing::Chart> crossover_charts(const Advice& advice) {
  std::vector<drawing::Chart> charts;
  for (const Crossovers& crossed : advice.crossovers) {
    if (crossed.raced.size() < 2) continue;
    std::vector<drawing::Chart> one{
        chart_of(crossed, advice.findings.rules.objective, charts.size() + 1)};
    drawing::fit_axes(one);
    charts.push_back(std::move(one.front()));
  }
  return charts;
}

void add_answer(drawing::HtmlPage& page, const Field& field, const Advice& advice,
                const std::map<std::string, std::string>& drawings) {
  page.section("Answer");
  page.paragraph("<strong>" + html_of(answer_sentences(field, advice.findings)) + "</strong>");
  std::vector<drawing::HtmlFigure> figures;
  for (const drawing::Chart& chart : crossover_charts(advice))
    figures.push_back(figure_of(chart, drawings));
  if (!figures.empty()) page.figures(figures);
  for (const Part& part : answer_parts(field, advice)) {
    page.section(part.title);
    if (!part.above.empty()) page.paragraph(drawing::escaped(part.above));
    if (!part.table.rows.empty()) page.table(html_table(part.table));
    for (const std::string& paragraph : part.below) page.paragraph(html_of(paragraph));
  }
}

}  // namespace faultline::advice
