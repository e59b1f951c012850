#include "analysis/store/merge.hpp"

#include <filesystem>
#include <memory>
#include <system_error>

#include "analysis/store/result_store.hpp"
#include "sim/core/error.hpp"
#include "sim/core/file_roles.hpp"
#include "sim/core/partial_file.hpp"
#include "sim/json/problems.hpp"

namespace faultline {

namespace {

[[noreturn]] void refuse_existing(const std::string& out) {
  throw UsageError(out + ": already exists, expected the name of a new store");
}

[[noreturn]] void refuse_unwritable(const std::string& out, const std::system_error& error) {
  throw UsageError(out + ": cannot be written: " + error.code().message());
}

/// The place of the new store, tried before any work is done.
std::unique_ptr<PartialFile> partial_store(const std::string& out) {
  std::error_code unreadable;
  if (std::filesystem::exists(out, unreadable)) refuse_existing(out);
  try {
    return std::make_unique<PartialFile>(out);
  } catch (const std::system_error& error) {
    refuse_unwritable(out, error);
  }
}

/// Without taking the place of a store that has come meanwhile.
void complete(PartialFile& partial, const std::string& out) {
  try {
    partial.complete_new();
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::file_exists) refuse_existing(out);
    refuse_unwritable(out, error);
  }
}

/// What a user should know of studies that several builds have worked on.
void note_builds(ResultStore& merged, const std::string& out, MergeOutcome& outcome) {
  for (const StoredStudy& study : merged.studies())
    if (study.faultline.find(',') != std::string::npos)
      outcome.notes.push_back(out + ": " + in_quotes(study.name) + " has results by Faultline " +
                              study.faultline +
                              ", builds of the same release: their results may differ");
}

void merge_point(ResultStore& merged, const StoredPoint& point, const std::string& from,
                 MergeOutcome& outcome) {
  const auto known = merged.point(point.study, point.point);
  if (!known) ++outcome.points;
  if (known && known->failure.empty() && point.failure.empty()) {
    const std::string why = difference(*known, point);
    if (!why.empty())
      throw UsageError(from + ": point " + std::to_string(point.point) + " (" + point.label +
                       ") differs from another store: " + why);
    ++outcome.duplicates;
  }
  merged.save(point);
}

}  // namespace

MergeOutcome merge_stores(const std::string& out, const std::vector<std::string>& stores) {
  check_store_name(out);
  const OutputPlace place(out, out, FileKind::store);
  const auto partial = partial_store(out);
  MergeOutcome outcome;
  {
    ResultStore merged(partial->path(), StoreUse::sweep);
    for (const std::string& path : stores) {
      ResultStore store(path, StoreUse::read);
      if (!store.note().empty()) outcome.notes.push_back(store.note());
      for (const StoredStudy& study : store.studies()) {
        const std::int64_t id = merged.add_study(study);
        for (StoredPoint& point : store.points(study.id)) {
          point.study = id;
          merge_point(merged, point, path, outcome);
        }
      }
    }
    note_builds(merged, out, outcome);
  }
  complete(*partial, out);
  return outcome;
}

}  // namespace faultline
