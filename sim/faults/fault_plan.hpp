#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/core/types.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline {

/// When which actors die. The engine asks; sources of faults answer through this interface alone.
class FaultPlan {
 public:
  FaultPlan() = default;
  /// The deaths that a scenario states, for a job of that shape.
  FaultPlan(const std::vector<FaultSpec>& faults, const JobShape& job);

  /// Deaths at stated times: (time, index), in order of time.
  struct Timed {
    double time_s;
    std::uint32_t index;
  };
  [[nodiscard]] const std::vector<Timed>& timed() const { return timed_; }

  /// The event after which the next death by event number strikes; the largest number if none.
  [[nodiscard]] std::uint64_t next_event() const {
    return next_counted_ < counted_.size() ? counted_[next_counted_].event : UINT64_MAX;
  }
  /// Takes the death by event number that next_event() stands for.
  std::uint32_t take_event() { return counted_[next_counted_++].index; }

  /// Deaths that strike at a mark; each mark strikes once.
  std::vector<std::uint32_t> take_mark(std::string_view name, std::int64_t value);
  /// Has every stated death struck by then?
  [[nodiscard]] bool exhausted(double now_s) const {
    return marked_.empty() && next_counted_ == counted_.size() &&
           (timed_.empty() || timed_.back().time_s <= now_s);
  }
  [[nodiscard]] bool waits_for_marks() const { return !marked_.empty(); }

  /// Who dies: ranks and daemons as actors. A node's death is its daemon's, which takes its ranks.
  [[nodiscard]] const std::vector<ActorId>& victims(std::uint32_t index) const {
    return victims_[index];
  }

 private:
  struct Counted {
    std::uint64_t event;
    std::uint32_t index;
  };
  struct Marked {
    MarkSpec mark;
    std::uint32_t index;
  };
  std::vector<std::vector<ActorId>> victims_;
  std::vector<Timed> timed_;
  std::vector<Counted> counted_;
  std::vector<Marked> marked_;
  std::size_t next_counted_ = 0;
};

}  // namespace faultline
