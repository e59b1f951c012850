#pragma once

#include <functional>
#include <string>
#include <vector>

namespace faultline {

/// Runs `body(0)` to `body(count - 1)` at once, each in a process of its own, and returns what they
/// returned. Throws RunError where one cannot be started or does not end well.
std::vector<std::string> in_processes(unsigned count,
                                      const std::function<std::string(unsigned)>& body);

}  // namespace faultline
