// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace faultline::test {

/// A run that breaks a promise, and which one.
template <class Run>
struct BrokenRun {
  Run run;
  std::string promise;
};

/// Goes over to a simpler run as long as one of those that `simpler_runs(run)` returns breaks a
/// promise. `broken_promise(run)`: which one, or "".
template <class Run, class SimplerRuns, class BrokenPromise>
BrokenRun<Run> shrunk(BrokenRun<Run> found, SimplerRuns simpler_runs,
                      BrokenPromise broken_promise) {
  const auto simplify = [&] {
    for (Run& simpler : simpler_runs(found.run)) {
      std::string promise = broken_promise(simpler);
      if (promise.empty()) continue;
      found = {std::move(simpler), std::move(promise)};
      return true;
    }
    return false;
  };
  while (simplify()) {
  }
  return found;
}

}  // namespace faultline::test
