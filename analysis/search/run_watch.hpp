// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/search/accusations.hpp"
#include "sim/audit/run_observer.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::search {

/// Compares a run on `loggp` with what its scenario states, whatever its protocols: how many ranks
/// are on a node, when and where drawn faults strike, which messages the network loses, in which
/// order it delivers the others, and what happens to a process that is declared dead while it
/// lives, and to its messages. It reads the scenario itself, and shares nothing with the engine.
class RunWatch final : public audit::RunObserver {
 public:
  /// It keeps a reference to `spec`.
  explicit RunWatch(const scenario::RunSpec& spec);
  explicit RunWatch(const scenario::RunSpec&&) = delete;

  void see(const audit::Sight& sight) override;

  /// Notes that the run has ended at this time, and checks that every process has died that had to
  /// by then.
  void ended(double end_s);

  /// The first thing that differs from the scenario.
  struct Breach {
    std::string kind;
    std::string text;
  };
  [[nodiscard]] const std::optional<Breach>& breach() const { return breach_; }
  /// True if a process has died while an earlier death was not dealt with. A death is dealt with
  /// when all live processes have been told of it, and the new process, if there is one, has got
  /// far enough to set a mark.
  [[nodiscard]] bool struck_amid() const { return struck_amid_; }

 private:
  /// A past life of a process.
  struct Life {
    NodeId node = kNobody;
    double from_s = 0.0;
    double to_s = kNever;
  };
  /// What the watch has seen of a process, in its latest life and those before.
  struct Process {
    NodeId node = kNobody;
    std::uint16_t life = 0;
    bool alive = true;
    bool gives_up = false;
    double since_s = 0.0;
    std::vector<Life> before = {};  ///< by the number of the incarnation
  };
  /// A death that is not dealt with.
  struct Open {
    ActorId dead = kNobody;
    double time_s = 0.0;
    std::set<Rank> told = {};
    bool returns = false;  ///< a new process is in its place
  };
  /// A time in which a source may strike.
  struct Window {
    double from_s = 0.0;
    double to_s = kNever;
  };
  /// Messages from one life to another that keep their order.
  struct Channel {
    Incarnation from;
    Incarnation to;
    std::uint8_t lane = 0;
    friend auto operator<=>(const Channel&, const Channel&) = default;  // NOLINT(*-nullptr)
  };

  void read_sources();
  void found(const char* kind, const audit::Sight& sight, const std::string& what);
  void put(const audit::Sight& sight);
  void died(const audit::Sight& sight);
  void note_death(const audit::Sight& sight);
  void note_return(const audit::Sight& sight);
  [[nodiscard]] bool is_open(const Open& death) const;
  [[nodiscard]] bool is_stated(ActorId actor) const;
  [[nodiscard]] bool outlives(const faults::FaultSpec& fault, ActorId actor,
                              const Life& life) const;
  void reported(const audit::Sight& sight);
  [[nodiscard]] bool is_ended_by_report(const audit::Sight& death) const;
  void sent(const audit::Sight& sight);
  void received(const audit::Sight& sight);
  void lost(const audit::Sight& sight);
  void judge_losses(const audit::Sight& next);
  [[nodiscard]] bool lives(ActorId actor, std::uint16_t life) const;
  [[nodiscard]] Incarnation life_of(ActorId actor) const { return {actor, processes_[actor].life}; }
  [[nodiscard]] ActorId daemon_of(ActorId actor) const {
    return spec_.platform.processes + processes_[actor].node;
  }
  [[nodiscard]] bool may_vanish(const Message& message) const;
  [[nodiscard]] bool has_entered(const Message& message) const;
  [[nodiscard]] NodeId sending_node(const Message& message) const;
  [[nodiscard]] bool may_be_refused(const Message& message) const;
  [[nodiscard]] bool is_cut_off(const Message& message, double at_s) const;
  [[nodiscard]] bool is_cut(const Message& message, double at_s) const;

  const scenario::RunSpec& spec_;
  std::vector<Process> processes_;
  std::vector<std::uint32_t> ranks_on_;  ///< live ranks, by node
  std::vector<Window> windows_;          ///< of all sources
  std::vector<Window> router_windows_;   ///< of sources whose routers fail
  bool spares_root_ = false;             ///< all sources spare the root
  Accusations accusations_;
  std::uint64_t sent_ = 0;
  std::unordered_map<const Message*, std::uint64_t>
      places_;  ///< places of messages on their way; only looked up
  std::map<Channel, std::map<std::uint32_t, std::uint64_t>>
      last_;  ///< the last message that has come, by phase
  /// A message that was lost although its receiver seemed to live. An observer sees
  /// a death after the messages that are lost with it.
  struct Loss {
    audit::Sight sight;
    ActorId from;
    ActorId to;
  };
  std::vector<Loss> losses_;
  std::vector<Open> open_;
  bool struck_amid_ = false;
  std::optional<Breach> breach_;
};

}  // namespace faultline::search
