// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace faultline {

/// The text of a file, unpacked if it is compressed with gzip or xz. Throws UsageError that begins
/// with the path if it cannot be read or unpacked, or is longer than that once it is unpacked.
std::string read_packed_text(const std::string& path, std::uint64_t most_bytes);

}  // namespace faultline
