#pragma once

#include <string>
#include <vector>

#include "protocols/transactions/world_layer.hpp"

namespace faultline {

/// Declares the options that all these protocols have. `Options` inherits from WorldOptions;
/// `checkpoints` are the kinds of checkpoints that the protocol offers.
template <class Options>
OptionSet<Options> world_options(const std::vector<std::string>& checkpoints) {
  const auto member = []<class Member>(Member WorldOptions::*of) -> Member Options::* {
    return of;
  };
  return OptionSet<Options>()
      .option(
          "checkpoint", member(&WorldOptions::checkpoint),
          {.doc = "where the state of a rank is saved. `none`: nowhere, the program begins "
                  "again. `partner`: at a rank of another node, too. `storage`: in one that all "
                  "share",
           .choices = checkpoints})
      .option(
          "checkpoint_iterations", member(&WorldOptions::checkpoint_iterations),
          {.doc = "iterations from one checkpoint to the next, at least; it is taken at the end "
                  "of a TryBlock",
           .minimum = 1})
      .option("spawn", member(&WorldOptions::spawn),
              {.doc = "where new processes start: on a spare node, or on that of the dead",
               .source = "fampi-2015 Fig. 1",
               .choices = {"spare-node", "same-node"}})
      .option("control_bytes", member(&WorldOptions::control_bytes),
              {.doc = "size of a control message, without what it lists",
               .unit = "B",
               .source = "assumed: four words"});
}

/// Problems of these options with those of the program: not all can go on with fewer ranks.
std::vector<OptionProblem> shrink_problems(const OptionValues& own, const OptionValues& workload);

/// Problems of these options in a job.
std::vector<OptionProblem> world_problems(const OptionValues& values, const JobShape& job);

}  // namespace faultline
