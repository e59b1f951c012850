// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace faultline {

/// The text of a file that the user named, unpacked if it is compressed with gzip or xz. Throws
/// UsageError as read_text_file() does, and if it is damaged, or larger once it is unpacked.
std::string read_packed_text(const std::string& path, const std::string& expected,
                             std::size_t largest_B);

}  // namespace faultline
