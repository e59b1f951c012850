#pragma once

#include <string>
#include <vector>

namespace faultline {

/// Text as it stands in HTML, in an attribute too.
std::string escaped(const std::string& text);

/// A number for people: six significant digits, or a whole number where it is large.
std::string html_number(double value);

/// One cell of a table: HTML, so text must be escaped before.
struct HtmlCell {
  std::string html;
  std::string kind = {};  ///< of its look: "number", "match" ...
};

/// A field of a CSV file as a cell: a number or text.
HtmlCell field_cell(const std::string& field);

/// A table. The first column names the rows.
struct HtmlTable {
  std::string caption;  ///< HTML
  std::vector<std::string> columns;
  std::vector<std::vector<HtmlCell>> rows;
  std::vector<std::string> row_kinds = {};  ///< of some rows: "unexpected"; empty for none
};

/// A drawing with what it says and the numbers behind it.
struct HtmlFigure {
  std::string drawing;  ///< SVG of gnuplot; "" where it could not be drawn
  std::string label;    ///< what a screen reader says in its place
  std::string caption;  ///< HTML
  std::string command;  ///< that gives the same numbers, "" for none
  HtmlTable numbers;    ///< no rows for none
  bool wide = false;    ///< many panels: as broad as the page
};

/// The lines of a CSV file, the header first, as a table; of many lines as many as a reader can
/// take in, evenly drawn, which the caption says.
HtmlTable numbers_table(const std::string& caption,
                        const std::vector<std::vector<std::string>>& lines);

/// An HTML page that needs no other file, no script and no network. It fits a phone and paper,
/// follows the reader's choice of a dark or light screen, and is read by keyboard and aloud. It is
/// written from top to bottom, and well-formed as XML too.
class HtmlPage {
 public:
  /// `about` is one line under the title, of HTML.
  HtmlPage(std::string title, std::string about);

  /// Headings of the second and third level, which the contents list.
  void section(const std::string& title);
  void subsection(const std::string& title);

  void paragraph(const std::string& html);
  /// Lines for a shell.
  void commands(const std::vector<std::string>& lines);
  void table(const HtmlTable& table);
  /// What is folded until somebody asks for it.
  void folded(const std::string& summary, const std::string& html);
  void folded(const std::string& summary, const HtmlTable& table);
  /// Figures side by side where there is room.
  void figures(const std::vector<HtmlFigure>& figures);
  void html(const std::string& html) { body_ += html; }

  /// A name for a place of the page, which no other has.
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

/// A table as HTML, in a box of its own that scrolls by touch and by keyboard.
std::string table_html(const HtmlTable& table);

}  // namespace faultline
