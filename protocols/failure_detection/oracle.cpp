#include "protocols/failure_detection/oracle.hpp"

namespace faultline {

namespace {

const Registered registered{registration<Oracle>(
    {.family = Family::failure_detection,
     .name = "oracle",
     .summary = "perfect: every live rank learns of every death after a fixed delay",
     .source = "adoption-2013 section 4 (notification by the resource manager)",
     .traits = {.tolerates_faults = true}},
    OptionSet<OracleOptions>().option("delay_s", &OracleOptions::delay_s,
                                      {.doc = "time from a death to its notice at every live rank",
                                       .unit = "s",
                                       .source = "assumed",
                                       .minimum = 0.0,
                                       .maximum = 1e9}))};

}  // namespace

}  // namespace faultline
