// SPDX-License-Identifier: Apache-2.0
#include "protocols/failure_detection/all_heartbeats.hpp"

#include "protocols/failure_detection/ring_options.hpp"

namespace faultline::failure_detection {

namespace {

enum Kind : std::uint16_t { kHeartbeat, kVerdict };

/// The timer for the next heartbeats. Those below it are the deadlines of the ranks.
constexpr std::uint64_t kBeat = kNobody;

OptionSet<AllHeartbeatsOptions> options() {
  using Options = AllHeartbeatsOptions;
  OptionSet<Options> set;
  add_ring_options(set, "assumed");
  set.option("control_bytes", &Options::control_bytes,
             {.doc = "size of a message", .unit = "B", .source = "assumed: two words"});
  return set;
}

std::vector<OptionProblem> check(const OptionValues& values, const JobShape&) {
  const AllHeartbeatsOptions read = options().read(values);
  return ring_problems(read.heartbeat_period_s, read.timeout_s);
}

const Registered registered{registration<AllHeartbeats>(
    {.family = Family::failure_detection,
     .name = "all-heartbeats",
     .summary = "every process sends heartbeats to every other",
     .source = "Chandra and Toueg, Unreliable failure detectors, J. ACM 43(2), 1996, section 9",
     .message_kinds = {"heartbeat", "verdict"},
     .check = check},
    options())};

}  // namespace

// The others may begin up to a period later: the phase of each is random.
void AllHeartbeats::start(DetectorContext& context) {
  context.set_timer(kBeat, random.uniform() * options_->heartbeat_period_s, true);
  for (Rank peer = 0; peer < context.job().processes; ++peer)
    await(context, peer, options_->heartbeat_period_s + options_->timeout_s);
}

void AllHeartbeats::on_timer(DetectorContext& context, std::uint64_t key) {
  if (key == kBeat) return beat(context);
  const Incarnation suspect = context.known(static_cast<Rank>(key));
  dead_.insert(suspect);
  context.send(suspect.actor, kVerdict, options_->control_bytes).payload.put(suspect);
  context.report_failed(suspect);
}

void AllHeartbeats::beat(DetectorContext& context) {
  for (Rank peer = 0; peer < context.job().processes; ++peer)
    if (peer != context.self() && !dead_.contains(context.known(peer)))
      DetectorContext::background(context.send(peer, kHeartbeat, options_->control_bytes));
  context.set_timer(kBeat, options_->heartbeat_period_s, true);
}

void AllHeartbeats::on_message(DetectorContext& context, const Message& message) {
  if (message.kind == kHeartbeat) return await(context, message.from, options_->timeout_s);
  // A process that reports itself stops. What others have done since stays done.
  const auto verdict = message.payload.get<Incarnation>();
  if (verdict == Incarnation{context.self(), context.incarnation()}) context.report_failed(verdict);
}

// A peer that lives again has died before, and may begin up to a period later.
void AllHeartbeats::on_peer_restarted(DetectorContext& context, Incarnation peer) {
  const Incarnation before{peer.actor, static_cast<std::uint16_t>(peer.number - 1)};
  if (dead_.insert(before)) context.report_failed(before);
  await(context, peer.actor, options_->heartbeat_period_s + options_->timeout_s);
}

// It replaces the deadline that was set before.
void AllHeartbeats::await(DetectorContext& context, Rank peer, double time_s) const {
  if (peer != context.self()) context.set_timer(peer, time_s, true);
}

}  // namespace faultline::failure_detection
