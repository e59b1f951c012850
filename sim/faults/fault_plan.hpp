// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/core/boxed.hpp"
#include "sim/core/types.hpp"
#include "sim/faults/fault_source.hpp"
#include "sim/faults/fault_spec.hpp"

namespace faultline::faults {

/// An actor that a fault strikes. The actor dies, and a daemon takes the ranks of its node along;
/// or the program of a rank finds an error; or a rank's processor does nothing for a while.
struct Victim {
  ActorId actor = kNobody;
  bool silent = false;       ///< the node itself fails, so that nobody closes its connections
  double back_s = kNever;    ///< when a node that fails is repaired, if that is known beforehand
  double repair_s = kNever;  ///< else, how long that takes
  bool soft = false;         ///< its program finds an error, and the actor lives
  double stall_s = 0.0;      ///< if not 0, how long it does nothing; the actor lives

  friend bool operator==(const Victim&, const Victim&) = default;
};

/// Tells the engine which actors die, and when. It is the engine's only access to fault sources.
class FaultPlan {
 public:
  FaultPlan() = default;
  /// A plan with the deaths, errors and stalls that a scenario states, for a job of that shape.
  FaultPlan(const std::vector<FaultSpec>& faults, const JobShape& job);

  /// Adds a source of further faults, which strike `target`.
  void add(const FaultSourceChoice& source, const FaultTarget& target);

  /// Deaths at stated times, in order of time. `index` is the argument for victims().
  struct Timed {
    double time_s;
    std::uint32_t index;
  };
  [[nodiscard]] const std::vector<Timed>& timed() const { return timed_; }

  /// The number of the event after which the next death stated by event number strikes. The largest
  /// number if there is none.
  [[nodiscard]] std::uint64_t next_event() const {
    return next_counted_ < counted_.size() ? counted_[next_counted_].event : UINT64_MAX;
  }
  /// Removes the death that next_event() refers to, and returns its index.
  std::uint32_t take_event() { return counted_[next_counted_++].index; }

  /// Removes the deaths that strike at this mark, and returns their indices. A mark strikes once.
  std::vector<std::uint32_t> take_mark(std::string_view name, std::int64_t value);
  /// True if all stated deaths have struck by now_s, and so have those of all sources with an end.
  [[nodiscard]] bool exhausted(double now_s) const {
    return marked_.empty() && owing_ == 0 && next_counted_ == counted_.size() &&
           (timed_.empty() || timed_.back().time_s <= now_s);
  }
  /// Adds the stated faults at marks that are still to come. Sources have no digest of their own,
  /// because a run whose states are compared has no drawn faults.
  void digest(Digest& into) const;
  [[nodiscard]] bool waits_for_marks() const { return !marked_.empty(); }

  /// The victims: ranks and daemons. A node is given by its daemon.
  [[nodiscard]] const std::vector<Victim>& victims(std::uint32_t index) const {
    return victims_[index];
  }

  // ---- sources; each has at most one fault that is drawn but has not struck -------------------
  [[nodiscard]] std::uint32_t sources() const {
    return static_cast<std::uint32_t>(sources_.size());
  }
  /// Draws the next fault of a source. Returns its time, or nothing if the source has ended. Throws
  /// UsageError after ten million of them.
  std::optional<double> draw(std::uint32_t source);
  /// The victims of the fault that the source drew last.
  std::vector<Victim> drawn_victims(std::uint32_t source, const ParentOf& parent_of);
  /// True if the source has an end, so that a run must wait for its faults.
  [[nodiscard]] bool ends(std::uint32_t source) const { return sources_[source].ends; }

 private:
  struct Counted {
    std::uint64_t event;
    std::uint32_t index;
  };
  struct MarkOrder {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard's name
    template <class One, class Other>
    bool operator()(const One& a, const Other& b) const {
      return a.first != b.first ? a.first < b.first : a.second < b.second;
    }
  };
  struct Source {
    Boxed<FaultSource> faults;
    std::string key;          ///< for messages
    std::uint64_t drawn = 0;  ///< faults so far
    bool ends = false;
    bool owes = false;
  };
  std::vector<Source> sources_;
  std::size_t owing_ = 0;
  std::uint32_t processes_ = 0;
  std::vector<std::vector<Victim>> victims_;
  std::vector<Timed> timed_;
  std::vector<Counted> counted_;
  /// Indices by value and name of the mark. Looked up at every mark of a run.
  std::map<std::pair<std::int64_t, std::string>, std::vector<std::uint32_t>, MarkOrder> marked_;
  std::size_t next_counted_ = 0;
};

}  // namespace faultline::faults
