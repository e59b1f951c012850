// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sim/core/attachments.hpp"
#include "sim/core/mark.hpp"
#include "sim/core/message.hpp"
#include "sim/core/turn.hpp"

namespace faultline {

/// A handler's view of the run, and its way to ask the engine for actions: what all components
/// have. Each role has a context of its own with what only its components may ask
/// (WorkloadContext, TerminationContext, RecoveryContext, DetectorContext). Handlers never block.
/// The engine carries out the actions in order when the handlers of the turn have returned, the
/// sends first. If the actor dies between two actions, the rest is dropped.
class Context {
 public:
  Context(Turn& turn, Family family) : turn_(turn), family_(family) {}

  [[nodiscard]] ActorId self() const { return turn_.self; }
  [[nodiscard]] double now_s() const { return turn_.now_s; }
  [[nodiscard]] const JobShape& job() const { return turn_.job; }
  /// How often this actor has restarted.
  [[nodiscard]] std::uint16_t incarnation() const { return turn_.incarnation; }
  /// The latest incarnation of the peer that this actor knows of: the one that it has received a
  /// message from, or has been told of.
  [[nodiscard]] Incarnation known(ActorId peer) const {
    return turn_.services->known(turn_.self, peer);
  }
  /// This actor has heard that the peer lives in this incarnation, and sends to it from now on.
  void learn(Incarnation peer) { want(Action::Learn{peer}); }
  /// Which actors lie on which nodes now, restarts included.
  [[nodiscard]] const Placement& placement() const { return *turn_.placement; }

  /// Sends a message to the same component of the actor `to`. The caller fills in the payload of
  /// the message that is returned.
  Message& send(ActorId to, std::uint16_t kind, std::uint64_t bytes) {
    Message* message = turn_.pool->take();
    // Nothing is left of the message that had this memory before: it would be part of a state.
    *message = {.from = turn_.self,
                .to = to,
                .phase = turn_.phase & kLastPhase,
                .kind = kind & kLastKind,
                .channel = family_,
                .bytes = wire_bytes(bytes) & kLongestMessage_B};
    turn_.pass_down(index(), message);
    return *message;
  }

  /// Asks for on_timer(key) after the delay. Replaces a timer with the same key. A background timer
  /// (heartbeats, polling) does not keep the run alive.
  void set_timer(std::uint64_t key, double delay_s, bool background = false) {
    want(Action::SetTimer{key, delay_s, background});
  }
  void cancel_timer(std::uint64_t key) { want(Action::CancelTimer{key}); }

  /// Takes processor time for this handler, before its messages are sent: for work that is more
  /// than the overhead of its messages.
  void spend(double duration_s) { turn_.spent_s += duration_s; }

  /// The protocol itself gives up: it cannot go on. `reason` must be a string literal.
  void fatal(const char* reason) { want(Action::GiveUp{reason}); }

  /// Marks a point of the run at which a scenario can let a fault strike. The component's
  /// registration must declare the mark.
  void mark(const Mark& mark, std::int64_t value) { want(Action::SetMark{mark.name, value}); }

  /// Asks another component of this stack. Its on_request is called after this handler has
  /// returned and what it has sent is on its way down. `number` comes back with the answer. False
  /// if the stack has no such component.
  template <class T>
  bool ask(Family whom, const T& request, std::uint64_t number = 0) {
    if ((turn_.present >> index_of(whom) & 1U) == 0) return false;
    add_request({.from = family_, .to = whom, .kind = T::kRequest, .number = number}, request);
    return true;
  }
  /// Answers a request of another component, now or in a later turn. Its on_answer is called.
  template <class T>
  void answer(const StackRequest& request, const T& reply) {
    add_request({.from = family_,
                 .to = request.from,
                 .is_answer = true,
                 .kind = T::kRequest,
                 .number = request.number},
                reply);
  }

  /// Attaches data of this component to a message; see Attachments.
  template <class T>
  void attach(Message& message, T value) const {
    message.attachments.put(family_, std::move(value));
  }
  /// What the same component of the sender has attached; null if it is nothing of that type.
  template <class T>
  [[nodiscard]] const T* attached(const Message& message) const {
    return message.attachments.get<T>(family_);
  }
  /// The words that the same component of the sender has attached; none if it has not.
  [[nodiscard]] const std::vector<std::uint64_t>& attached_words(const Message& message) const {
    static const std::vector<std::uint64_t> none;
    const auto* words = message.attachments.get<AttachedWords>(family_);
    return words == nullptr ? none : **words;
  }

 protected:
  [[nodiscard]] Turn& turn() const { return turn_; }
  /// The family of the component whose handler this is for.
  [[nodiscard]] Family family() const { return family_; }
  [[nodiscard]] std::size_t index() const { return index_of(family_); }
  void want(Action::Request request, std::shared_ptr<const void> held = {}) {
    turn_.actions.push_back({{turn_.self, turn_.incarnation}, family_, request, std::move(held)});
  }

 private:
  template <class T>
  void add_request(StackRequest request, const T& content) {
    request.content.put(content);
    turn_.requests.push_back(std::move(request));
    turn_.waiting |= Turn::kRequestsWait;
  }

  Turn& turn_;
  Family family_;
};

}  // namespace faultline
