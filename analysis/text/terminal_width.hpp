#pragma once

#include <cstddef>

namespace faultline {

/// The width, in characters, of tables that are written to a stream. On a terminal it is that of
/// the terminal, by its own word or by COLUMNS in the environment. If that is not known, or the
/// stream is no terminal, it is `kUsualWidth`, so that files and pipes get the same bytes
/// everywhere.
std::size_t table_width_on(int stream);

}  // namespace faultline
