#pragma once

#include <stdexcept>
#include <string>

namespace faultline {

/// The user asked for something that cannot be: a bad scenario, file or command line (exit code 2).
/// The message names the file and the place, says what was expected and is shown as it is.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A run could not be carried out to its end for reasons of this machine (exit code 1).
struct RunError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace faultline
