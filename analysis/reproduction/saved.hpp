// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/reproduction/page.hpp"

namespace faultline::reproduction {

/// Reads what `faultline reproduce --format json` wrote. Such a file has no figures. Throws
/// UsageError for any other file.
Reproduction read_saved_reproduction(const std::string& file);

}  // namespace faultline::reproduction
