#include "analysis/theory/closed_forms.hpp"

#include <cmath>
#include <cstdint>

namespace faultline {

namespace {

struct TokenWalk {
  double P;      ///< processes
  double q;      ///< stop probability
  double moves;  ///< expected messages of the token
};

/// The token's walk of termination-2022 section 5.1, if the workload is that one (no branching,
/// random length, random ranks); else P is 0.
TokenWalk token_walk(const RunSpec& spec) {
  const ComponentChoice& workload = spec.component(Family::workload);
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
  // It does so without having moved, with probability q, or after moves, with probability 1 / P.
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

std::vector<ClosedForm> closed_forms(const RunSpec& spec) {
  std::vector<ClosedForm> forms;
  const TokenWalk walk = token_walk(spec);
  const Registration* detector = spec.component(Family::termination).registration;
  if (walk.P < 2 || spec.has_faults() || !spec.partitions.empty()) return forms;
  forms.push_back({"application_messages", "(1/q - 1)(1 - 1/P)", Relation::equal, walk.moves,
                   "exact: a token may stay, and the last step does not move"});
  if (detector == nullptr) return forms;
  if (detector->name == "cda") cda_forms(walk, forms);
  if (detector->name == "four-counter") four_counter_forms(walk, forms);
  if (detector->name == "dijkstra-scholten") dijkstra_scholten_forms(walk, forms);
  return forms;
}

}  // namespace faultline
