// SPDX-License-Identifier: Apache-2.0
#include "sim/core/invariant.hpp"

#include <string>
#include <string_view>

namespace faultline {

// The name of the file without its path, which depends on where the program was built.
void throw_broken_invariant(const char* words, const char* file, int line) {
  const std::string_view path = file;
  const std::string name(path.substr(path.rfind('/') + 1));
  throw BrokenInvariant(std::string(words) + " (" + name + ":" + std::to_string(line) + ")");
}

}  // namespace faultline
