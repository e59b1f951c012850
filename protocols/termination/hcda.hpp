#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sim/core/component.hpp"

namespace faultline {

struct HcdaOptions {
  std::string credit = "huang";
  std::int64_t initial_credit = std::int64_t{1} << 32;
  std::uint32_t control_bytes = 16;
};

using SharedHcdaOptions = std::shared_ptr<const HcdaOptions>;

/// The original credit distribution algorithm (HCDA, Huang 1989) as termination-2022 sections 3.4
/// and 5.1 run it: rank 0 is the controlling agent, every message takes half of the sender's
/// integer credit, receivers add up, idle processes return what they hold, and a process that
/// cannot halve its credit borrows.
std::unique_ptr<Component> make_huang(const SharedHcdaOptions& options, const JobShape& job,
                                      Rank self);

/// Mattern's variant of HCDA (Mattern 1989; termination-2022 section 3.4): credit is 2^-Y and a
/// message carries Y, so that it never runs out. A process does not add up: one that is active
/// returns the credit of each message that it receives to the agent.
std::unique_ptr<Component> make_mattern(const SharedHcdaOptions& options, const JobShape& job,
                                        Rank self);

/// The textbook variant of HCDA (Fokkink 2013, chapter 6; termination-2022 section 3.4): a process
/// that has no credit left to divide issues its own currency and so begins a detection of its own
/// under the last credit that it holds. It returns that credit when it is passive and its currency
/// has come back. Credit of different issuers is kept apart and returned to its issuer.
std::unique_ptr<Component> make_own_currency(const SharedHcdaOptions& options, const JobShape& job,
                                             Rank self);

}  // namespace faultline
