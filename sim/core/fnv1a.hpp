// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace faultline {

/// The 64-bit FNV-1a hash of a text (Fowler, Noll and Vo; RFC 9923).
std::uint64_t fnv1a(const std::string& text);

/// The FNV-1a hash of a text as 16 hexadecimal digits.
std::string fnv1a_hex(const std::string& text);

}  // namespace faultline
