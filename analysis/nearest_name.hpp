#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace faultline {

/// `; did you mean 'X'?` for the candidate nearest to `name` (edit distance), or an empty string
/// when none is near enough to be a slip of the keyboard. Meant for the end of an error message.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace faultline
