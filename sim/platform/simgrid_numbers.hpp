// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace faultline {

// Numbers in the attributes of a platform file, as SimGrid reads them.

/// A whole number below 1e9, with blanks around it or not.
std::optional<std::uint64_t> whole_number(std::string_view text);

/// Can a double hold the number with which a text begins, if it begins with one?
bool is_in_range(const std::string& text);

/// Does a text begin with a number that a double can hold?
bool begins_with_number(std::string_view text);

/// The parts of "a,b,c".
std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace faultline
