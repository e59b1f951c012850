// SPDX-License-Identifier: Apache-2.0
#include "protocols/transactions/world_options.hpp"

namespace faultline::transactions {

namespace {

/// null, where nobody has asked for checkpoints: none.
std::string checkpoint_of(const OptionValues& values) {
  const auto* const stated = std::get_if<std::string>(&values.at("checkpoint"));
  return stated == nullptr ? "none" : *stated;
}

}  // namespace

std::vector<OptionProblem> world_problems(const OptionValues& values, const JobShape& job) {
  std::vector<OptionProblem> problems;
  if (checkpoint_of(values) == "partner" && job.nodes < 2)
    problems.push_back({"checkpoint",
                        "expected at least 2 nodes for \"partner\", which keeps a checkpoint on "
                        "another node than its rank's"});
  const auto recovery = values.find("recovery");
  if (checkpoint_of(values) == "local" && recovery != values.end() &&
      std::get<std::string>(recovery->second) == "merge")
    problems.push_back(
        {"checkpoint",
         "expected another checkpoint than \"local\" with recovery \"merge\", which moves ranks to "
         "other nodes"});
  const auto has = [&](const char* option) {
    return !std::holds_alternative<std::monostate>(values.at(option));
  };
  const bool is_counted = has("checkpoint_iterations");
  const bool is_timed = has("checkpoint_interval_s");
  if (is_counted && is_timed)
    problems.push_back({"checkpoint_interval_s",
                        "expected at most one of checkpoint_iterations and checkpoint_interval_s"});
  if (checkpoint_of(values) != "none" && !is_counted && !is_timed && job.mtbf_s == kNever)
    problems.push_back(
        {"checkpoint_interval_s",
         "expected checkpoint_iterations or checkpoint_interval_s, or faults with a mean time "
         "between them, from which to compute Daly's interval"});
  return problems;
}

std::vector<OptionProblem> block_problems(const OptionValues& own, const Registration& program,
                                          const BlockContents& blocks) {
  std::vector<OptionProblem> problems;
  if (std::get<std::string>(own.at("recovery")) == "shrink" && blocks.needs_all_ranks)
    problems.push_back({"recovery",
                        "expected \"rebuild\" or \"merge\": the workload needs all of its ranks, "
                        "and \"shrink\" does not replace the dead"});
  if (blocks.has_messages_outside)
    problems.push_back({.option = "",
                        .message = "gives up only requests inside of TryBlocks, and " +
                                   program.name +
                                   " has messages outside of them: a rank that waits there for a "
                                   "rank that dies waits for ever",
                        .is_note = true});
  return problems;
}

std::vector<OptionProblem> death_problems(const OptionValues& values, const Deaths& deaths) {
  const auto recovery = values.find("recovery");
  if (recovery != values.end() && std::get<std::string>(recovery->second) == "shrink") return {};
  const bool needs_spare = std::get<std::string>(values.at("spawn")) == "spare-node";
  if (needs_spare && deaths.spare_nodes == 0)
    return {{"spawn",
             "\"spare-node\" needs a spare node under faults, expected at least 1 in "
             "platform.spare_nodes, or \"same-node\""}};
  if (!needs_spare && deaths.of_nodes)
    return {{"spawn",
             "\"same-node\" has no node for the processes of a node that fails, expected "
             "\"spare-node\" under faults of nodes"}};
  if (needs_spare && checkpoint_of(values) == "local")
    return {{"checkpoint",
             "\"local\" leaves checkpoints on the node of the dead process, and spawn "
             "\"spare-node\" starts the new one on another, expected \"partner\" or \"storage\" "
             "under faults, or spawn \"same-node\""}};
  return {};
}

}  // namespace faultline::transactions
