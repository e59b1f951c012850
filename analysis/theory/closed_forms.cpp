// SPDX-License-Identifier: Apache-2.0
#include "analysis/theory/closed_forms.hpp"

#include <cmath>
#include <cstdint>
#include <memory>

#include "analysis/theory/commit_time.hpp"
#include "analysis/theory/completion.hpp"
#include "sim/platform/topology.hpp"
#include "sim/scenario/inherited_checkpoints.hpp"
#include "sim/scenario/stated_disturbance.hpp"

namespace faultline::theory {

namespace {

struct TokenWalk {
  double P;      ///< processes
  double q;      ///< stop probability
  double moves;  ///< expected messages of the token
};

/// The token's walk of termination-2022 section 5.1, if the workload is that one (no branching,
/// random length, random ranks); else P is 0.
TokenWalk token_walk(const scenario::RunSpec& spec) {
  const scenario::ComponentChoice& workload = spec.component(Family::workload);
  if (workload.registration == nullptr || workload.registration->name != "token-ring") return {};
  const auto& options = workload.options;
  const double q = std::get<double>(options.at("stop_probability"));
  if (!std::holds_alternative<std::monostate>(options.at("walk_length")) ||
      !std::holds_alternative<std::monostate>(options.at("most_steps")) || q <= 0.0 ||
      std::get<double>(options.at("branch_probability")) > 0.0 ||
      std::get<std::string>(options.at("route")) != "random")
    return {};
  const double P = spec.platform.processes;
  // The token tests for its stop before every move. If it draws the rank that it is on, it stays.
  return {P, q, (1.0 - q) / q * (1.0 - 1.0 / P)};
}

constexpr const char* kTheorem = "termination-2022 theorem 1";
constexpr const char* kControl = "control_messages";

void cda_forms(const TokenWalk& walk, std::vector<ClosedForm>& forms) {
  // P - 1 first flushes, P - 1 announcements, and one last flush, unless the token ends at rank 0.
  // That happens without a move with probability q, or after moves with probability 1 / P.
  const double exact = 2 * walk.P - 1 - 1 / walk.P - walk.q * (1 - 1 / walk.P);
  forms.push_back({kControl, "2P - 1 - 1/P - q(1 - 1/P)", Relation::equal, exact,
                   "exact for the stop tested before every move"});
  forms.push_back({kControl, "2P", Relation::at_most, 2 * walk.P, kTheorem});
}

void four_counter_forms(const TokenWalk& walk, std::vector<ClosedForm>& forms) {
  forms.push_back({kControl, "P/q + P", Relation::at_least, walk.P / walk.q + walk.P,
                   std::string(kTheorem) + ", which drops o(P)"});
  forms.push_back({kControl, "2P/q + 2P", Relation::about, 2 * walk.P / walk.q + 2 * walk.P,
                   "both halves of every wave, and one wave more to be sure"});
}

void dijkstra_scholten_forms(const TokenWalk& walk, std::vector<ClosedForm>& forms) {
  forms.push_back({kControl, "(1/q - 1)(1 - 1/P) + P - 1", Relation::equal, walk.moves + walk.P - 1,
                   "exact: one acknowledgement a move, and the announcement"});
}

// ---- a single commit ----------------------------------------------------------------------------

template <class Value>
Value option(const scenario::ComponentChoice& choice, const char* name) {
  return std::get<Value>(choice.options.at(name));
}

bool disturbs(const scenario::RunSpec& spec) {
  return spec.has_faults() || !spec.faults.empty() || scenario::is_disturbed(spec) || spec.order ||
         spec.platform.ordering != scenario::Ordering::fifo;
}

/// True if the run is one TryBlock with only a computation in it, which all ranks end at the same
/// time, each on its own node; and if processes that do nothing else commit it over a heap.
bool is_single_commit(const scenario::RunSpec& spec) {
  const scenario::ComponentChoice& workload = spec.component(Family::workload);
  const scenario::ComponentChoice& protocol = spec.component(Family::transactions);
  return scenario::protocol_of(spec, Family::workload) == "try-blocks" &&
         scenario::protocol_of(spec, Family::transactions) == "fampi" &&
         option<std::int64_t>(workload, "iterations") == 1 &&
         option<std::int64_t>(workload, "allreduces") == 0 &&
         option<std::string>(protocol, "agreement") != "star" &&
         !scenario::takes_checkpoints(protocol.options) && spec.platform.processes_per_node == 1 &&
         spec.platform.mapping == scenario::Mapping::block && spec.platform.xml_path.empty() &&
         !disturbs(spec);
}

std::vector<ClosedForm> commit_forms(const scenario::RunSpec& spec) {
  const scenario::PlatformSpec& platform = spec.platform;
  const platform::Machine& machine = platform.machine;
  const auto routes = std::make_shared<const platform::Topology>(
      platform::partition(machine, scenario::job_shape(platform).nodes + platform.spare_nodes,
                          platform.whole_machine),
      machine.hop_latency_s, machine.link_bandwidth_Bps);
  const bool twice =
      option<std::string>(spec.component(Family::transactions), "agreement") == "two-phase";
  const CommitTimes times = commit_times({.machine = machine,
                                          .members = platform.processes,
                                          .two_sweeps = twice,
                                          .route_latency_s = [routes](Rank from, Rank to) {
                                            return routes->route(from, to).latency_s;
                                          }});
  const auto compute_s = option<double>(spec.component(Family::workload), "compute_s");
  return {{kControl, twice ? "4 (P - 1)" : "2 (P - 1)", Relation::equal,
           static_cast<double>(times.messages), "exact"},
          {"time_to_solution_s", "computation + commit", Relation::equal,
           compute_s + times.last_knows_s, "recursion over the heap, exact on loggp"}};
}

}  // namespace

const char* relation_sign(Relation relation) {
  switch (relation) {
    case Relation::equal:
      return "=";
    case Relation::at_least:
      return ">=";
    case Relation::at_most:
      return "<=";
    case Relation::about:
      return "~";
  }
  return "";
}

std::vector<ClosedForm> closed_forms(const scenario::RunSpec& spec) {
  if (is_single_commit(spec)) return commit_forms(spec);
  std::vector<ClosedForm> forms;
  if (const auto completion = completion_form(spec)) forms.push_back(*completion);
  const TokenWalk walk = token_walk(spec);
  const Registration* detector = spec.component(Family::termination).registration;
  if (walk.P < 2 || spec.has_faults() || spec.is_ever_cut()) return forms;
  forms.push_back({"application_messages", "(1/q - 1)(1 - 1/P)", Relation::equal, walk.moves,
                   "exact: a token may stay, and the last step does not move"});
  if (detector == nullptr) return forms;
  if (detector->name == "cda") cda_forms(walk, forms);
  if (detector->name == "four-counter") four_counter_forms(walk, forms);
  if (detector->name == "dijkstra-scholten") dijkstra_scholten_forms(walk, forms);
  return forms;
}

}  // namespace faultline::theory
