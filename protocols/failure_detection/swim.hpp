// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "protocols/failure_detection/alarm.hpp"
#include "protocols/failure_detection/members.hpp"
#include "protocols/failure_detection/update_queue.hpp"
#include "sim/core/component.hpp"
#include "sim/core/keyed_permutation.hpp"

namespace faultline::failure_detection {

struct SwimOptions {
  std::string members = "ranks";
  double heartbeat_period_s = 1.0;
  std::optional<double> answer_timeout_s;
  std::uint32_t indirect_probes = 3;
  bool fallback_probe = true;
  std::uint32_t suspicion_multiplier = 4;
  double suspicion_maximum = 6.0;
  bool lifeguard = true;
  std::uint32_t health_maximum = 7;
  double gossip_period_s = 0.2;
  std::uint32_t gossip_members = 3;
  double gossip_to_dead_s = 30.0;
  std::uint32_t retransmit_multiplier = 4;
  std::optional<double> push_pull_period_s = 30.0;
  std::optional<double> reconnect_period_s = 30.0;
  bool rejoin = true;
  double flap_timeout_s = 60.0;
  std::uint64_t control_bytes = 64;
  std::uint64_t update_bytes = 48;
  std::uint64_t packet_bytes = 1400;

  [[nodiscard]] double answer_within_s() const {
    return answer_timeout_s.value_or(heartbeat_period_s / 2);
  }
  /// The number of times that each of `live` members sends an update.
  [[nodiscard]] std::uint32_t transmissions(std::uint32_t live) const;
  /// The time for which one of `live` members is suspected, if enough others confirm that.
  [[nodiscard]] double least_suspicion_s(std::uint32_t live) const;
  /// The time for which it is suspected after `confirmations` of the `wanted` other members that
  /// would do.
  [[nodiscard]] double suspicion_s(double least_s, std::uint32_t confirmations,
                                   std::uint32_t wanted) const;
  /// The time between two exchanges of all that a member knows.
  [[nodiscard]] double push_pull_s(std::uint32_t live) const;
};

/// The kinds of messages of `swim`.
enum SwimMessage : std::uint16_t {
  kSwimPing,
  kSwimAck,
  kSwimPingRequest,
  kSwimNack,
  kSwimFallbackPing,
  kSwimGossip,
  kSwimPush,
  kSwimPull,
  kSwimReport,
  kSwimJoin,
  kSwimReturn,
};

/// The number of the probe that a ping, or the acknowledgement of it, belongs to.
struct SwimProbeNumber {
  ActorId prober = kNobody;
  std::uint32_t number = 0;
};

/// Asks a helper to probe the target for another member.
struct SwimPingRequest {
  SwimProbeNumber probe;
  Incarnation target;
};

/// SWIM (Das, Gupta, Motivala: DSN 2002) as hashicorp/memberlist has it, with the extensions of
/// Lifeguard (Dadgar, Phillips, Currey: DSN-W 2018). Each member probes another one every period,
/// through others if it does not answer. It suspects a member that does not answer them either, and
/// a member that hears that it is suspected denies it. Where reports are not final, one that hears
/// that it is dead denies that, too, and comes back. All this spreads with the messages of the
/// probes, and as gossip. A member remembers only others that are not alive, or have denied a
/// suspicion.
class Swim final : public Detector {
 public:
  using Options = SwimOptions;
  Swim(std::shared_ptr<const Options> options, const JobShape& job, ActorId self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Swim>(*this);
  }

  void start(DetectorContext& context) override;
  void on_timer(DetectorContext& context, std::uint64_t key) override;
  void on_message(DetectorContext& context, const Message& message) override;
  void on_local_exit(DetectorContext& context, Incarnation rank) override;
  void on_peer_restarted(DetectorContext& context, Incarnation peer) override;
  void report(MetricTotals& totals) const override;

 private:
  enum Timer : std::uint64_t { kProbe, kSuspicion, kRelay, kGossip, kPushPull, kReconnect };
  /// Times that should be the same differ by less than this share of a period.
  static constexpr double kRounding = 1e-6;
  /// What this member knows of another actor that is not simply alive.
  struct Opinion {
    Standing standing = Standing::alive;
    std::uint16_t life = 0;         ///< the incarnation that this is about
    std::uint32_t refutations = 0;  ///< see SwimUpdate
    std::uint32_t wanted = 0;       ///< confirmations that shorten a suspicion as far as they can
    double since_s = 0.0;           ///< start of the suspicion or death
    double least_s = 0.0;           ///< least time for which it is suspected
    double due_s = kNever;          ///< when a suspect is declared dead
    std::vector<ActorId> suspected_by;

    void digest(Digest& into) const;
  };
  /// The probe of this period.
  struct Probe {
    enum class Stage : std::uint8_t { over, direct, indirect };
    Stage stage = Stage::over;
    std::uint32_t number = 0;
    Incarnation target;
    double end_s = 0.0;        ///< an answer counts until then
    std::uint32_t asked = 0;   ///< helpers that were asked to probe it, too
    std::uint32_t denied = 0;  ///< helpers that have reported that they got no answer

    void digest(Digest& into) const {
      into.add(stage, number);
      if (stage != Stage::over) into.add(target, end_s, asked, denied);
    }
  };
  /// A probe that another member has asked for.
  struct Relay {
    SwimProbeNumber probe;
    double due_s = 0.0;  ///< when the answer is overdue

    void digest(Digest& into) const { into.add(probe.prober, probe.number, due_s); }
  };

  void digest_state(Digest& into) const override;

  // Probes.
  void begin_probe(DetectorContext& context);
  void rest(DetectorContext& context);
  [[nodiscard]] std::optional<ActorId> next_target();
  void ask_others(DetectorContext& context);
  void probe_failed(DetectorContext& context);
  void acknowledged(DetectorContext& context, SwimProbeNumber probe);
  void ping_for(DetectorContext& context, const Message& request);
  void give_up_relays(DetectorContext& context);
  void change_health(int difference);
  using Accept = std::function<bool(ActorId)>;
  [[nodiscard]] std::vector<ActorId> pick(std::uint32_t count, const Accept& accept);

  // What members tell each other.
  void hear(DetectorContext& context, const SwimUpdate& update);
  void hear_of_me(DetectorContext& context, const SwimUpdate& update);
  void suspect(DetectorContext& context, const SwimUpdate& update);
  void confirm(DetectorContext& context, Opinion& opinion, const SwimUpdate& update);
  void believe_alive(DetectorContext& context, const SwimUpdate& update);
  void declare_dead(DetectorContext& context, Incarnation dead, std::uint32_t refutations);
  void take_back(DetectorContext& context, const SwimUpdate& denial, const Opinion& opinion);
  void count_return(const DetectorContext& context, const Opinion& opinion);
  void tell_ranks(DetectorContext& context, std::uint16_t kind, const NodeNews& news);
  void suspicions_are_due(DetectorContext& context);
  /// True if that is the latest life that this member has heard of. If it is news that the actor
  /// lives again, remembers it.
  [[nodiscard]] bool is_present(DetectorContext& context, Incarnation life);
  void begin_life(DetectorContext& context, Incarnation life);
  void end_suspicion(Opinion& opinion, ActorId of);
  /// Can that actor deny that it is dead?
  [[nodiscard]] bool can_return(ActorId actor) const {
    return returns_ && members_.contains(actor);
  }
  [[nodiscard]] Standing standing_of(ActorId actor) const;
  [[nodiscard]] std::uint32_t refutations_of(ActorId actor) const;
  Opinion& remember(Incarnation life);
  [[nodiscard]] SwimUpdate as_update(ActorId actor, const Opinion& opinion) const;

  // How news spreads.
  void spread(DetectorContext& context, const SwimUpdate& update);
  Message& send(DetectorContext& context, ActorId to, std::uint16_t kind);
  Message& send_with(DetectorContext& context, ActorId to, std::uint16_t kind, SwimUpdates updates);
  [[nodiscard]] SwimUpdates take_updates();
  void gossip(DetectorContext& context);
  void push_pull(DetectorContext& context);
  void expect_reconnection(DetectorContext& context);
  void reconnect(DetectorContext& context);
  void send_state(DetectorContext& context, ActorId to, std::uint16_t kind);
  void merge_state(DetectorContext& context, const SwimUpdates& state);
  void tell_rank_of_all(DetectorContext& context, Rank rank);
  [[nodiscard]] std::uint32_t live_members() const { return members_.count() - dead_members_; }

  std::shared_ptr<const Options> options_;
  Members members_;
  ActorId self_;
  bool returns_;            ///< members deny that they are dead, and come back
  KeyedPermutation order_;  ///< order in which it probes the others, until it has gone through them
  std::uint32_t position_ = 0;  ///< position of the next target in that order
  double next_probe_s_ = 0.0;
  Probe probe_;
  std::vector<Relay> relays_;  ///< in the order in which they are due
  std::uint32_t health_ = 0;   ///< Lifeguard's score: 0 is well
  std::uint32_t refutations_ = 0;
  std::map<ActorId, Opinion> opinions_;
  std::set<std::pair<double, ActorId>> suspicions_;  ///< when each suspect is declared dead
  std::uint32_t dead_members_ = 0;
  UpdateQueue updates_;
  double gossip_phase_s_ = 0.0;
  Alarm suspicion_alarm_;
  Alarm relay_alarm_;
  Alarm gossip_alarm_;
  Alarm reconnect_alarm_;
  bool stopped_ = false;  ///< has heard that it is reported dead
  // For the report.
  std::uint64_t suspicions_begun_ = 0;
  std::uint64_t members_failed_ = 0;
  std::uint64_t members_returned_ = 0;
  std::uint64_t flaps_ = 0;
  std::uint64_t rescues_ = 0;
  std::size_t most_opinions_ = 0;
};

}  // namespace faultline::failure_detection
