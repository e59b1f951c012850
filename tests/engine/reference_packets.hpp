// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tests/engine/reference_machine.hpp"

namespace faultline::engine {

/// A message that a process sends at a stated time to a process of another node.
struct TimedMessage {
  double at_s = 0;
  Rank from = 0;
  Rank to = 0;
  std::uint64_t bytes = 0;
};

/// A machine whose network carries packets.
struct PacketMachine {
  ReferenceMachine costs;
  std::uint64_t word_bytes = 1;    ///< a message that is not longer is a word: it is never cut
  std::uint64_t packet_bytes = 1;  ///< into which longer ones are cut, at most `word_bytes`
  bool fifo = true;                ///< nobody overtakes within a pair
};

/// When a message was at one of the places at which packets queue.
struct Stay {
  double came_s = 0;   ///< its first packet has come
  double whole_s = 0;  ///< its last packet has come
  double begun_s = 0;  ///< its first packet begins to pass
  double held_s = -1;  ///< nothing but the gap keeps its last packet from then on; -1: nothing did
  double left_s = 0;   ///< its last packet has passed
};

/// The places that a message passes; the link only if it is narrower than the NIC.
enum class Place : std::uint8_t { sending_nic, first_link, receiving_nic };
inline constexpr std::size_t kPlaces = 3;

/// What became of a message.
struct PacketTimes {
  std::array<Stay, kPlaces> stays;
  double handled_s = -1;
};

/// When each message is handled, by a simulator of packets that shares nothing with the engines.
/// Every message is packets that stand in queues: before and in the NIC of their node, before the
/// link by which they leave it, and before the NIC of the receiver's node. Each of these passes
/// one packet at a time, which nothing interrupts, and then the next: a word if one waits, else
/// what has waited longest. A process that sends does not receive. The messages are in the order
/// of time.
std::vector<PacketTimes> packet_times(const std::vector<TimedMessage>& messages,
                                      const PacketMachine& machine);

}  // namespace faultline::engine
