// SPDX-License-Identifier: Apache-2.0
#include "protocols/failure_detection/members.hpp"

namespace faultline::failure_detection {

std::vector<Rank> ranks_of_daemon(const DetectorContext& context) {
  const Placement& placement = context.placement();
  return placement.ranks_on(placement.node_of(context.self()));
}

std::vector<OptionProblem> check_members(const std::string& kind, const JobShape& job) {
  const Members members(kind, job);
  if (members.count() > 1) return {};
  return {{"members", "expected at least two to watch each other, but the job has one " +
                          std::string(members.are_daemons() ? "node" : "rank")}};
}

}  // namespace faultline::failure_detection
