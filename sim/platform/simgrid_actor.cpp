// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/simgrid_actor.hpp"

// In a block of its own, because it must come after <simgrid/s4u.hpp>, whose macros it uses.
#include <simgrid/version.h>

namespace faultline::platform {

simgrid::s4u::ActorPtr start_actor(const std::string& name, simgrid::s4u::Host* host,
                                   const std::function<void()>& code) {
#if SIMGRID_VERSION >= 40100
  return host->add_actor(name, code);
#elif SIMGRID_VERSION >= 40000
  return simgrid::s4u::Engine::add_actor(name, host, code);
#else
  return simgrid::s4u::Actor::create(name, host, code);
#endif
}

}  // namespace faultline::platform
