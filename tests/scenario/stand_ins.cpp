// SPDX-License-Identifier: Apache-2.0

// Components with the traits that no shipped one may have, so that every refusal can be tested.
#include "sim/core/registry.hpp"

namespace faultline::scenario {
namespace {

Registration stand_in(Family family, const std::string& name, const Traits& traits) {
  Registration made;
  made.family = family;
  made.name = name;
  made.summary = "stand-in of the scenario tests";
  made.source = "tests";
  made.traits = traits;
  return made;
}

const Registered ordered(
    stand_in(Family::termination, "test-ordered",
             TerminationTraits{.needs_fifo = true, .tolerates_faults = true, .announces = true}));
const Registered adopting(stand_in(Family::termination, "test-adopting",
                                   TerminationTraits{.tolerates_faults = true,
                                                     .needs_detection = true,
                                                     .announces = true,
                                                     .needs_logging_off = true}));
const Registered silent(stand_in(Family::termination, "test-silent",
                                 TerminationTraits{.tolerates_faults = true}));
const Registered logging(stand_in(Family::message_logging, "test-logging", RecoveryTraits{}));
const Registered imaging(stand_in(Family::message_logging, "test-imaging",
                                  RecoveryTraits{.takes_images = true}));

}  // namespace
}  // namespace faultline::scenario
