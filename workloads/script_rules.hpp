// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/types.hpp"

namespace faultline::workloads {

/// How many rules a script can have.
inline constexpr std::size_t kMostRules = 200;

/// An action of a rule: the rank sends a message, or computes.
struct ScriptAction {
  bool sends = false;
  std::uint32_t name = 0;   ///< the message's tag, or the computation: its place in Script::names
  Rank to = kNobody;        ///< receiver of a message
  double compute_s = -1.0;  ///< of a computation; below 0: the workload's option
};

/// The event that lets a rule apply.
enum class Occasion : std::uint8_t {
  start,     ///< the run begins
  received,  ///< the rank has received a message with that tag
  computed,  ///< a computation of that name has ended
};

/// One rule of a script: what a rank does on an occasion.
struct ScriptRule {
  Rank rank = 0;
  Occasion occasion = Occasion::start;
  std::uint32_t name = 0;  ///< of the message or computation: its place in Script::names
  Rank from = kNobody;     ///< received: from that rank only; kNobody: from any
  std::uint32_t count =
      0;  ///< applies only when this happens for the n-th time, from 1; 0: each time
  std::vector<ScriptAction> actions;
};

/// A rule that cannot be read, or that can never apply.
struct ScriptProblem {
  std::size_t rule;  ///< counted from 0
  std::string message;
};

/// What each rank does on which occasion.
///
///     0 at start: send a to 1, compute work 2e-3 s
///     1 on a: send b to 2
///     2 on 2nd b from 1: send c to 0
///     0 after work: send a to 2
struct Script {
  std::vector<ScriptRule> rules;   ///< without those that cannot be read
  std::vector<std::string> names;  ///< tags and computations, in the order in which they come
  std::map<Rank, std::vector<std::uint32_t>> rules_of;  ///< those of a rank, by their places
  std::vector<ScriptProblem> problems;                  ///< what cannot be read
};

/// Reads the rules of a script: at most kMostRules, in a job with ranks below `processes`.
Script read_script(const std::vector<std::string>& rules, std::uint32_t processes);

/// The rules that can never apply, whatever the order of messages, in a script without other
/// problems.
std::vector<ScriptProblem> idle_rules(const Script& script);

/// The place of the first rule that a script without other problems can apply any number of times,
/// because a message or a computation leads to itself again.
std::optional<std::size_t> endless_rule(const Script& script);

}  // namespace faultline::workloads
