#pragma once

#include <cstddef>

namespace faultline {

/// How wide a table may be that is written to a stream, in characters: as wide as the terminal,
/// which says so itself or by COLUMNS in the environment. `kUsualWidth` where that is not known,
/// and where the stream is no terminal, so that files and pipes get the same bytes everywhere.
std::size_t table_width_on(int stream);

}  // namespace faultline
