// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace faultline::drawing {

/// Escapes text for HTML, attributes included.
std::string escaped(const std::string& text);

/// A number for people: five significant digits, or a whole number if it is large.
std::string html_number(double value);

/// One cell of a table. Its content is HTML, so text must be escaped before.
struct HtmlCell {
  std::string html;
  std::string kind = {};  ///< its style: "number", "match" ...
};

/// The cell for a field of a CSV file: a number or text.
HtmlCell field_cell(const std::string& field);

/// A table. Its first column names the rows.
struct HtmlTable {
  std::string caption;  ///< HTML
  std::vector<std::string> columns;
  std::vector<std::vector<HtmlCell>> rows;
  std::vector<std::string> row_kinds = {};  ///< styles of rows ("unexpected"); may be empty
};

/// A drawing, its caption, and the numbers behind it.
struct HtmlFigure {
  std::string drawing;  ///< SVG of gnuplot; "" if it could not be drawn
  std::string label;    ///< the text of a screen reader for it
  std::string caption;  ///< HTML
  std::string command;  ///< command that gives the same numbers; "" for none
  HtmlTable numbers;    ///< without rows if there are none
  bool wide = false;    ///< as wide as the page, for many panels
};

/// The lines of a CSV file, the header first, as a table. If there are more lines than a reader can
/// take in, the table shows an evenly spaced selection, and the caption states that.
HtmlTable numbers_table(const std::string& caption,
                        const std::vector<std::vector<std::string>>& lines);

/// An HTML page that needs no other file, no script and no network. It fits phones and paper,
/// follows the reader's choice of a dark or light screen, and works with keyboards and screen
/// readers. It is written from top to bottom, and is well-formed XML, too.
class HtmlPage {
 public:
  /// `about` is one line of HTML under the title.
  HtmlPage(std::string title, std::string about);

  /// Headings of the second and third level. The contents list them.
  void section(const std::string& title);
  void subsection(const std::string& title);

  void paragraph(const std::string& html);
  /// Lines to be typed into a shell.
  void commands(const std::vector<std::string>& lines);
  void table(const HtmlTable& table);
  /// Content that is folded until the reader opens it.
  void folded(const std::string& summary, const std::string& html);
  void folded(const std::string& summary, const HtmlTable& table);
  /// Figures, side by side if there is room.
  void figures(const std::vector<HtmlFigure>& figures);
  void html(const std::string& html) { body_ += html; }

  /// An identifier for a place of the page, which no other place has.
  std::string identifier(const std::string& title);

  [[nodiscard]] std::string text() const;

 private:
  void close_section();
  void close_subsection();
  [[nodiscard]] std::string figure(const HtmlFigure& figure);

  std::string title_;
  std::string about_;
  std::string contents_;
  std::string body_;
  std::vector<std::string> identifiers_;
  std::size_t drawings_ = 0;
  bool in_section_ = false;
  bool in_subsection_ = false;
};

/// A table as HTML, in its own box that scrolls by touch and by keyboard.
std::string table_html(const HtmlTable& table);

}  // namespace faultline::drawing
