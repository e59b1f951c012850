// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/events/recount.hpp"

#include <string>

#include "sim/core/invariant.hpp"

namespace faultline::engine {

void Recount::add(const Event& event) {
  ++events;
  if (keeps_run_alive(event.kind())) ++foreground;
  ++events_of_kind[static_cast<std::size_t>(event.kind())];
}

void expect_equal(const char* what, std::int64_t kept, std::int64_t counted) {
  if (kept == counted) return;
  throw BrokenInvariant(std::string(what) + ": " + std::to_string(kept) + " by the counter, " +
                        std::to_string(counted) + " counted anew");
}

void expect_at_most(const char* what, std::int64_t pending, std::int64_t events) {
  if (pending <= events) return;
  throw BrokenInvariant(std::string(what) + ": " + std::to_string(pending) + ", and events for " +
                        std::to_string(events));
}

}  // namespace faultline::engine
