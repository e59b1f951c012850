#include "analysis/lemmas/protocol_stack.hpp"

#include "analysis/lemmas/fault_schedule.hpp"

namespace faultline {

OptionValues NamedComponent::options_under(const FaultSchedule& schedule) const {
  OptionValues all = options;
  if (scheduled_options) all.merge(scheduled_options(schedule));
  return all;
}

ProtocolStack under_oracle(const std::string& detector, const OptionValues& changes) {
  const auto notice = [](const FaultSchedule& schedule) {
    return OptionValues{{"delay_s", schedule.notice_s}, {"spread_s", schedule.spread_s}};
  };
  return {
      .components = {{Family::termination, {.name = detector, .options = changes}},
                     {Family::failure_detection, {.name = "oracle", .scheduled_options = notice}}}};
}

}  // namespace faultline
