// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/stack_rule.hpp"

#include <algorithm>
#include <utility>

#include "sim/scenario/alternatives.hpp"

namespace faultline::scenario {
namespace {

struct StackReason {
  Ground ground;
  const char* text;
};

constexpr StackReason kUnordered{Ground::settings,
                                 "messages must come in order, and platform.ordering is unordered"};
constexpr StackReason kDeaths{
    Ground::nature, "the detector survives no death, and nothing below it brings ranks back"};
constexpr StackReason kFalseReports{
    Ground::nature,
    "the detector survives no false report, and nothing below it brings ranks back"};
constexpr StackReason kNoDetector{Ground::nature,
                                  "nobody tells of deaths without a failure detector"};
constexpr StackReason kAboveLogging{Ground::not_built, "not made to work above message logging"};
constexpr StackReason kNoImages{
    Ground::not_built, "message logging needs images of all that lies above it, and there is none"};
constexpr StackReason kProgramNeedsOrder{
    Ground::nature, "ranks repeat messages in another order, on which the program depends"};
constexpr StackReason kSendsNeedOrder{
    Ground::not_built, "a replay does not say when messages leave, on which a detector depends"};
constexpr StackReason kDetectorNeedsOrder{
    Ground::nature, "ranks repeat messages in another order, on which the detector depends"};
constexpr StackReason kLayerBetween{
    Ground::nature, "the recovery knows the messages of programs alone: no layer may lie between"};
constexpr StackReason kNoBlocks{Ground::not_built, "the program has no TryBlocks"};
constexpr StackReason kNoCommonEnd{
    Ground::nature, "the program has no moment that is common to all ranks, to end TryBlocks"};
constexpr StackReason kWorlds{Ground::not_built,
                              "the detector would count messages that a recovery has discarded"};
constexpr StackReason kUnprotected{
    Ground::warning, "nothing brings dead ranks back: the program waits, or gives up"};
constexpr StackReason kRedundant{
    Ground::warning,
    "the detector survives deaths of which it is never told, as ranks are brought back below it"};

bool has_part(const StackParts& parts, Family family) { return parts[index_of(family)] != nullptr; }

/// What one component of a stack needs of the others.
class NeedsOfComponent {
 public:
  NeedsOfComponent(const StackParts& parts, const StackDemands& demands,
                   const Registration& component, Instead instead,
                   std::vector<StackRefusal>& refusals)
      : parts_(parts),
        demands_(demands),
        component_(component),
        recovery_(component.as<RecoveryTraits>()),
        instead_(instead),
        refusals_(refusals) {}

  void check() const {
    if (component_.family == Family::message_logging && is_logging_refused(parts_)) return;
    check_demands();
    if (component_.needs_logging_off() && logging() != nullptr)
      refuse(kAboveLogging, logging(),
             "does not work above message logging (" + logging()->name + ")",
             ", expected message_logging none" +
                 beside("above message logging", component_.family, *logging()));
    if (recovery_.takes_images) check_images();
    if (recovery_.needs_order_free) check_order();
    if (recovery_.recovers_singly && !recovery_.needs_order_free) check_order_of_sends();
    if (recovery_.needs_no_layer_above) refuse_layers_above();
    if (component_.family == Family::transactions) check_transactions();
  }

 private:
  [[nodiscard]] const Registration* part(Family family) const { return parts_[index_of(family)]; }
  [[nodiscard]] const Registration* logging() const { return part(Family::message_logging); }
  [[nodiscard]] const Registration* workload() const { return part(Family::workload); }

  void refuse(const StackReason& reason, const Registration* other, const std::string& words,
              const std::string& instead) const {
    refusals_.push_back({.component = &component_,
                         .other = other,
                         .ground = reason.ground,
                         .reason = reason.text,
                         .words = words,
                         .instead = instead});
  }
  /// True if a layer below brings the ranks back before this component hears of their deaths.
  [[nodiscard]] bool is_recovered() const {
    return logging() != nullptr && index_of(component_.family) < index_of(Family::message_logging);
  }
  /// A program above transactions or message logging leaves it to them what happens after a death,
  /// so they must hear of it, and the program need not.
  [[nodiscard]] bool is_recovered_program() const {
    return component_.family == Family::workload &&
           (has_part(parts_, Family::transactions) || logging() != nullptr);
  }

  void check_demands() const {
    if (component_.needs_fifo() && demands_.unordered)
      refuse(kUnordered, nullptr, "needs messages in order",
             ", expected platform.ordering \"fifo\"" +
                 alternatives(component_.family,
                              [](const Registration& other) { return !other.needs_fifo(); }));
    const bool is_exposed =
        component_.family != Family::workload && !component_.tolerates_faults() && !is_recovered();
    if (demands_.deaths && is_exposed)
      refuse(kDeaths, nullptr, "tolerates no faults",
             ", expected no faults" + tolerant_alternatives());
    else if (demands_.false_reports && is_exposed)
      refuse_false_reports(*part(Family::failure_detection));
    const bool needs_detection = component_.needs_detection() && !is_recovered_program();
    if (demands_.deaths && needs_detection && !has_part(parts_, Family::failure_detection))
      refuse(kNoDetector, nullptr, "needs a failure detector under faults",
             "; expected failure_detection" +
                 alternatives(Family::failure_detection, [](const Registration&) { return true; }));
  }
  /// A protocol treats a rank that is declared dead as dead, whether it lives or not.
  void refuse_false_reports(const Registration& detector) const {
    refuse(kFalseReports, &detector,
           "tolerates no faults, and " + detector.name + " declares a rank dead that lives",
           ", expected another failure_detection" + tolerant_alternatives());
  }
  [[nodiscard]] std::string tolerant_alternatives() const {
    return alternatives(component_.family,
                        [](const Registration& other) { return other.tolerates_faults(); });
  }

  void check_images() const {
    for (std::size_t above = 0; above < index_of(component_.family); ++above) {
      const Registration* other = parts_[above];
      if (other == nullptr || other->has_images()) continue;
      refuse(kNoImages, other,
             "needs images of everything above it, and " + other->name + " has none",
             alternatives(other->family,
                          [](const Registration& another) { return another.has_images(); }));
    }
  }

  void check_order() const {
    if (workload() != nullptr && !workload()->as<WorkloadTraits>().order_free &&
        can_restore_workload(parts_, component_))
      refuse(kProgramNeedsOrder, workload(),
             "replays messages in another order, and the state of " + workload()->name +
                 " depends on that",
             alternatives(Family::workload, [](const Registration& other) {
               return other.as<WorkloadTraits>().order_free;
             }));
    // Another order of messages makes a termination detector send other messages, while its peers
    // have acted on the first ones.
    const Registration* detector = part(Family::termination);
    if (detector == nullptr || !demands_.restarts || recovery_.needs_no_layer_above) return;
    refuse(
        kDetectorNeedsOrder, detector,
        "replays messages in another order, and what " + detector->name + " sends depends on that",
        ", expected termination none" +
            beside("below " + detector->name, component_.family, *detector));
  }
  /// A replay does not put in order when the program's messages have left.
  void check_order_of_sends() const {
    const Registration* detector = part(Family::termination);
    if (detector == nullptr || workload() == nullptr || !demands_.restarts ||
        !workload()->as<WorkloadTraits>().goes_on_when_sent)
      return;
    refuse(kSendsNeedOrder, detector,
           "does not replay when the messages of " + workload()->name + " leave, and what " +
               detector->name + " sends depends on that",
           ", expected termination none");
  }
  void refuse_layers_above() const {
    for (std::size_t above = index_of(Family::workload) + 1; above < index_of(component_.family);
         ++above) {
      const Registration* other = parts_[above];
      if (other == nullptr) continue;
      refuse(kLayerBetween, other, "does not work below another layer (" + other->name + ")",
             std::string(", expected ") + kStack[above].key + " none" +
                 beside("below " + other->name, component_.family, *other));
    }
  }

  /// No termination detector knows of worlds: it would count messages that a recovery has
  /// discarded. A program that can only be found to have ended has no moment at which all its ranks
  /// could end a TryBlock.
  void check_transactions() const {
    if (workload() != nullptr && !has_try_blocks(*workload()))
      refuse(recovery_.commits_blocks && !workload()->as<WorkloadTraits>().finishes ? kNoCommonEnd
                                                                                    : kNoBlocks,
             workload(), "needs a program of TryBlocks, and " + workload()->name + " is none",
             alternatives(Family::workload, has_try_blocks));
    if (const Registration* detector = part(Family::termination))
      refuse(kWorlds, detector,
             "does not work above termination detection (" + detector->name + ")",
             ", expected termination none");
  }

  /// Which components of the family do work beside `other`, by this very rule.
  [[nodiscard]] std::string beside(const std::string& where, Family family,
                                   const Registration& other) const;

  const StackParts& parts_;
  const StackDemands& demands_;
  const Registration& component_;
  const RecoveryTraits& recovery_;  ///< as if nothing was declared if it has another role
  Instead instead_;
  std::vector<StackRefusal>& refusals_;
};

std::string NeedsOfComponent::beside(const std::string& where, Family family,
                                     const Registration& other) const {
  if (instead_ == Instead::left_out) return "";
  const std::vector<std::string> names = names_where(family, [&](const Registration& candidate) {
    StackParts parts = parts_;
    parts[index_of(family)] = &candidate;
    return std::ranges::none_of(
        refusals_of(parts, demands_, Instead::left_out), [&](const StackRefusal& refusal) {
          return (refusal.component == &candidate && refusal.other == &other) ||
                 (refusal.component == &other && refusal.other == &candidate);
        });
  });
  return names.empty() ? "" : ", or " + where + " " + json::any_of(names);
}

}  // namespace

const char* ground_word(Ground ground) {
  switch (ground) {
    case Ground::nature:
      return "by nature";
    case Ground::not_built:
      return "not built";
    case Ground::settings:
      return "by settings";
    default:
      return "warning";
  }
}

std::vector<StackRefusal> refusals_of(const StackParts& parts, const StackDemands& demands,
                                      Instead instead) {
  std::vector<StackRefusal> refusals;
  for (const Registration* component : parts)
    if (component != nullptr)
      NeedsOfComponent(parts, demands, *component, instead, refusals).check();
  return refusals;
}

std::vector<StackRefusal> warnings_of(const StackParts& parts, const StackDemands& demands) {
  if (!demands.deaths) return {};
  std::vector<StackRefusal> warnings;
  const Registration* workload = parts[index_of(Family::workload)];
  const Registration* logging = parts[index_of(Family::message_logging)];
  const Registration* detector = parts[index_of(Family::termination)];
  if (workload != nullptr && workload->as<WorkloadTraits>().finishes && logging == nullptr &&
      !has_part(parts, Family::transactions))
    warnings.push_back(
        {.component = workload,
         .ground = kUnprotected.ground,
         .reason = kUnprotected.text,
         .words = "waits for ranks that die, or gives up, and nothing brings them back"});
  if (detector != nullptr && detector->tolerates_faults() && logging != nullptr)
    warnings.push_back({.component = detector,
                        .other = logging,
                        .ground = kRedundant.ground,
                        .reason = kRedundant.text,
                        .words = "is told of no death, because " + logging->name +
                                 " brings ranks back below it: a detector that survives none does "
                                 "the same with fewer messages"});
  return warnings;
}

bool is_logging_refused(const StackParts& parts) {
  return has_part(parts, Family::message_logging) &&
         std::any_of(parts.begin(), parts.begin() + index_of(Family::message_logging),
                     [](const Registration* above) {
                       return above != nullptr && above->needs_logging_off();
                     });
}

bool can_restore_workload(const StackParts& parts, const Registration& layer) {
  const Registration* workload = parts[index_of(Family::workload)];
  return workload == nullptr || !layer.as<RecoveryTraits>().takes_images || workload->has_images();
}

}  // namespace faultline::scenario
