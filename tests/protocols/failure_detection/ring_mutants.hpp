// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>

#include "protocols/failure_detection/heartbeat_ring.hpp"
#include "protocols/failure_detection/reported_deaths.hpp"
#include "tests/protocols/failure_detection/wrapped_detectors.hpp"

// The detectors that watch each other on a ring, with one mistake each.

namespace faultline::failure_detection {

inline constexpr std::uint16_t kReport = kAfterRing;   ///< of rdaemon and of ulfm
inline constexpr std::uint16_t kNotice = kReport + 1;  ///< of rdaemon
enum RingTimer : std::uint64_t { kBeat, kDeadline };

inline bool is_daemon(const Context& context) { return context.self() >= context.job().processes; }

/// Nobody hears that it has a new observer.
class NoRequest final : public Wrapped<NoRequest> {
 public:
  using Wrapped::Wrapped;
  void on_message(DetectorContext& context, const Message& message) override {
    if (!is_daemon(context) || message.kind != kHeartbeatRequest)
      Wrapped::on_message(context, message);
  }
};

/// Takes a second report of the same daemon for a duplicate, whichever process it is about.
class DuplicatesBySender final : public Wrapped<DuplicatesBySender> {
 public:
  using Wrapped::Wrapped;
  void on_message(DetectorContext& context, const Message& message) override {
    const bool is_report = is_daemon(context) && message.kind == kReport;
    if (!is_report || senders_.insert(message.from).second) Wrapped::on_message(context, message);
  }

 private:
  void digest_state(Digest& into) const override {
    Wrapped::digest_state(into);
    into.add(senders_);
  }
  std::set<ActorId> senders_;
};

/// Does not give the next daemon before its emitter the time to hear that it is to send.
class NoGrace final : public Wrapped<NoGrace> {
 public:
  using Wrapped::Wrapped;
  void on_timer(DetectorContext& context, std::uint64_t key) override {
    Wrapped::on_timer(context, key);
    if (!is_daemon(context) || key != kDeadline) return;
    hurries_ = !hurries_;  // once, since the last daemon of all has nobody to wait for
    if (hurries_) context.set_timer(kDeadline, 0.0, true);
  }

 private:
  void digest_state(Digest& into) const override {
    Wrapped::digest_state(into);
    into.add(hurries_);
  }
  bool hurries_ = false;
};

/// It hears only the neighbours at +2^k; those at -2^k tell it of deaths in vain.
class HalfOfTheNeighbours final : public Wrapped<HalfOfTheNeighbours> {
 public:
  using Wrapped::Wrapped;
  void on_message(DetectorContext& context, const Message& message) override {
    const std::uint32_t nodes = context.job().nodes;
    const std::uint32_t distance = (context.self() + nodes - message.from) % nodes;
    const bool is_power = (distance & (distance - 1)) == 0;
    if (!is_daemon(context) || message.kind != kReport || is_power)
      Wrapped::on_message(context, message);
  }
};

/// Takes anybody's heartbeat for one of whom it observes.
class AnyonesHeartbeat final : public Wrapped<AnyonesHeartbeat> {
 public:
  using Wrapped::Wrapped;
  void on_message(DetectorContext& context, const Message& message) override {
    if (!is_daemon(context) || message.kind != kHeartbeat)
      return Wrapped::on_message(context, message);
    Message claimed = message;
    for (NodeId node = 0; node < context.job().nodes; ++node) {  // the emitter is one of them
      claimed.from = context.placement().daemon_of(node);
      Wrapped::on_message(context, claimed);
    }
  }
};

/// No mistake: its heartbeats go to one more daemon, which has not asked for them.
class StrayHeartbeats final : public Wrapped<StrayHeartbeats> {
 public:
  using Wrapped::Wrapped;
  void on_timer(DetectorContext& context, std::uint64_t key) override {
    Wrapped::on_timer(context, key);
    if (!is_daemon(context) || key != kBeat) return;
    const std::uint32_t first = context.job().processes;
    const ActorId stranger = first + (context.self() - first + 2) % context.job().nodes;
    Message& stray = context.send(stranger, kHeartbeat, 16);
    stray.payload.put(std::uint64_t{0});
    DetectorContext::background(stray);
  }
};

/// Tells its processes of a death whenever it gets a report of it, and not the first time only.
class TellsEachTime final : public Wrapped<TellsEachTime> {
 public:
  using Wrapped::Wrapped;
  void on_message(DetectorContext& context, const Message& message) override {
    Wrapped::on_message(context, message);
    if (!is_daemon(context) || message.kind != kReport) return;
    const Incarnation dead = message.payload.get<DeathReport>().dead;
    if (heard_.insert(dead).second) return;
    for (const Rank rank : context.placement().ranks_on(context.self() - context.job().processes))
      context.send(rank, kNotice, message.bytes).payload.put(dead);
  }

 private:
  void digest_state(Digest& into) const override {
    Wrapped::digest_state(into);
    into.add(heard_);
  }
  std::set<Incarnation> heard_;
};

/// A process that passes each report that it gets on to the application, also one that it knows.
class ReportsEachTime final : public Wrapped<ReportsEachTime> {
 public:
  using Wrapped::Wrapped;
  void on_message(DetectorContext& context, const Message& message) override {
    Wrapped::on_message(context, message);
    if (message.kind != kReport) return;
    const auto dead = message.payload.get<Incarnation>();
    if (!heard_.insert(dead).second) context.report_failed(dead);
  }

 private:
  void digest_state(Digest& into) const override {
    Wrapped::digest_state(into);
    into.add(heard_);
  }
  std::set<Incarnation> heard_;
};

}  // namespace faultline::failure_detection
