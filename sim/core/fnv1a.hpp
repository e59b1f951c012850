#pragma once

#include <cstdint>
#include <string>

namespace faultline {

/// The 64-bit FNV-1a hash of a text (Fowler, Noll and Vo; RFC 9923).
std::uint64_t fnv1a(const std::string& text);

/// 16 hexadecimal digits of the same.
std::string fnv1a_hex(const std::string& text);

}  // namespace faultline
