#pragma once

#include <cstdint>
#include <string>

namespace faultline {

/// Platform files above this size are refused.
inline constexpr std::size_t kLargestPlatformFile_B = std::size_t{64} << 20U;

/// The most hosts of a platform file.
inline constexpr std::uint64_t kMostXmlHosts = 131072;

/// The topology that the text of a SimGrid platform file describes, written anew: elements of
/// hosts, links, routes and zones, each on the line where it stood, with the attributes that
/// describe them. Properties, disks, comments and the document type are left out. Throws UsageError
/// "FILE:LINE: <element>: what is wrong" for whatever could make SimGrid do more than build this
/// topology (settings, traces, actors, other files, entities of the document type), for what it
/// could not build in reasonable time and memory, and for text that is not well-formed XML
/// (docs/machines.md has the rules).
std::string topology_alone(const std::string& text, const std::string& file);

}  // namespace faultline
