// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace faultline::text {

/// The width, in characters, of tables that are written to a stream. For a terminal it is the width
/// that the terminal reports, or COLUMNS in the environment. If the width is not known, or the
/// stream is not a terminal, it is `kUsualWidth`, so that files and pipes get the same bytes
/// everywhere.
std::size_t table_width_on(int stream);

}  // namespace faultline::text
