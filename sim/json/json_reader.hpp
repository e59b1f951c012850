#pragma once

#include <string>

#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"

namespace faultline {

/// Files above this size are refused: a scenario is written by hand or by a script, not a data set.
inline constexpr std::size_t kLargestFile_B = std::size_t{16} << 20U;

/// Objects and lists may nest this deep.
inline constexpr int kDeepestNesting = 64;

/// The bytes of a file of at most kLargestFile_B, read as read_text_file does.
std::string read_json_text(const std::string& path);

/// The tree of a file. Throws and adds problems like read_json_text and parse_json.
JsonValue read_json_file(const std::string& path, Problems& problems);

/// Strict JSON (RFC 8259; a leading UTF-8 byte order mark is skipped) as a tree. Text that is not
/// JSON (cut off, trailing text, NaN, a number beyond double range, bytes that are not UTF-8, deep
/// nesting) throws UsageError "FILE:LINE:COLUMN: ..." with the problems found before it. Duplicate
/// keys are added to the problems, and the first one counts.
JsonValue parse_json(const std::string& text, Problems& problems);

}  // namespace faultline
