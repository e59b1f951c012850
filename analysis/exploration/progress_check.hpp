#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analysis/exploration/chunked_list.hpp"
#include "analysis/exploration/may_go_on.hpp"
#include "analysis/exploration/part_table.hpp"
#include "analysis/exploration/seen_states.hpp"

namespace faultline {

/// A step without a death from a state.
struct GraphStep {
  StateNumber target;  ///< kNoState if the step was left out
  PartNumber event;    ///< what happens; only needed if steps are left out
};

/// The steps without a death between the states of a search by breadth, in the order in which the
/// states were expanded, which is that of their numbers. Four bytes a step and two a state; where
/// steps are left out, eight bytes a step. What looks at all of them asks now and then whether it
/// may go on, and throws SearchStopped if not.
class StepGraph {
 public:
  explicit StepGraph(bool has_skipped = false) : has_skipped_(has_skipped) {}

  /// The state with the next number has these steps.
  void add(const std::vector<GraphStep>& steps) {
    for (const GraphStep& step : steps) targets_.push_back(step.target);
    if (has_skipped_)
      for (const GraphStep& step : steps) events_.push_back(step.event);
    degrees_.push_back(static_cast<std::uint16_t>(steps.size()));
  }
  /// Nothing goes on from the state with the next number.
  void add_end() { degrees_.push_back(kEnd); }
  [[nodiscard]] std::size_t bytes() const {
    return targets_.bytes() + events_.bytes() + degrees_.bytes();
  }
  [[nodiscard]] std::size_t states() const { return degrees_.size(); }

  /// Finds out where the steps lead that were left out, once all states have been added. Such a
  /// step sleeps in its state because it was, or could be, taken in the state before: so it leads
  /// to where the step between the two leads after it, and those two states have smaller numbers.
  void find_skipped(const SeenStates& seen, const MayGoOn& may_go_on);

  /// The first state from which no end can be reached unless somebody dies. From there the run goes
  /// on for ever, whatever comes next. Nothing if there is none.
  [[nodiscard]] std::optional<StateNumber> first_without_end(const MayGoOn& may_go_on) const;

  /// Some states, and for each those that follow it.
  using Part = std::map<StateNumber, std::vector<StateNumber>>;
  /// The states from which a circle can be reached, which are all that are in one and few others.
  /// Nothing if they are more than `most`.
  [[nodiscard]] std::optional<Part> part_with_circles(std::size_t most,
                                                      const MayGoOn& may_go_on) const;

 private:
  static constexpr std::uint16_t kEnd = 0xffff;
  /// A step, by its place among all steps, and the state in which it is taken.
  struct Place {
    StateNumber state;
    std::uint64_t step;
  };
  [[nodiscard]] std::uint64_t same_step(Place of, StateNumber state) const;
  [[nodiscard]] std::uint64_t first_step_to(StateNumber target, StateNumber from) const;

  bool has_skipped_;
  ChunkedList<StateNumber> targets_;
  ChunkedList<PartNumber> events_;
  ChunkedList<std::uint16_t> degrees_;
  std::vector<std::uint64_t> first_;  ///< steps of the states, while steps are looked for
};

}  // namespace faultline
