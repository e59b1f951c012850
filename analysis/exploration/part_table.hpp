// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "sim/engine/state/state_parts.hpp"

namespace faultline::exploration {

/// A part of a state: that of an actor, the part common to all, or a scheduled event. A search
/// meets few different parts in very many states, so it keeps a state as a list of their numbers.
using PartNumber = std::uint32_t;

/// A state as numbers: the common part, the parts of all actors, and the scheduled parts, in the
/// order of scheduling.
using PartNumbers = std::vector<PartNumber>;

/// Numbers the parts of states. Threads can share it: parts never move, and a thread looks only at
/// parts whose numbers it has got from here, or from a thread that has.
class PartTable {
 public:
  struct Part {
    StateDigest content;
    StateDigest term;        ///< its term in the digest of a state, if it is the first of its lane
    std::uint64_t lane = 0;  ///< 0: none
    ActorId actor = kNobody;
    ActorId from = kNobody;
    engine::EventKind kind = engine::EventKind::arrive;
    bool alive = false;   ///< for an actor
    bool active = false;  ///< for an actor
    /// Messages of the workload: an actor has some to handle, or this part is one in flight.
    bool has_messages = false;
    bool ended = false;     ///< for a common part
    bool is_local = false;  ///< for a common part

    /// The work is over when nobody is active and no message of the workload is anywhere.
    [[nodiscard]] bool has_work() const { return active || has_messages; }
  };

  static constexpr std::size_t kMostParts = std::size_t{1} << 26U;

  explicit PartTable(std::size_t actors) : actors_(actors) {}

  [[nodiscard]] PartNumbers numbers_of(const engine::StateParts& parts);
  [[nodiscard]] const Part& operator[](PartNumber number) const {
    return (*chunks_[number / kChunk])[number % kChunk];
  }
  [[nodiscard]] std::size_t actors() const { return actors_; }
  /// The place of the first scheduled part.
  [[nodiscard]] std::size_t scheduled() const { return 1 + actors_; }
  [[nodiscard]] static std::size_t place_of_actor(ActorId actor) { return 1 + actor; }

  [[nodiscard]] StateDigest digest(const PartNumbers& state) const;
  /// True if the run is over, or a promise is broken. Right only if the state is_local().
  [[nodiscard]] bool is_over(const PartNumbers& state) const {
    return (*this)[state.front()].ended || state.size() == scheduled();
  }
  [[nodiscard]] bool is_local(const PartNumbers& state) const {
    return (*this)[state.front()].is_local;
  }
  /// Lists the places of what may happen next, in the order of StepwiseEngine::agenda().
  void list_agenda(const PartNumbers& state, std::vector<std::uint32_t>& places) const;
  /// For each place, how much of its lane comes before it; 0 for a place in no lane.
  void list_earlier(const PartNumbers& state, std::vector<std::uint64_t>& earlier) const;
  [[nodiscard]] std::uint64_t earlier_in_lane(const PartNumbers& state, std::size_t place) const;
  /// The number of parts.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return size_ * (sizeof(Part) + kIndex_B); }

 private:
  static constexpr std::size_t kChunk = 4096;
  static constexpr std::size_t kMostChunks = kMostParts / kChunk;
  static constexpr std::size_t kIndex_B = 48;  ///< rough size of the index for each part
  struct LowWord {
    std::size_t operator()(const StateDigest& digest) const { return digest.low; }
  };
  using Chunk = std::array<Part, kChunk>;

  PartNumber number_of(const Part& part);

  std::size_t actors_;
  std::mutex mutex_;
  std::unordered_map<StateDigest, PartNumber, LowWord> numbers_;  ///< by term; only looked up
  std::vector<std::unique_ptr<Chunk>> chunks_ = std::vector<std::unique_ptr<Chunk>>(kMostChunks);
  std::size_t size_ = 0;
};

}  // namespace faultline::exploration
