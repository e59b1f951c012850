// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "sim/core/options.hpp"
#include "sim/core/types.hpp"

namespace faultline {

/// Whether a component may give up at an actor that has been told of the deaths in `dead`.
using MayGiveUp =
    std::function<bool(const OptionValues&, const JobShape&, const std::vector<ActorId>& dead)>;

}  // namespace faultline
