// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/registry.hpp"

namespace faultline::scenario {

/// The components of a stack, indexed by Family; null: none.
using StackParts = std::array<const Registration*, kFamilies>;

/// What a stack has to bear.
struct StackDemands {
  bool deaths = false;         ///< processes die
  bool false_reports = false;  ///< its detector declares live ranks dead, as the scenario states
  bool restarts = false;       ///< ranks are started again, after a death or a false report
  bool unordered = false;      ///< messages come in any order
};

/// Why something does not work, the gravest ground first.
enum class Ground : std::uint8_t {
  nature,     ///< no implementation could make it work
  not_built,  ///< Faultline does not have what it takes
  settings,   ///< other values in the scenario would make it work
  warning,    ///< it runs, and will probably not end well
};

/// "by nature", "not built", "by settings" or "warning".
const char* ground_word(Ground ground);

/// A component that does not work in a stack.
struct StackRefusal {
  const Registration* component = nullptr;
  const Registration* other = nullptr;  ///< with which one it does not work; null: with none
  Ground ground = Ground::nature;
  std::string reason;        ///< in a line, without names: "the program has no TryBlocks"
  std::string words;         ///< with names, after its own: "needs a program of TryBlocks, and ..."
  std::string instead = {};  ///< what would work, after the words: ", choose minife or try-blocks"
};

/// Whether refusals name what would work instead, which takes longer.
enum class Instead : std::uint8_t { named, left_out };

/// The one rule of what works above what: each component of the stack that does not, in the order
/// of the stack. It follows from what the registrations declare. Warnings are left out.
std::vector<StackRefusal> refusals_of(const StackParts& parts, const StackDemands& demands,
                                      Instead instead = Instead::named);

/// What the stack does not protect although processes die, a program that waits for the dead, or
/// ends with them; and what it protects twice, a detector that survives deaths above a layer that
/// brings the ranks back. They are warnings.
std::vector<StackRefusal> warnings_of(const StackParts& parts, const StackDemands& demands);

/// True if a layer above message logging refuses all of it. Then nothing else about it matters.
bool is_logging_refused(const StackParts& parts);

/// True if a layer that keeps images could put the workload back, or if it keeps none.
bool can_restore_workload(const StackParts& parts, const Registration& layer);

}  // namespace faultline::scenario
