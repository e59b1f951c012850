// SPDX-License-Identifier: Apache-2.0
#include "protocols/failure_detection/oracle.hpp"

#include "protocols/failure_detection/notice_options.hpp"

namespace faultline::failure_detection {

namespace {

OptionSet<OracleOptions> options() {
  OptionSet<OracleOptions> set;
  add_notice_options(set);
  return set;
}

Registration oracle() {
  Registration oracle = registration<Oracle>(
      {.family = Family::failure_detection,
       .name = "oracle",
       .summary = "perfect: every live rank learns of every death, after a delay",
       .source = "adoption-2013 section 4 (notification by the resource manager)",
       .traits = DetectorTraits{.accurate = true}},
      options());
  oracle.declare<DetectorTraits>().exit_notice = [](const OptionValues& values) -> ExitNotice {
    return exit_notice_of(options().read(values));
  };
  oracle.declare<DetectorTraits>().bound = [](const OptionValues& values, const DetectionCase&) {
    return notice_bound_of(options().read(values));
  };
  return oracle;
}

const Registered registered{oracle()};

}  // namespace

}  // namespace faultline::failure_detection
