// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/hardware.hpp"

#include <algorithm>
#include <array>
#include <variant>

#include "sim/platform/topology.hpp"

namespace faultline::platform {

namespace {

using Size = std::optional<std::uint32_t>;

Size size_of(Part part, const Torus& /*torus*/) {
  return part == Part::router ? Size(1) : std::nullopt;
}

Size size_of(Part part, const Crossbar& crossbar) {
  return part == Part::router ? Size(crossbar.nodes) : std::nullopt;
}

/// The topmost switches connect everything, and are no group.
Size size_of(Part part, const FatTree& tree) {
  const std::size_t levels = tree.children.size();
  if (part == Part::router || (part == Part::rack && levels > 1)) return tree.children[0];
  if (part == Part::group && levels > 2) return tree.children[0] * tree.children[1];
  return std::nullopt;
}

Size size_of(Part part, const Dragonfly& dragonfly) {
  const std::uint32_t of_chassis = dragonfly.nodes_per_router * dragonfly.routers_per_chassis;
  if (part == Part::router) return dragonfly.nodes_per_router;
  if (part == Part::rack) return of_chassis;
  return of_chassis * dragonfly.chassis_per_group;
}

}  // namespace

const std::vector<std::string>& part_words() {
  static const std::vector<std::string> words = {"node", "router", "rack", "group", "power-unit"};
  return words;
}

Part part_of_word(const std::string& word) {
  const std::vector<std::string>& words = part_words();
  return static_cast<Part>(std::find(words.begin(), words.end(), word) - words.begin());
}

std::optional<std::uint32_t> nodes_of(Part part, const PartSizes& sizes) {
  if (part == Part::node) return 1;
  if (part == Part::power_unit)
    return sizes.nodes_per_power_unit > 0 ? Size(sizes.nodes_per_power_unit) : std::nullopt;
  if (sizes.machine == nullptr) return std::nullopt;
  return std::visit([part](const auto& topology) { return size_of(part, topology); },
                    sizes.machine->topology);
}

std::string lacks(Part part, const PartSizes& sizes, const std::vector<std::string>& words) {
  if (part == Part::power_unit)
    return "expected platform.nodes_per_power_unit beside it, the number of nodes of a power unit";
  std::string text = "needs platform.machine, whose topology is known";
  if (sizes.machine != nullptr)
    text = "the " + describe(sizes.machine->topology) + " of " + sizes.machine->name + " has no " +
           part_words()[static_cast<std::size_t>(part)] + "s";
  const auto word = [&words](Part known) { return words[static_cast<std::size_t>(known)]; };
  std::string known = word(Part::node);
  for (const Part other : {Part::router, Part::rack, Part::group})
    if (nodes_of(other, sizes)) known += ", " + word(other);
  return text + "; expected " + known + " or " + word(Part::power_unit);
}

}  // namespace faultline::platform
