// SPDX-License-Identifier: Apache-2.0
#include "analysis/lemmas/lemma_subjects.hpp"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <utility>

#include "analysis/lemmas/detection_subjects.hpp"
#include "sim/core/random.hpp"

namespace faultline::lemmas {

namespace {

/// Sets as many helpers as the schedule has.
OptionValues helpers_under(const FaultSchedule& schedule) {
  return {{"helpers", std::int64_t{helpers_of(schedule)}}};
}

/// Puts the subject over a failure detector whose reports are messages. These overtake others, and
/// come from processes that have been started again.
LemmaSubject over_connection_loss(LemmaSubject subject) {
  subject.name += " over connection-loss";
  subject.stack.components[Family::failure_detection] = {.name = "connection-loss",
                                                         .options = {{"radix", std::int64_t{2}}}};
  const auto draw_usual = std::move(subject.draw);
  subject.draw = [draw_usual](std::uint64_t number) {
    FaultSchedule schedule = draw_usual(number);
    schedule.exit_delay_s = schedule.notice_s;
    schedule.silent_loss_s = 2 * schedule.notice_s;
    return schedule;
  };
  return subject;
}

/// The termination detectors that message logging can put back, by name.
std::vector<const Registration*> detectors_with_images() {
  std::vector<const Registration*> detectors;
  for (const Registration& one : registrations())
    if (one.family == Family::termination && one.has_images()) detectors.push_back(&one);
  return detectors;
}

/// Puts the subject below termination detectors, one for each schedule. The detector's announcement
/// ends the run.
LemmaSubject below_detectors(LemmaSubject subject) {
  subject.name += " below detectors";
  const auto draw_usual = std::move(subject.draw);
  subject.draw = [draw_usual, detectors = detectors_with_images()](std::uint64_t number) {
    const Registration& detector = *detectors[number % detectors.size()];
    FaultSchedule schedule = draw_usual(number);
    schedule.termination = detector.name;
    if (detector.needs_fifo()) schedule.reordering_s = 0.0;
    // The detector has its own messages, and goes on when the program is over.
    Stream random(number, 3, Purpose::faults, 0);
    for (faults::FaultSpec& fault : schedule.faults)
      if (fault.event) *fault.event = 1 + *fault.event * (1 + random.below(3));
    return schedule;
  };
  return subject;
}

/// Puts the subject under programs of try-script in which the world does not shrink, since
/// exchanges among some ranks need all of them.
LemmaSubject under_try_script(LemmaSubject subject) {
  subject.name += " under try-script";
  const auto draw_usual = std::move(subject.draw);
  subject.draw = [draw_usual](std::uint64_t number) {
    FaultSchedule schedule = draw_usual(number);
    const auto recovery = schedule.transactions.find("recovery");
    const bool shrinks = recovery != schedule.transactions.end() &&
                         recovery->second == OptionValue(std::string("shrink"));
    if (!shrinks) schedule.workload = "try-script";
    return schedule;
  };
  return subject;
}

/// The failure detectors over which wide schedules are tried, and what may die under them.
struct WideDetector {
  std::string name;
  NamedComponent component;
  WideFaults faults;
  void (*fit)(FaultSchedule&) = nullptr;  ///< leaves out what the detector does not promise to find
};

/// The stream that draws a detector's options for a schedule.
Stream stream_of_options(const FaultSchedule& schedule) {
  return {schedule.seed, 5, Purpose::faults, 0};
}

/// Options for a tree of any shape, with messages of any size.
OptionValues connection_options(const FaultSchedule& schedule) {
  Stream random = stream_of_options(schedule);
  OptionValues options{{"radix", static_cast<std::int64_t>(1 + random.below(5))}};
  if (random.chance(0.3)) options["control_bytes"] = static_cast<std::int64_t>(random.below(5000));
  if (random.chance(0.3)) options["entry_bytes"] = static_cast<std::int64_t>(random.below(5000));
  return options;
}

/// True for some schedules, whose ring is as PRRTE builds it, with many heartbeats.
bool is_as_built(std::uint64_t seed) { return seed % 16 == 0; }

OptionValues rdaemon_options(const FaultSchedule& schedule) {
  Stream random = stream_of_options(schedule);
  OptionValues options{{"heartbeat_period_s", schedule.period_s},
                       {"timeout_s", schedule.timeout_s},
                       {"as_built", is_as_built(schedule.seed)}};
  for (const char* option : {"feed_from_broadcast", "compare_reports"})
    if (random.chance(0.5)) options[option] = random.chance(0.5);
  for (const char* option : {"mending_grace_s", "daemon_delay_s"})
    if (random.chance(0.3)) options[option] = random.uniform() * schedule.period_s;
  if (random.chance(0.3)) options["daemon_cpu_s"] = random.uniform() * 1e-5;
  return options;
}

OptionValues swim_options(const FaultSchedule& schedule) {
  Stream random = stream_of_options(schedule);
  OptionValues options{{"heartbeat_period_s", schedule.period_s},
                       {"gossip_period_s", schedule.period_s / 5},
                       {"gossip_to_dead_s", 30 * schedule.period_s},
                       {"push_pull_period_s", 5 * schedule.period_s},
                       {"retransmit_multiplier", std::int64_t{16}}};
  if (random.chance(0.5)) options["lifeguard"] = random.chance(0.5);
  if (random.chance(0.3)) options["indirect_probes"] = static_cast<std::int64_t>(random.below(6));
  if (random.chance(0.3)) options["fallback_probe"] = random.chance(0.5);
  if (random.chance(0.3))
    options["gossip_members"] = static_cast<std::int64_t>(1 + random.below(4));
  return options;
}

void leave_out_harmless(FaultSchedule& schedule) {
  std::erase_if(schedule.faults, [](const faults::FaultSpec& fault) {
    return fault.ranks.empty() && fault.nodes.empty() && fault.daemons.empty();
  });
}

/// Limits the deaths of daemons, so that nobody is cut off. As PRRTE builds it, nobody watches the
/// first daemon, and it watches nobody, so another daemon has to be left.
void fit_rdaemon(FaultSchedule& schedule) {
  const bool as_built = is_as_built(schedule.seed);
  const std::uint32_t daemons = nodes_of(schedule) + schedule.spare_nodes;
  const std::size_t most = as_built ? 1 : fewest_that_cut_off(daemons) - 1;
  std::set<NodeId> dead;
  for (faults::FaultSpec& fault : schedule.faults)
    std::erase_if(fault.nodes, [&](NodeId node) {
      if (as_built && node == 0) return true;
      if (dead.size() < most) dead.insert(node);
      return !dead.contains(node);
    });
  leave_out_harmless(schedule);
}

/// Limits the deaths and the start: Open MPI's detector watches no process that has been started
/// again, three deaths can cut off one of four processes, and the slack at its start is in seconds.
void fit_ulfm(FaultSchedule& schedule) {
  schedule.period_s = 1.0;
  schedule.timeout_s = 2.5;
  std::vector<Rank> dead;
  for (faults::FaultSpec& fault : schedule.faults) {
    fault.nodes.clear();
    std::erase_if(fault.ranks, [&dead](Rank rank) {
      const bool is_one_more =
          dead.size() < 2 && std::find(dead.begin(), dead.end(), rank) == dead.end();
      if (is_one_more) dead.push_back(rank);
      return !is_one_more;
    });
  }
  leave_out_harmless(schedule);
}

std::vector<WideDetector> wide_detectors() {
  const OptionValues ranks{{"members", std::string("ranks")}};
  const OptionValues daemons{{"members", std::string("daemons")}};
  const WideFaults found_late{.found_late = true};
  return {{"connection-loss",
           {"connection-loss", daemons, connection_options},
           {.daemons = true, .found_late = true, .noise = true}},
          {"connection-loss of ranks",
           {"connection-loss", ranks, connection_options},
           {.found_late = true, .noise = true}},
          {"rdaemon", {"rdaemon", {}, rdaemon_options}, found_late, fit_rdaemon},
          {"ulfm", detection_subject("ulfm").stack.components.at(Family::failure_detection),
           found_late, fit_ulfm},
          {"swim", {"swim", ranks, swim_options}, found_late},
          {"swim of daemons", {"swim", daemons, swim_options}, found_late}};
}

LemmaSubject wide(const std::string& name, const BlockProtocol& protocol,
                  const WideFaults& faults) {
  return {name + " wide", committing(protocol.name), [protocol, faults](std::uint64_t number) {
            FaultSchedule schedule = draw_wide_block_schedule(number, protocol, faults);
            schedule.exit_delay_s = schedule.notice_s;
            schedule.silent_loss_s = 2 * schedule.notice_s;
            return schedule;
          }};
}

/// Adds some of the subjects once more, changed.
void add_changed(std::vector<LemmaSubject>& subjects, LemmaSubject (*changed)(LemmaSubject),
                 std::initializer_list<const char*> names) {
  for (const char* name : names)
    subjects.push_back(
        changed(*std::find_if(subjects.begin(), subjects.end(),
                              [name](const LemmaSubject& one) { return one.name == name; })));
}

/// Makes the subjects of message logging; the variants are those whose recovery differs.
std::vector<LemmaSubject> recovery_subjects() {
  std::vector<LemmaSubject> subjects;
  const auto add = [&](const std::string& name, const std::string& protocol,
                       const RecoveryPromise& promise, const OptionValues& options = {},
                       bool helped = false) {
    const auto& traits = find_registration(Family::message_logging, protocol)->as<RecoveryTraits>();
    const RecoverableProgram program{
        .any_order = !traits.needs_order_free, .unordered = !traits.needs_fifo, .helped = helped};
    ProtocolStack stack = recovering(protocol, promise, options);
    if (helped) stack.components[Family::message_logging].scheduled_options = helpers_under;
    subjects.push_back({name, std::move(stack), [program](std::uint64_t number) {
                          return draw_recovery_schedule(number, program);
                        }});
  };
  constexpr RecoveryPromise kOneAtATime{.survives_overlaps = false};
  constexpr RecoveryPromise kSeveral{.survives_overlaps = true};
  add("checkpoint-restart", "checkpoint-restart", kSeveral);
  add("causal", "causal", kOneAtATime);
  add("causal piggyback", "causal", kOneAtATime, {{"transport", std::string("piggyback")}});
  add("pessimistic", "pessimistic", kOneAtATime);
  add("send-deterministic", "send-deterministic", kOneAtATime);
  add("fast", "fast", kSeveral);
  add("fast ssn", "fast", kSeveral, {{"identifier", std::string("ssn")}});
  add("fast helpers", "fast", kSeveral, {}, true);
  add("fast ssn helpers", "fast", kSeveral, {{"identifier", std::string("ssn")}}, true);
  add_changed(subjects, over_connection_loss, {"checkpoint-restart", "causal", "fast"});
  add_changed(subjects, below_detectors, {"checkpoint-restart", "causal", "pessimistic"});
  return subjects;
}

/// Makes the subjects of transactions. With another scope, `fampi` is another protocol.
std::vector<LemmaSubject> block_subjects() {
  std::vector<LemmaSubject> subjects;
  const auto add = [&subjects](const std::string& name, const BlockProtocol& protocol) {
    subjects.push_back({name, committing(protocol.name), [protocol](std::uint64_t number) {
                          return draw_block_schedule(number, protocol);
                        }});
  };
  add("fampi", {.name = "fampi"});
  add("fampi with-collective", {.name = "fampi", .scope = "with-collective"});
  add("fampi local", {.name = "fampi", .scope = "local"});
  for (const char* name : {"ulfm", "relaunch", "none"}) add(name, {.name = name});
  add_changed(subjects, over_connection_loss, {"fampi", "ulfm", "relaunch"});
  add_changed(subjects, under_try_script, {"fampi", "fampi with-collective", "ulfm", "relaunch"});
  return subjects;
}

}  // namespace

const std::vector<LemmaSubject>& wide_block_subjects() {
  static const std::vector<LemmaSubject> subjects = [] {
    std::vector<LemmaSubject> made;
    const std::initializer_list<std::pair<const char*, BlockProtocol>> protocols{
        {"fampi", {.name = "fampi"}},
        {"fampi with-collective", {.name = "fampi", .scope = "with-collective"}},
        {"ulfm", {.name = "ulfm"}},
        {"relaunch", {.name = "relaunch"}}};
    for (const auto& [name, protocol] : protocols)
      made.push_back(wide(name, protocol, {.noise = true}));
    for (const WideDetector& detector : wide_detectors())
      for (const auto& [name, protocol] : protocols) {
        made.push_back(wide(name, protocol, detector.faults));
        made.back().name += " over " + detector.name;
        made.back().stack.components[Family::failure_detection] = detector.component;
        if (detector.fit == nullptr) continue;
        made.back().draw = [draw = made.back().draw, fit = detector.fit](std::uint64_t number) {
          FaultSchedule schedule = draw(number);
          fit(schedule);
          return schedule;
        };
      }
    return made;
  }();
  return subjects;
}

const std::vector<LemmaSubject>& lemma_subjects(Family family) {
  if (family == Family::transactions) {
    static const std::vector<LemmaSubject> blocks = block_subjects();
    return blocks;
  }
  if (family == Family::message_logging) {
    static const std::vector<LemmaSubject> recovery = recovery_subjects();
    return recovery;
  }
  static const std::vector<LemmaSubject> subjects = [] {
    const OptionValues fallback{{"adopted_child_fails", std::string("fallback")}};
    const OptionValues late{{"exterior_signal", std::string("at-disengagement")}};
    return std::vector<LemmaSubject>{{"indep", under_oracle("indep")},
                                     {"rel-lazy", under_oracle("rel-lazy")},
                                     {"rel-lazy fallback", under_oracle("rel-lazy", fallback)},
                                     {"rel-lazy late", under_oracle("rel-lazy", late)},
                                     {"rel-eager", under_oracle("rel-eager")},
                                     {"rel-eager late", under_oracle("rel-eager", late)}};
  }();
  return family == Family::failure_detection ? detection_subjects() : subjects;
}

}  // namespace faultline::lemmas
