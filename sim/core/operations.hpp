// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/core/message.hpp"
#include "sim/core/types.hpp"
#include "sim/core/workload_context.hpp"

namespace faultline {

/// A send or a receive of one Operations: their number in the order of creation, from 1 on.
using Operation = std::uint64_t;

/// An operation is pending until it ends in one of the other states.
enum class OperationState : std::uint8_t {
  pending,
  done,       ///< a send: the message has left; a receive: it has come
  failed,     ///< the peer is reported dead or has restarted, or the program has found an error
  timed_out,  ///< did not end within its timeout
  cancelled,
};
inline constexpr std::size_t kOperationStates = 5;

/// What a message of an operation carries for the program.
using OperationData = Field<8>;

/// What a component sets aside for its operations and uses for nothing else.
struct OperationKeys {
  std::uint16_t message_kind = 0;
  std::uint64_t timer_key = 0;

  bool operator==(const OperationKeys&) const = default;
};

/// The sends and receives of a component, as values that can be waited for together. The component
/// holds this as a member, hands over its events (`on_message`, ...), and looks after each which
/// operations have ended. They are MPI's requests with the additions of FA-MPI (Hassani et al.,
/// 2015, section 3): they time out, fail with their peer, can be cancelled, and can be raised.
///
/// A receive matches peer and tag. Messages that come before their receive is posted wait for it.
/// If several match, the first that was posted or has come is taken; where a tag is used again,
/// that is MPI's order only on a network whose ordering is `fifo`.
///
/// As in MPI, a message belongs to no receive before it has come: if its receive was cancelled or
/// has timed out, it completes the next one of the same peer and tag. A program that gives up a
/// round of messages therefore enters the next epoch, where messages of earlier ones match nothing.
class Operations {
 public:
  explicit Operations(OperationKeys keys) : keys_(keys) {}

  // ---- what the program asks for -------------------------------------------------------------
  /// Sends `bytes` on the wire. It is done when the message has left this actor for good. Fails at
  /// once, without a message, if the peer is known to be dead. A message whose send has ended
  /// otherwise can still leave and arrive.
  Operation send(WorkloadContext& context, ActorId peer, std::uint32_t tag, std::uint64_t bytes,
                 double timeout_s = kNever, const OperationData& data = {});
  /// Is done at once if the message waits already. Else it fails at once if the peer is known to be
  /// dead.
  Operation receive(WorkloadContext& context, ActorId peer, std::uint32_t tag,
                    double timeout_s = kNever);
  /// Cancels what is pending; an operation that has ended stays as it is.
  void cancel(WorkloadContext& context, Operation operation);
  void cancel_all(WorkloadContext& context);
  /// The program itself has found an error, such as wrong data: what is pending or done fails.
  void raise(WorkloadContext& context, Operation operation);
  /// From now on, all operations are of this epoch. Cancels what is pending. Messages of earlier
  /// epochs are dropped, those of later ones wait. Throws std::invalid_argument if the epoch is not
  /// later than the current one, which is 0 at the start.
  void enter_epoch(WorkloadContext& context, std::uint32_t epoch);
  /// Cancels what is pending and begins again, at epoch 0 and operation 1, with no message that has
  /// come. Known deaths stay known. Messages that were sent before must come no more.
  void begin_again(WorkloadContext& context);
  /// Frees the memory of all operations that have ended. Nobody can ask for them any more.
  void forget_ended();
  /// Gives back the memory that pending operations do not need, where a program will begin no
  /// others for a while.
  void shrink();
  /// Takes no more memory than it needs while so many are pending at most.
  void reserve(std::size_t sends, std::size_t receives);

  // ---- events of the component: true if they concern its operations --------------------------
  bool on_message(WorkloadContext& context, const Message& message);
  /// Counts for the oldest send to that peer whose message has not left. Over a route that is
  /// slower than the NIC, a small message can leave before a large one that was sent earlier.
  bool on_sent(WorkloadContext& context, ActorId to, std::uint16_t kind);
  bool on_timer(WorkloadContext& context, std::uint64_t key);
  /// Fails the receives of that incarnation, and the sends to it that have not left.
  bool on_peer_failed(WorkloadContext& context, Incarnation peer);
  /// Fails what concerns the peer's earlier life, whose messages are dropped from now on.
  bool on_peer_restarted(WorkloadContext& context, Incarnation peer);

  // ---- how they stand ------------------------------------------------------------------------
  // These throw std::out_of_range for an operation that does not exist or was forgotten.
  [[nodiscard]] OperationState state(Operation operation) const;
  /// What the received message carries. Only of a receive that is done.
  [[nodiscard]] const OperationData& data(Operation operation) const;
  [[nodiscard]] bool all_done(std::span<const Operation> operations) const;
  /// True if one of them has failed or timed out.
  [[nodiscard]] bool any_failed(std::span<const Operation> operations) const;
  [[nodiscard]] bool none_pending(std::span<const Operation> operations) const;

  // True if all operations that are not forgotten are done, without looking at each.
  [[nodiscard]] bool all_done() const {
    return none_pending() && !any_failed() && count(OperationState::cancelled) == 0;
  }
  [[nodiscard]] bool any_failed() const {
    return count(OperationState::failed) + count(OperationState::timed_out) > 0;
  }
  [[nodiscard]] bool none_pending() const { return count(OperationState::pending) == 0; }
  [[nodiscard]] std::uint32_t count(OperationState state) const {
    return counts_[static_cast<std::size_t>(state)];
  }

  /// True if a send is pending. When its message has left, the component may go on although nothing
  /// has come to it, so it is not idle meanwhile (WorkloadContext::declare_work).
  [[nodiscard]] bool waits_for_send() const;

  /// What the first pending operation waits for, in words; "" if none is pending.
  [[nodiscard]] std::string waiting_for() const;

  friend bool operator==(const Operations&, const Operations&) = default;
  /// Deadlines are added as they are: two states that differ in time alone are two states.
  void digest(Digest& into) const;

 private:
  /// A send, or the part of an arrival that sends have, too. A large job has dozens of them for
  /// each rank.
  struct Record {
    ActorId peer = kNobody;
    std::uint32_t tag = 0;
    /// For an operation: its distance from `before_`. For a message: its epoch.
    std::uint32_t place = 0;
    std::uint16_t incarnation = 0;  ///< of the message's sender
    OperationState state = OperationState::pending;
    bool can_time_out : 1 = false;
    bool leaves : 1 = false;        ///< a send: on_sent has not come
    bool is_forgotten : 1 = false;  ///< a send of which only the message is left

    bool operator==(const Record&) const = default;
  };
  static_assert(sizeof(Record) == 16);
  /// A receive, or a message that no receive has matched yet.
  struct Arrival : Record {
    OperationData data = {};

    bool operator==(const Arrival&) const = default;
  };
  static_assert(sizeof(Arrival) == 24);
  /// Operations from this place on that can time out do so at this time.
  struct Deadline {
    std::uint32_t from = 0;
    double time_s = kNever;

    bool operator==(const Deadline&) const = default;
  };
  /// The latest incarnation of a peer of which this component has been told.
  struct Heard {
    Incarnation peer;
    bool dead = false;

    bool operator==(const Heard&) const = default;
  };

  Operation add(WorkloadContext& context, Record& record, double timeout_s);
  void end(WorkloadContext& context, Record& record, OperationState state);
  void change(Record& record, OperationState state);
  void set_timer(WorkloadContext& context, double deadline_s);
  void forget_deadlines();
  bool hear(WorkloadContext& context, const Heard& news);
  [[nodiscard]] Heard heard_of(ActorId peer) const;
  [[nodiscard]] double deadline_s(const Record& record) const;
  [[nodiscard]] Operation number(const Record& record) const { return before_ + record.place; }
  [[nodiscard]] std::span<Arrival> receives() { return {arrivals_.data(), receives_}; }
  [[nodiscard]] std::span<const Arrival> receives() const { return {arrivals_.data(), receives_}; }
  [[nodiscard]] std::vector<Arrival>::iterator early_begin() {
    return arrivals_.begin() + static_cast<std::ptrdiff_t>(receives_);
  }
  template <class Visit>
  void for_each_pending(const Visit& visit);
  template <class Kind>
  [[nodiscard]] const Kind* find_in(std::span<const Kind> records, Operation operation) const;
  /// The record of an operation, or null if there is none.
  [[nodiscard]] const Record* find(Operation operation) const;
  [[nodiscard]] Record* find(Operation operation);
  [[nodiscard]] const Record& at(Operation operation) const;

  OperationKeys keys_;
  std::uint32_t epoch_ = 0;
  std::uint32_t receives_ = 0;  ///< of arrivals_
  Operation latest_ = 0;
  Operation before_ = 0;             ///< the records are of later ones
  std::vector<Record> sends_;        ///< in the order of creation
  std::vector<Arrival> arrivals_;    ///< receives so, then messages as they came
  std::vector<Deadline> deadlines_;  ///< in the order of creation
  std::vector<Heard> heard_;         ///< in the order of actors
  std::array<std::uint32_t, kOperationStates> counts_{};  ///< of records_, by state
  std::uint32_t with_deadline_ = 0;                       ///< pending operations that can time out
  /// One timer serves all deadlines. It is set for this time, which no deadline precedes.
  double timer_due_s_ = kNever;
};

}  // namespace faultline
