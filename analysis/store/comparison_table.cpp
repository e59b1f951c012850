// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/comparison_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "analysis/runs/derived_metrics.hpp"
#include "analysis/store/completion_ranking.hpp"
#include "analysis/text/summary_text.hpp"

namespace faultline::store {

namespace {

constexpr std::size_t kAnyWidth = std::numeric_limits<std::size_t>::max();

std::string heading(const ComparisonSettings& settings, const text::TimeUnit& unit) {
  const std::string in_unit = *unit.word == '\0' ? "" : std::string(" in ") + unit.word;
  return settings.metric + in_unit + ", " + (settings.higher_is_better ? "higher" : "lower") +
         " is better; means with their 95 % intervals, and differences from the best, replication "
         "by replication, whose intervals hold together with 95 %";
}

/// The contender from which the differences of a situation count: the winner, or the one with the
/// best mean of those that can win. Null if none of these has a mean.
const Contender* best_of(const Situation& situation, bool higher_is_better) {
  if (const Contender* winner = situation.winner()) return winner;
  const Contender* best = nullptr;
  for (const Contender& contender : situation.contenders) {
    const std::optional<double>& mean = contender.summary.mean;
    if (!contender.excluded.empty() || contender.completes_less || !mean) continue;
    if (best == nullptr ||
        (higher_is_better ? *mean > *best->summary.mean : *mean < *best->summary.mean))
      best = &contender;
  }
  return best;
}

/// The best first, and the others in their order.
std::vector<const Contender*> ordered(const Situation& situation, const Contender* best) {
  std::vector<const Contender*> contenders;
  if (best != nullptr) contenders.push_back(best);
  for (const Contender& contender : situation.contenders)
    if (&contender != best) contenders.push_back(&contender);
  return contenders;
}

/// Second minus first, for a difference of first minus second.
statistics::Summary reversed(statistics::Summary difference) {
  if (difference.mean) difference.mean = 0.0 - *difference.mean;
  if (difference.confidence_95)
    difference.confidence_95 = statistics::Interval{0.0 - difference.confidence_95->high,
                                                    0.0 - difference.confidence_95->low};
  return difference;
}

/// How far a contender is from the best. Nothing if one of the two cannot win.
std::optional<statistics::Summary> distance(const Situation& situation, const Contender& contender,
                                            const Contender& best) {
  for (const PairedDifference& pair : situation.pairs) {
    const Contender* const first = &situation.contenders[pair.first];
    const Contender* const second = &situation.contenders[pair.second];
    if (first == &contender && second == &best) return pair.difference;
    if (first == &best && second == &contender) return reversed(pair.difference);
  }
  return std::nullopt;
}

/// What the first line of a situation says in place of a difference.
std::string verdict_text(const Situation& situation) {
  return situation.winner() == nullptr ? undecided_text(situation) : "winner";
}

std::string distance_text(const Situation& situation, const Contender& contender,
                          const Contender* best, const text::TimeUnit& unit) {
  if (best == nullptr) return "";
  const auto difference = distance(situation, contender, *best);
  if (!difference) return "";
  const double largest = std::max(std::fabs(contender.summary.mean.value_or(0)),
                                  std::fabs(best->summary.mean.value_or(0)));
  return text::with_interval(*difference, unit.in_one_s, largest);
}

/// What a table has instead of values that are too long for it.
struct Shortened {
  bool names = false;  ///< letters for the contenders
  bool keys = false;   ///< numbers for the situations
};

/// "A", ..., "Z", "AA", ...
std::string letters(std::size_t number) {
  std::string text(1, static_cast<char>('A' + number % 26));
  return number < 26 ? text : letters(number / 26 - 1) + text;
}

/// The columns of a comparison's keys, with a line for each situation.
KeyColumns keys_of(const Comparison& comparison, bool numbered) {
  if (comparison.varying.empty())
    return {"", {}, std::vector<std::vector<std::string>>(comparison.situations.size())};
  std::vector<std::string> paths;
  for (const std::size_t number : comparison.varying) paths.push_back(comparison.paths[number]);
  std::vector<const SelectedPoint*> lines;
  for (const Situation& situation : comparison.situations)
    lines.push_back(situation.contenders.front().point);
  return key_columns(paths, lines, numbered ? 0 : kAnyWidth);
}

/// The names in the table, by the values of the contenders, and a legend of those that are letters.
struct ShownNames {
  std::map<std::string, std::string> by_value;
  std::string legend;
};

ShownNames names_of(const Comparison& comparison, bool as_letters) {
  ShownNames names;
  std::size_t number = 0;
  for (const Contender* contender : first_of_each_value(comparison)) {
    const std::string letter = letters(number++);
    names.by_value[contender->value] = as_letters ? letter : contender->name;
    if (as_letters) names.legend += text::wrapped(letter + ": " + contender->name);
  }
  if (!names.legend.empty()) names.legend += "\n";
  return names;
}

/// "termination.\nname,\nfailure_detection": the paths that compete as the title of a column.
std::string competing_title(const std::vector<std::string>& by) {
  std::string title;
  for (const std::string& path : by) title += (title.empty() ? "" : ",\n") + path_title(path);
  return title;
}

struct LaidOut {
  std::string legend;
  text::TextTable table;
};

/// Does the table show the shares of runs that completed?
bool shows_completed(const Comparison& comparison, const ComparisonSettings& settings) {
  return settings.metric != runs::kCompleted && some_have_not_completed(comparison);
}

LaidOut laid_out(const Comparison& comparison, const ComparisonSettings& settings,
                 const text::TimeUnit& unit, const Shortened& shortened) {
  const KeyColumns keys = keys_of(comparison, shortened.keys);
  const ShownNames names = names_of(comparison, shortened.names);
  LaidOut result{.legend = names.legend + keys.legend, .table = {}};
  text::TextTable& table = result.table;
  table.columns = keys.columns;
  table.columns.push_back({competing_title(settings.by), text::Align::left});
  table.key_columns = table.columns.size();
  const bool with_completed = shows_completed(comparison, settings);
  if (with_completed) table.columns.push_back({"completed"});
  table.columns.push_back({"mean"});
  table.columns.push_back({"difference"});
  for (std::size_t line = 0; line < comparison.situations.size(); ++line) {
    const Situation& situation = comparison.situations[line];
    const Contender* const best = best_of(situation, settings.higher_is_better);
    const std::vector<const Contender*> contenders = ordered(situation, best);
    for (const Contender* contender : contenders) {
      std::vector<std::string>& row = table.rows.emplace_back(keys.cells[line]);
      row.push_back(names.by_value.at(contender->value));
      if (with_completed) row.push_back(completed_text(*contender));
      row.push_back(contender->excluded.empty()
                        ? text::with_interval(contender->summary, unit.in_one_s)
                        : contender->excluded);
      row.push_back(contender == contenders.front()
                        ? verdict_text(situation)
                        : distance_text(situation, *contender, best, unit));
    }
  }
  return result;
}

/// The table with its legends, in one block if that is possible.
std::string table_text(const Comparison& comparison, const ComparisonSettings& settings,
                       const text::TimeUnit& unit, std::size_t width) {
  LaidOut table;
  for (const Shortened& shortened : {Shortened{}, Shortened{.keys = true}, Shortened{.names = true},
                                     Shortened{.names = true, .keys = true}}) {
    table = laid_out(comparison, settings, unit, shortened);
    if (text::render(table.table, width) == text::render(table.table, kAnyWidth)) break;
  }
  return table.legend + text::render(table.table, width);
}

}  // namespace

std::string comparison_table(const Comparison& comparison, const ComparisonSettings& settings,
                             std::size_t width) {
  const text::TimeUnit unit = unit_of_means(comparison, settings.metric);
  std::string text =
      text::wrapped(heading(settings, unit) + survivors_words(comparison, settings.metric));
  if (!comparison.common.empty()) text += text::wrapped("At every point: " + comparison.common);
  text += "\n" + table_text(comparison, settings, unit, width);
  if (shows_completed(comparison, settings))
    text += "\n" +
            text::wrapped(
                "completed: the share of runs that completed, with its 95 % interval. What "
                "completes less often than the best, or less than half of its runs, does not win: "
                "a run that gives up early is cheap.");
  const std::string note = cut_off_runs(comparison);
  return note.empty() ? text : text + "\n" + text::wrapped(note);
}

}  // namespace faultline::store
