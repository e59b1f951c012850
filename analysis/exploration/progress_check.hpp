// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analysis/exploration/chunked_list.hpp"
#include "analysis/exploration/may_go_on.hpp"
#include "analysis/exploration/seen_states.hpp"

namespace faultline::exploration {

/// The steps without a death between the states of a search by breadth, in the order in which the
/// states were expanded, which is that of their numbers. It takes four bytes a step and two a
/// state. Functions that look at all of them ask now and then whether they may go on, and throw
/// SearchStopped if not.
class StepGraph {
 public:
  /// Adds the steps from the state with the next number to these.
  void add(const std::vector<StateNumber>& targets) {
    for (const StateNumber target : targets) targets_.push_back(target);
    degrees_.push_back(static_cast<std::uint16_t>(targets.size()));
  }
  /// Notes that nothing goes on from the state with the next number.
  void add_end() { degrees_.push_back(kEnd); }
  [[nodiscard]] std::size_t bytes() const { return targets_.bytes() + degrees_.bytes(); }
  [[nodiscard]] std::size_t states() const { return degrees_.size(); }

  /// The first state from which no end can be reached unless somebody dies. From there the run goes
  /// on for ever, whatever comes next. Nothing if there is none.
  [[nodiscard]] std::optional<StateNumber> first_without_end(const MayGoOn& may_go_on) const;

  /// Some states, and for each the states that follow it.
  using Part = std::map<StateNumber, std::vector<StateNumber>>;
  /// The states from which a circle can be reached: all that are in one, and few others. Nothing if
  /// they are more than `most`.
  [[nodiscard]] std::optional<Part> part_with_circles(std::size_t most,
                                                      const MayGoOn& may_go_on) const;

 private:
  static constexpr std::uint16_t kEnd = 0xffff;

  ChunkedList<StateNumber> targets_;
  ChunkedList<std::uint16_t> degrees_;
};

}  // namespace faultline::exploration
