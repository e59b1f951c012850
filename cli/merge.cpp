// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

#include <ostream>

#include "analysis/runs/exit_code.hpp"
#include "analysis/store/merge.hpp"
#include "cli/stored_points.hpp"
#include "sim/core/error.hpp"
#include "sim/core/visible_text.hpp"

namespace faultline::cli {

namespace {

namespace po = boost::program_options;
using Words = std::vector<std::string>;

VerbOptions merge_options() {
  VerbOptions verb{.verb = "merge",
                   .usage = "merge OUT IN...",
                   .about =
                       "Joins stores, such as those of the shards of a sweep, into a new one. If "
                       "several stores have the same point, its results must be equal."};
  verb.hidden.add_options()("stores", po::value<Words>());
  verb.positional.add("stores", -1);
  return verb;
}

int carry_out_merge(const Call& call) {
  const po::variables_map& values = call.values;
  Words stores = values.count("stores") == 0 ? Words{} : values["stores"].as<Words>();
  if (stores.size() < 2)
    throw UsageError("merge: expected a new store and those to join: faultline merge OUT IN...");
  const std::string target = stores.front();
  stores.erase(stores.begin());
  for (const std::string& store : stores) need_store(store);
  const store::MergeOutcome outcome = store::merge_stores(target, stores);
  for (const std::string& note : outcome.notes) complain(note);
  call.out << target << ": " << outcome.points << (outcome.points == 1 ? " point" : " points");
  if (outcome.duplicates > 0)
    call.out << ", " << outcome.duplicates << " duplicates with equal results";
  call.out << "\n";
  return runs::kExitGood;
}

}  // namespace

Verb merge_verb() {
  return {.name = "merge",
          .summary = "join the stores of the parts of a study",
          .options = merge_options,
          .run = carry_out_merge};
}

}  // namespace faultline::cli
