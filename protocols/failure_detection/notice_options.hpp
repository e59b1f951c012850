// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/core/options.hpp"
#include "sim/core/registry.hpp"

namespace faultline::failure_detection {

/// Declares the options of every detector that hears of all deaths from the engine: the time of the
/// notice.
template <class Options>
void add_notice_options(OptionSet<Options>& set) {
  set.option("delay_s", &Options::delay_s,
             {.doc = "time from a death to its notice at every live rank",
              .unit = "s",
              .source = "assumed",
              .minimum = 0.0,
              .maximum = 1e9})
      .option("spread_s", &Options::spread_s,
              {.doc = "each rank hears later by a random time, uniform from 0 to this value",
               .unit = "s",
               .source = "assumed",
               .minimum = 0.0,
               .maximum = 1e9});
}

/// The bound of such a detector: notices of the resource manager need no messages.
template <class Options>
DetectionBound notice_bound_of(const Options& options) {
  return {.within_s = options.delay_s + options.spread_s};
}

template <class Options>
ExitNotice exit_notice_of(const Options& options) {
  return {.delay_s = options.delay_s, .spread_s = options.spread_s};
}

}  // namespace faultline::failure_detection
