#pragma once

#include <cstddef>
#include <string>

namespace faultline {

/// The bytes of a file that the user named, of a size that the caller can bear. A pipe is read to
/// its end or to the limit; devices, some of which never end, are not read at all. Throws
/// UsageError "PATH: what is wrong" when it is missing, a directory or a device, unreadable, empty
/// or too large; `expected` says what should be in it.
std::string read_text_file(const std::string& path, const std::string& expected,
                           std::size_t largest_B);

/// Is there nothing to read in a text: blanks and ends of lines alone?
bool is_blank(const std::string& text);

}  // namespace faultline
