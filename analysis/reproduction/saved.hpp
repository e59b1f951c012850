#pragma once

#include <string>

#include "analysis/reproduction/page.hpp"

namespace faultline {

/// What `faultline reproduce --format json` has written, without figures. `command` gives it again.
/// Throws UsageError for a file that is something else.
Reproduction read_saved_reproduction(const std::string& file);

}  // namespace faultline
