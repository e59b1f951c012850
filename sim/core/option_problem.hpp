// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace faultline {

/// An option whose value does not fit the rest of the job.
struct OptionProblem {
  std::string option;                    ///< JSON key within the component's object
  std::string message;                   ///< what was expected
  std::optional<std::size_t> item = {};  ///< of a list, counted from 0; null: the whole option
  bool is_note = false;  ///< whether it goes wrong depends on the run, so it is no error
};

}  // namespace faultline
