// SPDX-License-Identifier: Apache-2.0
#include "analysis/lemmas/protocol_stack.hpp"

#include "analysis/lemmas/fault_schedule.hpp"

namespace faultline::lemmas {

OptionValues NamedComponent::options_under(const FaultSchedule& schedule) const {
  OptionValues all = options;
  if (scheduled_options) all.merge(scheduled_options(schedule));
  return all;
}

namespace {

NamedComponent oracle() {
  const auto notice = [](const FaultSchedule& schedule) {
    return OptionValues{{"delay_s", schedule.notice_s}, {"spread_s", schedule.spread_s}};
  };
  return {.name = "oracle", .scheduled_options = notice};
}

}  // namespace

ProtocolStack under_oracle(const std::string& detector, const OptionValues& changes) {
  return {.components = {{Family::termination, {.name = detector, .options = changes}},
                         {Family::failure_detection, oracle()}}};
}

ProtocolStack recovering(const std::string& protocol, const RecoveryPromise& promise,
                         const OptionValues& changes) {
  return {.components = {{Family::message_logging, {.name = protocol, .options = changes}},
                         {Family::failure_detection, oracle()}},
          .stop_when = scenario::StopWhen::finished,
          .recovery = promise};
}

ProtocolStack committing(const std::string& protocol) {
  ProtocolStack stack{.components = {{Family::failure_detection, oracle()}},
                      .stop_when = scenario::StopWhen::finished};
  const auto drawn = [](const FaultSchedule& schedule) { return schedule.transactions; };
  if (protocol != "none")
    stack.components[Family::transactions] = {.name = protocol, .scheduled_options = drawn};
  return stack;
}

}  // namespace faultline::lemmas
