// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/scenario/run_spec.hpp"

namespace faultline::scenario {

/// True if a protocol of transactions saves the states of ranks with these options.
bool takes_checkpoints(const OptionValues& transactions);

/// Lets `checkpoint_iterations` of the workload hold for transactions, too, as far as their own
/// options leave it open. Then `checkpoint`, where it is null, is `partner`, and else `none`. To
/// call it again changes nothing.
void inherit_checkpoints(RunSpec& point);

}  // namespace faultline::scenario
