// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/action.hpp"
#include "sim/core/image.hpp"
#include "sim/core/message.hpp"
#include "sim/core/packed_object.hpp"
#include "sim/core/placement.hpp"
#include "sim/core/stack_request.hpp"
#include "sim/core/types.hpp"

namespace faultline {

/// Where words are stored (RecoveryContext::store).
enum class Storage : std::uint8_t {
  of_node,  ///< of the actor's node: its processes can die, but if the node fails, it is lost
  shared,   ///< outside of all nodes: no death destroys it
};

/// What a handler has asked to store. It is no action: all of a turn is stored before what the turn
/// has sent leaves.
struct StorageEntry {
  Family family = Family::workload;  ///< the component whose handler asked
  Storage storage = Storage::shared;
  std::uint64_t place = 0;
  std::vector<std::uint64_t> words;
};

/// What a context can ask the engine at once, without waiting for the end of the turn.
class Services {
 public:
  /// The latest incarnation of the peer that the actor knows of.
  [[nodiscard]] virtual Incarnation known(ActorId self, ActorId peer) const = 0;
  /// An image of what lies above that layer of the actor whose turn it is; see
  /// RecoveryContext::capture.
  [[nodiscard]] virtual std::optional<Image> capture(Family /*layer*/, Moment) const {
    return std::nullopt;
  }
  /// The objects that the workload of the actor whose turn it is hosts; see
  /// RecoveryContext::objects.
  [[nodiscard]] virtual std::vector<ObjectId> objects() const { return {}; }
  /// The state of one of them, for that layer; see RecoveryContext::pack.
  [[nodiscard]] virtual std::optional<PackedObject> pack(Family /*layer*/, ObjectId) const {
    return std::nullopt;
  }
  /// When the incarnation of the actor before this one died; see RecoveryContext::death_s.
  [[nodiscard]] virtual double death_s(Incarnation /*now*/) const { return 0.0; }
  /// What the actor whose turn it is finds in a place of that family; see RecoveryContext::stored.
  [[nodiscard]] virtual std::vector<std::uint64_t> stored(Family, std::uint64_t /*place*/) const {
    return {};
  }

 protected:
  ~Services() = default;
};

/// Answers the choices of a workload in a run in which they are branches.
class Chooser {
 public:
  /// Chooses a number below `bound`, which is at least 1. `what` tells people what it stands for,
  /// and must outlive the run.
  virtual std::uint64_t choose(std::uint64_t bound, const char* what) = 0;

 protected:
  ~Chooser() = default;
};

/// What layers do in a turn with application messages apart from passing them on.
struct LayerCounts {
  std::array<std::int32_t, kFamilies> held{};  ///< how the number that each layer holds changes
  std::uint32_t resent = 0;
  std::uint32_t discarded = 0;
  bool replays = false;  ///< a message of any component was sent again or discarded
  bool any = false;      ///< one of the above has changed
};

/// Everything that happens at one actor at one moment: handlers run, pass messages down the stack,
/// and ask for actions, which the engine carries out when the handlers have returned. One object
/// is reused for all turns of a run.
struct Turn {
  MessagePool* pool = nullptr;
  const Services* services = nullptr;
  Chooser* chooser = nullptr;  ///< null: the random streams choose
  const Placement* placement = nullptr;
  JobShape job;
  double now_s = 0.0;
  double spent_s = 0.0;  ///< processor time that the handlers have asked for
  ActorId self = kNobody;
  std::uint16_t incarnation = 0;
  std::uint32_t phase = 0;
  std::int64_t computing = 0;      ///< computations running, queued or asked for in this turn
  std::int64_t declared_work = 0;  ///< local work that the workload has declared
  bool active = false;             ///< whether the rank was active when the turn began
  std::vector<Message*> outbox[kFamilies];
  std::vector<Message*> upward[kFamilies];  ///< messages that a layer held and now passes up
  /// Bit 2 f: outbox[f] has messages; bit 2 f + 1: upward[f] has. The bit above those of all
  /// families: `requests` has entries.
  std::uint32_t waiting = 0;
  std::uint32_t present = 0;   ///< bit f: the actor has a component of that family
  bool direct = false;         ///< the stack has no layers: what is sent is on the wire at once
  std::vector<Message*> wire;  ///< messages that have reached the network
  std::vector<StackRequest> requests;
  /// What handlers of this turn have asked for, behind what earlier turns did and the engine has
  /// still to carry out.
  std::vector<Action> actions;
  LayerCounts counts;
  std::vector<StorageEntry> stores;

  static constexpr std::uint32_t kRequestsWait = 1U << (2 * kFamilies);

  /// True if the rank computes, or its workload has declared local work.
  [[nodiscard]] bool busy() const { return computing > 0 || declared_work > 0; }

  void pass_down(std::size_t family, Message* message) {
    if (direct) return wire.push_back(message);
    outbox[family].push_back(message);
    waiting |= 1U << (2 * family);
  }
  void pass_up(std::size_t family, Message* message) {
    upward[family].push_back(message);
    waiting |= 2U << (2 * family);
  }
};

}  // namespace faultline
