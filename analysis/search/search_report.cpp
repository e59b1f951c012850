// SPDX-License-Identifier: Apache-2.0
#include "analysis/search/search_report.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/search/option_places.hpp"
#include "analysis/text/text_table.hpp"
#include "sim/core/registry.hpp"
#include "sim/core/visible_text.hpp"

namespace faultline::search {

namespace {

using Counts = std::map<std::string, std::uint64_t>;

std::string number(std::uint64_t count) { return count == 0 ? "-" : std::to_string(count); }

/// The entries of a count, the most frequent first.
std::vector<std::pair<std::string, std::uint64_t>> by_frequency(const Counts& counts) {
  std::vector<std::pair<std::string, std::uint64_t>> entries(counts.begin(), counts.end());
  std::ranges::stable_sort(
      entries, [](const auto& one, const auto& other) { return one.second > other.second; });
  return entries;
}

std::uint64_t sum_of(const Counts& counts) {
  std::uint64_t sum = 0;
  for (const auto& [name, count] : counts) sum += count;
  return sum;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// A component and how often it ran, even if never.
std::string component_table(const SearchResult& result, std::size_t width) {
  text::TextTable table;
  table.columns = {{"component", text::Align::left}, {"runs"}};
  for (const std::string& word : disturbances()) table.columns.push_back({word});
  for (const Registration& component : registrations()) {
    const auto found =
        result.components.find(std::string(family_key(component.family)) + "." + component.name);
    const ComponentTally tally =
        found == result.components.end() ? ComponentTally{} : found->second;
    std::vector<std::string> row{component.name, number(tally.runs)};
    for (const std::string& word : disturbances()) {
      const auto under = tally.under.find(word);
      row.push_back(number(under == tally.under.end() ? 0 : under->second));
    }
    table.rows.push_back(std::move(row));
  }
  return text::render(table, width);
}

std::string frequencies(const Counts& counts) {
  std::string text;
  for (const auto& [name, count] : by_frequency(counts))
    text += (text.empty() ? "" : ", ") + name + " " + std::to_string(count);
  return text.empty() ? "none" : text;
}

std::string refusals(const SearchResult& result, std::size_t width) {
  constexpr std::size_t kMost = 12;
  const auto reasons = by_frequency(result.refused);
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, reasons.size()); ++i)
    text +=
        text::wrapped("  " + std::to_string(reasons[i].second) + "  " + reasons[i].first, width);
  if (reasons.size() > kMost)
    text += "  and for " + std::to_string(reasons.size() - kMost) + " more reasons\n";
  return text;
}

std::vector<std::string> never_drawn(const SearchResult& result) {
  std::vector<std::string> never;
  for (const std::string& place : drawn_options().drawn)
    if (!result.options.contains(place)) never.push_back(place);
  return never;
}

std::string found_text(const FoundKind& found, std::size_t width) {
  std::vector<std::string> numbers;
  for (const std::uint64_t one : found.numbers) numbers.push_back(std::to_string(one));
  std::string text =
      text::wrapped(found.finding.kind + ": " + std::to_string(found.times) +
                        (found.times == 1 ? " scenario, number " : " scenarios, numbers ") +
                        joined(numbers) + (found.times > numbers.size() ? ", ..." : ""),
                    width);
  text += text::wrapped("  " + found.finding.text, width);
  return text + scenario_text(found);
}

std::string end_text(const SearchResult& result, std::size_t width) {
  if (result.found.empty()) return "Nothing was found.\n";
  std::string text;
  for (const FoundKind& found : result.found) text += found_text(found, width) + "\n";
  std::uint64_t times = 0;
  for (const FoundKind& found : result.found) times += found.times;
  return text +
         text::wrapped("Found " + std::to_string(result.found.size()) + " kinds of findings, in " +
                           std::to_string(times) +
                           " scenarios. Each scenario above shows one: faultline run replays it.",
                       width);
}

json::JsonValue counts_json(const Counts& counts) {
  json::JsonValue json = json::JsonValue::Object{};
  for (const auto& [name, count] : counts) json.set(name, static_cast<std::int64_t>(count));
  return json;
}

json::JsonValue found_json(const FoundKind& found) {
  json::JsonValue::List numbers;
  for (const std::uint64_t one : found.numbers)
    numbers.emplace_back(static_cast<std::int64_t>(one));
  return json::json_object({{"kind", found.finding.kind},
                            {"text", found.finding.text},
                            {"times", static_cast<std::int64_t>(found.times)},
                            {"numbers", std::move(numbers)},
                            {"shrunk", found.is_shrunk},
                            {"scenario", found.scenario}});
}

}  // namespace

std::string scenario_text(const FoundKind& found) {
  return json::to_json(found.scenario, 1) + "\n";
}

std::string search_table(const SearchResult& result, std::size_t width) {
  std::string text = component_table(result, width) + "\n";
  const auto line = [&](const std::string& words) { text += text::wrapped(words, width); };
  line("Machines: " + frequencies(result.machines) + ".");
  line("Outcomes: " + frequencies(result.outcomes) + ".");
  const auto never = never_drawn(result);
  line("Options never off their default: " + (never.empty() ? "none" : joined(never)) +
       ". Not drawn, because they name a file or are a free text: " +
       joined(drawn_options().not_drawn) + ".");
  line(std::to_string(result.scenarios) + " scenarios, of which " +
       std::to_string(sum_of(result.refused)) + " were refused and " + std::to_string(result.runs) +
       " run, " + std::to_string(result.explored) + " of them explored; " +
       std::to_string(result.by_membership) +
       " went wrong after events that no protocol promises to bear yet (a false report, work or "
       "news that the network has lost, a return that nobody watches); " +
       std::to_string(result.as_printed) +
       " went wrong as printed in a paper or without protection.");
  line("Processes may die in " + std::to_string(result.may_die) + " runs and do so in " +
       std::to_string(result.struck) + ", in " + std::to_string(result.struck_amid) +
       " of them while an earlier death is not dealt with yet.");
  if (!result.refused.empty()) text += "Refused, most often:\n" + refusals(result, width);
  return text + "\n" + end_text(result, width);
}

std::string search_json(const SearchResult& result) {
  json::JsonValue components = json::JsonValue::Object{};
  for (const auto& [name, tally] : result.components) {
    json::JsonValue under = counts_json(tally.under);
    components.set(name, json::json_object({{"runs", static_cast<std::int64_t>(tally.runs)},
                                            {"under", std::move(under)}}));
  }
  json::JsonValue::List found;
  for (const FoundKind& kind : result.found) found.push_back(found_json(kind));
  json::JsonValue::List never;
  for (std::string& place : never_drawn(result)) never.emplace_back(std::move(place));
  const auto count = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  return json::to_json(json::json_object({{"scenarios", count(result.scenarios)},
                                          {"runs", count(result.runs)},
                                          {"explored", count(result.explored)},
                                          {"may_die", count(result.may_die)},
                                          {"struck", count(result.struck)},
                                          {"struck_amid", count(result.struck_amid)},
                                          {"by_membership", count(result.by_membership)},
                                          {"as_printed", count(result.as_printed)},
                                          {"outcomes", counts_json(result.outcomes)},
                                          {"machines", counts_json(result.machines)},
                                          {"components", std::move(components)},
                                          {"never_drawn", std::move(never)},
                                          {"refused", counts_json(result.refused)},
                                          {"found", std::move(found)}}),
                       2) +
         "\n";
}

}  // namespace faultline::search
