// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/run.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <set>
#include <utility>

#include "analysis/reproduction/figure.hpp"
#include "analysis/reproduction/item_files.hpp"
#include "analysis/reproduction/item_reader.hpp"
#include "analysis/reproduction/pace.hpp"
#include "analysis/runs/progress.hpp"
#include "analysis/text/shell_words.hpp"
#include "analysis/text/text_table.hpp"

namespace faultline::reproduction {

namespace {

/// Does the item have a figure to draw? A series that could not be measured has no points.
bool has_figure(const ItemResult& result) {
  const auto& curves = result.item.curves;
  return !curves.empty() && std::all_of(curves.begin(), curves.end(), [&](std::size_t curve) {
    return result.measured[curve].trouble.empty();
  });
}

/// The name of an item's files, PAPER-ITEM, in characters that need no quotes in gnuplot and
/// shells. None begins like an option.
std::string stem_of(const std::string& item) {
  std::string stem = item;
  for (char& letter : stem)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '_') letter = '-';
  stem.erase(0, std::min(stem.find_first_not_of('-'), stem.size()));
  return stem.empty() ? "item" : stem;
}

/// A name that no other files of this run have.
std::string own_stem(const std::string& item, std::set<std::string>& taken) {
  const std::string first = stem_of(item);
  std::string stem = first;
  for (std::size_t number = 2; !taken.insert(stem).second; ++number)
    stem = first + "-" + std::to_string(number);
  return stem;
}

/// Draws the curves of one item and keeps them in the result, for the page.
void draw_item(ItemResult& result, const DrawChart& draw, const std::string& stem,
               std::optional<double> width_cm) {
  result.figure = figure_rows(result);
  const FigurePanels panels = figure_panels(result);
  result.drawing = draw(stem, text::csv_records(result.figure),
                        drawing::panels_script(stem, panels.charts, panels.columns, width_cm));
}

std::vector<double> estimates_of(const std::vector<ItemFile>& items, bool quick) {
  std::vector<double> estimates_s;
  estimates_s.reserve(items.size());
  for (const ItemFile& entry : items)
    estimates_s.push_back(quick ? entry.item.quick_time_s : entry.item.time_s);
  return estimates_s;
}

/// "4.2 % done, about 3 min 20 s left on this machine, at adoption-2013/table-1".
std::string pace_words(const ReproductionPace& pace, double elapsed_s, const std::string& item) {
  const double percent = 100 * pace.share();
  const auto left_s = pace.left_s(elapsed_s);
  return text::fixed(percent, percent < 10 ? 1 : 0) + " % done, " +
         (left_s ? "about " + runs::duration_words(*left_s) + " left on this machine"
                 : std::string("time left unknown")) +
         ", at " + item;
}

}  // namespace

std::vector<ItemFile> read_items(const std::string& what) {
  std::vector<ItemFile> items;
  for (const auto& file : find_reproduction_items(what)) {
    ReproductionItem item = read_reproduction_item(file);
    const std::string named = what.ends_with(".json") ? what : item.name;
    items.push_back({named, std::move(item)});
  }
  return items;
}

double expected_time_s(const std::vector<ItemFile>& items, const ReproductionSettings& settings) {
  const std::vector<double> estimates_s = estimates_of(items, settings.quick);
  const double time_s = std::accumulate(estimates_s.begin(), estimates_s.end(), 0.0);
  return std::max(1.0, time_s / settings.jobs);
}

std::optional<Reproduction> carry_out_items(std::vector<ItemFile> items,
                                            const ReproductionSettings& wanted,
                                            const DrawChart& draw, const KeepPicture& keep) {
  Reproduction all;
  all.quick = wanted.quick;
  all.versions = versions_of_this_build();
  StepModelCounts counts;
  runs::ProgressTeller teller(wanted.progress);
  ReproductionPace pace(estimates_of(items, wanted.quick));
  std::set<std::string> stems;
  std::string name;
  ReproductionSettings settings = wanted;
  settings.worked = [&](double work) {
    pace.worked(work);
    if (pace.item_is_done())
      teller.finish();
    else if (teller.due())
      teller.tell(pace_words(pace, teller.elapsed_s(), name));
  };
  for (ItemFile& entry : items) {
    name = entry.item.name;
    pace.begin_item(wanted.progress ? work_of(entry.item, settings) : 0);
    ItemResult result = reproduce_item(std::move(entry.item), settings, counts);
    pace.end_item();
    teller.finish();
    if (result.interrupted) return std::nullopt;
    if (draw && has_figure(result))
      draw_item(result, draw, own_stem(name, stems), wanted.figure_width_cm);
    if (draw)
      for (const Picture& picture : result.pictures())
        keep(own_stem(name + "-" + picture.name, stems), picture.svg);
    all.results.push_back(std::move(result));
    all.commands.push_back("faultline reproduce " + text::shell_word(entry.named) +
                           (settings.quick ? " --quick" : ""));
  }
  return all;
}

}  // namespace faultline::reproduction
