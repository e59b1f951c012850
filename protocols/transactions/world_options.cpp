#include "protocols/transactions/world_options.hpp"

namespace faultline {

std::vector<OptionProblem> world_problems(const OptionValues& values, const JobShape& job) {
  std::vector<OptionProblem> problems;
  if (std::get<std::string>(values.at("checkpoint")) == "partner" && job.nodes < 2)
    problems.push_back({"checkpoint",
                        "at least 2 nodes for \"partner\": a checkpoint is kept on "
                        "another node than its rank"});
  return problems;
}

/// A program that can do without some ranks says so by an option.
std::vector<OptionProblem> shrink_problems(const OptionValues& own, const OptionValues& workload) {
  if (std::get<std::string>(own.at("recovery")) != "shrink") return {};
  const auto needs_all = workload.find("needs_all_ranks");
  if (needs_all != workload.end() && !std::get<bool>(needs_all->second)) return {};
  return {{"recovery",
           "\"rebuild\" or \"merge\": the workload needs all of its ranks, which \"shrink\" would "
           "not replace"}};
}

}  // namespace faultline
