// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sim/core/message.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::search {

/// Which actors have declared which live ones dead, and what docs/membership.md lets follow from
/// that: the accuser refuses what the accused sends from then on, and the resource manager ends the
/// accused. It reads the scenario itself, and shares nothing with the engine.
class Accusations {
 public:
  /// Somebody declares an incarnation dead that lives, be it itself.
  struct Accusation {
    Incarnation accuser;
    NodeId accuser_node = kNobody;
    Incarnation accused;
    double time_s = 0.0;
  };

  /// It keeps a reference to `spec`.
  explicit Accusations(const scenario::RunSpec& spec);
  explicit Accusations(const scenario::RunSpec&&) = delete;

  /// Returns false if the accuser takes it for dead already.
  bool add(const Accusation& accusation);
  /// The accuser takes the accused for alive again, and refuses nothing of it any more.
  void take_back(ActorId accuser, ActorId accused);

  /// Must that receiver refuse the message? It must if it has accused the sender before the message
  /// entered the network, unless reports are not final and the sender may deny it thereby.
  [[nodiscard]] bool must_refuse(Incarnation receiver, const Message& message) const;
  /// Has the receiver ever accused that sender, so that it may have refused messages of it?
  [[nodiscard]] bool may_refuse(Incarnation receiver, Incarnation sender) const {
    return pairs_.contains({receiver, sender});
  }
  /// The end of a process, or of one that it may take along.
  struct End {
    Incarnation accused;
    NodeId node = kNobody;
    double time_s = 0.0;
    bool gives_up = false;  ///< and would end the job
  };
  /// Can a report be the reason? It can if the accused has heard of it, or if the resource manager
  /// believes it and has waited as long as it has to. It waits for nobody who gives up.
  [[nodiscard]] bool may_cause(const End& end) const;

 private:
  using Pair = std::pair<Incarnation, Incarnation>;  ///< an accuser and the accused

  [[nodiscard]] double heard_s(NodeId node, double from_s) const;
  [[nodiscard]] std::map<Incarnation, double> believed() const;

  const scenario::RunSpec& spec_;
  bool can_deny_ = false;       ///< the detector of an accused process is still heard
  std::set<Pair> pairs_;        ///< all that ever were
  std::map<Pair, double> now_;  ///< those that were not taken back, and since when
  std::set<Incarnation> heard_of_themselves_;
  /// Those of others, with the time at which the resource manager hears of each.
  std::vector<std::pair<double, Accusation>> told_;
};

/// True if a member of the failure detector that is declared dead and lives can deny that.
[[nodiscard]] bool reports_can_be_denied(const scenario::RunSpec& spec);

}  // namespace faultline::search
