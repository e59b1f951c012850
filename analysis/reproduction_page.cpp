#include "analysis/reproduction_page.hpp"

#include <cstdint>
#include <cstdio>

#include "sim/core/version.hpp"

namespace faultline {

namespace {

constexpr const char* kHead =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<title>Faultline: reproduction</title>\n<style>\n"
    "body { font-family: sans-serif; margin: 2em auto; max-width: 75em; }\n"
    "table { border-collapse: collapse; }\n"
    "th, td { padding: 0.2em 0.6em; border-bottom: 1px solid #ccc; text-align: left; }\n"
    "img { max-width: 100%; }\n"
    "td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }\n"
    ".match { color: #060; } .differs { color: #a40; } .other { color: #666; }\n"
    ".unexpected { background: #fcc; }\n"
    "</style>\n</head>\n<body>\n";

std::string escaped(const std::string& text) {
  std::string safe;
  safe.reserve(text.size());
  for (const char letter : text) {
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

/// As the address of an image, so that the identifiers of several drawings do not meet.
std::string base64(const std::string& bytes) {
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve(bytes.size() / 3 * 4 + 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k <= bytes.size() ? kDigits[group >> (18U - 6U * k) & 63U] : '=';
  }
  return text;
}

std::string drawing_of(const ItemResult& result) {
  if (result.drawing.empty()) return "";
  return "<p><img alt=\"" + escaped(result.item.title) + "\" src=\"data:image/svg+xml;base64," +
         base64(result.drawing) + "\"/></p>\n";
}

std::string cell(const std::string& text, const char* kind = nullptr) {
  const std::string opening = kind == nullptr ? "<td>" : "<td class=\"" + std::string(kind) + "\">";
  return opening + escaped(text) + "</td>";
}

std::string number(const std::optional<double>& value) {
  if (!value) return cell("", "number");
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", *value);
  return cell(text, "number");
}

const char* sign_of(PrintedAs printed_as) {
  if (printed_as == PrintedAs::at_least) return "at least";
  return printed_as == PrintedAs::at_most ? "at most" : "";
}

const char* class_of(Verdict verdict) {
  if (verdict == Verdict::match) return "match";
  return verdict == Verdict::differs ? "differs" : "other";
}

std::string row(const Cell& of, const CellResult& result) {
  const auto& interval = result.measured.confidence_95;
  const bool expected = result.is_expected(of);
  std::string text = expected ? "<tr>" : "<tr class=\"unexpected\">";
  text.append(cell(of.name)).append(cell(of.place)).append(cell(sign_of(of.printed_as)));
  text.append(number(of.paper)).append(number(result.measured.value));
  text.append(number(interval ? std::optional(interval->low) : std::nullopt));
  text.append(number(interval ? std::optional(interval->high) : std::nullopt));
  text.append(number(result.ratio)).append(number(of.exact));
  std::string verdict = verdict_word(result.verdict);
  if (!expected) verdict.append(", expected: ").append(verdict_word(of.expected));
  text.append(cell(verdict, class_of(result.verdict))).append(cell(result.reason));
  text.append(cell(of.why));
  return text + "</tr>\n";
}

}  // namespace

std::string reproduction_page(const std::vector<ItemResult>& results, bool quick) {
  std::string text = kHead;
  text.append("<p>Faultline ")
      .append(escaped(std::string(version())))
      .append(quick ? ", quick" : "");
  text.append(". Intervals are 95 %.</p>\n");
  for (const ItemResult& result : results) {
    text.append("<h2>").append(escaped(result.item.name)).append(": ");
    text.append(escaped(result.item.title)).append("</h2>\n<p>");
    text.append(escaped(result.item.note)).append("</p>\n<table>\n<tr>");
    for (const char* title : {"cell", "place", "", "paper", "measured", "low", "high", "ratio",
                              "exact", "verdict", "reason", "grounds of the tolerance"})
      text.append("<th>").append(title).append("</th>");
    text += "</tr>\n";
    for (std::size_t i = 0; i < result.cells.size(); ++i)
      text += row(result.item.cells[i], result.cells[i]);
    text.append("</table>\n").append(drawing_of(result));
  }
  return text + "</body>\n</html>\n";
}

}  // namespace faultline
