// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/study_growth.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "analysis/store/study_rows.hpp"
#include "sim/core/error.hpp"
#include "sim/core/version.hpp"
#include "sim/json/file_memo.hpp"
#include "sim/json/problems.hpp"

namespace faultline::store {

namespace {

using Numbers =
    std::map<std::string, std::size_t>;  ///< the number of each point of a sweep, by its hash

Numbers numbers_of(const scenario::Study& study) {
  Numbers numbers;
  for (std::size_t i = 0; i < study.points.size(); ++i) numbers.emplace(study.points[i].hash, i);
  return numbers;
}

/// How a stored study is related to a sweep.
struct Kinship {
  /// True if each of its points is in the sweep, or would be with other values on its axes.
  bool same_kind = false;
  std::size_t runs = 0;                     ///< the runs that the sweep can use
  std::vector<std::string> lost_axes = {};  ///< paths that the sweep no longer has
};

/// The swept paths of a stored point that a study does not sweep.
std::vector<std::string> axes_beside(const scenario::Study& study,
                                     const json::JsonValue::Object& parameters) {
  const json::JsonValue::Object ours = scenario::point_parameters(study, 0);
  std::vector<std::string> paths;
  for (const json::JsonMember& theirs : parameters)
    if (std::none_of(ours.begin(), ours.end(),
                     [&](const json::JsonMember& own) { return own.key == theirs.key; }))
      paths.push_back(theirs.key);
  return paths;
}

Kinship kinship(ResultStore& store, const StoredStudy& known, const scenario::Study& study) {
  const Numbers numbers = numbers_of(study);
  Kinship result;
  bool is_empty = true;
  std::vector<std::pair<std::string, json::JsonValue::Object>> others;  // with their hashes
  store.each_point(known.id, [&](StoredPoint& point) {
    is_empty = false;
    std::string hash = hash_of(point);
    if (numbers.count(hash) != 0)
      result.runs += point.runs.size();
    else
      others.emplace_back(std::move(hash), std::move(point.parameters));
  });
  // Only its name can tell a study without points.
  if (is_empty) return {.same_kind = known.name == study.name};
  const json::FileMemo files;
  result.same_kind = std::all_of(others.begin(), others.end(), [&](const auto& other) {
    return scenario::would_make(study, other.second, other.first);
  });
  // A scenario that has nothing else in common is another one, whatever it sweeps.
  if (!result.same_kind && (result.runs > 0 || known.name == study.name))
    result.lost_axes = axes_beside(study, others.front().second);
  return result;
}

std::string quoted_list(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + json::in_quotes(word);
  return list;
}

std::string versions_of(const StoredStudy& study) {
  return "Faultline " + study.faultline +
         (study.simgrid.empty() ? " without SimGrid" : " with SimGrid " + study.simgrid);
}

std::optional<StoredStudy> same_in(ResultStore& store, const StoredStudy& wanted) {
  for (const StoredStudy& known : store.studies())
    if (same_study(known, wanted)) return known;
  return std::nullopt;
}

/// The study that should grow, or nothing if a new one should be added. If the store has only other
/// studies, the user must ask for that with --add-study: usually the scenario or the program has
/// changed, and the user has forgotten the old results.
std::optional<StoredStudy> growing_in(ResultStore& store, const scenario::Study& study,
                                      bool may_add) {
  const StoredStudy wanted = stored_study(study);
  std::optional<StoredStudy> growing;
  std::size_t most_runs = 0;
  std::string others;
  std::string versions;  // of the other programs that made this study
  std::string lost;      // axes of studies that would grow otherwise
  for (const StoredStudy& known : store.studies()) {
    const Kinship kin = kinship(store, known, study);
    const bool same_program = release_of(known.faultline) == release_of(wanted.faultline) &&
                              known.simgrid == wanted.simgrid;
    if (kin.same_kind && !same_program)
      versions += (versions.empty() ? "" : ", ") + versions_of(known);
    if (kin.same_kind && same_program && (!growing || kin.runs > most_runs)) {
      growing = known;
      most_runs = kin.runs;
    }
    others += (others.empty() ? "" : ", ") + json::in_quotes(known.name) + " (" +
              std::to_string(known.points) + (known.points == 1 ? " point)" : " points)");
    if (lost.empty()) lost = quoted_list(kin.lost_axes);
  }
  if (growing || others.empty() || may_add) return growing;
  const std::string why =
      versions.empty()
          ? ": has results of another scenario than " + study.file + " describes now: " + others
          : ": has results of " + study.file + " by " + versions + ", but this is " +
                versions_of(wanted) + ": results of different versions are not mixed";
  const std::string axes = lost.empty() || !versions.empty()
                               ? ""
                               : "; " + study.file + " no longer sweeps " + lost +
                                     " (a list of one value keeps the axis, and the study goes on)";
  throw UsageError(store.path() + why + axes +
                   "; --add-study keeps both, another --store starts a new store");
}

/// A stored point with its own results, under the sweep's names. Its scenario keeps the number of
/// replications that was asked for.
StoredPoint renamed(StoredPoint known, const scenario::Study& study, std::size_t number) {
  StoredPoint point =
      stored_point(study, known.study, number, scenario::point_scenario(study, number));
  point.scenario.set("replications", asked_replications(known));
  point.failure = std::move(known.failure);
  point.log = std::move(known.log);
  point.runs = std::move(known.runs);
  point.wanted = known.wanted;
  point.failed_replication = known.failed_replication;
  return point;
}

bool same_names(const StoredPoint& a, const StoredPoint& b) {
  return a.point == b.point && a.hash == b.hash && a.label == b.label &&
         json::to_json(a.parameters) == json::to_json(b.parameters) &&
         json::to_json(a.scenario) == json::to_json(b.scenario);
}

void grow(ResultStore& store, const StoredStudy& known, const scenario::Study& study) {
  const json::FileMemo files;
  const Numbers numbers = numbers_of(study);
  std::vector<bool> taken(study.points.size(), false);
  auto next_kept = static_cast<std::int64_t>(study.points.size());
  StoredStudy grown = stored_study(study);
  grown.id = known.id;
  grown.faultline = known.faultline;
  store.rewrite(grown, [&](StoredPoint& point) {
    const auto found = numbers.find(hash_of(point));
    if (found == numbers.end() || taken[found->second]) {
      const std::int64_t before = std::exchange(point.point, next_kept++);
      return point.point != before;
    }
    taken[found->second] = true;
    StoredPoint named = renamed(point, study, found->second);
    const bool is_changed = !same_names(named, point);
    point = std::move(named);
    return is_changed;
  });
}

}  // namespace

std::optional<StoredStudy> study_to_continue(ResultStore& store, const scenario::Study& study,
                                             bool may_add) {
  const auto same = same_in(store, stored_study(study));
  return same ? same : growing_in(store, study, may_add);
}

std::int64_t open_study(ResultStore& store, const scenario::Study& study, Growth growth) {
  constexpr int kMostTries = 50;
  constexpr auto kPatience = std::chrono::milliseconds(100);
  const StoredStudy wanted = stored_study(study);
  for (int tries = 0; tries < kMostTries; ++tries) {
    // The second try comes at once: it finds what the first one has added or changed.
    if (tries > 1) std::this_thread::sleep_for(kPatience);
    if (store.use_numbers(NumbersUse::kept)) {
      if (const auto same = same_in(store, wanted)) return same->id;
      store.use_numbers(NumbersUse::none);
    }
    // Looking for the study does not keep other sweeps waiting; only rewriting it does.
    const auto growing =
        growth == Growth::never ? std::nullopt : growing_in(store, study, growth == Growth::or_add);
    if (!growing || same_study(*growing, wanted))
      store.add_study(wanted);
    else if (store.use_numbers(NumbersUse::changed) && same_in(store, *growing))
      grow(store, *growing, study);
  }
  throw RunError(store.path() +
                 ": another sweep is working on the study as it was before; a study can grow only "
                 "while no other sweep uses its store");
}

}  // namespace faultline::store
