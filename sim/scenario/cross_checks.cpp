// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/cross_checks.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "sim/scenario/alternatives.hpp"
#include "sim/scenario/declarations.hpp"
#include "sim/scenario/fencing_checks.hpp"
#include "sim/scenario/may_err.hpp"
#include "sim/scenario/point_notes.hpp"
#include "sim/scenario/prospect_notes.hpp"
#include "sim/scenario/router_checks.hpp"
#include "sim/scenario/told_once.hpp"

namespace faultline::scenario {
namespace {

/// True if a rank can die, or be ended because a detector errs.
bool ranks_restart(const RunSpec& point) {
  return point.has_faults() || (point.fences() && can_err(point));
}

/// Checks whether a component of a stack that works fits the rest of a point: its options, the
/// platform, the faults.
class AssumptionCheck {
 public:
  AssumptionCheck(const RunSpec& point, const Registration& component, const ComponentPaths& paths,
                  json::Problems& problems)
      : point_(point),
        parts_(parts_of(point)),
        component_(component),
        recovery_(component.as<RecoveryTraits>()),
        paths_(paths),
        path_(paths[index_of(component.family)]),
        problems_(problems) {}

  void run() const {
    if (component_.family == Family::message_logging && is_logging_refused(parts_)) return;
    if (recovery_.takes_images && point_.has_faults())
      check_recovery();
    else if (recovery_.takes_images && errs_as_stated(point_))
      note_return_to_start();
    else if (recovery_.takes_images && ranks_restart(point_))
      note_restarts_without_checkpoints();
    if (recovery_.recovers_singly) note_deaths_at_once();
    if (recovery_.check_with_workload) check_options();
    if (recovery_.check_under_deaths && point_.has_faults()) check_under_deaths();
  }

 private:
  /// Otherwise the scenario needs another workload in any case, and one message is enough.
  [[nodiscard]] bool can_restore() const { return can_restore_workload(parts_, component_); }
  /// Checks what a layer needs to bring a rank back.
  void check_recovery() const {
    note_return_to_start();
    const PlatformSpec& platform = point_.platform;
    if (job_shape(platform).nodes < 2)
      problems_.add("platform.processes",
                    "expected at least 2 nodes with ranks, because " + component_.name +
                        " keeps the images of a node at ranks of another one under faults, got " +
                        std::to_string(platform.processes) + " with processes_per_node " +
                        std::to_string(platform.processes_per_node) + kOrAllow);
    if (nodes_die() && platform.spare_nodes == 0)
      problems_.add("platform.spare_nodes", component_.name +
                                                " restarts the ranks of a failed node on "
                                                "another one, expected at least 1" +
                                                kOrAllow);
  }
  /// Such a component works as long as no such fault strikes, so this is a note and no error.
  void note_deaths_at_once() const {
    const std::uint32_t most = most_deaths_at_once();
    if (most < 2) return;
    const bool by_nodes = most_ranks_of_node() > 1 && point_.kills_nodes();
    problems_.note(
        path_,
        component_.name +
            " brings back one rank at a time, and gives up if several are dead at once, as " +
            (by_nodes ? "after the death of a node, which holds up to " +
                            std::to_string(most_ranks_of_node()) + " ranks here"
                      : "after a fault that takes several, as one can here") +
            alternatives(component_.family, [](const Registration& other) {
              return !other.as<RecoveryTraits>().recovers_singly;
            }));
  }
  [[nodiscard]] std::uint32_t most_ranks_of_node() const {
    return std::min(point_.platform.processes_per_node, point_.platform.processes);
  }
  /// The number of ranks that one fault can take; at least 2 if a distribution determines it.
  [[nodiscard]] std::uint32_t most_deaths_at_once() const {
    std::size_t most = 0;
    for (const faults::FaultSpec& fault : point_.faults)
      if (fault.kills())
        most = std::max(most, fault.ranks.size() + (fault.nodes.size() + fault.daemons.size()) *
                                                       most_ranks_of_node());
    for (const faults::FaultSourceChoice& source : point_.fault_sources)
      most =
          std::max(most, faults::cuts_off(source)
                             ? 0
                             : largest_size_of(source) *
                                   (faults::strikes_nodes(source) ? most_ranks_of_node() : 1) *
                                   faults::nodes_together(source, fault_target(point_.platform)));
    return static_cast<std::uint32_t>(std::min<std::size_t>(most, point_.platform.processes));
  }
  [[nodiscard]] static std::size_t largest_size_of(const faults::FaultSourceChoice& source) {
    std::size_t size = 1;
    for (const auto& [name, value] : source.options) {
      if (std::holds_alternative<FaultCountsInput>(value)) size = std::max<std::size_t>(size, 2);
      if (name == "size" && std::holds_alternative<std::int64_t>(value))
        size = std::max(size, static_cast<std::size_t>(std::get<std::int64_t>(value)));
    }
    return size;
  }
  /// This is as it should be, if it takes no longer than a person thinks: a note and no error.
  void note_return_to_start() const {
    if (!point_.restarts_without_checkpoints() || !can_restore()) return;
    const Registration& workload = *point_.component(Family::workload).registration;
    const std::string returns =
        component_.name + " brings a rank that dies back to the start of its program";
    if (workload.as<WorkloadTraits>().asks_for_checkpoints)
      problems_.note(path_of_checkpoints(), "there are no checkpoints, so " + returns);
    else
      problems_.note(path_, returns + ": " + workload.name + " asks for no checkpoints");
  }
  /// Nobody dies as long as the detector does not err, so this is a note and no error. A workload
  /// that has no such option cannot be blamed for what may not happen.
  void note_restarts_without_checkpoints() const {
    const Registration* workload = point_.component(Family::workload).registration;
    if (!point_.restarts_without_checkpoints() ||
        !workload->as<WorkloadTraits>().asks_for_checkpoints)
      return;
    problems_.note(path_of_checkpoints(),
                   "a rank that is declared dead while it lives is ended and restarted, and " +
                       component_.name +
                       " brings it back to the start of its program, for there are no checkpoints");
  }
  [[nodiscard]] std::string path_of_checkpoints() const {
    return json::member_path(paths_[index_of(Family::workload)], "checkpoint_iterations");
  }
  /// True if nodes of the job die for good, or nobody waits for their repair. A recorded trace
  /// chooses no victims, and its nodes may be repaired.
  [[nodiscard]] bool nodes_die() const {
    const NodeId end = job_shape(point_.platform).nodes;
    const bool waits = point_.platform.when_no_spare == WhenNoSpare::wait;
    return std::ranges::any_of(point_.faults,
                               [&](const faults::FaultSpec& fault) {
                                 return !(waits && fault.repair_s != kNever) &&
                                        std::ranges::any_of(
                                            fault.nodes, [end](NodeId node) { return node < end; });
                               }) ||
           std::ranges::any_of(point_.fault_sources, [&](const faults::FaultSourceChoice& source) {
             return faults::strikes_nodes(source) && source.options.contains("victims") &&
                    !(waits && faults::is_repaired(source));
           });
  }
  [[nodiscard]] bool several_die() const {
    return point_.has_fatal_sources() || most_deaths_at_once() > 1 ||
           std::ranges::count_if(point_.faults, &faults::FaultSpec::kills) > 1;
  }
  void add(const OptionProblem& problem) const {
    const std::string path =
        problem.option.empty() ? path_ : json::member_path(path_, problem.option);
    const std::string words =
        problem.option.empty() ? component_.name + " " + problem.message : problem.message;
    if (problem.is_note)
      problems_.note(path, words);
    else
      problems_.add(path, words + kOrAllow);
  }
  /// A problem that names no option is an error only if something goes wrong, and a note if
  /// somebody dies.
  void check_options() const {
    const ComponentChoice& workload = point_.component(Family::workload);
    if (workload.registration == nullptr || !can_restore()) return;
    const bool goes_wrong = point_.has_faults() || !point_.faults.empty();
    for (const OptionProblem& problem :
         recovery_.check_with_workload(point_.component(component_.family).options,
                                       *workload.registration, workload.options)) {
      if (is_wrong_in_job(problem.option)) continue;  // another check reports it
      if (problem.is_note ? point_.has_faults() : !problem.option.empty() || goes_wrong)
        add(problem);
    }
  }
  /// True if the option is wrong whatever the workload is.
  [[nodiscard]] bool is_wrong_in_job(const std::string& option) const {
    return component_.check &&
           std::ranges::any_of(
               component_.check(point_.component(component_.family).options, job_shape(point_)),
               [&](const OptionProblem& problem) { return problem.option == option; });
  }
  void check_under_deaths() const {
    const Deaths deaths{.of_nodes = nodes_die(),
                        .several = several_die(),
                        .spare_nodes = point_.platform.spare_nodes};
    for (const OptionProblem& problem :
         recovery_.check_under_deaths(point_.component(component_.family).options, deaths))
      add(problem);
  }

  const RunSpec& point_;
  const StackParts parts_;
  const Registration& component_;
  const RecoveryTraits& recovery_;  ///< as if nothing was declared if it has another role
  const ComponentPaths& paths_;
  const std::string& path_;
  json::Problems& problems_;
};

void check_stop(const RunSpec& point, json::Problems& problems) {
  const Registration* workload = point.component(Family::workload).registration;
  const Registration* detector = point.component(Family::termination).registration;
  const std::string path = "stop.when";
  if (point.stop.when == StopWhen::announced &&
      (detector == nullptr || !detector->as<TerminationTraits>().announces))
    problems.add(path, R"("announced" needs a termination detector)" +
                           alternatives(Family::termination,
                                        [](const Registration& other) {
                                          return other.as<TerminationTraits>().announces;
                                        }) +
                           R"(; or stop on "finished" or "time")");
  if (point.stop.when == StopWhen::finished && workload != nullptr &&
      !workload->as<WorkloadTraits>().finishes)
    problems.add(path, R"("finished" never comes with workload )" + workload->name +
                           R"(, which does not declare its end; expected "announced" or "time")");
  if (point.stop.when == StopWhen::all_reported &&
      point.component(Family::failure_detection).registration == nullptr)
    problems.add(path, R"("all-reported" needs a failure detector, expected failure_detection)" +
                           alternatives(Family::failure_detection,
                                        [](const Registration&) { return true; }));
  for (const faults::FaultSourceChoice& source : point.fault_sources)
    if (point.stop.when == StopWhen::all_reported && !faults::cuts_off(source) &&
        !faults::limit_of(source))
      problems.add(path, R"("all-reported" never comes under faults.)" + source.key +
                             ", which goes on without end; give it a limit");
}

/// A run has one stratum.
void check_strata(const RunSpec& point, json::Problems& problems) {
  const faults::FaultSourceChoice* first = nullptr;
  for (const faults::FaultSourceChoice& source : point.fault_sources) {
    if (!faults::stratum_of({source}, 0)) continue;
    if (first != nullptr)
      problems.add("faults." + source.key + ".sampling",
                   R"("stratified" already holds for faults.)" + first->key +
                       ", and a run can have one stratum only");
    first = &source;
  }
}

/// Notes that some of the living may never hear of a death on the other side of a partition.
void check_endless_partition(const RunSpec& point, json::Problems& problems) {
  if (point.stop.when != StopWhen::all_reported) return;
  for (const faults::PartitionSpec& partition : point.partitions)
    if (partition.to_s == kNever)
      problems.add("stop.when",
                   R"("all-reported" may never come under a faults.partition without end, across )"
                   "which nobody is told of a death; give it a to_s");
}

/// Notes that the ranks of a job wait for the dead, which never return. The job still ends as it
/// should if nobody dies in time.
void note_unprotected(const RunSpec& point, json::Problems& problems) {
  const auto has = [&](Family family) { return point.component(family).registration != nullptr; };
  const Registration* workload = point.component(Family::workload).registration;
  if (point.stop.when != StopWhen::finished || !point.has_faults() || workload == nullptr ||
      workload->needs_detection() || has(Family::message_logging) || has(Family::transactions))
    return;
  problems.note("stop.when",
                R"("finished" may never come: )" + workload->name +
                    " waits for ranks that die, and nothing brings them back" +
                    (workload->has_images() ? alternatives(Family::message_logging,
                                                           [](const Registration&) { return true; })
                                            : ""));
}

/// Adds what the rule of stacks holds against a component.
void add_refusals(const std::vector<StackRefusal>& refusals, const Registration& component,
                  const ComponentPaths& paths, json::Problems& problems) {
  for (const StackRefusal& refusal : refusals)
    if (refusal.component == &component)
      problems.add(paths[index_of(component.family)],
                   component.name + " " + refusal.words + refusal.instead + kOrAllow);
}

std::set<std::string> marks_of(const RunSpec& point) {
  std::set<std::string> names;
  for (const ComponentChoice& component : point.components)
    if (component.registration != nullptr)
      for (const Mark* mark : component.registration->marks) names.insert(mark->name);
  return names;
}

std::string place_of(const OptionProblem& problem, const std::string& component) {
  const std::string option = json::member_path(component, problem.option);
  return problem.item ? json::item_path(option, *problem.item) : option;
}

}  // namespace

StackParts parts_of(const RunSpec& point) {
  StackParts parts{};
  for (std::size_t family = 0; family < kFamilies; ++family)
    parts[family] = point.components[family].registration;
  return parts;
}

StackDemands demands_of(const RunSpec& point) {
  return {.deaths = point.has_faults(),
          .false_reports = errs_as_stated(point),
          .restarts = ranks_restart(point),
          .unordered = point.platform.ordering == Ordering::unordered};
}

StopWhen default_stop(const RunSpec& point) {
  const Registration* detector = point.component(Family::termination).registration;
  const Registration* workload = point.component(Family::workload).registration;
  if (detector != nullptr && detector->as<TerminationTraits>().announces)
    return StopWhen::announced;
  if (workload != nullptr && workload->as<WorkloadTraits>().finishes) return StopWhen::finished;
  return StopWhen::time;
}

void check_point(const RunSpec& point, const ComponentPaths& paths, json::Problems& problems) {
  if (!point.allow_unsafe) {
    const std::vector<StackRefusal> refusals = refusals_of(parts_of(point), demands_of(point));
    for (const ComponentChoice& choice : point.components) {
      if (choice.registration == nullptr) continue;
      add_refusals(refusals, *choice.registration, paths, problems);
      AssumptionCheck(point, *choice.registration, paths, problems).run();
    }
    note_unprotected(point, problems);
  }
  note_memory(point, paths, problems);
  note_short_waits(point, paths, problems);
  note_unwatched(point, paths, problems);
  note_redundant(point, paths, problems);
  note_node_deaths(point, paths, problems);
  note_rare_checkpoints(point, paths, problems);
  note_impatience(point, paths, problems);
  note_borrowed_costs(point, paths, problems);
  check_stop(point, problems);
  check_endless_partition(point, problems);
  check_strata(point, problems);
  check_routers(point, problems);
  check_fencing(point, problems);
  note_losses(point, problems);
  note_cuts(point, problems);
  note_late_starts(point, problems);
}

void check_options_in_job(const RunSpec& point, const ComponentPaths& paths,
                          json::Problems& problems) {
  const JobShape shape = job_shape(point);
  for (std::size_t family = 0; family < kFamilies; ++family) {
    const ComponentChoice& choice = point.components[family];
    const Registration* component = choice.registration;
    if (component == nullptr) continue;
    std::vector<OptionProblem> found;
    if (component->check) found = component->check(choice.options, shape);
    for (const OptionProblem& problem : found)
      problems.add(place_of(problem, paths[family]), problem.message);
  }
}

void check_marks(const std::vector<RunSpec>& points, json::Problems& problems) {
  std::set<std::string> known;
  for (const RunSpec& point : points) known.merge(marks_of(point));
  for (std::size_t i = 0; !points.empty() && i < points[0].faults.size(); ++i) {
    const std::optional<faults::MarkSpec>& mark = points[0].faults[i].mark;
    if (!mark) continue;
    const std::string path = json::item_path("faults.at", i) + ".mark.name";
    const bool is_everywhere = std::ranges::all_of(
        points, [&](const RunSpec& point) { return marks_of(point).contains(mark->name); });
    if (!known.contains(mark->name) && !points[0].allow_unsafe)
      problems.add(
          path, "no component of the scenario sets " + json::in_quotes(mark->name) +
                    (known.empty() ? ", or any other mark; expected time_s or event"
                                   : json::suggestion(mark->name, {known.begin(), known.end()})));
    else if (!is_everywhere)
      problems.note(path, (known.contains(mark->name) ? "in some points no component sets "
                                                      : "no component sets ") +
                              json::in_quotes(mark->name) +
                              ", and the fault does not strike there");
  }
}

}  // namespace faultline::scenario
