// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "sim/scenario/run_spec.hpp"

namespace faultline::search {

/// True for the name of an option after whose time a process stops waiting.
bool is_timeout(const std::string& option);

/// True if the option is a cost of a detector, and no time for which it waits.
bool is_cost(const std::string& option);

/// The times that a component declares and has, by the names of its options [s].
std::map<std::string, double*> times_of(scenario::ComponentChoice& choice);

/// The longest time that a component or the platform declares or is given, except for timeouts, or
/// that a message takes, or waits for a cut network [s].
double longest_time_s(const scenario::RunSpec& spec);

/// The time for which the largest message whose size an option states is under way: what is
/// narrowest of a NIC, a link and the memory of a node decides that [s].
double longest_send_s(const scenario::RunSpec& spec);

}  // namespace faultline::search
