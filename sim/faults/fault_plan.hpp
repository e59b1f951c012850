#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/types.hpp"
#include "sim/faults/fault_source.hpp"
#include "sim/faults/fault_spec.hpp"

namespace faultline {

/// When which actors die. The engine asks; sources of faults answer through this interface alone.
class FaultPlan {
 public:
  FaultPlan() = default;
  /// The deaths that a scenario states, for a job of that shape.
  FaultPlan(const std::vector<FaultSpec>& faults, const JobShape& job);

  /// Adds a source of more faults, which strike that target.
  void add(const FaultSourceChoice& source, const FaultTarget& target);

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
  /// Has every death struck by then that is stated, or that a source with an end still owes?
  [[nodiscard]] bool exhausted(double now_s) const {
    return marked_.empty() && owing_ == 0 && next_counted_ == counted_.size() &&
           (timed_.empty() || timed_.back().time_s <= now_s);
  }
  [[nodiscard]] bool waits_for_marks() const { return !marked_.empty(); }

  /// Who dies: ranks and daemons as actors. A node's death is its daemon's, which takes its ranks.
  [[nodiscard]] const std::vector<ActorId>& victims(std::uint32_t index) const {
    return victims_[index];
  }

  // ---- sources, each of which has at most one fault drawn and not struck ---------------------
  [[nodiscard]] std::uint32_t sources() const {
    return static_cast<std::uint32_t>(sources_.size());
  }
  /// Draws the next fault of a source: its time, or nothing when it has come to its end.
  std::optional<double> draw(std::uint32_t source);
  /// The victims of the fault that it drew last.
  std::vector<ActorId> drawn_victims(std::uint32_t source, const ParentOf& parent_of) {
    return sources_[source].faults->victims(parent_of);
  }
  /// Must a run wait for its faults, or is it without end?
  [[nodiscard]] bool ends(std::uint32_t source) const { return sources_[source].ends; }

 private:
  struct Counted {
    std::uint64_t event;
    std::uint32_t index;
  };
  struct MarkOrder {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard's name
    template <class Mark, class Other>
    bool operator()(const Mark& a, const Other& b) const {
      return a.first != b.first ? a.first < b.first : a.second < b.second;
    }
  };
  struct Source {
    std::unique_ptr<FaultSource> faults;
    bool ends = false;
    bool owes = false;
  };
  std::vector<Source> sources_;
  std::size_t owing_ = 0;
  std::vector<std::vector<ActorId>> victims_;
  std::vector<Timed> timed_;
  std::vector<Counted> counted_;
  /// Indices by value and name. Looked up at every mark of a run.
  std::map<std::pair<std::int64_t, std::string>, std::vector<std::uint32_t>, MarkOrder> marked_;
  std::size_t next_counted_ = 0;
};

}  // namespace faultline
