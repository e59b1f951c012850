// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/json/json_value.hpp"
#include "sim/json/problems.hpp"

namespace faultline::json {

/// Larger files are refused. A scenario is written by hand or by a script; it is not a data set.
inline constexpr std::size_t kLargestFile_B = std::size_t{16} << 20U;

/// The depth to which objects and lists may nest.
inline constexpr int kDeepestNesting = 64;

/// The bytes of a file, at most kLargestFile_B. Throws as read_text_file does.
std::string read_json_text(const std::string& path);

/// Reads a file as a tree. Throws and adds problems as read_json_text and parse_json do.
JsonValue read_json_file(const std::string& path, Problems& problems);

/// Reads strict JSON (RFC 8259) as a tree; a leading UTF-8 byte order mark is skipped. Throws
/// UsageError "FILE:LINE:COLUMN: ...", with the problems found before, if the text is not JSON: it
/// is cut off or has trailing text, NaN, a number beyond the range of a double, bytes that are not
/// UTF-8, or deep nesting. A duplicate key is added to the problems, and its first value is kept.
JsonValue parse_json(const std::string& text, Problems& problems);

}  // namespace faultline::json
