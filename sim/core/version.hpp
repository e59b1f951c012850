// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace faultline {

/// The version of this build, such as "0.1.0+g1a2b3c4d5e": the release from the project() line of
/// CMakeLists.txt, a `+`, and the commit of the compiled sources. "-dirty" follows if the sources
/// had uncommitted changes. If the build knew no commit, it is the release alone.
std::string_view version();

/// The release in a version: everything before the first `+`. Of several versions separated by
/// commas, it is that of the first.
constexpr std::string_view release_of(std::string_view version) {
  return version.substr(0, version.find_first_of("+,"));
}

}  // namespace faultline
