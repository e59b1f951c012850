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

/// Declares `recovery`, which those have whose ranks go on without a relaunch.
inline OptionNotes recovery_notes() {
  return {.doc =
              "what becomes of the world. `rebuild`: new processes take the ranks of the dead, "
              "and nobody else's rank changes. `merge`: those above the dead move down, their "
              "data with them, and new processes are the last ranks. `shrink`: those above the "
              "dead move down, and the program goes on with fewer ranks",
          .source = "fampi-2015 section 3.3; `rebuild`: Fig. 1c; `merge`: Fig. 1a, b",
          .choices = {"rebuild", "merge", "shrink"}};
}

/// Declares `spawn_s`, which those have that start new processes themselves.
inline OptionNotes spawn_time_notes() {
  return {.doc = "from the request of new processes until they start",
          .unit = "s",
          .source = "fampi-2015 section 5: \"several seconds\"; the default leaves it out",
          .minimum = 0.0,
          .maximum = 1e9};
}

/// Problems of these options with those of the program: not all can go on with fewer ranks.
std::vector<OptionProblem> shrink_problems(const OptionValues& own, const OptionValues& workload);

/// Problems of these options in a job.
std::vector<OptionProblem> world_problems(const OptionValues& values, const JobShape& job);

}  // namespace faultline
