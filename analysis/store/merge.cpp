// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/merge.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <system_error>
#include <thread>

#include "analysis/store/result_store.hpp"
#include "sim/core/error.hpp"
#include "sim/core/file_roles.hpp"
#include "sim/core/missing_folder.hpp"
#include "sim/core/partial_file.hpp"
#include "sim/json/problems.hpp"

namespace faultline::store {

namespace {

[[noreturn]] void refuse_existing(const std::string& out) {
  throw UsageError(out + ": already exists, expected the name of a new store");
}

[[noreturn]] void refuse_unwritable(const std::string& out, const std::system_error& error) {
  const std::string folder = missing_folder(out);
  throw UsageError(out +
                   ": cannot be written: " + (folder.empty() ? error.code().message() : folder));
}

/// Creates the new store's file under a temporary name, before any work is done.
std::unique_ptr<PartialFile> partial_store(const std::string& out) {
  std::error_code unreadable;
  if (std::filesystem::exists(out, unreadable)) refuse_existing(out);
  try {
    return std::make_unique<PartialFile>(out);
  } catch (const std::system_error& error) {
    refuse_unwritable(out, error);
  }
}

/// Gives the store its name, unless a file of this name has been created meanwhile.
void complete(PartialFile& partial, const std::string& out) {
  try {
    partial.complete_new();
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::file_exists) refuse_existing(out);
    refuse_unwritable(out, error);
  }
}

/// Notes which studies have results of several builds.
void note_builds(ResultStore& merged, const std::string& out, MergeOutcome& outcome) {
  for (const StoredStudy& study : merged.studies())
    if (study.faultline.find(',') != std::string::npos)
      outcome.notes.push_back(out + ": " + json::in_quotes(study.name) +
                              " has results by Faultline " + study.faultline +
                              ", builds of the same release: their results may differ");
}

/// Gives numbers to the points of one merged study. Points of its sweep have the same number in
/// every store. Points that are kept beside them may not.
class MergedPoints {
 public:
  /// The number of a point: its own, unless another point has it already.
  std::int64_t number_of(const StoredPoint& point) {
    const auto [place, is_new] = numbers_.emplace(hash_of(point), point.point);
    if (is_new && !taken_.insert(point.point).second) {
      place->second = *taken_.rbegin() + 1;
      taken_.insert(place->second);
    }
    return place->second;
  }

  [[nodiscard]] std::int64_t points() const { return taken_.empty() ? 0 : *taken_.rbegin() + 1; }

 private:
  std::map<std::string, std::int64_t> numbers_;
  std::set<std::int64_t> taken_;
};

bool share_runs(const StoredPoint& a, const StoredPoint& b) {
  auto other = b.runs.begin();
  for (const runs::RunRecord& run : a.runs) {
    while (other != b.runs.end() && other->replication < run.replication) ++other;
    if (other == b.runs.end()) return false;
    if (other->replication == run.replication) return true;
  }
  return false;
}

void merge_point(ResultStore& merged, const StoredPoint& point, const std::string& from,
                 MergeOutcome& outcome) {
  const auto known = merged.point(point.study, point.point);
  if (!known) ++outcome.points;
  if (known && share_runs(*known, point)) {
    const std::string why = difference(*known, point);
    if (!why.empty())
      throw UsageError(from + ": point " + std::to_string(point.point) + " (" + point.label +
                       ") differs from another store: " + why);
    ++outcome.duplicates;
  }
  merged.save(point);
}

/// Waits while a sweep is renumbering the points.
void rely_on_numbers(ResultStore& store) {
  while (!store.use_numbers(NumbersUse::kept))
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

using MergedStudies = std::map<std::int64_t, MergedPoints>;  ///< by their numbers

void merge_store(ResultStore& merged, const std::string& path, MergedStudies& studies,
                 MergeOutcome& outcome) {
  ResultStore store(path, StoreUse::read);
  if (!store.note().empty()) outcome.notes.push_back(store.note());
  rely_on_numbers(store);
  for (const StoredStudy& study : store.studies()) {
    const std::int64_t id = merged.add_study(study);
    for (StoredPoint& point : store.points(study.id)) {
      point.study = id;
      point.point = studies[id].number_of(point);
      merge_point(merged, point, path, outcome);
    }
  }
}

/// Corrects the number of points of a study if a later store added points beside those of its
/// sweep.
void count_points(ResultStore& merged, const MergedStudies& studies) {
  for (const StoredStudy& study : merged.studies()) {
    const auto found = studies.find(study.id);
    if (found != studies.end() && found->second.points() > study.points)
      merged.rewrite(study, [](const StoredPoint&) { return false; });
  }
}

}  // namespace

MergeOutcome merge_stores(const std::string& out, const std::vector<std::string>& stores) {
  check_store_name(out);
  const OutputPlace place(out, out, FileKind::store);
  const auto partial = partial_store(out);
  MergeOutcome outcome;
  {
    ResultStore merged(partial->path(), StoreUse::sweep);
    MergedStudies studies;
    for (const std::string& path : stores) merge_store(merged, path, studies, outcome);
    count_points(merged, studies);
    note_builds(merged, out, outcome);
  }
  complete(*partial, out);
  return outcome;
}

}  // namespace faultline::store
