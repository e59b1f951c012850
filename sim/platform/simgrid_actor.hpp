// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <simgrid/s4u.hpp>
#include <string>

namespace faultline::platform {

/// Starts a SimGrid actor of this name on a host, which runs `code`. Hides how versions of SimGrid
/// differ in this.
simgrid::s4u::ActorPtr start_actor(const std::string& name, simgrid::s4u::Host* host,
                                   const std::function<void()>& code);

}  // namespace faultline::platform
