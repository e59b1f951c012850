// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "analysis/lemmas/detection_promise.hpp"
#include "analysis/lemmas/recovery_promise.hpp"
#include "sim/scenario/run_spec.hpp"

namespace faultline::lemmas {

struct FaultSchedule;

/// A registered component, and the options that differ from its defaults.
struct NamedComponent {
  std::string name;
  OptionValues options = {};
  /// Returns further options, which depend on the schedule; null if there are none.
  std::function<OptionValues(const FaultSchedule&)> scheduled_options = {};

  [[nodiscard]] OptionValues options_under(const FaultSchedule& schedule) const;
};

/// The protocols that a search runs under its schedules, one component for each family named here.
/// The workload comes from the schedule.
struct ProtocolStack {
  std::map<Family, NamedComponent> components;
  scenario::StopWhen stop_when = scenario::StopWhen::announced;  ///< what ends a run
  /// The promise of a failure detector that finds deaths itself, under a schedule. If set, the
  /// schedule determines what ends a run.
  std::function<DetectionPromise(const FaultSchedule&)> detection = {};
  /// The promise of a protocol that brings dead ranks back.
  std::optional<RecoveryPromise> recovery = {};
};

/// A termination detector with the failure detector `oracle`, which reports each death after the
/// schedule's `notice_s`.
ProtocolStack under_oracle(const std::string& detector, const OptionValues& changes = {});
/// A protocol of message logging, right below the workload, with the failure detector `oracle`.
ProtocolStack recovering(const std::string& protocol, const RecoveryPromise& promise,
                         const OptionValues& changes = {});
/// A protocol of transactions with the failure detector `oracle` and the options that a schedule
/// states; "none": without any.
ProtocolStack committing(const std::string& protocol);

}  // namespace faultline::lemmas
