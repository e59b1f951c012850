#pragma once

#include <string_view>

namespace faultline {

/// The version of this build: the release, `major.minor.patch`, from the project() line of
/// CMakeLists.txt, and after a `+` the commit of the sources that were compiled, as in
/// "0.1.0+g1a2b3c4d5e"; "-dirty" follows where these had changes. The release alone where the build
/// knew no commit.
std::string_view version();

/// The release of a version, or of several with commas between: what is before the first `+`.
constexpr std::string_view release_of(std::string_view version) {
  return version.substr(0, version.find_first_of("+,"));
}

}  // namespace faultline
