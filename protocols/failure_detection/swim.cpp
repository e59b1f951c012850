// SPDX-License-Identifier: Apache-2.0
#include "protocols/failure_detection/swim.hpp"

#include <algorithm>
#include <cmath>

#include "protocols/failure_detection/degree.hpp"
#include "sim/core/invariant.hpp"

namespace faultline::failure_detection {

namespace {

constexpr MetricSpec kSuspicions{"suspicions", Merge::sum,
                                 "how often a member began to suspect another one"};
constexpr MetricSpec kRefutations{"refutations", Merge::sum,
                                  "how often a member denied that it is dead, or may be"};
constexpr MetricSpec kMembersFailed{
    "members_failed", Merge::sum,
    "how often a member declared another one dead, rightly or not (Serf's serf.member.failed)"};
constexpr MetricSpec kMembersReturned{
    "members_returned", Merge::sum,
    "how often a member that another one had declared dead came back to that one: it denied that, "
    "or lives again as its next incarnation"};
constexpr MetricSpec kFlaps{"flaps", Merge::sum,
                            "returns less than `flap_timeout_s` after the declaration (Serf's "
                            "serf.member.flap)"};
constexpr MetricSpec kRescuedProbes{
    "rescued_probes", Merge::sum,
    "probes that were answered after `answer_timeout_s`, directly or through another member"};
constexpr MetricSpec kOpinionsMax{
    "remembered_members_max", Merge::maximum,
    "the most others that a member had to remember: those not alive, and those that had denied a "
    "suspicion"};

const OptionNotes kTimes{.unit = "s", .minimum = 0.0, .maximum = 1e9, .above_minimum = true};

OptionNotes a_time(const std::string& doc, const std::string& source) {
  OptionNotes notes = kTimes;
  notes.doc = doc;
  notes.source = source;
  return notes;
}

OptionNotes awaiting(OptionNotes notes) {
  notes.awaits_message = true;
  return notes;
}

const std::string kMemberlist = "memberlist, DefaultLANConfig";

OptionSet<SwimOptions> probe_options() {
  return members_option<SwimOptions>("rdaemon-2019 section 5.4: its members were MPI processes")
      .option("heartbeat_period_s", &SwimOptions::heartbeat_period_s,
              a_time("delta: time between two probes of a member", kMemberlist + ", ProbeInterval"))
      .option("answer_timeout_s", &SwimOptions::answer_timeout_s,
              awaiting(a_time("a probed member must answer within this time, or others probe it, "
                              "too; null: half of heartbeat_period_s",
                              "assumed, as memberlist's ProbeTimeout is half of its "
                              "ProbeInterval")))
      .option("indirect_probes", &SwimOptions::indirect_probes,
              {.doc = "other members that are asked to probe a member that has not answered",
               .source = kMemberlist + ", IndirectChecks"})
      .option("fallback_probe", &SwimOptions::fallback_probe,
              {.doc = "a member that has not answered is also probed directly once more",
               .source = "memberlist's ping over TCP"})
      .option("suspicion_multiplier", &SwimOptions::suspicion_multiplier,
              {.doc = "a member is suspected for at least this many times max(1, log10 N) periods",
               .source = kMemberlist + ", SuspicionMult",
               .minimum = 1})
      .option("suspicion_maximum", &SwimOptions::suspicion_maximum,
              {.doc = "with lifeguard, a suspicion that nobody confirms lasts this many times "
                      "longer",
               .source = kMemberlist + ", SuspicionMaxTimeoutMult",
               .minimum = 1.0,
               .maximum = 1e9})
      .option("lifeguard", &SwimOptions::lifeguard,
              {.doc = "the extensions of Lifeguard: confirmations shorten suspicions, a score of a "
                      "member's own health lengthens its probes, and a suspect is told at once",
               .source = "memberlist, which has them always"})
      .option("health_maximum", &SwimOptions::health_maximum,
              {.doc = "the worst health, with which a probe takes this many periods more",
               .source = kMemberlist + ", AwarenessMaxMultiplier - 1",
               .maximum = 1e6});
}

OptionSet<SwimOptions> options() {
  return probe_options()
      .option("gossip_period_s", &SwimOptions::gossip_period_s,
              a_time("time between two rounds of gossip of a member with news",
                     kMemberlist + ", GossipInterval"))
      .option("gossip_members", &SwimOptions::gossip_members,
              {.doc = "members to which it sends gossip in a round",
               .source = kMemberlist + ", GossipNodes"})
      .option("gossip_to_dead_s", &SwimOptions::gossip_to_dead_s,
              {.doc = "time for which the dead still get gossip, since one of them may live",
               .unit = "s",
               .source = kMemberlist + ", GossipToTheDeadTime",
               .minimum = 0.0,
               .maximum = 1e9})
      .option("retransmit_multiplier", &SwimOptions::retransmit_multiplier,
              {.doc = "lambda: a member sends each update lambda times ceil(log10(N + 1)) times",
               .source = kMemberlist + ", RetransmitMult",
               .minimum = 1,
               .maximum = 1e6})
      .option("push_pull_period_s", &SwimOptions::push_pull_period_s,
              a_time("time between two exchanges of all that a member knows with another member, "
                     "longer above 32 members; null: none",
                     kMemberlist + ", PushPullInterval"))
      .option("reconnect_period_s", &SwimOptions::reconnect_period_s,
              a_time("time between two messages of a member to one that it takes for dead, which "
                     "lets that one hear of it if it lives; null: none",
                     "Serf, ReconnectInterval; memberlist alone sends none"))
      .option("rejoin", &SwimOptions::rejoin,
              {.doc = "a member that hears that it is declared dead denies that and comes back, "
                      "where nobody ends it and no protocol acts on reports; false: it stops",
               .source = "memberlist; false is section 4.2 of the SWIM paper"})
      .option("flap_timeout_s", &SwimOptions::flap_timeout_s,
              a_time("a member that comes back sooner after it was declared dead has flapped",
                     "Serf, FlapTimeout"))
      .option("control_bytes", &SwimOptions::control_bytes,
              {.doc = "size of a message without updates", .unit = "B", .source = "assumed"})
      .option("update_bytes", &SwimOptions::update_bytes,
              {.doc = "size of an update", .unit = "B", .source = "assumed", .minimum = 1})
      .option("packet_bytes", &SwimOptions::packet_bytes,
              {.doc = "a message with updates is not larger than this",
               .unit = "B",
               .source = kMemberlist + ", UDPBufferSize",
               .maximum = 1e9});
}

std::vector<OptionProblem> check(const OptionValues& values, const JobShape& job) {
  const SwimOptions read = options().read(values);
  std::vector<OptionProblem> problems = check_members(read.members, job);
  const std::uint32_t members = Members(read.members, job).count();
  if (problems.empty() && read.indirect_probes > members)
    problems.push_back({"indirect_probes", "expected at most the number of members, which is " +
                                               std::to_string(members)});
  if (read.answer_within_s() >= read.heartbeat_period_s)
    problems.push_back({"answer_timeout_s", "expected less than heartbeat_period_s"});
  if (std::uint64_t{read.control_bytes} + read.update_bytes > read.packet_bytes)
    problems.push_back(
        {"packet_bytes", "expected at least control_bytes + update_bytes, for one update"});
  return problems;
}

/// The share of its time for which a processor or a NIC is busy with the messages of its members,
/// of which some probe the dead, all have news, and none has a message longer than
/// `exchange_bytes`.
double busy_share(const SwimOptions& options, const DetectionCase& death, double exchange_bytes) {
  const auto packet_bytes = static_cast<double>(options.packet_bytes);
  const auto share = [&](double messages, double bytes, double period_s) {
    return death.message.busy_s(messages, messages * bytes) / period_s;
  };
  constexpr double kOfProbe = 4.0;  // for each member that takes part in it
  const double probes =
      share(kOfProbe * (1.0 + options.indirect_probes), packet_bytes, options.heartbeat_period_s);
  const double gossip = share(2.0 * options.gossip_members, packet_bytes, options.gossip_period_s);
  const double exchanges =
      options.push_pull_period_s ? share(4.0, exchange_bytes, *options.push_pull_period_s) : 0.0;
  const double members = options.members == "ranks" ? death.job.processes_per_node : 1.0;
  return members * (probes + gossip + exchanges);
}

/// Until each member has probed a dead one, and suspected it, twice: it may believe a denial that
/// the dead one has sent before.
double probes_find_s(const SwimOptions& options, std::uint32_t members) {
  const double probe_s =
      options.heartbeat_period_s * (1.0 + (options.lifeguard ? options.health_maximum : 0));
  const double suspicion_s =
      options.least_suspicion_s(members) * (options.lifeguard ? options.suspicion_maximum : 1.0);
  return 2.0 * (2.0 * members * probe_s + suspicion_s);
}

/// docs/protocols/swim.md, "When a death is known". Each member probes each other one within two
/// rounds, so that it finds the death of a member by itself. Gossip alone may leave somebody out:
/// of the death of a rank that daemons tell each other, and of a later life, without which nobody
/// looks for another death.
DetectionBound bound(const OptionValues& values, const DetectionCase& death) {
  const SwimOptions read = options().read(values);
  const Members members(read.members, death.job);
  const double state_bytes = static_cast<double>(read.control_bytes) +
                             static_cast<double>(read.update_bytes) *
                                 (static_cast<double>(members.count()) + death.job.processes);
  if (busy_share(read, death, state_bytes) > 0.5) return no_bound_under_load();
  const double longest_s =
      death.message.longest_s(std::max(state_bytes, static_cast<double>(read.packet_bytes)));
  DetectionBound bound{.within_s = probes_find_s(read, members.count()) + death.local_exit_s +
                                   2.0 * longest_s};
  if (read.answer_within_s() <=
      2.0 * death.message.longest_s(static_cast<double>(read.packet_bytes)))
    bound.unpromised = "answers can come too late, and denials of suspicions go on and on";
  constexpr double kExchanges = 40.0;  // after so many, with random members, nobody is left out
  if (death.disturbed && read.reconnect_period_s)
    bound.within_s += kExchanges * members.count() * *read.reconnect_period_s;
  const bool is_told_only = members.are_daemons() && !death.with_daemon;
  const bool is_later = (members.are_daemons() ? death.daemon_life : death.process_life) > 0;
  if (!is_told_only && !is_later && !death.disturbed) return bound;
  if (!read.push_pull_period_s)
    bound.unpromised = "gossip alone may leave somebody out";
  else
    bound.within_s += kExchanges * (read.push_pull_s(members.count()) + longest_s);
  return bound;
}

const Registered registered{on_members<Swim>(
    {.family = Family::failure_detection,
     .name = "swim",
     .summary = "SWIM: random probes, suspicions that can be denied, and gossip (memberlist)",
     .source = "Das, Gupta, Motivala, DSN 2002; hashicorp/memberlist a8f83c6, which rdaemon-2019 "
               "section 5.4 measured",
     .traits = {DetectorTraits{
         .takes_back = [](const OptionValues& values) { return options().read(values).rejoin; },
         .bound = bound}},
     .message_kinds = {"ping", "ack", "ping-request", "nack", "fallback-ping", "gossip", "push",
                       "pull", "report", "join", "return"},
     .metrics = {&kSuspicions, &kRefutations, &kMembersFailed, &kMembersReturned, &kFlaps,
                 &kRescuedProbes, &kOpinionsMax, &kDegreeMax},
     .check = check},
    options(), kSwimReport, kSwimJoin, std::nullopt, kSwimReturn)};

}  // namespace

// ---- formulas -----------------------------------------------------------------------------------

std::uint32_t SwimOptions::transmissions(std::uint32_t live) const {
  const double scale = std::ceil(std::log10(static_cast<double>(live) + 1));
  return std::max(1U, retransmit_multiplier * static_cast<std::uint32_t>(scale));
}

double SwimOptions::least_suspicion_s(std::uint32_t live) const {
  const double scale = std::max(1.0, std::log10(static_cast<double>(live)));
  return suspicion_multiplier * scale * heartbeat_period_s;
}

double SwimOptions::suspicion_s(double least_s, std::uint32_t confirmations,
                                std::uint32_t wanted) const {
  if (!lifeguard || wanted == 0) return least_s;
  const double share = std::log(confirmations + 1.0) / std::log(wanted + 1.0);
  const double most_s = suspicion_maximum * least_s;
  return std::max(least_s, most_s - share * (most_s - least_s));
}

double SwimOptions::push_pull_s(std::uint32_t live) const {
  constexpr double kUnscaled = 32;
  if (live <= kUnscaled) return *push_pull_period_s;
  return *push_pull_period_s * (std::ceil(std::log2(live / kUnscaled)) + 1);
}

// ---- life ---------------------------------------------------------------------------------------

Swim::Swim(std::shared_ptr<const Options> options, const JobShape& job, ActorId self)
    : options_(std::move(options)),
      members_(options_->members, job),
      self_(self),
      returns_(options_->rejoin && !job.reports_are_final) {}

void Swim::start(DetectorContext& context) {
  order_ = KeyedPermutation(members_.count(), random.next());
  next_probe_s_ = context.now_s() + options_->heartbeat_period_s * random.uniform();
  context.set_timer(kProbe, next_probe_s_ - context.now_s(), true);
  gossip_phase_s_ = context.now_s() + options_->gossip_period_s * random.uniform();
  if (options_->push_pull_period_s)
    context.set_timer(kPushPull, options_->push_pull_s(members_.count()) * random.uniform(), true);
  if (context.incarnation() == 0) return;
  spread(context, {.about = context.known(self_), .by = self_});
  push_pull(context);
}

void Swim::on_timer(DetectorContext& context, std::uint64_t key) {
  if (stopped_) return;
  switch (key) {
    case kProbe:
      if (probe_.stage == Probe::Stage::direct)
        ask_others(context);
      else if (probe_.stage == Probe::Stage::indirect)
        probe_failed(context);
      else
        begin_probe(context);
      break;
    case kSuspicion:
      suspicions_are_due(context);
      break;
    case kRelay:
      give_up_relays(context);
      break;
    case kGossip:
      gossip(context);
      break;
    case kReconnect:
      reconnect(context);
      break;
    default:
      invariant(key == kPushPull, "a timer has an unknown key");
      context.set_timer(kPushPull, options_->push_pull_s(live_members()), true);
      push_pull(context);
  }
}

void Swim::on_message(DetectorContext& context, const Message& message) {
  if (const auto* updates = context.attached<SwimUpdates>(message)) {
    if (message.kind == kSwimPush || message.kind == kSwimPull)
      merge_state(context, *updates);
    else
      for (const SwimUpdate& update : *updates) hear(context, update);
  }
  if (stopped_) return;
  switch (message.kind) {
    case kSwimPing:
    case kSwimFallbackPing:
      send(context, message.from, kSwimAck).payload.put(message.payload.get<SwimProbeNumber>());
      break;
    case kSwimAck:
      acknowledged(context, message.payload.get<SwimProbeNumber>());
      break;
    case kSwimPingRequest:
      ping_for(context, message);
      break;
    case kSwimNack:
      if (probe_.stage != Probe::Stage::over &&
          message.payload.get<SwimProbeNumber>().number == probe_.number)
        ++probe_.denied;
      break;
    case kSwimPush:
      send_state(context, message.from, kSwimPull);
      break;
    case kSwimJoin:
      tell_rank_of_all(context, message.from);
      break;
    default:
      invariant(message.kind == kSwimGossip || message.kind == kSwimPull,
                "a message has an unknown kind");
  }
}

// ---- seen from outside --------------------------------------------------------------------------

void Swim::report(MetricTotals& totals) const {
  totals.put(kSuspicions, suspicions_begun_);
  totals.put(kRefutations, refutations_);
  totals.put(kMembersFailed, members_failed_);
  totals.put(kMembersReturned, members_returned_);
  totals.put(kFlaps, flaps_);
  totals.put(kRescuedProbes, rescues_);
  totals.put(kOpinionsMax, most_opinions_);
  totals.put(kDegreeMax, members_.count() - 1);
}

// It makes no difference which member suspects another one first.
void Swim::Opinion::digest(Digest& into) const {
  into.add(standing, life, refutations, wanted, since_s, least_s, due_s);
  into.add_sorted(suspected_by);
}

// The opinions determine when suspicions are due, and how many members are dead.
void Swim::digest_state(Digest& into) const {
  into.add(order_, position_, next_probe_s_, probe_, relays_, health_, refutations_, opinions_);
  into.add(updates_, gossip_phase_s_, suspicion_alarm_, relay_alarm_, gossip_alarm_,
           reconnect_alarm_);
  into.add(stopped_);
}

}  // namespace faultline::failure_detection
