// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/types.hpp"
#include "sim/core/world.hpp"

namespace faultline::transactions {

/// The kinds of messages about a world. A protocol's own come behind them.
struct WorldMessage {
  enum Kind : std::uint16_t {
    ready,        ///< the sender waits for a new world
    leader,       ///< to a new process: asks it to report when it is ready
    world,        ///< the new world
    copy,         ///< a checkpoint for the receiver to keep
    copy_stored,  ///< the sender keeps the checkpoint
    restore,      ///< to a new process: its checkpoint
    stored,       ///< the sender and all below it in the tree have stored a checkpoint
    committed,    ///< all have stored it
    kinds,
  };
};

/// The names of these kinds, followed by those of one protocol.
inline std::vector<std::string> world_kinds(const std::vector<std::string>& own = {}) {
  std::vector<std::string> kinds{"ready",       "leader",  "world",  "copy",
                                 "copy-stored", "restore", "stored", "committed"};
  kinds.insert(kinds.end(), own.begin(), own.end());
  return kinds;
}

/// The timers of a world. A protocol's own come behind them.
struct WorldTimer {
  enum Key : std::uint64_t { spawn, storage, keys };
};

/// The words of a message about a world, or about a checkpoint in it.
struct WorldWords {
  WorldEpoch epoch;
  std::uint64_t point =
      0;  ///< the checkpoint, by its iteration; for a world: the one to go on from

  bool operator==(const WorldWords&) const = default;
};

/// The processes that are new in a world.
struct Replacements {
  std::vector<Incarnation>
      replaced;                ///< processes that are in this world in a later life than the first
  std::vector<ActorId> fresh;  ///< those of them that are new in this world
  ActorId put_together_by = kNobody;  ///< the leader that put this world together

  void digest(Digest& into) const { into.add(replaced, fresh, put_together_by); }
};

/// What a rank must know of a world. A pointer to it is attached to `world`, as it is for all.
struct WorldNews {
  World world;
  Replacements replacements;
  std::uint64_t every = 1;  ///< iterations from one checkpoint to the next

  void digest(Digest& into) const { into.add(world, replacements, every); }
};

}  // namespace faultline::transactions
