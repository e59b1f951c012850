// SPDX-License-Identifier: Apache-2.0
#include "protocols/failure_detection/ulfm.hpp"

#include <cmath>
#include <utility>

#include "protocols/failure_detection/broadcast_graph.hpp"
#include "protocols/failure_detection/degree.hpp"
#include "protocols/failure_detection/ring_options.hpp"
#include "sim/core/invariant.hpp"

namespace faultline::failure_detection {

namespace {

/// `reports-request` comes from a process that was started later, which misses earlier reports.
/// `lives` tells others of such a process.
enum Kind : std::uint16_t { kReport = kAfterRing, kReportsRequest, kLives };

OptionSet<UlfmOptions> options() {
  using Options = UlfmOptions;
  OptionSet<Options> set;
  add_ring_options(set, "Open MPI's default without a thread of the detector's own");
  set.option(
         "late_loop_rule", &Options::late_loop_rule,
         {.doc = "a process that comes to its deadline late by a thousandth of a period or more "
                 "looks once more, a tenth of a period later, before it suspects; with "
                 "`as_built`: one that looks at its clock late by a period or more, and was in "
                 "time when it looked before",
          .source = "Open MPI comm_ft_detector.c"})
      .option("as_built", &Options::as_built,
              {.doc = "the ring as Open MPI builds it: processes look at their clocks every tenth "
                      "of a period, instead of setting timers",
               .source = "Open MPI comm_ft_detector.c"})
      .option("rejoin", &Options::rejoin,
              {.doc = "a process that is started again rejoins the ring and is watched; never with "
                      "`as_built`",
               .source = "not in Open MPI, where it is no member of MPI_COMM_WORLD"})
      .option("in_band", &Options::in_band,
              {.doc = "a process holds a link to each process of its node, and takes it for dead "
                      "when the link breaks",
               .source = "rdaemon-2019 section 5.5"})
      .option("message_cpu_s", &Options::message_cpu_s,
              {.doc = "processor time for each heartbeat that a process sends, each message that "
                      "it gets and each link that breaks",
               .unit = "s",
               .source = "assumed: the machine's overheads alone",
               .minimum = 0.0,
               .maximum = 1e3})
      .option("message_delay_s", &Options::message_delay_s,
              {.doc = "time from a report's arrival until the process acts on it; takes no "
                      "processor time",
               .unit = "s",
               .source = "assumed",
               .minimum = 0.0,
               .maximum = 1e3})
      .option("control_bytes", &Options::control_bytes,
              {.doc = "size of a message", .unit = "B", .source = "assumed: two words"});
  return set;
}

std::vector<OptionProblem> check(const OptionValues& values, const JobShape& job) {
  const UlfmOptions read = options().read(values);
  std::vector<OptionProblem> problems = ring_problems(read.heartbeat_period_s, read.timeout_s);
  if (job.processes < 2)
    problems.push_back({"name", "ulfm needs 2 processes, which watch each other, got 1"});
  return problems;
}

constexpr double kBeatAfter = 0.9;  ///< periods from one heartbeat to the next
constexpr double kSlack_s = 1.0;    ///< at the start, beside a timeout and ln N seconds

/// Until the first heartbeat, beyond the timeout.
double start_slack_s(const UlfmOptions& options, std::uint32_t processes) {
  return options.timeout_s + kSlack_s + std::log(static_cast<double>(processes));
}

/// The longest time for one hop of a report. Its receiver gets each report of every neighbour, and
/// shares its NIC with the other processes of its node.
double report_hop_s(const UlfmOptions& options, const DetectionCase& death,
                    std::size_t neighbours) {
  const auto bytes = static_cast<double>(options.control_bytes);
  const double reports = static_cast<double>(death.deaths) * static_cast<double>(neighbours);
  const double of_node = reports * death.job.processes_per_node;
  return death.message.longest_s(bytes) + options.message_delay_s +
         2.0 * (reports * options.message_cpu_s + death.message.busy_s(of_node, of_node * bytes));
}

/// docs/protocols/ulfm.md, "When a death is known". What links tell comes earlier.
DetectionBound bound(const OptionValues& values, const DetectionCase& death) {
  const UlfmOptions read = options().read(values);
  const std::uint32_t ranks = death.job.processes;
  const std::size_t neighbours =
      binomial_distances(ranks, ranks / 2, SendOrder::alternating).size();
  const auto bytes = static_cast<double>(read.control_bytes);
  const double beats = 2.0 * death.job.processes_per_node;
  const double beat_s =
      std::max(death.message.busy_s(beats, beats * bytes), 2 * read.message_cpu_s);
  if (2.0 * beat_s > kBeatAfter * read.heartbeat_period_s) return no_bound_under_load();
  const double deadline_s =
      2.0 * read.timeout_s + read.heartbeat_period_s + death.message.longest_s(bytes);
  const double joining_s = death.disturbed ? ranks * read.heartbeat_period_s : 0.0;
  DetectionBound bound{
      .within_s = start_slack_s(read, ranks) + ring_bound_s(deadline_s, death.deaths) + joining_s +
                  (most_hops(ranks, death.deaths) + 1.0) * report_hop_s(read, death, neighbours)};
  if (death.process_life > 0 && !read.rejoins())
    bound.unwatched = "a process that is started again has no place in the ring";
  if (can_cut_off(death.deaths, neighbours))
    bound.unpromised = "so many dead processes can cut one off";
  else if (!read.rejoins() && death.all_deaths + 1 >= ranks)
    bound.unpromised = "so few processes in their first life may be left that nobody observes one";
  return bound;
}

constexpr MetricSpec kLateLooks{
    "late_looks", Merge::sum,
    "how often a process would have suspected another, but blamed itself for having looked late"};

const Registered registered{registration<Ulfm>(
    {.family = Family::failure_detection,
     .name = "ulfm",
     .summary = "processes watch each other on a ring, and see processes on their node die at once",
     .source = "rdaemon-2019 section 5.5; ULFM Open MPI",
     .traits = DetectorTraits{.bound = bound},
     .message_kinds = {"heartbeat", "heartbeat-request", "report", "reports-request", "lives"},
     .metrics = {&kLateLooks, &kDegreeMax},
     .check = check},
    options())};

}  // namespace

Ulfm::Ulfm(std::shared_ptr<const Options> options, const JobShape& job, Rank self)
    : options_(std::move(options)),
      ranks_{0, job.processes},
      start_slack_s_(start_slack_s(*options_, job.processes)),
      ring_(ranks_, self) {}

// At the start, the last heartbeat is taken to have come a timeout, a second and ln N seconds in
// the future; when the ring is mended, a timeout in the future. Open MPI sends a heartbeat at the
// first look that is 0.9 periods after the last one.
RingTerms Ulfm::terms() const {
  constexpr double kTicksInPeriod = 10.0;
  constexpr double kLateInPeriod = 1e-3;
  const double period_s = options_->heartbeat_period_s;
  const double tick_s = period_s / kTicksInPeriod;
  RingTerms terms{.period_s = period_s,
                  .beat_every_s = kBeatAfter * period_s,
                  .timeout_s = options_->timeout_s,
                  .start_slack_s = start_slack_s_,
                  .mending_grace_s = options_->timeout_s,
                  .look_again_s = tick_s,
                  .rejoin = options_->rejoins(),
                  .bytes = options_->control_bytes,
                  .cpu_s = options_->message_cpu_s};
  if (options_->as_built) terms.tick_s = tick_s;
  // What has come while the process could not run waits behind its deadline, however little later
  // than the deadline it could run again.
  if (options_->late_loop_rule)
    terms.late_by_s = options_->as_built ? period_s : kLateInPeriod * period_s;
  return terms;
}

void Ulfm::start(DetectorContext& context) {
  ring_.start(context, terms(), random.uniform());
  if (context.incarnation() > 0) announce(context);
  if (!options_->in_band) return;
  const Placement& placement = context.placement();
  for (const Rank other : placement.ranks_on(placement.node_of(context.self())))
    if (other != context.self()) context.open_link(other);
}

void Ulfm::announce(DetectorContext& context) {
  const bool again = announcements_.have_begun();
  announcements_.next(ranks_, context.self(), distances(), [&](ActorId to) {
    Message& request = context.send(to, kReportsRequest, options_->control_bytes);
    if (again) DetectorContext::background(request);
  });
}

// What this process finds out itself it also tells the suspect: a process that lives must learn
// that it has to stop, since all others will leave it out.
void Ulfm::on_timer(DetectorContext& context, std::uint64_t key) {
  if (key >= ReportTimer::kFirst) return act_on(context, ReportTimer::death(key));
  const ActorId overdue = ring_.on_timer(context, terms(), key);
  if (ring_.is_joining()) announce(context);
  if (overdue == kNobody) return;
  const Incarnation dead = ring_.life_of(overdue);
  if (!reported_.insert(dead)) return;
  if (dead == context.known(overdue)) send_report(context, overdue, dead);
  act_on(context, dead);
}

// A process whose end of a link has been closed is certainly dead.
void Ulfm::on_link_lost(DetectorContext& context, Incarnation peer) {
  context.spend(options_->message_cpu_s);
  if (reported_.insert(peer)) act_on(context, peer);
}

// A process that lives in a later life has died in all before it.
void Ulfm::on_peer_restarted(DetectorContext& context, Incarnation peer) {
  if (!options_->rejoins()) return;
  for (std::uint16_t before = 0; before < peer.number; ++before)
    if (const Incarnation dead{peer.actor, before}; reported_.insert(dead)) act_on(context, dead);
  if (reported_.contains(peer)) return;
  ring_.take_in(context, terms(), peer);
  const Placement& placement = context.placement();
  if (options_->in_band && placement.node_of(peer.actor) == placement.node_of(context.self()))
    context.open_link(peer.actor);
  for (const std::uint32_t distance : distances())
    if (const ActorId to = neighbour(context, distance); to != kNobody && to != peer.actor)
      context.send(to, kLives, options_->control_bytes).payload.put(peer);
}

void Ulfm::on_message(DetectorContext& context, const Message& message) {
  context.spend(options_->message_cpu_s);
  switch (message.kind) {
    case kHeartbeat:
      ring_.got_heartbeat(context, terms(), message);
      break;
    case kHeartbeatRequest:
      ring_.got_request(context, terms(), message);
      break;
    case kReport:
      on_report(context, message.payload.get<Incarnation>());
      break;
    case kLives:
      context.learn(message.payload.get<Incarnation>());
      break;
    default:
      invariant(message.kind == kReportsRequest, "a message of the detector has an unknown kind");
      ring_.ask_again(context, terms(), message.from);
      send_all_reports(context, message.from);
  }
}

/// Tells a process that was started later of all deaths that this one knows of.
void Ulfm::send_all_reports(DetectorContext& context, Rank to) const {
  for (const Incarnation dead : reported_.all())
    if (dead == context.known(dead.actor)) send_report(context, to, dead);
}

void Ulfm::on_report(DetectorContext& context, Incarnation dead) {
  if (dead == Incarnation{context.self(), context.incarnation()})
    return context.report_failed(dead);  // the sender errs, and this process has to stop
  if (!reported_.insert(dead)) return;
  if (options_->message_delay_s > 0.0)
    context.set_timer(ReportTimer::key(dead), options_->message_delay_s);
  else
    act_on(context, dead);
}

/// The ring and the broadcast leave out processes that are known to be dead.
void Ulfm::act_on(DetectorContext& context, Incarnation dead) {
  context.report_failed(dead);
  ring_.leave_out(context, terms(), dead);
  for (const std::uint32_t distance : distances()) {
    const ActorId to = neighbour(context, distance);
    if (to != kNobody) send_report(context, to, dead);
  }
}

/// The distances from a process to its neighbours in the graph.
std::vector<std::uint32_t> Ulfm::distances() const {
  const std::uint32_t N = ranks_.members;
  return binomial_distances(N, N / 2, SendOrder::alternating);
}

/// The neighbour at that distance, or kNobody if it is dead. The next one on either side is
/// replaced by the next live one, so that the ring of the living is part of the graph.
ActorId Ulfm::neighbour(const DetectorContext& context, std::uint32_t distance) const {
  const auto is_dead = [&](ActorId member) { return reported_.contains(context.known(member)); };
  const bool is_next = distance == 1 || distance == ranks_.members - 1;
  ActorId member = ranks_.after(context.self(), distance);
  while (is_next && member != context.self() && is_dead(member))
    member = ranks_.after(member, distance);
  return member == context.self() || is_dead(member) ? kNobody : member;
}

void Ulfm::report(MetricTotals& totals) const {
  totals.put(kLateLooks, ring_.late_looks());
  totals.put(kDegreeMax, distances().size());
}

void Ulfm::send_report(DetectorContext& context, Rank to, Incarnation dead) const {
  context.send(to, kReport, options_->control_bytes).payload.put(dead);
}

}  // namespace faultline::failure_detection
