// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace faultline::engine {

/// SimGrid's version, such as "3.32.0", or "" if Faultline was built without SimGrid.
std::string simgrid_version();

}  // namespace faultline::engine
