// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"
#include "sim/scenario/stack_rule.hpp"

namespace faultline::scenario {

/// A component in its place of a stack, or none of that family.
struct StackPart {
  Family family = Family::workload;
  const Registration* component = nullptr;

  [[nodiscard]] std::string name() const { return component == nullptr ? "none" : component->name; }
  bool operator==(const StackPart&) const = default;
};

/// Why two parts do not go together, or of what a scenario with both is warned.
struct PairReason {
  Ground ground = Ground::nature;
  std::string reason;  ///< in a line, without names
  std::string words;   ///< the same, with names
};

/// A part of a stack, and what recovers its ranks.
struct StackPair {
  StackPart part;
  StackPart recovery;
  bool works = false;  ///< a stack with both is accepted
  /// Of the stack with both that comes nearest to being accepted: what is held against it, or else
  /// of what it is warned. What no other values could mend comes first.
  std::vector<PairReason> reasons = {};
};

/// What works above what.
struct StackPairs {
  std::vector<StackPart> parts;       ///< programs, transactions, detectors
  std::vector<StackPart> recoveries;  ///< none, transactions, message logging
  /// By part, then by recovery. Transactions are paired with message logging alone.
  std::vector<StackPair> pairs;
};

/// What works above what where processes die, whatever the other settings are.
StackPairs stack_pairs();

/// The same for the program, the platform, the faults and the other settings of a scenario. What
/// the file has of a component are its options; those of others are the defaults. Of a sweep: its
/// first point. Combinations that are refused are no error. Throws UsageError with all others.
StackPairs stack_pairs_of(const std::string& file, const ScenarioBackends& backends = {});

}  // namespace faultline::scenario
