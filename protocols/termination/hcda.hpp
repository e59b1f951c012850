// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sim/core/component.hpp"

namespace faultline::termination {

struct HcdaOptions {
  std::string credit = "huang";
  std::int64_t initial_credit = std::int64_t{1} << 32;
  std::uint64_t control_bytes = 16;
};

inline constexpr MetricSpec kSubcalls{
    "subcalls", Merge::sum,
    "how often a process issued credit of its own currency; only with `own-currency`"};

using SharedHcdaOptions = std::shared_ptr<const HcdaOptions>;

/// The original credit distribution algorithm (HCDA, Huang 1989) as termination-2022 sections 3.4
/// and 5.1 run it: rank 0 is the controlling agent, every message takes half of the sender's
/// integer credit, receivers add up, idle processes return what they hold, and a process that
/// cannot halve its credit borrows.
std::unique_ptr<Component> make_huang(const SharedHcdaOptions& options, const JobShape& job,
                                      Rank self);

/// Mattern's variant of HCDA (Mattern 1989; termination-2022 section 3.4): credit is 2^-Y and a
/// message carries Y, so that credit never runs out. A process does not add credit up: while it is
/// active, it returns the credit of each message that it receives to the agent.
std::unique_ptr<Component> make_mattern(const SharedHcdaOptions& options, const JobShape& job,
                                        Rank self);

/// The textbook variant of HCDA (Fokkink 2013, chapter 6; termination-2022 section 3.4): a process
/// that has no credit left to divide keeps the last credit that it holds, and issues credit of its
/// own currency. It returns that last credit when it is passive and its own currency has come back.
/// Credit of different issuers is kept apart and returned to its issuer.
std::unique_ptr<Component> make_own_currency(const SharedHcdaOptions& options, const JobShape& job,
                                             Rank self);

}  // namespace faultline::termination
