// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/verdicts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "analysis/reproduction/exploration_measure.hpp"
#include "analysis/reproduction/lemma_measure.hpp"
#include "analysis/reproduction/step_model_measure.hpp"
#include "analysis/reproduction/verdict_counts.hpp"
#include "analysis/text/text_table.hpp"
#include "sim/core/version.hpp"
#include "sim/core/visible_text.hpp"
#include "sim/engine/engine.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::reproduction {

namespace {

bool is_match(const Cell& cell, const statistics::Estimate& estimate) {
  const double measured = *estimate.value;
  if (is_by_interval(cell.printed_as))
    return estimate.confidence_99 &&
           (is_upper_bound(cell.printed_as) || *cell.stated <= estimate.confidence_99->high) &&
           (is_lower_bound(cell.printed_as) || *cell.stated >= estimate.confidence_99->low);
  if (cell.factor)
    return measured >= *cell.stated / *cell.factor && measured <= *cell.stated * *cell.factor;
  const double slack = std::max(cell.absolute_tolerance, cell.tolerance * std::fabs(*cell.stated));
  if (cell.printed_as == PrintedAs::at_least) return measured >= *cell.stated - slack;
  if (cell.printed_as == PrintedAs::at_most) return measured <= *cell.stated + slack;
  return std::fabs(measured - *cell.stated) <= slack;
}

/// True if the cell can be compared. If `comparable_above` is given, that depends on the measured
/// value; if not, on the verdict that the data file expects.
bool is_comparable(const Cell& cell, double measured) {
  if (!cell.stated) return false;
  if (cell.comparable_above) return measured > *cell.comparable_above;
  return cell.expected != Verdict::not_comparable;
}

/// True if the measured value is within the tolerance, or within about three standard errors (1.5
/// times the half-width of its 95 % interval).
bool agrees(const Cell& cell, const statistics::Estimate& measured) {
  double slack = cell.exact_tolerance * std::fabs(*cell.exact);
  if (const auto& interval = measured.confidence_95)
    slack = std::max(slack, 0.75 * (interval->high - interval->low));
  return std::fabs(*measured.value - *cell.exact) <= slack;
}

std::optional<double> ratio_of(double measured, const std::optional<double>& to) {
  if (!to || *to == 0.0) return std::nullopt;
  return measured / *to;
}

/// The work of a measure. Closed forms cost nothing.
double work_of(const Measure& measure, const ReproductionSettings& settings) {
  if (const auto* runs = std::get_if<RunsMeasure>(&measure.how)) return work_of(*runs, settings);
  if (const auto* series = std::get_if<SeriesMeasure>(&measure.how))
    return work_of(*series, settings);
  if (const auto* model = std::get_if<StepModelMeasure>(&measure.how))
    return work_of(*model, settings);
  if (const auto* lemmas = std::get_if<LemmasMeasure>(&measure.how))
    return work_of(*lemmas, settings);
  if (const auto* exploration = std::get_if<ExplorationMeasure>(&measure.how))
    return work_of(*exploration, settings);
  return 0;
}

Measured carry_out(const Measure& measure, const ReproductionSettings& settings,
                   StepModelCounts& counts) {
  if (const auto* runs = std::get_if<RunsMeasure>(&measure.how))
    return measure_runs(*runs, settings);
  if (const auto* series = std::get_if<SeriesMeasure>(&measure.how))
    return measure_series(*series, settings);
  if (const auto* model = std::get_if<StepModelMeasure>(&measure.how))
    return measure_step_model(*model, settings, counts);
  if (const auto* lemmas = std::get_if<LemmasMeasure>(&measure.how))
    return measure_lemmas(*lemmas, settings);
  if (const auto* exploration = std::get_if<ExplorationMeasure>(&measure.how))
    return measure_exploration(*exploration, settings);
  return measure_survival(std::get<SurvivalMeasure>(measure.how));
}

/// The estimate that a cell asks for, in a measure that makes one for each figure.
EstimateKey key_of(const Measure& measure, const Cell& cell) {
  if (const auto* runs = std::get_if<RunsMeasure>(&measure.how))
    return {runs->family, cell.protocol, runs->metric};
  if (const auto* lemmas = std::get_if<LemmasMeasure>(&measure.how))
    return {lemmas->family, cell.protocol, cell.figure};
  if (std::holds_alternative<ExplorationMeasure>(measure.how))
    return {Family::termination, cell.protocol, cell.figure};
  return {Family::termination, cell.protocol, kStepModelFigure};
}

statistics::Estimate estimate_of(const Measured& measured, const Measure& measure,
                                 const Cell& cell) {
  if (const auto* survival = std::get_if<SurvivalMeasure>(&measure.how))
    return survival_at(*survival, measured, cell);
  if (const auto* series = std::get_if<SeriesMeasure>(&measure.how))
    return measure_at(*series, measured, cell);
  if (!measured.trouble.empty()) return {std::nullopt, std::nullopt, measured.trouble};
  const EstimateKey key = key_of(measure, cell);
  const auto found = measured.estimates.find(key);
  return found != measured.estimates.end() ? found->second : not_measured(key.family, key.protocol);
}

/// True if a measure is drawn, or a cell is about it. With --quick some have no cells left.
bool is_wanted(const ReproductionItem& item, std::size_t measure) {
  return std::find(item.curves.begin(), item.curves.end(), measure) != item.curves.end() ||
         std::any_of(item.cells.begin(), item.cells.end(),
                     [=](const Cell& cell) { return cell.measure == measure; });
}

json::JsonValue optional_json(const std::optional<double>& value) {
  return value ? json::JsonValue(*value) : json::JsonValue();
}

/// The stated value for the source that it comes from; null for all others.
json::JsonValue stated_json(const Cell& cell, Source source) {
  return cell.source == source ? optional_json(cell.stated) : json::JsonValue();
}

json::JsonValue cell_json(const Cell& cell, const CellResult& result) {
  const auto& interval = result.measured.confidence_95;
  const auto& wide = result.measured.confidence_99;
  json::JsonValue json = json::json_object(
      {{"cell", cell.name},
       {"place", cell.place},
       {"source", cell.stated ? json::JsonValue(source_word(cell.source)) : json::JsonValue()},
       {"paper", stated_json(cell, Source::paper)},
       {"derived", stated_json(cell, Source::derived)},
       {"threshold", stated_json(cell, Source::threshold)},
       {"evidence",
        cell.evidence ? json::JsonValue(evidence_word(*cell.evidence)) : json::JsonValue()},
       {"printed_as", printed_as_word(cell.printed_as)},
       {"measured", optional_json(result.measured.value)},
       {"low", interval ? json::JsonValue(interval->low) : json::JsonValue()},
       {"high", interval ? json::JsonValue(interval->high) : json::JsonValue()},
       {"low_99", wide ? json::JsonValue(wide->low) : json::JsonValue()},
       {"high_99", wide ? json::JsonValue(wide->high) : json::JsonValue()},
       {"ratio", optional_json(result.ratio)},
       {"verdict", verdict_word(result.verdict)},
       {"expected", verdict_word(cell.expected)},
       {"reason", result.reason},
       {"tolerance", cell.tolerance},
       {"absolute_tolerance", cell.absolute_tolerance},
       {"factor", optional_json(cell.factor)},
       {"why", cell.why}});
  if (cell.exact) {
    json.set("exact", *cell.exact);
    json.set("exact_formula", cell.exact_formula);
    json.set("exact_ratio", optional_json(result.exact_ratio));
    json.set("agrees_with_exact", result.agrees_with_exact);
  }
  return json;
}

/// Five significant digits, without powers of ten for thousands.
std::string compact(const std::optional<double>& value) {
  if (!value) return "-";
  char text[32];
  const double size = std::fabs(*value);
  if (size >= 1e4 && size < 1e12)
    std::snprintf(text, sizeof text, "%.0f", *value);
  else
    std::snprintf(text, sizeof text, "%.5g", *value);
  return text;
}

std::string half_width(const statistics::Estimate& estimate) {
  if (!estimate.confidence_95) return "";
  const double half = (estimate.confidence_95->high - estimate.confidence_95->low) / 2;
  char text[32];
  std::snprintf(text, sizeof text, half >= 100 ? "%.0f" : "%.2g", half);
  return text;
}

std::string printed(const Cell& cell) {
  const char* sign = is_lower_bound(cell.printed_as)   ? ">="
                     : is_upper_bound(cell.printed_as) ? "<="
                                                       : "";
  return sign + compact(cell.stated);
}

/// A verdict, and what a match is evidence of: "match own theory".
std::string verdict_with_evidence(const Cell& cell, const CellResult& outcome) {
  std::string words = verdict_word(outcome.verdict);
  if (outcome.verdict == Verdict::match && cell.evidence)
    words.append(" ").append(evidence_word(*cell.evidence));
  return words;
}

std::string item_table(const ItemResult& result, std::size_t width) {
  const bool has_exact = std::any_of(result.item.cells.begin(), result.item.cells.end(),
                                     [](const Cell& cell) { return cell.exact.has_value(); });
  const bool has_interval = std::any_of(
      result.cells.begin(), result.cells.end(),
      [](const CellResult& outcome) { return outcome.measured.confidence_95.has_value(); });
  text::TextTable table;
  table.columns = {{"cell", text::Align::left}};
  const std::vector<Source> sources = sources_of(result.item);
  for (const Source source : sources) table.columns.push_back({source_word(source)});
  table.columns.push_back({"measured"});
  if (has_interval) table.columns.push_back({"+-"});
  table.columns.push_back({"ratio"});
  if (has_exact) table.columns.push_back({"exact"});
  table.columns.push_back({"verdict", text::Align::left});
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const Cell& cell = result.item.cells[i];
    const CellResult& outcome = result.cells[i];
    std::vector<std::string> row = {cell.name};
    for (const Source source : sources)
      row.push_back(source == cell.source ? printed(cell) : std::string());
    row.push_back(compact(outcome.measured.value));
    if (has_interval) row.push_back(half_width(outcome.measured));
    row.push_back(outcome.ratio ? text::fixed(*outcome.ratio, 3) : "-");
    if (has_exact) row.push_back(compact(cell.exact));
    row.push_back(verdict_with_evidence(cell, outcome) + (outcome.is_expected(cell) ? "" : " (!)"));
    table.rows.push_back(std::move(row));
  }
  return text::render(table, width);
}

/// The reasons why cells do not match: each distinct one, with its cells.
std::string reasons_of(const ItemResult& result) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (std::size_t i = 0; i < result.cells.size(); ++i) {
    const std::string& reason = result.cells[i].reason;
    if (reason.empty()) continue;
    auto found = std::find_if(reasons.begin(), reasons.end(),
                              [&](const auto& entry) { return entry.first == reason; });
    if (found == reasons.end()) found = reasons.insert(reasons.end(), {reason, {}});
    found->second.push_back(result.item.cells[i].name);
  }
  std::string text;
  for (const auto& [reason, cells] : reasons) {
    const std::string more =
        cells.size() == 1 ? "" : " and " + std::to_string(cells.size() - 1) + " more";
    std::string line = cells.front();
    line.append(more).append(": ").append(reason);
    text.append("\n").append(text::wrapped(line));
  }
  return text;
}

}  // namespace

std::vector<Picture> ItemResult::pictures() const {
  std::vector<Picture> all;
  for (std::size_t i = 0; i < measured.size(); ++i)
    if (!measured[i].picture.empty()) all.push_back({item.measures[i].name, measured[i].picture});
  return all;
}

std::vector<Source> sources_of(const ReproductionItem& item) {
  std::vector<Source> sources;
  for (const Source source : {Source::paper, Source::derived, Source::threshold})
    if (std::any_of(item.cells.begin(), item.cells.end(),
                    [=](const Cell& cell) { return cell.stated && cell.source == source; }))
      sources.push_back(source);
  if (sources.empty()) sources.push_back(Source::paper);
  return sources;
}

CellResult judge(const Cell& cell, const statistics::Estimate& measured) {
  CellResult result;
  result.measured = measured;
  if (!measured.value) {
    result.reason = measured.trouble;
    return result;
  }
  result.ratio = ratio_of(*measured.value, cell.stated);
  if (is_comparable(cell, *measured.value))
    result.verdict = is_match(cell, measured) ? Verdict::match : Verdict::differs;
  if (cell.exact) {
    result.exact_ratio = ratio_of(*measured.value, cell.exact);
    result.agrees_with_exact = agrees(cell, measured);
  }
  if (!result.agrees_with_exact)
    result.reason = "the measured value contradicts the exact one, " + cell.exact_formula;
  else if (result.verdict == cell.expected)
    result.reason = cell.expected == Verdict::match ? "" : cell.reason;
  else if (result.verdict == Verdict::not_comparable)
    result.reason =
        cell.stated ? "nothing comparable was measured" : "the data file has no printed value";
  else
    result.reason = std::string("the data file expects ") + verdict_word(cell.expected);
  return result;
}

double work_of(const ReproductionItem& whole, const ReproductionSettings& settings) {
  ReproductionItem item = whole;
  if (settings.quick) keep_quick_cells(item);
  double work = 0;
  for (std::size_t i = 0; i < item.measures.size(); ++i)
    if (is_wanted(item, i)) work += work_of(item.measures[i], settings);
  return work;
}

ItemResult reproduce_item(ReproductionItem item, const ReproductionSettings& settings) {
  StepModelCounts counts;
  return reproduce_item(std::move(item), settings, counts);
}

ItemResult reproduce_item(ReproductionItem item, const ReproductionSettings& settings,
                          StepModelCounts& counts) {
  ItemResult result;
  if (settings.quick) keep_quick_cells(item);
  std::vector<Measured>& measured = result.measured;
  measured.reserve(item.measures.size());
  for (std::size_t i = 0; i < item.measures.size(); ++i) {
    measured.push_back(is_wanted(item, i) ? carry_out(item.measures[i], settings, counts)
                                          : Measured{});
    if (measured.back().interrupted) {
      result.interrupted = true;
      return result;
    }
  }
  for (const Cell& cell : item.cells)
    result.cells.push_back(
        judge(cell, estimate_of(measured[cell.measure], item.measures[cell.measure], cell)));
  result.item = std::move(item);
  return result;
}

bool as_expected(const std::vector<ItemResult>& results) {
  for (const ItemResult& result : results)
    for (std::size_t i = 0; i < result.cells.size(); ++i)
      if (!result.cells[i].is_expected(result.item.cells[i])) return false;
  return true;
}

std::string reproduction_json(const std::vector<ItemResult>& results, bool quick) {
  json::JsonValue::List items;
  for (const ItemResult& result : results) {
    json::JsonValue::List cells;
    cells.reserve(result.cells.size());
    for (std::size_t i = 0; i < result.cells.size(); ++i)
      cells.push_back(cell_json(result.item.cells[i], result.cells[i]));
    items.push_back(json::json_object({{"item", result.item.name},
                                       {"title", result.item.title},
                                       {"note", result.item.note},
                                       {"counts", counts_json(counts_of({result}))},
                                       {"cells", std::move(cells)}}));
  }
  const std::string simgrid = engine::simgrid_version();
  const json::JsonValue report = json::json_object(
      {{"schema_version", 1},
       {"versions", json::json_object({{"faultline", std::string(version())},
                                       {"simgrid", simgrid.empty() ? json::JsonValue()
                                                                   : json::JsonValue(simgrid)}})},
       {"quick", quick},
       {"as_expected", as_expected(results)},
       {"counts", counts_json(counts_of(results))},
       {"items", std::move(items)}});
  return json::to_json(report, 2) + "\n";
}

std::string reproduction_table(const std::vector<ItemResult>& results, bool quick,
                               std::size_t width) {
  std::string text;
  for (const ItemResult& result : results) {
    text += (text.empty() ? "" : "\n") +
            text::wrapped(result.item.name + ": " + result.item.title + (quick ? " (quick)" : "")) +
            "\n" + item_table(result, width) + "\n" +
            text::wrapped(counts_words(counts_of({result}))) + reasons_of(result);
    if (!result.item.note.empty()) text += "\n" + text::wrapped(result.item.note);
  }
  if (results.size() > 1)
    text += "\n" + text::wrapped("all " + std::to_string(results.size()) +
                                 " items: " + counts_words(counts_of(results)));
  return text;
}

}  // namespace faultline::reproduction
