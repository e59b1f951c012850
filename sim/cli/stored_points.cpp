#include "sim/cli/stored_points.hpp"

#include <cstdio>

#include "sim/core/error.hpp"

namespace faultline {

std::vector<SelectedPoint> stored_points(const std::string& path,
                                         const std::vector<std::string>& conditions) {
  ResultStore store(path, StoreUse::read);
  auto points = select_points(store, conditions);
  if (points.empty()) throw UsageError(path + ": no point satisfies the conditions");
  const std::string note = store.note();
  if (!note.empty()) std::fprintf(stderr, "faultline: %s\n", note.c_str());
  return points;
}

}  // namespace faultline
