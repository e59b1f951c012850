// SPDX-License-Identifier: Apache-2.0
#include "analysis/advice/variants.hpp"

#include <algorithm>
#include <utility>

#include "analysis/advice/race.hpp"
#include "analysis/runs/run_estimates.hpp"

namespace faultline::advice {

using runs::RunRecord;

std::size_t Variants::add(Alternative alternative, const std::string& change,
                          const json::JsonValue::Object& sets) {
  if (!change.empty()) alternative.name += ", " + change;
  for (const json::JsonMember& member : sets) {
    // What it sets already, and what is within that, it sets no more.
    std::erase_if(alternative.sets, [&](const json::JsonMember& own) {
      return own.key == member.key || own.key.starts_with(member.key + ".");
    });
    alternative.sets.push_back(member);
  }
  alternatives_.push_back(std::move(alternative));
  return alternatives_.size() - 1;
}

bool Variants::run(std::uint32_t runs, const std::string& objective, store::ResultStore& store,
                   const AdvisorSettings& settings) {
  const Question asked = asked_of(question_, alternatives_);
  Field field = field_of(asked);
  FieldRuns made(field, store, settings, {objective});
  std::vector<std::size_t> able;
  places_.clear();
  for (const Alternative& one : alternatives_) {
    places_.push_back(place_in(field, asked, one));
    if (places_.back()) able.push_back(*places_.back());
  }
  if (!made.make(able, runs)) return false;
  runs_ = made.of_all();
  events_ = made.events();
  return true;
}

const std::vector<RunRecord>& Variants::of(std::size_t number) const {
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
