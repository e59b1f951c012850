// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/core/layer_context.hpp"

namespace faultline {

/// What message logging and transactions may ask beside what any layer has: they bring dead ranks
/// back, store what outlives a process, and put back what is above them.
class RecoveryContext : public LayerContext {
 public:
  using LayerContext::LayerContext;

  // ---- lives -----------------------------------------------------------------------------------
  /// Asks the resource manager to start the actor's next incarnation, if that one is dead. The
  /// asker gets on_peer_restarted after platform.restart_delay_s, or on_restart_refused if there is
  /// no such node, and none is to come by a repair.
  void restart(Incarnation dead, RestartOn where = RestartOn::spare_node) {
    want(Action::Restart{dead, where});
  }
  /// Starts the components above this one from their initial state. After a restart they wait for
  /// it, or for an image, if the stack has message logging. At a rank that lives, all that they
  /// have done is undone, as by `restore`, but on_restored is not called.
  void start_above() { want(Action::StartAbove{}); }
  /// The program has done everything it will ever do at this rank.
  void finish() { want(Action::Finish{}); }
  /// When the incarnation before this one died, as the resource manager knows. For statistics:
  /// nothing that the actor does may depend on it. Only after a restart.
  [[nodiscard]] double death_s() const {
    return turn().services->death_s({turn().self, turn().incarnation});
  }

  // ---- messages --------------------------------------------------------------------------------
  /// Sends a message again, from a log. It is addressed and looks as then, but its sender gets no
  /// on_sent for it. The caller may change what is returned, for instance attach something else.
  Message& resend(const Message& logged) {
    counts().replays = true;
    if (logged.channel == Family::workload) ++counts().resent;
    return send_copy(logged);
  }
  /// Passes a message that has come here, and that the layer holds from on_receive, on to another
  /// actor, because what it is for is there now. It costs what a send of this actor costs, and its
  /// receiver sees this actor as its sender. Nobody here gets it.
  Message& relay(const Message& held, ActorId to) {
    no_longer_holds(held);
    Message& message = send_copy(held);
    message.to = to;
    return message;
  }

  // ---- storages --------------------------------------------------------------------------------
  /// Writes words into a storage, instead of what is there in that place. Each family has places of
  /// its own. It costs no time: a layer that models a storage waits for as long as one takes. It is
  /// there when the turn is over, before anything leaves that the turn has sent.
  void store(Storage storage, std::uint64_t place, std::vector<std::uint64_t> words) {
    turn().stores.push_back({family(), storage, place, std::move(words)});
  }
  /// What a component of this family, of any actor in any life, has stored there last. None if that
  /// is on another node, if none has, or if the turn that stores it is not over.
  [[nodiscard]] std::vector<std::uint64_t> stored(std::uint64_t place) const {
    return turn().services->stored(family(), place);
  }

  // ---- images ----------------------------------------------------------------------------------
  /// Copies everything above this layer: its components, its phase, its declared work, and whether
  /// it has announced and finished. Nothing may be under way there that a copy cannot hold: a
  /// message, a request or an action in this turn; an on_sent or on_flushed that is to come; a
  /// component that has not started or has no images (docs/recovery.md); nor, unless `moment` says
  /// otherwise, a timer or a computation. Then there is no image, and the layer tries again later.
  /// A handler for that is on_request, on_message, on_timer or on_idle. In on_sends, a message of
  /// it is under way.
  [[nodiscard]] std::optional<Image> capture(Moment moment = Moment::between_work) const {
    return turn().services->capture(family(), moment);
  }
  /// Puts an image of this layer's in the place of everything above. Timers and computations that
  /// it holds take from now on as long as was left of them. Timers, computations, actions that
  /// wait, held messages, on_sent and on_flushed of what was there are void, and the rank is
  /// no more announced or finished than it was then. What a new incarnation restores needs no
  /// start_above. Then on_restored is called. Messages that have come too early for the phase have
  /// not reached the layer; it is offered them when their phase has begun. Throws std::logic_error
  /// when carried out if another layer has captured the image.
  void restore(const Image& image) {
    const auto held = std::make_shared<const Image>(image);
    want(Action::Restore{held.get()}, held);
  }

  // ---- objects of the workload -----------------------------------------------------------------
  /// The objects that the workload hosts here now, by ascending number.
  [[nodiscard]] std::vector<ObjectId> objects() const { return turn().services->objects(); }
  /// A copy of the state of one of them, to take it elsewhere. There is none while there would be
  /// no image (capture). Image::pack has those of an image.
  [[nodiscard]] std::optional<PackedObject> pack(ObjectId object) const {
    return turn().services->pack(family(), object);
  }
  /// The workload no longer hosts that object here. Then on_object_moved is called. Until then the
  /// object is here, and would go on with whatever the layer delivers or answers.
  void remove_object(ObjectId object) { want(Action::RemoveObject{object}); }
  /// The workload, which has started or was restored, hosts the object here from now on and lets it
  /// go on. Then on_object_moved is called: what the layer delivers to the object before, comes
  /// before it.
  void host_object(const PackedObject& packed) {
    const auto held = std::make_shared<const PackedObject>(packed);
    want(Action::HostObject{held.get()}, held);
  }

 private:
  Message& send_copy(const Message& original) {
    Message* message = copy(original, 0);
    message->from = turn().self;
    turn().pass_down(index(), message);
    return *message;
  }
};

}  // namespace faultline
