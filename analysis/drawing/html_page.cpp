// SPDX-License-Identifier: Apache-2.0
#include "analysis/drawing/html_page.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "analysis/drawing/gnuplot.hpp"
#include "analysis/drawing/html_style.hpp"
#include "sim/core/visible_text.hpp"

namespace faultline::drawing {

namespace {

/// A box that scrolls must be reachable by keyboard and have a name.
std::string scroll_box(const std::string& label, const std::string& html) {
  return R"(<div class="scroll" role="region" tabindex="0" aria-label=")" + label + "\">\n" + html +
         "</div>\n";
}

std::string with_class(const char* element, const std::string& kind) {
  return kind.empty() ? std::string(element) : std::string(element) + " class=\"" + kind + "\"";
}

/// The text without HTML tags, for an attribute.
std::string without_tags(const std::string& html) {
  std::string text;
  bool inside = false;
  for (const char letter : html) {
    if (letter == '<') inside = true;
    if (!inside) text += letter;
    if (letter == '>') inside = false;
  }
  return text;
}

std::string row_html(const std::vector<HtmlCell>& row, const std::string& kind) {
  std::string text = "<" + with_class("tr", kind) + ">";
  for (std::size_t i = 0; i < row.size(); ++i) {
    const char* const element = i == 0 ? "th" : "td";
    text.append("<").append(with_class(element, row[i].kind));
    text.append(i == 0 ? " scope=\"row\">" : ">").append(row[i].html);
    text.append("</").append(element).append(">");
  }
  return text + "</tr>\n";
}

std::string pre(const std::vector<std::string>& lines) {
  std::string text = "<pre tabindex=\"0\"><code>";
  for (const std::string& line : lines)
    text.append(&line == lines.data() ? "" : "\n").append(escaped(line));
  return text + "</code></pre>\n";
}

std::string details(const std::string& summary, const std::string& html) {
  return "<details>\n<summary>" + escaped(summary) + "</summary>\n" + html + "</details>\n";
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string safe;
  safe.reserve(text.size());
  // A browser obeys the same invisible characters as a terminal, and XML allows no control
  // characters, not even escaped.
  for (const char letter : visible_lines(text)) {
    if (letter == '&')
      safe += "&amp;";
    else if (letter == '<')
      safe += "&lt;";
    else if (letter == '>')
      safe += "&gt;";
    else if (letter == '"')
      safe += "&quot;";
    else
      safe += letter;
  }
  return safe;
}

std::string html_number(double value) {
  char text[32];
  const bool large = std::fabs(value) >= 1e4 && std::fabs(value) < 1e12;
  std::snprintf(text, sizeof text, large ? "%.0f" : "%.5g", value);
  return text;
}

HtmlCell field_cell(const std::string& field) {
  double value = 0;
  const char* const end = field.data() + field.size();
  const auto [rest, error] = std::from_chars(field.data(), end, value);
  if (field.empty()) return {"", "number"};
  if (error != std::errc() || rest != end) return {escaped(field), "plain"};
  return {html_number(value), "number"};
}

std::string table_html(const HtmlTable& table) {
  std::string text = "<table>\n";
  if (!table.caption.empty()) text += "<caption>" + table.caption + "</caption>\n";
  text += "<thead><tr>";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool number = !table.rows.empty() && table.rows.front()[i].kind.starts_with("number");
    text.append(number ? R"(<th scope="col" class="number">)" : "<th scope=\"col\">");
    text.append(escaped(table.columns[i])).append("</th>");
  }
  text += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    text += row_html(table.rows[i], i < table.row_kinds.size() ? table.row_kinds[i] : "");
  const std::string label = table.caption.empty() ? "table" : without_tags(table.caption);
  return scroll_box(label, text + "</tbody>\n</table>\n");
}

HtmlTable numbers_table(const std::string& caption,
                        const std::vector<std::vector<std::string>>& lines) {
  constexpr std::size_t kMost = 300;
  const std::size_t count = lines.size() - 1;
  const std::size_t step = (count + kMost - 1) / kMost;
  HtmlTable table{.caption = caption, .columns = lines.front(), .rows = {}};
  if (step > 1)
    table.caption += ": one of " + std::to_string(step) + " lines of " + std::to_string(count) +
                     "; --figures DIR writes them all";
  for (std::size_t line = 1; line <= count; line += step) {
    std::vector<HtmlCell>& row = table.rows.emplace_back();
    row.reserve(lines[line].size());
    for (const std::string& field : lines[line])
      row.push_back(row.empty() ? HtmlCell{escaped(field), ""} : field_cell(field));
  }
  return table;
}

HtmlPage::HtmlPage(std::string title, std::string about)
    : title_(std::move(title)), about_(std::move(about)) {}

std::string HtmlPage::identifier(const std::string& title) {
  std::string name;
  for (const char letter : title) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0;
    if (plain)
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  if (name.empty() || std::isalpha(static_cast<unsigned char>(name.front())) == 0)
    name = "part-" + name;
  std::string unique = name;
  for (int number = 2;
       std::find(identifiers_.begin(), identifiers_.end(), unique) != identifiers_.end(); ++number)
    unique = name + "-" + std::to_string(number);
  identifiers_.push_back(unique);
  return unique;
}

void HtmlPage::close_subsection() {
  if (in_subsection_) contents_ += "</li>\n";
  if (in_subsection_) body_ += "</section>\n";
  in_subsection_ = false;
}

void HtmlPage::close_section() {
  const bool listed = in_section_ && contents_.ends_with("</li>\n");
  close_subsection();
  if (!in_section_) return;
  contents_ += listed || contents_.ends_with("</li>\n") ? "</ul></li>\n" : "</li>\n";
  body_ += "</section>\n";
  in_section_ = false;
}

void HtmlPage::section(const std::string& title) {
  close_section();
  const std::string id = identifier(title);
  contents_ += "<li><a href=\"#" + id + "\">" + escaped(title) + "</a>";
  body_ += "<section aria-labelledby=\"" + id + "\">\n<h2 id=\"" + id + "\">" + escaped(title) +
           "</h2>\n";
  in_section_ = true;
}

void HtmlPage::subsection(const std::string& title) {
  const bool first = !in_subsection_ && !contents_.ends_with("</li>\n");
  close_subsection();
  const std::string id = identifier(title);
  contents_ += first ? "\n<ul>\n" : "";
  contents_ += "<li><a href=\"#" + id + "\">" + escaped(title) + "</a>";
  body_ += "<section aria-labelledby=\"" + id + "\">\n<h3 id=\"" + id + "\">" + escaped(title) +
           "</h3>\n";
  in_subsection_ = true;
}

void HtmlPage::paragraph(const std::string& html) { body_ += "<p>" + html + "</p>\n"; }

void HtmlPage::commands(const std::vector<std::string>& lines) { body_ += pre(lines); }

void HtmlPage::table(const HtmlTable& table) { body_ += table_html(table); }

void HtmlPage::folded(const std::string& summary, const std::string& html) {
  body_ += details(summary, html);
}

void HtmlPage::folded(const std::string& summary, const HtmlTable& table) {
  folded(summary, table_html(table));
}

std::string HtmlPage::figure(const HtmlFigure& figure) {
  std::string text = figure.wide ? "<figure class=\"wide\">\n" : "<figure>\n";
  const std::string label = escaped(figure.label);
  if (!figure.drawing.empty()) {
    const std::string prefix = "drawing-" + std::to_string(++drawings_) + "-";
    const std::string box = figure.wide ? "<div class=\"drawing\" role=\"region\" tabindex=\"0\" "
                                          "aria-label=\"drawing, scrolls\">\n"
                                        : "<div class=\"drawing\">\n";
    text += box + inline_drawing(figure.drawing, prefix, label) + "</div>\n";
  }
  text += "<figcaption>" + figure.caption + "</figcaption>\n";
  if (!figure.numbers.rows.empty())
    text += details("Numbers behind the drawing", table_html(figure.numbers));
  if (!figure.command.empty()) text += details("Command", pre({figure.command}));
  return text + "</figure>\n";
}

void HtmlPage::figures(const std::vector<HtmlFigure>& figures) {
  if (figures.empty()) return;
  body_ += "<div class=\"figures\">\n";
  for (const HtmlFigure& of : figures) body_ += figure(of);
  body_ += "</div>\n";
}

std::string HtmlPage::text() const {
  HtmlPage whole = *this;
  whole.close_section();
  std::string text =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta name=\"color-scheme\" content=\"light dark\"/>\n<link rel=\"icon\" href=\"data:,\"/>\n"
      "<title>" +
      escaped(title_) + "</title>\n<style>" + kHtmlStyle + "</style>\n</head>\n<body>\n";
  text += "<a class=\"skip\" href=\"#main\">Skip to the results</a>\n<header>\n<h1>" +
          escaped(title_) + "</h1>\n<p class=\"about\">" + about_ + "</p>\n</header>\n";
  text += "<nav aria-label=\"Contents\">\n<ul>\n" + whole.contents_ + "</ul>\n</nav>\n";
  text += "<main id=\"main\" tabindex=\"-1\">\n" + whole.body_ + "</main>\n";
  return text + "</body>\n</html>\n";
}

}  // namespace faultline::drawing
