// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/core/context.hpp"
#include "sim/core/digest.hpp"
#include "sim/core/types.hpp"

namespace faultline::engine {

/// What processes have stored, and find again in a later life (RecoveryContext::store). It outlives
/// all of them, but what is stored on a node does not outlive that node.
class StableStorage {
 public:
  /// An actor on that node stores the words in a place, instead of what is there.
  void put(StorageEntry entry, NodeId node);
  /// What an actor on that node finds there: nothing if that is on another node.
  [[nodiscard]] std::vector<std::uint64_t> words(Family family, std::uint64_t place,
                                                 NodeId node) const;
  /// The node has failed.
  void lose(NodeId node);
  void digest(Digest& into) const;

 private:
  struct Stored {
    std::vector<std::uint64_t> words;
    NodeId node = kNobody;  ///< it is lost with that node; kNobody: with none
  };
  std::map<std::pair<Family, std::uint64_t>, Stored> places_;
};

}  // namespace faultline::engine
