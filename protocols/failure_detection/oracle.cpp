#include "protocols/failure_detection/oracle.hpp"

namespace faultline {

namespace {

OptionSet<OracleOptions> options() {
  return OptionSet<OracleOptions>()
      .option("delay_s", &OracleOptions::delay_s,
              {.doc = "time from a death to its notice at every live rank",
               .unit = "s",
               .source = "assumed",
               .minimum = 0.0,
               .maximum = 1e9})
      .option("spread_s", &OracleOptions::spread_s,
              {.doc = "each rank hears later by a random time, uniform from 0 to this",
               .unit = "s",
               .source = "assumed",
               .minimum = 0.0,
               .maximum = 1e9,
               .later = true});
}

Registration oracle() {
  Registration oracle = registration<Oracle>(
      {.family = Family::failure_detection,
       .name = "oracle",
       .summary = "perfect: every live rank learns of every death, after a delay",
       .source = "adoption-2013 section 4 (notification by the resource manager)",
       .traits = {.tolerates_faults = true, .accurate = true}},
      options());
  oracle.exit_notice = [](const OptionValues& values) -> ExitNotice {
    const OracleOptions read = options().read(values);
    return {.delay_s = read.delay_s, .spread_s = read.spread_s};
  };
  return oracle;
}

const Registered registered{oracle()};

}  // namespace

}  // namespace faultline
