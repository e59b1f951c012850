#include "analysis/store_merge.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "analysis/result_store.hpp"
#include "sim/core/error.hpp"

namespace faultline {

namespace {

/// A name for the store until it is complete; removed if it never is.
class PartialStore {
 public:
  explicit PartialStore(const std::string& out)
      : out_(out), path_(out + ".partial-" + std::to_string(getpid())) {
    if (std::filesystem::exists(out))
      throw UsageError(out + ": is there already, expected the name of a new store");
    std::filesystem::remove(path_);
  }
  ~PartialStore() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
    std::filesystem::remove(path_ + "-journal", ignored);
  }
  PartialStore(const PartialStore&) = delete;
  PartialStore& operator=(const PartialStore&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

  /// Without taking the place of a store that has come meanwhile.
  void complete() const {
    if (link(path_.c_str(), out_.c_str()) == 0) return;
    // A file system without hard links.
    if (errno == EEXIST || rename(path_.c_str(), out_.c_str()) != 0)
      throw RunError(out_ + ": cannot be written: " + strerror(errno));
  }

 private:
  std::string out_;
  std::string path_;
};

void merge_point(ResultStore& merged, const StoredPoint& point, const std::string& from,
                 MergeOutcome& outcome) {
  const auto known = merged.point(point.study, point.point);
  if (!known) ++outcome.points;
  if (known && known->failure.empty() && point.failure.empty()) {
    const std::string why = difference(*known, point);
    if (!why.empty())
      throw UsageError(from + ": point " + std::to_string(point.point) + " (" + point.label +
                       ") is not what another store says: " + why);
    ++outcome.duplicates;
  }
  merged.save(point);
}

}  // namespace

MergeOutcome merge_stores(const std::string& out, const std::vector<std::string>& stores) {
  check_store_name(out);
  const PartialStore partial(out);
  MergeOutcome outcome;
  {
    ResultStore merged(partial.path(), StoreUse::sweep);
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
  }
  partial.complete();
  return outcome;
}

}  // namespace faultline
