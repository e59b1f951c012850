// SPDX-License-Identifier: Apache-2.0
#include "analysis/theory/sure_survival.hpp"

#include <algorithm>
#include <string>

#include "sim/scenario/may_err.hpp"

namespace faultline::theory {

namespace {

bool is_option(const faults::FaultSourceChoice& source, const char* name,
               const OptionValue& value) {
  const auto found = source.options.find(name);
  return found != source.options.end() && found->second == value;
}

/// True if the fault takes one rank, and never rank 0.
bool takes_one_other_rank(const scenario::RunSpec& spec, const faults::FaultSourceChoice& source) {
  return is_option(source, "spare_root", true) &&
         is_option(source, "component", std::string("node")) &&
         (!faults::strikes_nodes(source) || spec.platform.processes_per_node == 1);
}

/// True if the component does not depend on the dead, or states that it goes on.
bool goes_on(const scenario::ComponentChoice& choice, const JobShape& job) {
  if (choice.registration == nullptr) return true;
  const MayGiveUp& rule = choice.registration->may_give_up();
  if (!rule) return !choice.registration->needs_detection();
  for (Rank victim = 1; victim < job.processes; ++victim)
    if (rule(choice.options, job, {victim})) return false;
  return true;
}

}  // namespace

bool survives_surely(const scenario::RunSpec& spec, std::int64_t failed) {
  const auto has = [&](Family family) { return spec.component(family).registration != nullptr; };
  if (failed != 1 || spec.fault_sources.size() != 1 || !spec.faults.empty() || spec.is_ever_cut() ||
      spec.allow_unsafe || scenario::can_err(spec) || has(Family::message_logging) ||
      has(Family::transactions) || !has(Family::termination) || !has(Family::failure_detection) ||
      !takes_one_other_rank(spec, spec.fault_sources.front()))
    return false;
  const JobShape job = scenario::job_shape(spec);
  return goes_on(spec.component(Family::termination), job) &&
         goes_on(spec.component(Family::workload), job);
}

}  // namespace faultline::theory
