// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/variant.hpp"

#include <algorithm>
#include <utility>

#include "analysis/advice/race.hpp"
#include "analysis/runs/run_estimates.hpp"

namespace faultline::advice {

using runs::RunRecord;

Variant::Variant(Field field, const std::vector<std::size_t>& places)
    : field_(std::move(field)), places_(places.begin(), places.end()) {}

Variant::Variant(const Question& question, const std::vector<Alternative>& alternatives)
    : field_(field_of(asked_of(question, alternatives))) {
  for (const Alternative& one : alternatives)
    places_.push_back(place_in(field_, asked_of(question, alternatives), one));
}

bool Variant::run(std::uint32_t runs, const std::string& objective, store::ResultStore& store,
                  const AdvisorSettings& settings) {
  FieldRuns made(field_, store, settings, {objective});
  std::vector<std::size_t> able;
  for (const std::optional<std::size_t>& place : places_)
    if (place) able.push_back(*place);
  if (!made.make(able, runs)) return false;
  runs_ = made.of_all();
  events_ = made.events();
  return true;
}

const std::vector<RunRecord>& Variant::of(std::size_t number) const {
  static const std::vector<RunRecord> none;
  return places_[number] ? runs_[*places_[number]] : none;
}

CommonMeans means_in_common(const std::vector<const std::vector<RunRecord>*>& lists,
                            const std::string& objective) {
  std::size_t shortest = lists.front()->size();
  for (const std::vector<RunRecord>* runs : lists) shortest = std::min(shortest, runs->size());
  std::vector<std::vector<RunRecord>> kept(lists.size());
  for (std::size_t r = 0; r < shortest; ++r) {
    const bool counts_in_all = std::ranges::all_of(
        lists, [&](const std::vector<RunRecord>* runs) { return counts((*runs)[r], objective); });
    for (std::size_t i = 0; counts_in_all && i < lists.size(); ++i)
      kept[i].push_back((*lists[i])[r]);
  }
  CommonMeans common{.runs = kept.front().size(), .means = {}};
  for (const std::vector<RunRecord>& runs : kept)
    common.means.push_back(runs::mean_of(runs, objective).mean.value_or(0));
  return common;
}

}  // namespace faultline::advice
