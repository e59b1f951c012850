#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "sim/core/context.hpp"
#include "sim/core/metrics.hpp"

namespace faultline {

/// May a message that passes upward go on, or does the layer hold it (and keep a copy)?
enum class Passage { deliver, hold };

/// A conserved quantity as seen from outside, e.g. credit: what this component holds, less what it
/// knows to have been issued. Summed over all ranks, with what messages carry, it is zero, modulo
/// kConservedModulus; the absolute value of each part is below it.
struct Conserved {
  std::int64_t held = 0;
  std::int64_t issued = 0;
};

/// A prime far above any credit that a run issues, so that whole credit is conserved exactly; and
/// odd, so that fractions 2^-Y of any Y have a residue too.
inline constexpr std::int64_t kConservedModulus = (std::int64_t{1} << 61) - 1;

/// A protocol, workload or daemon: an event handler that never blocks and never touches an engine.
/// It is a value: clone() copies its whole state, so that rollback, restart and exploration can
/// assign it. A component overrides the handlers that it needs.
class Component {
 public:
  virtual ~Component() = default;
  [[nodiscard]] virtual std::unique_ptr<Component> clone() const = 0;

  // ---- every component -----------------------------------------------------------------------
  virtual void start(Context&) {}
  virtual void on_message(Context&, const Message&) {}
  virtual void on_timer(Context&, std::uint64_t /*key*/) {}
  virtual void on_compute_done(Context&, std::uint64_t /*tag*/) {}
  /// A message with kNotifySent has left this actor for good: its death no longer stops it.
  virtual void on_sent(Context&, ActorId /*to*/, std::uint16_t /*kind*/) {}
  virtual void on_flushed(Context&, ActorId /*peer*/) {}
  /// This rank has been told that the peer is dead. The detector of a new phase hears before its
  /// start of all deaths that its rank knows of.
  virtual void on_peer_failed(Context&, ActorId /*peer*/) {}

  // ---- workloads -----------------------------------------------------------------------------
  /// The detector has told this rank that the numbered phase is over.
  virtual void on_announced(Context&, std::uint32_t /*phase*/) {}

  // ---- layers (termination, message_logging) -------------------------------------------------
  /// All messages that one handler above has sent. `still_active`: the rank computes or has local
  /// work after this handler. Forward them, hold them back, add control messages, in any order.
  virtual void on_sends(Context& context, std::span<Message* const> batch, bool /*still_active*/) {
    for (Message* message : batch) context.forward(*message);
  }
  /// A message for a component above has arrived and will be handled next.
  virtual Passage on_receive(Context&, Message&) { return Passage::deliver; }
  /// The rank was active in this turn and is no longer; runs after its sends went down.
  virtual void on_idle(Context&) {}
  /// Message logging: can it recover this peer (then on_peer_failed stops here)?
  [[nodiscard]] virtual bool recovers(ActorId /*peer*/) const { return false; }

  // ---- failure detection ---------------------------------------------------------------------
  /// Resource manager's word on a death, after Component::exit_notice_delay_s().
  virtual void on_exit_notice(Context&, ActorId /*dead*/) {}
  [[nodiscard]] virtual std::optional<double> exit_notice_delay_s() const { return std::nullopt; }
  /// At a node's daemon: a local rank is gone.
  virtual void on_local_exit(Context&, Rank /*rank*/) {}
  /// At the holder of an open connection: it broke.
  virtual void on_link_lost(Context&, ActorId /*peer*/) {}

  // ---- seen from outside ---------------------------------------------------------------------
  /// The rank that answers for this one at the moment, such as the parent in the engagement tree,
  /// or kNobody: where a fault that strikes related processes finds its second victim.
  [[nodiscard]] virtual Rank parent() const { return kNobody; }
  virtual void report(Metrics&) const {}
  /// What this component waits for, "" if for nothing: shown when a run is stuck.
  [[nodiscard]] virtual std::string waiting_for() const { return {}; }
  /// Its part of a conserved quantity, if it has one.
  [[nodiscard]] virtual std::optional<Conserved> conserved() const { return std::nullopt; }
  /// What a message carries of that quantity.
  [[nodiscard]] virtual std::int64_t conserved_in(const Message&) const { return 0; }

  /// This component's own random numbers: part of its state, so that a copy draws the same.
  Stream random;
};

}  // namespace faultline
