// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace faultline::platform {

/// Larger platform files are refused.
inline constexpr std::size_t kLargestPlatformFile_B = std::size_t{64} << 20U;

/// Platform files with more hosts are refused.
inline constexpr std::uint64_t kMostXmlHosts = 131072;

/// Copies the topology, and nothing else, from the text of a SimGrid platform file: the elements of
/// hosts, links, routes and zones, with the attributes that describe them. Each stays on its line.
/// Properties, disks, comments and the document type are left out (docs/machines.md has the rules).
/// Throws UsageError "FILE:LINE: <element>: what is wrong"
///  - for anything that could make SimGrid do more than build this topology: settings, traces,
///    actors, other files, entities of the document type;
///  - for a topology that SimGrid could not build in reasonable time and memory;
///  - for text that is not well-formed XML.
std::string topology_alone(const std::string& text, const std::string& file);

}  // namespace faultline::platform
