#pragma once

#include <functional>
#include <map>
#include <string>

#include "sim/scenario/run_spec.hpp"

namespace faultline {

struct FaultSchedule;

/// A registered component and how it differs from its defaults.
struct NamedComponent {
  std::string name;
  OptionValues options = {};
  /// Returns further options, which depend on the schedule; null where there are none.
  std::function<OptionValues(const FaultSchedule&)> scheduled_options = {};

  [[nodiscard]] OptionValues options_under(const FaultSchedule& schedule) const;
};

/// The protocols that a search tries under its schedules: a component for each family that is named
/// here. The workload is the schedule's.
struct ProtocolStack {
  std::map<Family, NamedComponent> components;
  StopWhen stop_when = StopWhen::announced;  ///< what ends its runs
};

/// A termination detector beside `oracle`, which reports a death after the schedule's `notice_s`.
ProtocolStack under_oracle(const std::string& detector, const OptionValues& changes = {});

}  // namespace faultline
