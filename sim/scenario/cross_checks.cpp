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
#include "sim/scenario/router_checks.hpp"
#include "sim/scenario/try_block_checks.hpp"

namespace faultline::scenario {
namespace {

/// Checks whether a component's assumptions hold in a point.
class AssumptionCheck {
 public:
  AssumptionCheck(const RunSpec& point, const Registration& component, const ComponentPaths& paths,
                  json::Problems& problems)
      : point_(point),
        component_(component),
        recovery_(component.as<RecoveryTraits>()),
        paths_(paths),
        path_(paths[index_of(component.family)]),
        problems_(problems) {}

  void run() const {
    if (is_refused_above()) return;
    if (component_.needs_fifo() && point_.platform.ordering == Ordering::unordered)
      refuse_unordered();
    const bool is_exposed =
        component_.family != Family::workload && !component_.tolerates_faults() && !is_recovered();
    if (point_.has_faults() && is_exposed) refuse_faults();
    if (!point_.has_faults() && errs_as_stated(point_) && is_exposed) refuse_false_reports();
    const bool needs_detection = component_.needs_detection() && !is_recovered_program();
    if (point_.has_faults() && needs_detection && !has(Family::failure_detection))
      refuse("needs a failure detector under faults; expected failure_detection" +
             alternatives(Family::failure_detection, [](const Registration&) { return true; }));
    if (component_.needs_logging_off() && has(Family::message_logging))
      refuse("does not work above message logging (" +
             point_.component(Family::message_logging).registration->name +
             "), expected message_logging none");
    check_needs_of_recovery();
    if (component_.family == Family::transactions) check_transactions();
  }

 private:
  /// Checks what message logging and transactions need.
  void check_needs_of_recovery() const {
    if (recovery_.takes_images) refuse_what_has_no_image();
    if (recovery_.takes_images && point_.has_faults())
      check_recovery();
    else if (recovery_.takes_images && errs_as_stated(point_))
      check_checkpoints("false reports");
    else if (recovery_.takes_images && ranks_restart())
      note_restarts_without_checkpoints();
    if (recovery_.recovers_singly) note_deaths_at_once();
    if (recovery_.check_with_workload) check_options();
    if (recovery_.check_under_deaths && point_.has_faults()) check_under_deaths();
    if (recovery_.needs_order_free) refuse_what_needs_order();
    if (recovery_.needs_no_layer_above)
      refuse_layers_above();
    else if (recovery_.needs_order_free && ranks_restart())
      refuse_detector_above();
  }
  /// True if a rank can die, or be ended because a detector errs.
  [[nodiscard]] bool ranks_restart() const {
    return point_.has_faults() || (point_.fences() && can_err(point_));
  }
  [[nodiscard]] bool has(Family family) const {
    return point_.component(family).registration != nullptr;
  }
  /// True if a layer below brings the ranks back before this component hears of their deaths.
  [[nodiscard]] bool is_recovered() const {
    return has(Family::message_logging) &&
           index_of(component_.family) < index_of(Family::message_logging);
  }
  /// True if a layer above refuses all message logging. Then nothing else about it matters.
  [[nodiscard]] bool is_refused_above() const {
    if (component_.family != Family::message_logging) return false;
    const ComponentChoice* const first = &point_.components[0];
    return std::any_of(
        first, first + index_of(Family::message_logging), [](const ComponentChoice& above) {
          return above.registration != nullptr && above.registration->needs_logging_off();
        });
  }
  /// A program above transactions or message logging leaves it to them what happens after a death,
  /// so they must hear of it, and the program need not.
  [[nodiscard]] bool is_recovered_program() const {
    return component_.family == Family::workload &&
           (has(Family::transactions) || has(Family::message_logging));
  }
  void refuse(const std::string& why) const {
    problems_.add(path_, component_.name + " " + why + kOrAllow);
  }
  /// Otherwise the scenario needs another workload in any case, and one message is enough.
  [[nodiscard]] bool can_restore_workload() const {
    const Registration* workload = point_.component(Family::workload).registration;
    return workload == nullptr || !recovery_.takes_images || workload->has_images();
  }
  void refuse_what_has_no_image() const {
    for (std::size_t above = 0; above < index_of(component_.family); ++above) {
      const Registration* other = point_.components[above].registration;
      if (other == nullptr || other->has_images()) continue;
      refuse("needs images of everything above it, and " + other->name + " has none" +
             alternatives(other->family,
                          [](const Registration& another) { return another.has_images(); }));
    }
  }
  /// Checks what a layer needs to bring a rank back.
  void check_recovery() const {
    check_checkpoints("faults");
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
  /// `under`: what lets ranks die.
  void check_checkpoints(const std::string& under) const {
    if (!point_.restarts_without_checkpoints() || !can_restore_workload()) return;
    const Registration& workload = *point_.component(Family::workload).registration;
    if (!workload.as<WorkloadTraits>().asks_for_checkpoints)
      return refuse("needs a workload that asks for checkpoints under " + under + ", and " +
                    workload.name + " does not" +
                    alternatives(Family::workload, [](const Registration& other) {
                      return static_cast<bool>(other.as<WorkloadTraits>().asks_for_checkpoints);
                    }));
    problems_.add(path_of_checkpoints(), "expected an integer of at least 1, because " +
                                             component_.name + " restarts ranks from checkpoints" +
                                             kOrAllow);
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
                       " restarts ranks from checkpoints, of which there is none");
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
    if (workload.registration == nullptr || !can_restore_workload()) return;
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
  void refuse_what_needs_order() const {
    const Registration* workload = point_.component(Family::workload).registration;
    if (workload == nullptr || workload->as<WorkloadTraits>().order_free || !can_restore_workload())
      return;
    refuse("replays messages in another order, and the state of " + workload->name +
           " depends on that" + alternatives(Family::workload, [](const Registration& other) {
             return other.as<WorkloadTraits>().order_free;
           }));
  }
  /// Another order of messages makes a termination detector send other messages, while its peers
  /// have acted on the first ones.
  void refuse_detector_above() const {
    if (has(Family::termination))
      refuse("replays messages in another order, and what " +
             point_.component(Family::termination).registration->name +
             " sends depends on that, expected termination none");
  }
  void refuse_layers_above() const {
    for (std::size_t above = index_of(Family::workload) + 1; above < index_of(component_.family);
         ++above)
      if (point_.components[above].registration != nullptr)
        refuse("does not work below another layer (" + point_.components[above].registration->name +
               "), expected " + kStack[above].key + " none");
  }
  /// No termination detector knows of worlds: it would count messages that a recovery has
  /// discarded.
  void check_transactions() const {
    const Registration* workload = point_.component(Family::workload).registration;
    if (workload != nullptr && !has_try_blocks(*workload))
      refuse("needs a program of TryBlocks, and " + workload->name + " is none" +
             alternatives(Family::workload, has_try_blocks));
    if (has(Family::termination))
      refuse("does not work above termination detection (" +
             point_.component(Family::termination).registration->name +
             "), expected termination none");
  }
  void refuse_unordered() const {
    refuse("needs messages in order, expected platform.ordering \"fifo\"" +
           alternatives(component_.family,
                        [](const Registration& other) { return !other.needs_fifo(); }));
  }
  /// A protocol treats a rank that is declared dead as dead, whether it lives or not.
  void refuse_false_reports() const {
    refuse("tolerates no faults, and " +
           point_.component(Family::failure_detection).registration->name +
           " declares a rank dead that lives, expected another failure_detection" +
           alternatives(component_.family,
                        [](const Registration& other) { return other.tolerates_faults(); }));
  }
  void refuse_faults() const {
    refuse("tolerates no faults, expected no faults" +
           alternatives(component_.family,
                        [](const Registration& other) { return other.tolerates_faults(); }));
  }

  const RunSpec& point_;
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
  problems.note(
      "stop.when",
      R"("finished" may never come: )" + workload->name +
          " waits for ranks that die, and nothing brings them back" +
          (workload->as<WorkloadTraits>().asks_for_checkpoints && workload->has_images()
               ? alternatives(Family::message_logging, [](const Registration&) { return true; })
               : ""));
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

void check_point(const RunSpec& point, const ComponentPaths& paths, json::Problems& problems) {
  if (!point.allow_unsafe) {
    for (const StackPlace& family : kStack) {
      const auto index = static_cast<std::size_t>(family.family);
      if (const Registration* component = point.components[index].registration)
        AssumptionCheck(point, *component, paths, problems).run();
    }
    note_unprotected(point, problems);
    check_detector_of_blocks(point, paths, problems);
  }
  check_soft_faults(point, problems);
  note_memory(point, paths, problems);
  note_short_waits(point, paths, problems);
  note_unwatched(point, paths, problems);
  check_stop(point, problems);
  check_endless_partition(point, problems);
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
