#include "protocols/failure_detection/swim.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "protocols/failure_detection/degree.hpp"
#include "sim/core/invariant.hpp"

namespace faultline {

namespace {

enum Timer : std::uint64_t { kProbe, kSuspicion, kRelay, kGossip, kPushPull };

constexpr MetricSpec kSuspicions{"suspicions", Merge::sum,
                                 "how often a member began to suspect another one"};
constexpr MetricSpec kRefutations{"refutations", Merge::sum,
                                  "how often a member denied that it is dead"};
constexpr MetricSpec kRescuedProbes{
    "rescued_probes", Merge::sum,
    "probes that were answered after `answer_timeout_s`, directly or through another member"};
constexpr MetricSpec kOpinionsMax{
    "remembered_members_max", Merge::maximum,
    "the most others that a member had to remember: those not alive, and those that had denied a "
    "suspicion"};

/// Times that should be the same differ by less than this share of a period.
constexpr double kRounding = 1e-6;

const OptionNotes kTimes{.unit = "s", .minimum = 0.0, .maximum = 1e9, .above_minimum = true};

OptionNotes a_time(const std::string& doc, const std::string& source) {
  OptionNotes notes = kTimes;
  notes.doc = doc;
  notes.source = source;
  return notes;
}

const std::string kMemberlist = "memberlist, DefaultLANConfig";

OptionSet<SwimOptions> probe_options() {
  return members_option<SwimOptions>("rdaemon-2019 section 5.4: its members were MPI processes")
      .option("heartbeat_period_s", &SwimOptions::heartbeat_period_s,
              a_time("delta: time between two probes of a member", kMemberlist + ", ProbeInterval"))
      .option("answer_timeout_s", &SwimOptions::answer_timeout_s,
              a_time("a probed member is to answer within this time, or others probe it, too; "
                     "null: half of heartbeat_period_s",
                     "assumed, as memberlist's ProbeTimeout is half of its ProbeInterval"))
      .option("indirect_probes", &SwimOptions::indirect_probes,
              {.doc = "other members that are asked to probe who has not answered",
               .source = kMemberlist + ", IndirectChecks"})
      .option("fallback_probe", &SwimOptions::fallback_probe,
              {.doc = "who has not answered is probed directly once more, beside that",
               .source = "memberlist's ping over TCP"})
      .option("suspicion_multiplier", &SwimOptions::suspicion_multiplier,
              {.doc = "a member is suspected for at least this times max(1, log10 N) periods",
               .source = kMemberlist + ", SuspicionMult",
               .minimum = 1})
      .option("suspicion_maximum", &SwimOptions::suspicion_maximum,
              {.doc = "with lifeguard, a suspicion that nobody confirms lasts this many times "
                      "longer",
               .source = kMemberlist + ", SuspicionMaxTimeoutMult",
               .minimum = 1.0,
               .maximum = 1e9})
      .option("lifeguard", &SwimOptions::lifeguard,
              {.doc = "the extensions of Lifeguard: suspicions that confirmations shorten, a score "
                      "of one's own health that lengthens probes, and telling a suspect at once",
               .source = "memberlist, which has them always"})
      .option("health_maximum", &SwimOptions::health_maximum,
              {.doc = "the worst health: a probe may take this many periods more",
               .source = kMemberlist + ", AwarenessMaxMultiplier - 1",
               .maximum = 1e6});
}

OptionSet<SwimOptions> options() {
  return probe_options()
      .option("gossip_period_s", &SwimOptions::gossip_period_s,
              a_time("time between two rounds of gossip of a member that has something to tell",
                     kMemberlist + ", GossipInterval"))
      .option("gossip_members", &SwimOptions::gossip_members,
              {.doc = "members to which it sends gossip in a round",
               .source = kMemberlist + ", GossipNodes"})
      .option("gossip_to_dead_s", &SwimOptions::gossip_to_dead_s,
              {.doc = "the dead still get gossip for this long: one of them may live",
               .unit = "s",
               .source = kMemberlist + ", GossipToTheDeadTime",
               .minimum = 0.0,
               .maximum = 1e9})
      .option("retransmit_multiplier", &SwimOptions::retransmit_multiplier,
              {.doc = "lambda: a member sends each update this times ceil(log10(N + 1)) times",
               .source = kMemberlist + ", RetransmitMult",
               .minimum = 1,
               .maximum = 1e6})
      .option("push_pull_period_s", &SwimOptions::push_pull_period_s,
              a_time("time between two exchanges of all that a member knows with another one, "
                     "longer above 32 members; null: none",
                     kMemberlist + ", PushPullInterval"))
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

const Registered registered{on_members<Swim>(
    {.family = Family::failure_detection,
     .name = "swim",
     .summary = "SWIM: random probes, suspicions that can be denied, and gossip (memberlist)",
     .source = "Das, Gupta, Motivala, DSN 2002; hashicorp/memberlist a8f83c6, which rdaemon-2019 "
               "section 5.4 measured",
     .traits = {.tolerates_faults = true},
     .message_kinds = {"ping", "ack", "ping-request", "nack", "fallback-ping", "gossip", "push",
                       "pull", "report", "join"},
     .metrics = {&kSuspicions, &kRefutations, &kRescuedProbes, &kOpinionsMax, &kDegreeMax},
     .check = check},
    options(), kSwimReport, kSwimJoin)};

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
    : options_(std::move(options)), members_(options_->members, job), self_(self) {}

void Swim::start(Context& context) {
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

void Swim::on_timer(Context& context, std::uint64_t key) {
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
    default:
      invariant(key == kPushPull, "a timer has an unknown key");
      context.set_timer(kPushPull, options_->push_pull_s(live_members()), true);
      push_pull(context);
  }
}

void Swim::on_message(Context& context, const Message& message) {
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

// ---- probes -------------------------------------------------------------------------------------

/// The next one in the order that is not known to be dead; nobody if all are.
std::optional<ActorId> Swim::next_target() {
  for (std::uint64_t seen = 0; seen < 2 * std::uint64_t{members_.count()}; ++seen) {
    if (position_ == members_.count()) {
      order_ = KeyedPermutation(members_.count(), random.next());
      position_ = 0;
    }
    const ActorId target = members_.actor(order_(position_++));
    if (target != self_ && standing_of(target) != Standing::dead) return target;
  }
  return std::nullopt;
}

/// Probes begin at the ticks of a clock. One that takes longer, because this member is not well,
/// lets ticks pass.
void Swim::begin_probe(Context& context) {
  const double period_s = options_->heartbeat_period_s;
  do next_probe_s_ += period_s;
  while (next_probe_s_ <= context.now_s() + kRounding * period_s);
  const auto target = next_target();
  if (!target) return rest(context);
  probe_ = {.stage = Probe::Stage::direct,
            .number = probe_.number + 1,
            .target = context.known(*target),
            .end_s = context.now_s() + period_s * (health_ + 1)};
  const SwimProbeNumber number{self_, probe_.number};
  // A suspect is told at once.
  const bool tells = options_->lifeguard && standing_of(*target) == Standing::suspect;
  SwimUpdates updates =
      tells ? SwimUpdates{as_update(*target, opinions_.at(*target))} : take_updates();
  send_with(context, *target, kSwimPing, std::move(updates)).payload.put(number);
  context.set_timer(kProbe, options_->answer_within_s(), true);
}

/// Until the next period.
void Swim::rest(Context& context) {
  probe_.stage = Probe::Stage::over;
  context.set_timer(kProbe, std::max(0.0, next_probe_s_ - context.now_s()), true);
}

void Swim::ask_others(Context& context) {
  probe_.stage = Probe::Stage::indirect;
  const SwimProbeNumber number{self_, probe_.number};
  const ActorId target = probe_.target.actor;
  const auto helpers = pick(options_->indirect_probes, [&](ActorId actor) {
    return actor != target && standing_of(actor) == Standing::alive;
  });
  for (const ActorId helper : helpers) {
    Message& request = send(context, helper, kSwimPingRequest);
    request.payload.put(SwimPingRequest{number, probe_.target});
  }
  probe_.asked = static_cast<std::uint32_t>(helpers.size());
  if (options_->fallback_probe) send(context, target, kSwimFallbackPing).payload.put(number);
  context.set_timer(kProbe, std::max(0.0, probe_.end_s - context.now_s()), true);
}

// Helpers that do not even say that they had no answer are a sign that it is this member that is
// slow.
void Swim::probe_failed(Context& context) {
  if (probe_.asked > 0)
    change_health(static_cast<int>(probe_.asked - std::min(probe_.asked, probe_.denied)));
  else
    change_health(1);
  hear(context, {.about = probe_.target,
                 .standing = Standing::suspect,
                 .refutations = refutations_of(probe_.target.actor),
                 .by = self_});
  probe_.stage = Probe::Stage::over;
  if (next_probe_s_ <= context.now_s())
    begin_probe(context);
  else
    rest(context);
}

/// Either somebody has answered this member's own probe, or the one that it made for another.
void Swim::acknowledged(Context& context, SwimProbeNumber probe) {
  if (probe.prober != self_) {
    const auto relay = std::find_if(relays_.begin(), relays_.end(), [probe](const Relay& one) {
      return one.probe.prober == probe.prober && one.probe.number == probe.number;
    });
    if (relay == relays_.end()) return;
    relays_.erase(relay);
    send(context, probe.prober, kSwimAck).payload.put(probe);
    return;
  }
  if (probe_.stage == Probe::Stage::over || probe.number != probe_.number) return;
  if (probe_.stage == Probe::Stage::indirect) ++rescues_;
  change_health(-1);
  rest(context);
}

void Swim::change_health(int difference) {
  if (!options_->lifeguard) return;
  const auto worse = static_cast<std::int64_t>(health_) + difference;
  health_ = static_cast<std::uint32_t>(
      std::clamp(worse, std::int64_t{0}, std::int64_t{options_->health_maximum}));
}

void Swim::ping_for(Context& context, const Message& request) {
  const auto [probe, target] = request.payload.get<SwimPingRequest>();
  relays_.push_back({probe, context.now_s() + options_->answer_within_s()});
  send(context, target.actor, kSwimPing).payload.put(probe);
  relay_alarm_.want(context, kRelay, relays_.front().due_s);
}

/// All of them wait equally long, so the first is due first.
void Swim::give_up_relays(Context& context) {
  const double due_s = relay_alarm_.rings();
  const auto late = [due_s](const Relay& relay) { return relay.due_s <= due_s; };
  const auto in_time = std::find_if_not(relays_.begin(), relays_.end(), late);
  if (options_->lifeguard)
    for (auto relay = relays_.begin(); relay != in_time; ++relay)
      send(context, relay->probe.prober, kSwimNack).payload.put(relay->probe);
  relays_.erase(relays_.begin(), in_time);
  if (!relays_.empty()) relay_alarm_.want(context, kRelay, relays_.front().due_s);
}

// ---- opinions -----------------------------------------------------------------------------------

void Swim::hear(Context& context, const SwimUpdate& update) {
  if (stopped_) return;
  if (update.about.actor == self_) return hear_of_me(context, update);
  if (!is_present(context, update.about) || standing_of(update.about.actor) == Standing::dead)
    return;
  switch (update.standing) {
    case Standing::alive:
      return believe_alive(context, update);
    case Standing::suspect:
      return suspect(context, update);
    case Standing::dead:
      return declare_dead(context, update.about);
  }
  invariant(false, "an update says nothing known");
}

/// That it is dead is final, as in section 4.2 of the paper: nobody listens to it any more.
void Swim::hear_of_me(Context& context, const SwimUpdate& update) {
  if (update.about != context.known(self_)) return;
  if (update.standing == Standing::dead) {
    stopped_ = true;
    context.report_failed(update.about);
  } else if (update.standing == Standing::suspect && update.refutations >= refutations_) {
    refutations_ = update.refutations + 1;
    change_health(1);
    spread(context, {.about = update.about, .refutations = refutations_, .by = self_});
  }
}

bool Swim::is_present(Context& context, Incarnation life) {
  const auto found = opinions_.find(life.actor);
  const std::uint16_t latest =
      found == opinions_.end() ? context.known(life.actor).number : found->second.life;
  if (life.number <= latest) return life.number == latest;
  context.learn(life);
  begin_life(context, life);
  return true;
}

/// An actor of which nothing is remembered is alive and has denied nothing.
Swim::Opinion& Swim::remember(Incarnation life) {
  Opinion& opinion = opinions_[life.actor];
  opinion.life = life.number;
  most_opinions_ = std::max(most_opinions_, opinions_.size());
  return opinion;
}

void Swim::end_suspicion(Opinion& opinion, ActorId of) {
  if (opinion.standing == Standing::suspect) suspicions_.erase({opinion.due_s, of});
  opinion.suspected_by = {};
  opinion.due_s = kNever;
  opinion.wanted = 0;
  opinion.least_s = 0.0;
}

void Swim::believe_alive(Context& context, const SwimUpdate& update) {
  if (update.refutations <= refutations_of(update.about.actor)) return;
  Opinion& opinion = remember(update.about);
  end_suspicion(opinion, update.about.actor);
  opinion.standing = Standing::alive;
  opinion.since_s = 0.0;
  opinion.refutations = update.refutations;
  spread(context, update);
}

void Swim::suspect(Context& context, const SwimUpdate& update) {
  if (update.refutations < refutations_of(update.about.actor)) return;
  Opinion& opinion = remember(update.about);
  if (opinion.standing == Standing::suspect) return confirm(context, opinion, update);
  // Nobody else can confirm it if there are too few.
  const std::uint32_t wanted = options_->lifeguard && options_->suspicion_multiplier > 2
                                   ? options_->suspicion_multiplier - 2
                                   : 0;
  opinion.wanted = live_members() < wanted + 2 ? 0 : wanted;
  opinion.standing = Standing::suspect;
  opinion.refutations = update.refutations;
  opinion.since_s = context.now_s();
  opinion.least_s = options_->least_suspicion_s(live_members());
  opinion.due_s = opinion.since_s + options_->suspicion_s(opinion.least_s, 0, opinion.wanted);
  opinion.suspected_by = {update.by};
  suspicions_.insert({opinion.due_s, update.about.actor});
  suspicion_alarm_.want(context, kSuspicion, suspicions_.begin()->first);
  ++suspicions_begun_;
  spread(context, update);
}

/// Who was known to suspect it confirms nothing, nor does anybody once enough have.
void Swim::confirm(Context& context, Opinion& opinion, const SwimUpdate& update) {
  std::vector<ActorId>& by = opinion.suspected_by;
  if (by.size() > opinion.wanted || std::find(by.begin(), by.end(), update.by) != by.end()) return;
  by.push_back(update.by);
  const auto confirmations = static_cast<std::uint32_t>(by.size() - 1);
  suspicions_.erase({opinion.due_s, update.about.actor});
  opinion.due_s =
      opinion.since_s + options_->suspicion_s(opinion.least_s, confirmations, opinion.wanted);
  suspicions_.insert({opinion.due_s, update.about.actor});
  suspicion_alarm_.want(context, kSuspicion, suspicions_.begin()->first);
  spread(context, update);
}

void Swim::suspicions_are_due(Context& context) {
  const double due_s = suspicion_alarm_.rings();
  while (!suspicions_.empty() && suspicions_.begin()->first <= due_s) {
    const ActorId suspect = suspicions_.begin()->second;
    declare_dead(context, {suspect, opinions_.at(suspect).life});
  }
  if (!suspicions_.empty()) suspicion_alarm_.want(context, kSuspicion, suspicions_.begin()->first);
}

void Swim::declare_dead(Context& context, Incarnation dead) {
  Opinion& opinion = remember(dead);
  end_suspicion(opinion, dead.actor);
  opinion.standing = Standing::dead;
  opinion.since_s = context.now_s();
  if (members_.contains(dead.actor)) ++dead_members_;
  spread(
      context,
      {.about = dead, .standing = Standing::dead, .refutations = opinion.refutations, .by = self_});
  context.report_failed(dead);
  if (!members_.are_daemons()) return;
  for (const Rank rank : ranks_of_daemon(context))
    if (standing_of(rank) != Standing::dead)
      context.send(rank, kSwimReport, options_->control_bytes).payload.put(dead);
}

/// The operating system tells a daemon of the end of its ranks, so that is certain.
void Swim::on_local_exit(Context& context, Incarnation rank) {
  hear(context, {.about = rank, .standing = Standing::dead, .by = self_});
}

void Swim::on_peer_restarted(Context& context, Incarnation peer) {
  const auto found = opinions_.find(peer.actor);
  if (found == opinions_.end() || found->second.life < peer.number) begin_life(context, peer);
}

/// Who lives in a later life has died in the one before.
void Swim::begin_life(Context& context, Incarnation life) {
  if (standing_of(life.actor) != Standing::dead)
    declare_dead(context, {life.actor, static_cast<std::uint16_t>(life.number - 1)});
  if (members_.contains(life.actor)) --dead_members_;
  opinions_.erase(life.actor);
  remember(life);
  spread(context, {.about = life, .by = self_});
}

Standing Swim::standing_of(ActorId actor) const {
  const auto found = opinions_.find(actor);
  return found == opinions_.end() ? Standing::alive : found->second.standing;
}

std::uint32_t Swim::refutations_of(ActorId actor) const {
  const auto found = opinions_.find(actor);
  return found == opinions_.end() ? 0 : found->second.refutations;
}

SwimUpdate Swim::as_update(ActorId actor, const Opinion& opinion) const {
  return {.about = {actor, opinion.life},
          .standing = opinion.standing,
          .refutations = opinion.refutations,
          .by = self_};
}

// ---- how it spreads -----------------------------------------------------------------------------

/// A member without news sends no gossip, but its rounds go on at their times.
void Swim::spread(Context& context, const SwimUpdate& update) {
  updates_.add(update);
  if (options_->gossip_members == 0) return;
  const double rounds = (context.now_s() - gossip_phase_s_) / options_->gossip_period_s;
  gossip_alarm_.want(
      context, kGossip,
      gossip_phase_s_ + (std::floor(rounds + kRounding) + 1) * options_->gossip_period_s);
}

SwimUpdates Swim::take_updates() {
  if (updates_.empty()) return {};
  const std::uint32_t room =
      (options_->packet_bytes - options_->control_bytes) / options_->update_bytes;
  return updates_.take(room, options_->transmissions(live_members()));
}

Message& Swim::send(Context& context, ActorId to, std::uint16_t kind) {
  Message& probing = send_with(context, to, kind, take_updates());
  Context::background(probing);
  return probing;
}

Message& Swim::send_with(Context& context, ActorId to, std::uint16_t kind, SwimUpdates updates) {
  const auto bytes =
      static_cast<std::uint32_t>(options_->control_bytes + updates.size() * options_->update_bytes);
  Message& message = context.send(to, kind, bytes);
  if (!updates.empty()) context.attach(message, std::move(updates));
  return message;
}

/// Up to `count` different others that are accepted. Gives up after three draws for each member, as
/// memberlist does.
template <class Accept>
std::vector<ActorId> Swim::pick(std::uint32_t count, Accept accept) {
  std::vector<ActorId> picked;
  const std::uint64_t draws = std::uint64_t{3} * members_.count();
  for (std::uint64_t draw = 0; draw < draws && picked.size() < count; ++draw) {
    const ActorId actor =
        members_.actor(static_cast<std::uint32_t>(random.below(members_.count())));
    if (actor != self_ && std::find(picked.begin(), picked.end(), actor) == picked.end() &&
        accept(actor))
      picked.push_back(actor);
  }
  return picked;
}

void Swim::gossip(Context& context) {
  const double round_s = gossip_alarm_.rings();
  const auto listeners = pick(options_->gossip_members, [&](ActorId actor) {
    return standing_of(actor) != Standing::dead ||
           context.now_s() - opinions_.at(actor).since_s <= options_->gossip_to_dead_s;
  });
  for (const ActorId listener : listeners) {
    SwimUpdates updates = take_updates();
    if (updates.empty()) break;
    send_with(context, listener, kSwimGossip, std::move(updates));
  }
  if (!updates_.empty()) gossip_alarm_.want(context, kGossip, round_s + options_->gossip_period_s);
}

void Swim::push_pull(Context& context) {
  const auto peer = pick(1, [&](ActorId actor) { return standing_of(actor) == Standing::alive; });
  if (!peer.empty()) send_state(context, peer.front(), kSwimPush);
}

/// The real thing sends the state of every member, which is what it costs here. What is said of
/// those who are simply alive has no effect and is left out.
void Swim::send_state(Context& context, ActorId to, std::uint16_t kind) {
  SwimUpdates state{{.about = context.known(self_), .refutations = refutations_, .by = self_}};
  for (const auto& [actor, opinion] : opinions_) state.push_back(as_update(actor, opinion));
  const std::uint64_t bytes =
      options_->control_bytes + std::uint64_t{options_->update_bytes} *
                                    std::max<std::uint64_t>(members_.count(), state.size());
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  Message& message = context.send(to, kind, static_cast<std::uint32_t>(std::min(bytes, kMost)));
  context.attach(message, std::move(state));
  Context::background(message);
}

/// What another one holds for dead is only suspected here, so that it can deny it. A rank that its
/// daemon has seen end is dead.
void Swim::merge_state(Context& context, const SwimUpdates& state) {
  for (SwimUpdate update : state) {
    if (update.standing == Standing::dead && members_.contains(update.about.actor))
      update.standing = Standing::suspect;
    update.by = self_;
    hear(context, update);
  }
}

void Swim::tell_rank_of_all(Context& context, Rank rank) {
  for (const auto& [actor, opinion] : opinions_)
    if (opinion.standing == Standing::dead && actor != rank)
      context.send(rank, kSwimReport, options_->control_bytes)
          .payload.put(Incarnation{actor, opinion.life});
}

// ---- seen from outside --------------------------------------------------------------------------

void Swim::report(MetricTotals& totals) const {
  totals.put(kSuspicions, suspicions_begun_);
  totals.put(kRefutations, refutations_);
  totals.put(kRescuedProbes, rescues_);
  totals.put(kOpinionsMax, most_opinions_);
  totals.put(kDegreeMax, members_.count() - 1);
}

// Who suspects whom first matters to nobody.
void Swim::Opinion::digest(Digest& into) const {
  into.add(standing, life, refutations, wanted, since_s, least_s, due_s);
  into.add_sorted(suspected_by);
}

// When suspicions are due stands in the opinions. How many members are dead, too.
void Swim::digest_state(Digest& into) const {
  into.add(order_, position_, next_probe_s_, probe_, relays_, health_, refutations_, opinions_);
  into.add(updates_, gossip_phase_s_, suspicion_alarm_, relay_alarm_, gossip_alarm_, stopped_);
}

}  // namespace faultline
