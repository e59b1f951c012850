// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/exploration/chunked_list.hpp"
#include "analysis/exploration/step.hpp"
#include "sim/core/digest.hpp"

namespace faultline::exploration {

/// The number of a state: states are numbered in the order in which they were found.
using StateNumber = std::uint32_t;
inline constexpr StateNumber kNoState = 0xffffffff;

/// The states that a search has seen, each by its digest, and how it was first reached. About 32
/// bytes a state.
class SeenStates {
 public:
  SeenStates() : slots_(kFirstSlots, kNoState) {}

  /// The number of the state with that digest; kNoState if it has not been seen.
  [[nodiscard]] StateNumber find(const StateDigest& digest) const;

  /// Adds a state that has not been seen, and that was reached from `parent` (kNoState: by a start)
  /// with these mishaps on the way. Returns its number.
  StateNumber add(const StateDigest& digest, StateNumber parent, const Step& step,
                  const Mishaps& mishaps);

  [[nodiscard]] const Step& step(StateNumber state) const {
    return steps_.step(links_[state].step);
  }
  [[nodiscard]] const Mishaps& mishaps(StateNumber state) const { return mishaps_[state]; }
  /// The states from the start to this one.
  [[nodiscard]] std::vector<StateNumber> path_to(StateNumber state) const;
  /// The steps from the start to this one.
  [[nodiscard]] std::vector<Step> steps_to(StateNumber state) const;

  [[nodiscard]] std::size_t size() const { return links_.size(); }
  [[nodiscard]] std::size_t bytes() const {
    return slots_.size() * sizeof(StateNumber) + digests_.bytes() + links_.bytes() +
           mishaps_.bytes();
  }
  /// The largest number of states that can be numbered.
  static constexpr std::size_t kMostStates = kNoState;

 private:
  static constexpr std::size_t kFirstSlots = 1024;  ///< a power of two, like all later sizes
  struct Link {
    StateNumber parent;
    std::uint32_t step;
  };
  [[nodiscard]] StateNumber parent(StateNumber state) const { return links_[state].parent; }
  [[nodiscard]] std::size_t slot_of(const StateDigest& digest) const {
    return digest.low & (slots_.size() - 1);
  }
  void grow();

  std::vector<StateNumber> slots_;  ///< open addressing, by the digest
  ChunkedList<StateDigest> digests_;
  ChunkedList<Link> links_;
  ChunkedList<Mishaps> mishaps_;
  StepNumbers steps_;
};

}  // namespace faultline::exploration
