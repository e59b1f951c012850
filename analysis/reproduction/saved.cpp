// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/saved.hpp"

#include "analysis/text/shell_words.hpp"
#include "sim/core/error.hpp"
#include "sim/json/json_reader.hpp"

namespace faultline::reproduction {

namespace {

/// A JSON object that must have the members asked for; else the file is something else.
class Members {
 public:
  Members(const json::JsonValue& object, std::string place)
      : object_(object), place_(std::move(place)) {}

  [[nodiscard]] const json::JsonValue& at(const std::string& key) const {
    const json::JsonValue* value = object_.find(key);
    if (value == nullptr) refuse(key, "missing");
    return *value;
  }
  [[nodiscard]] const std::string& text(const std::string& key) const {
    const std::string* value = at(key).text();
    if (value == nullptr) refuse(key, "expected text, got " + json::describe(at(key)));
    return *value;
  }
  [[nodiscard]] std::optional<double> number(const std::string& key) const {
    const json::JsonValue* value = object_.find(key);
    if (value == nullptr || value->is_null()) return std::nullopt;
    const auto number = json::number_of(*value);
    if (!number) refuse(key, "expected a number, got " + json::describe(*value));
    return number;
  }
  [[nodiscard]] const json::JsonValue::List& list(const std::string& key) const {
    const json::JsonValue::List* value = at(key).list();
    if (value == nullptr) refuse(key, "expected a list, got " + json::describe(at(key)));
    return *value;
  }
  [[nodiscard]] bool truth(const std::string& key, bool otherwise) const {
    const json::JsonValue* value = object_.find(key);
    const bool* truth = value == nullptr ? nullptr : std::get_if<bool>(&value->data);
    return truth == nullptr ? otherwise : *truth;
  }
  [[noreturn]] void refuse(const std::string& key, const std::string& why) const {
    throw UsageError(place_ + key + ": " + why +
                     "; expected what `faultline reproduce --format json` writes");
  }

 private:
  const json::JsonValue& object_;
  std::string place_;
};

Verdict verdict_of(const Members& cell, const std::string& key) {
  for (const Verdict verdict : {Verdict::match, Verdict::differs, Verdict::not_comparable})
    if (cell.text(key) == verdict_word(verdict)) return verdict;
  cell.refuse(key, "no such verdict");
}

void read_cell(const Members& saved, ItemResult& result) {
  Cell cell;
  cell.name = saved.text("cell");
  cell.place = saved.text("place");
  for (const Source source : {Source::paper, Source::derived, Source::threshold})
    if (const auto value = saved.number(source_word(source))) {
      cell.stated = value;
      cell.source = source;
    }
  if (cell.stated) {
    cell.evidence = evidence_of(saved.text("evidence"));
    if (!cell.evidence) saved.refuse("evidence", "no such kind of evidence");
  }
  cell.printed_as = printed_as_of(saved.text("printed_as")).value_or(PrintedAs::equal);
  cell.exact = saved.number("exact");
  cell.expected = verdict_of(saved, "expected");
  cell.tolerance = saved.number("tolerance").value_or(0);
  cell.absolute_tolerance = saved.number("absolute_tolerance").value_or(0);
  cell.factor = saved.number("factor");
  cell.why = saved.text("why");
  CellResult outcome;
  outcome.measured.value = saved.number("measured");
  const auto low = saved.number("low");
  const auto high = saved.number("high");
  if (low && high) outcome.measured.confidence_95 = statistics::Interval{*low, *high};
  outcome.ratio = saved.number("ratio");
  outcome.verdict = verdict_of(saved, "verdict");
  outcome.reason = saved.text("reason");
  outcome.agrees_with_exact = saved.truth("agrees_with_exact", true);
  result.item.cells.push_back(std::move(cell));
  result.cells.push_back(std::move(outcome));
}

ItemResult read_item(const Members& saved, const std::string& place) {
  ItemResult result;
  result.item.name = saved.text("item");
  result.item.title = saved.text("title");
  result.item.note = saved.text("note");
  const json::JsonValue::List& cells = saved.list("cells");
  for (std::size_t i = 0; i < cells.size(); ++i)
    read_cell(Members(cells[i], place + "cells[" + std::to_string(i) + "]."), result);
  return result;
}

}  // namespace

Reproduction read_saved_reproduction(const std::string& file) {
  json::Problems problems(file);
  const json::JsonValue json = json::read_json_file(file, problems);
  problems.throw_if_any();
  const Members whole(json, file + ": ");
  Reproduction saved;
  saved.quick = whole.truth("quick", false);
  const Members versions(whole.at("versions"), file + ": versions.");
  saved.versions = "Faultline " + versions.text("faultline");
  if (const std::string* simgrid = versions.at("simgrid").text())
    saved.versions += ", SimGrid " + *simgrid;
  const json::JsonValue::List& items = whole.list("items");
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string place = file + ": items[" + std::to_string(i) + "].";
    saved.results.push_back(read_item(Members(items[i], place), place));
    saved.commands.push_back("faultline reproduce " +
                             text::shell_word(saved.results.back().item.name) +
                             (saved.quick ? " --quick" : ""));
  }
  return saved;
}

}  // namespace faultline::reproduction
