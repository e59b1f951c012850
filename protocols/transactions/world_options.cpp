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

}  // namespace faultline
