// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace faultline {

/// The user asked for something impossible: a bad scenario, file or command line (exit code 2).
/// The message names the file and the place and says what was expected. It is shown as it is.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A run could not be completed for a reason that lies in this machine (exit code 1).
struct RunError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace faultline
