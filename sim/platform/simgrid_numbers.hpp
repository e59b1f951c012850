// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace faultline::platform {

// Numbers in the attributes of a platform file, as SimGrid reads them.

/// Reads a whole number below 1e9, which may have blanks around it.
std::optional<std::uint64_t> whole_number(std::string_view text);

/// True if the number at the start of a text fits into a double, or if there is no number.
bool is_in_range(const std::string& text);

/// True if a text begins with a number that fits into a double.
bool begins_with_number(std::string_view text);

/// The parts of "a,b,c".
std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace faultline::platform
