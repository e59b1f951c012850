// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/platform/machine.hpp"

namespace faultline::platform {

/// What of a machine fails as a whole. Each part but a node holds several nodes, whose numbers
/// follow each other: part 0 the first ones, part 1 the next, and so on.
enum class Part : std::uint8_t { node, router, rack, group, power_unit };

/// The words for the parts, in the order of Part.
const std::vector<std::string>& part_words();
/// The part of that word, which must be one of them.
Part part_of_word(const std::string& word);

/// What is known of a machine's parts.
struct PartSizes {
  const Machine* machine = nullptr;        ///< null if only a platform file is known
  std::uint32_t nodes_per_power_unit = 0;  ///< 0 if not known
};

/// The number of nodes of such a part; nothing if the machine has none:
///  - router: what a node's link leads to: in a torus it belongs to one node, in a fat tree it is a
///    leaf switch, on a single switch that switch;
///  - rack: the nodes of a leaf switch of a fat tree with several, or a chassis of a dragonfly;
///  - group: a group of a dragonfly, or what a switch of the second level connects in a fat tree
///    with three levels or more.
std::optional<std::uint32_t> nodes_of(Part part, const PartSizes& sizes);

/// Says that a machine has no such part, and which ones it has. `words`: what the parts are called
/// where one of them can be named, in the order of Part.
std::string lacks(Part part, const PartSizes& sizes,
                  const std::vector<std::string>& words = part_words());

}  // namespace faultline::platform
