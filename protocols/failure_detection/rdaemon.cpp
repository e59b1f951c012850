// SPDX-License-Identifier: Apache-2.0
#include "protocols/failure_detection/rdaemon.hpp"

#include <algorithm>
#include <utility>

#include "protocols/failure_detection/broadcast_graph.hpp"
#include "protocols/failure_detection/degree.hpp"
#include "protocols/failure_detection/ring_options.hpp"
#include "sim/core/invariant.hpp"

namespace faultline::failure_detection {

namespace {

/// `report` goes between daemons, `notice` from a daemon to a process of its node. `registration`
/// comes from a process that was started later. `reports-request` comes from a daemon that misses
/// reports, as one that was started later does. `lives` says that a daemon has been started again;
/// a process may tell its daemon so, too.
enum Kind : std::uint16_t { kReport = kAfterRing, kNotice, kRegistration, kReportsRequest, kLives };

constexpr double kTicksInPeriod = 10.0;    ///< as built
constexpr double kSlackPerDaemon_s = 1.0;  ///< at the start, as built

/// Every node of the job has a daemon, spare nodes included.
std::uint32_t daemons_of(const JobShape& job) { return job.nodes + job.spare_nodes; }

/// As built, the launcher's own daemon, number 0, is no member of the ring.
MemberCircle ring_of(const JobShape& job, bool as_built) {
  const std::uint32_t outside = as_built ? 1 : 0;
  return {job.processes + outside, daemons_of(job) - outside};
}

OptionSet<RdaemonOptions> options() {
  using Options = RdaemonOptions;
  OptionSet<Options> set;
  add_ring_options(set, "rdaemon-2019 section 5.2: 100 ms, and a timeout of two periods");
  set.option("start_slack_s", &Options::start_slack_s,
             {.doc = "time beyond `timeout_s` for the first heartbeat",
              .unit = "s",
              .source = "none in the paper",
              .minimum = 0.0,
              .maximum = 1e6})
      .option("mending_grace_s", &Options::mending_grace_s,
              {.doc = "time beyond `timeout_s` for the first heartbeat that a daemon has asked for",
               .unit = "s",
               .source = "none in the paper",
               .minimum = 0.0,
               .maximum = 1e6})
      .option("broadcast", &Options::broadcast,
              {.doc = "graph over which a report spreads: `bmg`, daemons at distances +-2^k; "
                      "`prrte-as-built`, at +-(2^i - 1) up to i = [ln N] + 1; `routed-tree`, as "
                      "bmg, but each message is relayed along a tree",
               .source = "rdaemon-2019 section 4.6; PRRTE grpcomm/bmg; its pull request 542",
               .choices = {"bmg", "prrte-as-built", "routed-tree"}})
      .option("radix", &Options::radix,
              {.doc = "children of a daemon in the tree of `routed-tree`",
               .source = "PRRTE's default",
               .minimum = 1})
      .option(
          "feed_from_broadcast", &Options::feed_from_broadcast,
          {.doc = "a daemon that mends the ring skips every daemon that has been reported dead; "
                  "otherwise only those that it has suspected itself",
           .source = "rdaemon-2019 section 4.5; PRRTE does not"})
      .option("compare_reports", &Options::compare_reports,
              {.doc = "heartbeats carry a summary of what the emitter has reported; if it differs "
                      "twice from the observer's, the two exchange their reports",
               .source = "not in the paper, whose channels lose nothing"})
      .option(
          "as_built", &Options::as_built,
          {.doc = "the ring as PRRTE builds it: without daemon 0; daemons look at their clocks "
                  "every tenth of a period; each has a second of slack at the start; a new emitter "
                  "has two timeouts",
           .source = "PRRTE errmgr/detector"})
      .option(
          "rejoin", &Options::rejoin,
          {.doc = "a daemon that is started again, on a node that has been repaired, rejoins the "
                  "ring and is watched; never with `as_built`",
           .source = "not in the paper, nor in PRRTE"})
      .option("daemon_cpu_s", &Options::daemon_cpu_s,
              {.doc = "processor time of a daemon for each heartbeat that it sends, each message "
                      "that it gets and each local death",
               .unit = "s",
               .source = "assumed: the machine's overheads alone",
               .minimum = 0.0,
               .maximum = 1e3})
      .option("daemon_delay_s", &Options::daemon_delay_s,
              {.doc = "time from a report's arrival at a daemon until the daemon acts on it; takes "
                      "no processor time",
               .unit = "s",
               .source = "assumed; figures 11 and 12 of rdaemon-2019 mean about 1 ms a hop",
               .minimum = 0.0,
               .maximum = 1e3})
      .option("control_bytes", &Options::control_bytes,
              {.doc = "size of a message", .unit = "B", .source = "assumed: two words"})
      .option("process_bytes", &Options::process_bytes,
              {.doc = "size of each process that a report names: a node's report names all of its "
                      "processes",
               .unit = "B",
               .source = "assumed: job and rank",
               .maximum = 1e6});
  return set;
}

std::vector<OptionProblem> check(const OptionValues& values, const JobShape& job) {
  const RdaemonOptions read = options().read(values);
  std::vector<OptionProblem> problems = ring_problems(read.heartbeat_period_s, read.timeout_s);
  const std::uint32_t needed = read.as_built ? 3 : 2;
  if (daemons_of(job) < needed)
    problems.push_back(
        {read.as_built ? "as_built" : "name", "rdaemon needs " + std::to_string(needed) +
                                                  " nodes, whose daemons watch each other, got " +
                                                  std::to_string(daemons_of(job))});
  return problems;
}

std::vector<std::uint32_t> distances_in_bmg(std::uint32_t daemons) {
  return binomial_distances(daemons, daemons, SendOrder::tree_first);
}

/// The longest time for one hop of a report. Its receiver gets each report of every neighbour, and
/// tells the processes of its node of it.
double report_hop_s(const RdaemonOptions& options, const DetectionCase& death,
                    std::size_t neighbours) {
  const double ranks = death.job.processes_per_node;
  const double bytes = static_cast<double>(options.control_bytes) +
                       (1.0 + ranks) * static_cast<double>(options.process_bytes);
  const double reports = (static_cast<double>(death.deaths) + death.dead_nodes) *
                         (static_cast<double>(neighbours) + ranks);
  return death.message.longest_s(bytes) + options.daemon_delay_s +
         2.0 * (reports * options.daemon_cpu_s + death.message.busy_s(reports, reports * bytes));
}

/// Until the ring finds a death, at the start of the job and in the worst place.
double ring_finds_s(const RdaemonOptions& options, const DetectionCase& death) {
  const auto daemons = static_cast<double>(daemons_of(death.job));
  const double start_s = options.as_built ? kSlackPerDaemon_s * daemons : options.start_slack_s;
  const double grace_s = options.as_built ? options.timeout_s : options.mending_grace_s;
  const double deadline_s = options.timeout_s + grace_s + options.heartbeat_period_s +
                            death.message.longest_s(static_cast<double>(options.control_bytes));
  // A daemon that does not leave out those that others have found finds each of the dead anew.
  const double dead = death.dead_nodes;
  const double found_s = ring_bound_s(deadline_s, options.feed_from_broadcast ? dead : dead * dead);
  const double joining_s = death.disturbed ? daemons * options.heartbeat_period_s : 0.0;
  return start_s + found_s + joining_s;
}

/// docs/protocols/rdaemon.md, "When a death is known".
DetectionBound bound(const OptionValues& values, const DetectionCase& death) {
  const RdaemonOptions read = options().read(values);
  const std::uint32_t daemons = daemons_of(death.job);
  const std::size_t neighbours = distances_in_bmg(daemons).size();
  const double beat_s = death.message.busy_s(2.0, 2.0 * static_cast<double>(read.control_bytes)) +
                        2.0 * read.daemon_cpu_s;
  if (2.0 * beat_s > read.heartbeat_period_s) return no_bound_under_load();
  DetectionBound bound{.within_s =
                           death.local_exit_s + (most_hops(daemons, death.dead_nodes) + 1.0) *
                                                    report_hop_s(read, death, neighbours)};
  if (death.with_daemon) bound.within_s += ring_finds_s(read, death);
  if (death.with_daemon && death.daemon_life > 0 && !read.rejoins())
    bound.unwatched = "a daemon that is started again has no place in the ring";
  if (read.as_built)
    bound.unpromised = "as PRRTE builds it, nobody observes daemon 0";
  else if (read.broadcast != "bmg")
    bound.unpromised = "not every report reaches all daemons in the graph " + read.broadcast;
  else if (can_cut_off(death.dead_nodes, neighbours))
    bound.unpromised = "so many dead daemons can cut one off";
  else if (death.with_daemon && !read.rejoins() && death.all_deaths + 1 >= daemons)
    bound.unpromised = "so few daemons in their first life may be left that nobody observes one";
  return bound;
}

Registration rdaemon() {
  Registration rdaemon = registration<Rdaemon>(
      {.family = Family::failure_detection,
       .name = "rdaemon",
       .summary = "daemons watch each other on a ring and spread reports over a binomial graph",
       .source = "rdaemon-2019 section 4",
       .traits =
           DetectorTraits{
               .residence = [](const OptionValues&) { return Residence::ranks_and_daemons; },
               .bound = bound},
       .message_kinds = {"heartbeat", "heartbeat-request", "report", "notice", "registration",
                         "reports-request", "lives"},
       .metrics = {&kDegreeMax},
       .check = check},
      options());
  rdaemon.make = [at_daemons = rdaemon.make](const OptionValues& values,
                                             const JobShape& job) -> ComponentFactory {
    const RdaemonOptions read = options().read(values);
    return [daemon = at_daemons(values, job), processes = job.processes,
            control_bytes = read.control_bytes,
            rejoin = read.rejoins()](ActorId self) -> std::unique_ptr<Component> {
      if (self < processes) return std::make_unique<RdaemonClient>(control_bytes, rejoin);
      return daemon(self);
    };
  };
  return rdaemon;
}

const Registered registered{rdaemon()};

}  // namespace

// ---- the daemon -------------------------------------------------------------------------------

Rdaemon::Rdaemon(std::shared_ptr<const Options> options, const JobShape& job, ActorId self)
    : options_(std::move(options)),
      daemons_{job.processes, daemons_of(job)},
      ring_(ring_of(job, options_->as_built), self),
      degree_(degree(self)) {}

RingTerms Rdaemon::terms() const {
  RingTerms terms{.period_s = options_->heartbeat_period_s,
                  .beat_every_s = options_->heartbeat_period_s,
                  .timeout_s = options_->timeout_s,
                  .start_slack_s = options_->start_slack_s,
                  .mending_grace_s = options_->mending_grace_s,
                  .rejoin = options_->rejoins(),
                  .summary = options_->compare_reports ? reported_.summary() : 0,
                  .bytes = options_->control_bytes,
                  .cpu_s = options_->daemon_cpu_s};
  if (!options_->as_built) return terms;
  terms.start_slack_s = kSlackPerDaemon_s * (daemons_.members - 1);
  terms.mending_grace_s = terms.timeout_s;
  terms.tick_s = terms.period_s / kTicksInPeriod;
  return terms;
}

/// The processes of a daemon that is started again must hear of deaths, so it lets its neighbours
/// in the graph know that it lives.
void Rdaemon::start(DetectorContext& context) {
  ring_.start(context, terms(), random.uniform());
  if (context.incarnation() > 0) announce(context);
}

void Rdaemon::announce(DetectorContext& context) {
  const bool again = announcements_.have_begun();
  announcements_.next(daemons_, context.self(), distances(context.self()), [&](ActorId to) {
    Message& request = context.send(to, kReportsRequest, options_->control_bytes);
    if (again) DetectorContext::background(request);
  });
}

void Rdaemon::on_timer(DetectorContext& context, std::uint64_t key) {
  if (key >= ReportTimer::kFirst) return act_on(context, ReportTimer::death(key));
  const ActorId overdue = ring_.on_timer(context, terms(), key);
  if (ring_.is_joining()) announce(context);
  if (overdue == kNobody) return;
  const Incarnation dead = ring_.life_of(overdue);
  ring_.leave_out(context, terms(), dead);
  start_propagation(context, dead);
}

/// A daemon that lives in a later life has died in all before it. What it can do, others learn from
/// this one: they take it in, too.
void Rdaemon::on_peer_restarted(DetectorContext& context, Incarnation peer) {
  if (!options_->rejoins() || !daemons_.contains(peer.actor)) return;
  for (std::uint16_t before = 0; before < peer.number; ++before)
    start_propagation(context, {peer.actor, before});
  if (reported_.contains(peer)) return;
  ring_.take_in(context, terms(), peer);
  for (const std::uint32_t distance : distances(context.self()))
    if (const ActorId to = daemons_.after(context.self(), distance); to != peer.actor)
      send_report(context, kLives, {peer, to}, options_->control_bytes);
}

void Rdaemon::on_life(DetectorContext& context, const Message& message) const {
  const auto news = message.payload.get<DeathReport>();
  if (news.to != context.self()) return send_report(context, kLives, news, message.bytes);
  context.learn(news.dead);
}

void Rdaemon::on_local_exit(DetectorContext& context, Incarnation rank) {
  context.spend(options_->daemon_cpu_s);
  start_propagation(context, rank);
}

void Rdaemon::on_message(DetectorContext& context, const Message& message) {
  context.spend(options_->daemon_cpu_s);
  switch (message.kind) {
    case kHeartbeat:
      on_heartbeat(context, message);
      break;
    case kHeartbeatRequest:
      ring_.got_request(context, terms(), message);
      break;
    case kReport:
      on_report(context, message);
      break;
    case kReportsRequest:
      ring_.ask_again(context, terms(), message.from);
      send_all_reports(context, message.from);
      break;
    case kLives:
      on_life(context, message);
      break;
    default:
      invariant(message.kind == kRegistration, "a message to a daemon has an unknown kind");
      tell_all(context, message.from);
  }
}

void Rdaemon::on_heartbeat(DetectorContext& context, const Message& message) {
  if (!ring_.got_heartbeat(context, terms(), message) || !options_->compare_reports) return;
  if (!comparison_.found_loss(message.payload.get<std::uint64_t>(), reported_.summary())) return;
  context.send(message.from, kReportsRequest, options_->control_bytes);
  send_all_reports(context, message.from);
}

void Rdaemon::send_all_reports(DetectorContext& context, ActorId daemon) const {
  for (const Incarnation dead : reported_.all())
    send_report(context, kReport, {dead, daemon}, bytes_of(context, dead));
}

// StartPropagation(Eid): "if Eid not in Reported_i"
void Rdaemon::start_propagation(DetectorContext& context, Incarnation dead) {
  if (reported_.insert(dead)) act_on(context, dead);
}

// Forwarding(msg): "if msg is not part of Reported_j". The report of a node stands for its
// processes, so that one entry holds them all.
void Rdaemon::on_report(DetectorContext& context, const Message& message) {
  const auto report = message.payload.get<DeathReport>();
  if (report.to != context.self()) return send_report(context, kReport, report, message.bytes);
  if (report.dead == Incarnation{context.self(), context.incarnation()})
    return context.report_failed(report.dead);  // the sender errs, and this node has to stop
  if (!reported_.insert(report.dead)) return;
  if (options_->daemon_delay_s > 0.0)
    context.set_timer(ReportTimer::key(report.dead), options_->daemon_delay_s);
  else
    act_on(context, report.dead);
}

void Rdaemon::act_on(DetectorContext& context, Incarnation dead) {
  context.report_failed(dead);
  reliable_broadcast(context, dead);
  if (options_->feed_from_broadcast) ring_.leave_out(context, terms(), dead);
}

// ReliableBroadcast(i, N, msg)
void Rdaemon::reliable_broadcast(DetectorContext& context, Incarnation dead) const {
  const std::uint64_t bytes = bytes_of(context, dead);
  for (const std::uint32_t distance : distances(context.self()))
    send_report(context, kReport, {dead, daemons_.after(context.self(), distance)}, bytes);
  for (const Rank lp : context.placement().ranks_on(context.self() - daemons_.first))
    if (!reported_.contains(context.known(lp))) context.send(lp, kNotice, bytes).payload.put(dead);
}

std::size_t Rdaemon::degree(ActorId daemon) const {
  if (options_->broadcast == "routed-tree")
    return RoutingTree{options_->radix}.degree(daemon - daemons_.first, daemons_.members);
  return distances(daemon).size();
}

void Rdaemon::report(MetricTotals& totals) const { totals.put(kDegreeMax, degree_); }

/// The distances from a daemon to its neighbours in the graph.
std::vector<std::uint32_t> Rdaemon::distances(ActorId daemon) const {
  const std::uint32_t N = daemons_.members;
  const bool is_even = (daemon - daemons_.first) % 2 == 0;
  return options_->broadcast == "prrte-as-built" ? prrte_distances(N, is_even)
                                                 : binomial_distances(N, N, SendOrder::tree_first);
}

/// Sends a report, or the news that a daemon lives again, to its receiver, or one hop towards it.
void Rdaemon::send_report(DetectorContext& context, std::uint16_t kind, const DeathReport& report,
                          std::uint64_t bytes) const {
  ActorId hop = report.to;
  if (options_->broadcast == "routed-tree")
    hop = daemons_.first + RoutingTree{options_->radix}.next_hop(context.self() - daemons_.first,
                                                                 report.to - daemons_.first);
  context.send(hop, kind, bytes).payload.put(report);
}

/// "If Eid is a daemon, add Hosted{Eid} to msg."
std::uint64_t Rdaemon::bytes_of(const DetectorContext& context, Incarnation dead) const {
  const Placement& placement = context.placement();
  std::uint64_t named = 1;
  if (daemons_.contains(dead.actor))
    named += placement.ranks_on(placement.node_of(dead.actor)).size();
  return options_->control_bytes + named * options_->process_bytes;
}

/// Tells a process that was started later of every death that this daemon knows of. The processes
/// of a dead daemon may still be dead when another one is in its place. A process that has died in
/// a later life than this daemon knows of has told it nothing.
void Rdaemon::tell_all(DetectorContext& context, Rank rank) const {
  for (const Incarnation dead : reported_.all())
    if (dead.number >= context.known(dead.actor).number || daemons_.contains(dead.actor))
      context.send(rank, kNotice, bytes_of(context, dead)).payload.put(dead);
}

// ---- the processes ----------------------------------------------------------------------------

/// The daemon tells the processes that run from the start. A process that starts later has missed
/// what the daemon told before.
void RdaemonClient::start(DetectorContext& context) {
  if (context.incarnation() == 0) return;
  const Placement& placement = context.placement();
  context.send(placement.daemon_of(placement.node_of(context.self())), kRegistration,
               control_bytes_);
}

void RdaemonClient::on_message(DetectorContext& context, const Message& message) {
  context.report_failed(message.payload.get<Incarnation>());
}

/// A process that has asked for a new one, and is told that a new daemon has started with it, may
/// be the only one that knows of that daemon.
void RdaemonClient::on_peer_restarted(DetectorContext& context, Incarnation peer) {
  const Placement& placement = context.placement();
  const ActorId own = placement.daemon_of(placement.node_of(context.self()));
  if (rejoin_ && peer.actor >= context.job().processes && peer.actor != own)
    context.send(own, kLives, control_bytes_).payload.put(DeathReport{peer, own});
}

}  // namespace faultline::failure_detection
