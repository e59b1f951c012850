// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/action.hpp"
#include "sim/core/image.hpp"
#include "sim/core/mark.hpp"
#include "sim/core/message.hpp"
#include "sim/core/packed_object.hpp"
#include "sim/core/placement.hpp"
#include "sim/core/random.hpp"
#include "sim/core/stack_request.hpp"
#include "sim/core/types.hpp"

namespace faultline {

/// Where words are stored (Context::store).
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
  /// An image of what lies above that layer of the actor whose turn it is; see Context::capture.
  [[nodiscard]] virtual std::optional<Image> capture(Family /*layer*/) const {
    return std::nullopt;
  }
  /// The objects that the workload of the actor whose turn it is hosts; see Context::objects.
  [[nodiscard]] virtual std::vector<ObjectId> objects() const { return {}; }
  /// The state of one of them, for that layer; see Context::pack.
  [[nodiscard]] virtual std::optional<PackedObject> pack(Family /*layer*/, ObjectId) const {
    return std::nullopt;
  }
  /// When the incarnation of the actor before this one died; see Context::death_s.
  [[nodiscard]] virtual double death_s(Incarnation /*now*/) const { return 0.0; }
  /// What the actor whose turn it is finds in a place of that family; see Context::stored.
  [[nodiscard]] virtual std::vector<std::uint64_t> stored(Family, std::uint64_t /*place*/) const {
    return {};
  }

 protected:
  ~Services() = default;
};

/// Answers the choices of a workload in a run in which they are branches.
class Chooser {
 public:
  /// A number below the bound, which is above 0. `what` says what it is, for people, and stays.
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

/// A handler's view of the run, and its way to ask the engine for actions. Handlers never block.
/// The engine carries out the actions in order when the handlers of the turn have returned, the
/// sends first. If the actor dies between two actions, the rest is dropped.
class Context {
 public:
  Context(Turn& turn, Family family) : turn_(turn), family_(family) {}

  [[nodiscard]] ActorId self() const { return turn_.self; }
  [[nodiscard]] double now_s() const { return turn_.now_s; }
  [[nodiscard]] const JobShape& job() const { return turn_.job; }
  [[nodiscard]] std::uint32_t phase() const { return turn_.phase; }
  /// How often this actor has restarted.
  [[nodiscard]] std::uint16_t incarnation() const { return turn_.incarnation; }
  /// When the incarnation before this one died, as the resource manager knows. For statistics:
  /// nothing that the actor does may depend on it. Only after a restart.
  [[nodiscard]] double death_s() const {
    return turn_.services->death_s({turn_.self, turn_.incarnation});
  }
  /// The latest incarnation of the peer that this actor knows of: the one that it has received a
  /// message from, or has been told of.
  [[nodiscard]] Incarnation known(ActorId peer) const {
    return turn_.services->known(turn_.self, peer);
  }
  /// Which actors lie on which nodes now, restarts included.
  [[nodiscard]] const Placement& placement() const { return *turn_.placement; }

  /// True if the rank was active when this turn began, or has work now.
  [[nodiscard]] bool active() const { return turn_.active || busy(); }
  /// True if the rank computes, or its workload has declared local work.
  [[nodiscard]] bool busy() const { return turn_.computing > 0 || turn_.declared_work > 0; }

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

  /// Puts a send fence before a message that this handler sends or forwards: the message waits
  /// until everything its sender has sent before is in the network. The sender handles nothing
  /// until then.
  static void fence(Message& message) { message.flags |= kFence; }

  /// Says that a message is sent again and again whatever happens, such as a heartbeat. It does not
  /// keep the run alive, as a background timer does not.
  static void background(Message& message) { message.flags |= kBackground; }

  /// For layers, in on_sends: passes an offered message down. A message that is not forwarded is
  /// held back; the layer must keep a copy and release it later.
  void forward(Message& offered) {
    offered.flags |= kForwarded;
    turn_.pass_down(index(), &offered);
  }
  /// For layers: passes down a message that was held back in on_sends.
  void release(const Message& held) {
    no_longer_holds(held);
    turn_.pass_down(index(), copy(held, kNotifySent | kFence | kBackground));
  }
  /// For layers: passes up a message that was held in on_receive.
  void deliver(const Message& held) {
    no_longer_holds(held);
    turn_.pass_up(index(), copy(held, kNotifySent | kFence | kBackground));
  }
  /// For layers: there will be nothing more of this message, which the layer was offered in
  /// on_sends and does not forward, or holds from on_receive. It was a duplicate, or has become
  /// void.
  void discard(const Message& message) {
    no_longer_holds(message);
    counts().replays = true;
    if (message.channel == Family::workload) ++counts().discarded;
  }
  /// For layers: sends a message again, from a log. It is addressed and looks as then, but its
  /// sender gets no on_sent for it. The caller may change what is returned, for instance attach
  /// something else.
  Message& resend(const Message& logged) {
    counts().replays = true;
    if (logged.channel == Family::workload) ++counts().resent;
    return send_copy(logged);
  }
  /// For layers: passes a message that has come here, and that the layer holds from on_receive, on
  /// to another actor, because what it is for is there now. It costs what a send of this actor
  /// costs, and its receiver sees this actor as its sender. Nobody here gets it.
  Message& relay(const Message& held, ActorId to) {
    no_longer_holds(held);
    Message& message = send_copy(held);
    message.to = to;
    return message;
  }

  /// Asks for on_timer(key) after the delay. Replaces a timer with the same key. A background timer
  /// (heartbeats, polling) does not keep the run alive.
  void set_timer(std::uint64_t key, double delay_s, bool background = false) {
    want(Action::SetTimer{key, delay_s, background});
  }
  void cancel_timer(std::uint64_t key) { want(Action::CancelTimer{key}); }

  /// Queues a computation on the worker cores. on_compute_done(tag) is called when it has ended.
  void compute(double duration_s, std::uint64_t tag = 0) {
    if (family_ == Family::workload) ++turn_.computing;
    want(Action::Compute{duration_s, tag});
  }
  /// Abandons all computations of this component, those that run and those that are queued: their
  /// cores are free at once, and there is no on_compute_done for them.
  void cancel_computations() {
    if (family_ == Family::workload) turn_.computing = 0;
    want(Action::CancelComputations{});
  }
  /// Declares local work, which makes the rank active. A negative count withdraws work.
  void declare_work(std::int64_t count) { turn_.declared_work += count; }

  /// Takes processor time for this handler, before its messages are sent: for work that is more
  /// than the overhead of its messages.
  void spend(double duration_s) { turn_.spent_s += duration_s; }

  /// Asks for on_flushed(peer) as soon as nothing from that incarnation of the peer to this actor
  /// is in flight, but for the words of failure detectors, which say nothing about work.
  void flush(Incarnation peer) { want(Action::Flush{peer}); }
  void flush(ActorId peer) { flush(known(peer)); }

  /// Termination: this process knows that the phase is over.
  void announce() { want(Action::Announce{}); }
  /// Moves this rank on to the next numbered phase. Its detector starts afresh, and messages of
  /// that phase that came early are handled. Receiving a message of the next phase has the same
  /// effect.
  void start_phase() { want(Action::StartPhase{}); }
  /// Workload: this rank has done everything it will ever do.
  void finish() { want(Action::Finish{}); }
  /// The protocol itself gives up: it cannot go on. `reason` must be a string literal.
  void fatal(const char* reason) { want(Action::GiveUp{reason}); }
  /// Failure detection: this actor takes that incarnation of the peer for dead, for good. To report
  /// a daemon is to report the ranks that have died with it, or that run on its node, too. An actor
  /// that reports itself stops, and a daemon that does so takes its ranks along.
  void report_failed(Incarnation peer) { want(Action::ReportFailed{peer}); }
  void report_failed(ActorId peer) { report_failed(known(peer)); }
  /// Opens a connection to the latest known incarnation of the peer. on_link_lost(peer) is called
  /// when it breaks, or if nobody is there.
  void open_link(ActorId peer) { want(Action::OpenLink{known(peer)}); }
  /// Asks the resource manager to start the actor's next incarnation, if that one is dead. The
  /// asker gets on_peer_restarted after platform.restart_delay_s, or on_restart_refused if there is
  /// no such node.
  void restart(Incarnation dead, RestartOn where = RestartOn::spare_node) {
    want(Action::Restart{dead, where});
  }
  /// Layers, after a restart: starts the components above this one from their initial state. They
  /// wait for it, or for an image, if the stack has message logging.
  void start_above() { want(Action::StartAbove{}); }
  /// Layers: copies everything above this layer: its components, its phase, its declared work, and
  /// whether it has announced and finished. Nothing may be under way there that a copy cannot hold:
  /// a timer or a computation; a message, a request or an action in this turn; an on_sent or
  /// on_flushed that is to come; a component that has not started or has no images
  /// (Traits::has_images). Then there is no image, and the layer tries again later. A handler for
  /// that is on_request, on_message, on_timer or on_idle. In on_sends, a message of it is under
  /// way.
  [[nodiscard]] std::optional<Image> capture() const { return turn_.services->capture(family_); }
  /// Layers: puts an image of this layer's in the place of everything above. Timers, computations,
  /// actions that wait, held messages, on_sent and on_flushed of what was there are void, and the
  /// rank is no more announced or finished than it was then. What a new incarnation restores needs
  /// no start_above. Then on_restored is called. Messages that have come too early for the phase
  /// have not reached the layer; it is offered them when their phase has begun. Throws
  /// std::logic_error when carried out if another layer has captured the image.
  void restore(const Image& image) {
    const auto held = std::make_shared<const Image>(image);
    want(Action::Restore{held.get()}, held);
  }
  /// Layers: the objects that the workload hosts here now, by ascending number.
  [[nodiscard]] std::vector<ObjectId> objects() const { return turn_.services->objects(); }
  /// Layers: a copy of the state of one of them, to take it elsewhere. There is none while there
  /// would be no image (capture). Image::pack has those of an image.
  [[nodiscard]] std::optional<PackedObject> pack(ObjectId object) const {
    return turn_.services->pack(family_, object);
  }
  /// Layers: the workload no longer hosts that object here. Then on_object_moved is called. Until
  /// then the object is here, and would go on with whatever the layer delivers or answers.
  void remove_object(ObjectId object) { want(Action::RemoveObject{object}); }
  /// Layers: the workload, which has started or was restored, hosts the object here from now on and
  /// lets it go on. Then on_object_moved is called: what the layer delivers to the object before,
  /// comes before it.
  void host_object(const PackedObject& packed) {
    const auto held = std::make_shared<const PackedObject>(packed);
    want(Action::HostObject{held.get()}, held);
  }
  /// Writes words into a storage, instead of what is there in that place. Each family has places of
  /// its own. It costs no time: a layer that models a storage waits for as long as one takes. It is
  /// there when the turn is over, before anything leaves that the turn has sent.
  void store(Storage storage, std::uint64_t place, std::vector<std::uint64_t> words) {
    turn_.stores.push_back({family_, storage, place, std::move(words)});
  }
  /// What a component of this family, of any actor in any life, has stored there last. None if that
  /// is on another node, if none has, or if the turn that stores it is not over.
  [[nodiscard]] std::vector<std::uint64_t> stored(std::uint64_t place) const {
    return turn_.services->stored(family_, place);
  }
  /// This actor has heard that the peer lives in this incarnation, and sends to it from now on.
  void learn(Incarnation peer) { want(Action::Learn{peer}); }

  /// One of the numbers 0 to bound - 1, bound > 0, where the component may as well go on with any
  /// of them. The stream, the component's own, draws it, all numbers being equally likely. In a run
  /// whose driver makes the choices (docs/workloads.md) the driver says, and draws nothing. `what`
  /// says what the number is when such a run is told: "the child, among the other ranks".
  std::uint64_t choose(Stream& random, std::uint64_t bound, const char* what) {
    return turn_.chooser == nullptr ? random.below(bound) : turn_.chooser->choose(bound, what);
  }
  /// Chooses yes with that probability, or no. No driver is asked about what is certain.
  bool choose_yes(Stream& random, double probability, const char* what) {
    if (turn_.chooser == nullptr) return random.chance(probability);
    if (probability <= 0.0 || probability >= 1.0) return probability >= 1.0;
    return turn_.chooser->choose(2, what) == 1;
  }

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
  /// Marks a point of the run at which a scenario can let a fault strike. The component's
  /// registration must declare the mark.
  void mark(const Mark& mark, std::int64_t value) { want(Action::SetMark{mark.name, value}); }

 private:
  [[nodiscard]] std::size_t index() const { return index_of(family_); }
  template <class T>
  void add_request(StackRequest request, const T& content) {
    request.content.put(content);
    turn_.requests.push_back(std::move(request));
    turn_.waiting |= Turn::kRequestsWait;
  }
  void want(Action::Request request, std::shared_ptr<const void> held = {}) {
    turn_.actions.push_back({{turn_.self, turn_.incarnation}, family_, request, std::move(held)});
  }
  Message* copy(const Message& original, std::uint8_t kept_flags) {
    Message* message = turn_.pool->take();
    *message = original;
    message->flags = original.flags & kept_flags;
    message->next = nullptr;
    return message;
  }
  Message& send_copy(const Message& original) {
    Message* message = copy(original, 0);
    message->from = turn_.self;
    turn_.pass_down(index(), message);
    return *message;
  }
  LayerCounts& counts() {
    turn_.counts.any = true;
    return turn_.counts;
  }
  void no_longer_holds(const Message& message) {
    if (message.channel == Family::workload) --counts().held[index()];
  }

  Turn& turn_;
  Family family_;
};

}  // namespace faultline
