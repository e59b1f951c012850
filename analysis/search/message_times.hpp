#pragma once

#include "sim/scenario/run_spec.hpp"

namespace faultline::search {

/// How long the largest message to which an option gives a size occupies a NIC [s].
double longest_send_s(const RunSpec& spec);

}  // namespace faultline::search
