// SPDX-License-Identifier: Apache-2.0
#include "analysis/lemmas/detection_subjects.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

namespace faultline::lemmas {

namespace {

/// The number of different distances +-2^k modulo `members` other than 0, with 2^k up to `longest`:
/// a member passes a report on to that many others.
std::uint32_t neighbours(std::uint32_t members, std::uint32_t longest) {
  std::set<std::uint32_t> distances;
  for (std::uint32_t power = 1; power <= longest; power *= 2) {
    distances.insert(power % members);
    distances.insert((members - power % members) % members);
  }
  distances.erase(0);
  return static_cast<std::uint32_t>(distances.size());
}

/// Messages between members can be lost.
bool loses(const FaultSchedule& schedule) {
  return schedule.loss_probability > 0 || !schedule.partitions.empty();
}

/// Nothing disturbs the network, and no processor but by interruptions.
bool is_quiet_but_for_pauses(const FaultSchedule& schedule) {
  return !loses(schedule) && schedule.slow.empty() && schedule.delay_noise_s == 0 &&
         schedule.start_delay_s == 0;
}

double pause_s(const FaultSchedule& schedule) {
  return schedule.os_noise ? schedule.os_noise->length_s : 0.0;
}

/// The most that messages and handlers take in a small job, beyond what is counted otherwise [s].
double margin_s(const FaultSchedule& schedule) { return 0.3 * schedule.period_s; }

/// The time for effects of a late message or a slow node after all is calm [s].
double slack_s(const FaultSchedule& schedule) {
  return 10 * schedule.period_s + 2 * schedule.exit_delay_s + 40 * schedule.delay_noise_s +
         10 * pause_s(schedule);
}

OptionValues ring_options(const FaultSchedule& schedule) {
  return {{"heartbeat_period_s", schedule.period_s}, {"timeout_s", schedule.timeout_s}};
}

// docs/protocols/rdaemon.md: "Neighbours on the ring that die together are found one after the
// other, each eta + mending_grace_s after the one before it." While fewer than D daemons have died,
// nobody is left out.
DetectionPromise of_rdaemon(const FaultSchedule& schedule) {
  const std::uint32_t nodes = nodes_of(schedule);
  DetectionPromise promise;
  promise.calm_from_s = calm_from_s(schedule);
  promise.fewer_dead_than = fewest_that_cut_off(nodes);
  // A heartbeat leaves a period after the last one, or later by an interruption, and is handled
  // later by another one. A node that is interrupted looks at its deadline first.
  promise.accurate =
      is_quiet_but_for_pauses(schedule) &&
      schedule.period_s + 2 * pause_s(schedule) + margin_s(schedule) < schedule.timeout_s;
  // "The paper assumes channels that lose nothing."
  if (!loses(schedule))
    promise.complete_after_s =
        (promise.fewer_dead_than + 1) * schedule.timeout_s + slack_s(schedule);
  return promise;
}

// "Two periods after a partition has ended, [...] neighbours on the ring know the same", and pass
// on what is new. That needs one ring: no daemon is taken for dead while it cannot be told so, as
// long as the partition is shorter than eta - delta.
DetectionPromise of_comparing_rdaemon(const FaultSchedule& schedule) {
  DetectionPromise promise = of_rdaemon(schedule);
  const double longest_s = schedule.timeout_s - schedule.period_s - margin_s(schedule);
  const bool are_short = std::all_of(
      schedule.partitions.begin(), schedule.partitions.end(),
      [=](const faults::PartitionSpec& cut) { return cut.to_s - cut.from_s < longest_s; });
  if (loses(schedule) && are_short && schedule.loss_probability == 0)
    promise.complete_after_s = (promise.fewer_dead_than + 1) * schedule.timeout_s +
                               2 * nodes_of(schedule) * schedule.period_s + slack_s(schedule);
  return promise;
}

// docs/protocols/ulfm.md: processes of a node that dies are found 2 eta after each other; "until
// the first heartbeat has come, a process waits 2 eta + 1 s + ln N s".
DetectionPromise of_ulfm(const FaultSchedule& schedule) {
  const std::uint32_t ranks = schedule.processes;
  DetectionPromise promise;
  promise.of_daemons = false;
  promise.calm_from_s = calm_from_s(schedule);
  promise.fewer_dead_than = neighbours(ranks, ranks / 2);
  // A member that comes late to its deadline blames itself, and looks once more. So only the
  // interruption of the other one counts.
  promise.accurate =
      is_quiet_but_for_pauses(schedule) &&
      schedule.period_s + pause_s(schedule) + margin_s(schedule) < schedule.timeout_s;
  if (!loses(schedule))
    promise.complete_after_s = 2 * (promise.fewer_dead_than + 1) * schedule.timeout_s + 1 +
                               std::log(static_cast<double>(ranks)) + slack_s(schedule);
  return promise;
}

// docs/protocols/swim.md: each member probes each other one within 2N - 1 probes. One takes at most
// `health_maximum` + 1 periods. A suspicion lasts at most
// suspicion_multiplier x max(1, log10 N) x suspicion_maximum periods; one that is refuted by old
// news begins anew. So everybody finds each death without any help.
DetectionPromise of_swim(const FaultSchedule& schedule, bool daemons, bool lifeguard) {
  const double members = daemons ? nodes_of(schedule) : schedule.processes;
  const double probe = lifeguard ? 8 : 1;
  const double suspicion = 4 * std::max(1.0, std::log10(members)) * (lifeguard ? 6 : 1);
  DetectionPromise promise;
  promise.of_daemons = daemons;
  promise.calm_from_s = calm_from_s(schedule);
  promise.complete_after_s =
      schedule.period_s * (2 * members * probe + 2 * suspicion) + slack_s(schedule);
  // A daemon hears of the death of a rank elsewhere by gossip, or else by the exchange with a
  // random member every 5 periods: 40 of them leave nobody out.
  if (daemons) *promise.complete_after_s += 5 * 40 * schedule.period_s;
  // One short cut makes members suspect each other, but it ends 2.5 periods before the earliest end
  // of a suspicion, in which gossip is sent 12 times.
  const bool one_short_cut =
      schedule.partitions.empty() ||
      (schedule.partitions.size() == 1 &&
       schedule.partitions[0].to_s - schedule.partitions[0].from_s <= 1.5 * schedule.period_s);
  FaultSchedule without = schedule;
  without.partitions.clear();
  promise.accurate = one_short_cut && is_quiet_but_for_pauses(without) && !schedule.os_noise;
  return promise;
}

OptionValues swim_options(const FaultSchedule& schedule) {
  return {{"heartbeat_period_s", schedule.period_s},
          {"gossip_period_s", schedule.period_s / 5},
          {"gossip_to_dead_s", 30 * schedule.period_s},
          {"push_pull_period_s", 5 * schedule.period_s}};
}

// docs/protocols/connection-loss.md: all deaths are found, "but for as many delays one after the
// other as there are dead members above each other in the tree". Connections break only by deaths.
DetectionPromise of_connection_loss(const FaultSchedule& schedule, bool daemons) {
  const std::uint32_t members = daemons ? nodes_of(schedule) : schedule.processes;
  DetectionPromise promise;
  promise.of_daemons = daemons;
  promise.calm_from_s = calm_from_s(schedule);
  promise.accurate = true;
  if (!loses(schedule))
    promise.complete_after_s =
        members * std::max(schedule.silent_loss_s, schedule.exit_delay_s) + slack_s(schedule);
  return promise;
}

using Promise = std::function<DetectionPromise(const FaultSchedule&)>;
using Options = std::function<OptionValues(const FaultSchedule&)>;

/// Makes a subject. A job with ranks as members has fewer of them, since each costs events of its
/// own.
LemmaSubject subject(const std::string& name, const std::string& detector, DetectionScale scale,
                     Promise promise, const OptionValues& options, Options scheduled = {}) {
  LemmaSubject made;
  made.name = name;
  made.stack.components[Family::failure_detection] = {
      .name = detector, .options = options, .scheduled_options = std::move(scheduled)};
  made.stack.detection = std::move(promise);
  made.draw = [scale](std::uint64_t number) { return draw_detection_schedule(number, scale); };
  return made;
}

LemmaSubject swim(const std::string& name, bool daemons, bool lifeguard) {
  // Updates are sent often enough that nobody misses one on a quiet network.
  const OptionValues options{{"members", std::string(daemons ? "daemons" : "ranks")},
                             {"lifeguard", lifeguard},
                             {"retransmit_multiplier", std::int64_t{16}}};
  const auto promise = [=](const FaultSchedule& schedule) {
    return of_swim(schedule, daemons, lifeguard);
  };
  const DetectionScale scale{.period_s = 0.01, .most_processes = daemons ? 32U : 16U};
  return subject(name, "swim", scale, promise, options, swim_options);
}

LemmaSubject connection_loss(const std::string& name, bool daemons, std::int64_t radix) {
  const OptionValues options{{"members", std::string(daemons ? "daemons" : "ranks")},
                             {"radix", radix}};
  const auto promise = [=](const FaultSchedule& schedule) {
    return of_connection_loss(schedule, daemons);
  };
  return subject(name, "connection-loss", {}, promise, options);
}

}  // namespace

std::uint32_t fewest_that_cut_off(std::uint32_t daemons) { return neighbours(daemons, daemons); }

const std::vector<LemmaSubject>& detection_subjects() {
  static const std::vector<LemmaSubject> subjects = [] {
    const OptionValues compares{{"compare_reports", true}};
    return std::vector<LemmaSubject>{
        subject("rdaemon", "rdaemon", {}, of_rdaemon, {}, ring_options),
        subject("rdaemon comparing", "rdaemon", {}, of_comparing_rdaemon, compares, ring_options),
        // The slack at its start is in seconds.
        subject("ulfm", "ulfm", {.period_s = 1, .most_processes = 24}, of_ulfm, {}, ring_options),
        swim("swim", false, true), swim("swim without lifeguard", false, false),
        swim("swim of daemons", true, true), connection_loss("connection-loss", true, 2),
        connection_loss("connection-loss of ranks", false, 3)};
  }();
  return subjects;
}

const LemmaSubject& detection_subject(const std::string& name) {
  for (const LemmaSubject& subject : detection_subjects())
    if (subject.name == name) return subject;
  throw std::invalid_argument("no such subject: " + name);
}

}  // namespace faultline::lemmas
