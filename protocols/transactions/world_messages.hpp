// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/types.hpp"
#include "sim/core/world.hpp"

namespace faultline {

/// What a message about a world, or about a checkpoint in it, says.
struct WorldWords {
  WorldEpoch epoch;
  std::uint64_t point = 0;  ///< the checkpoint, by its iteration; of a world: from which it goes on

  bool operator==(const WorldWords&) const = default;
};

/// Who is new in a world.
struct Replacements {
  std::vector<Incarnation> replaced;  ///< who is in this world in a later life than the first
  std::vector<ActorId> fresh;         ///< of them, those who are new in this world
  ActorId put_together_by = kNobody;  ///< this world

  void digest(Digest& into) const { into.add(replaced, fresh, put_together_by); }
};

/// What a rank must know of a world. A pointer to it is attached to `world`, as it is for all.
struct WorldNews {
  World world;
  Replacements replacements;
  std::uint64_t every = 1;  ///< iterations from one checkpoint to the next

  void digest(Digest& into) const { into.add(world, replacements, every); }
};

}  // namespace faultline
