// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/core/types.hpp"
#include "tests/engine/reference_machine.hpp"

namespace faultline::engine {

/// A job whose messages make a tree: every rank starts with some, and every message, when it is
/// handled, is answered by its children. The seed and a message's number alone determine its sender
/// and receiver, never time or order, so that any simulator must handle the same messages, and the
/// question left is when.
struct MessageTree {
  std::uint64_t seed = 1;
  std::uint32_t processes = 2;  ///< at most 16, so that numbers tell generations apart
  std::uint32_t generations = 4;
  std::uint32_t children_at_most = 3;
  bool with_bytes = true;

  struct Node {
    std::uint64_t number = 0;
    Rank to = 0;
    std::uint32_t bytes = 0;
  };
  /// What a rank computes before it sends its first messages.
  [[nodiscard]] double start_s(Rank rank, double window_s) const;
  [[nodiscard]] std::vector<Node> roots(Rank rank) const;
  [[nodiscard]] std::vector<Node> children(std::uint64_t number) const;

 private:
  [[nodiscard]] Node drawn(std::uint64_t number) const;
};

struct ReferenceTimes {
  std::map<std::uint64_t, double> handled_s;  ///< by number
  double closest_s = kNever;                  ///< the least time between two arrivals at one queue
};

/// When each message of the tree is handled, by a simulator of its own that shares no code with the
/// engines: one queue for each processor, each NIC (out and in) and each node's first links, all
/// served in the order of time. Every message is one packet, and what a NIC makes of bytes is not
/// in question here: it is so fast that they take no time there (reference_packets.hpp has the
/// rest). Links can be as slow as they like.
ReferenceTimes reference_times(const MessageTree& tree, const ReferenceMachine& machine,
                               double start_window_s);

}  // namespace faultline::engine
