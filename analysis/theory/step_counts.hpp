// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/theory/tree_steps.hpp"

namespace faultline::theory {

/// The four algorithms of termination-2022 section 5.2. Each class counts the control messages that
/// its algorithm needs, step by step. The control tree is a binary heap on the ranks.

/// 4C: a wave climbs the tree through idle processes. It costs 2(P - 1) messages when it reaches
/// the root.
class FourCounterCount {
 public:
  FourCounterCount(std::uint32_t processes, StepRules rules);
  void add(const TreeStep& step);
  [[nodiscard]] std::uint64_t messages() const { return messages_; }

 private:
  void add_literal(const TreeStep& step, Rank process);
  void add_resolved(const TreeStep& step, Rank process);

  StepRules rules_;
  std::vector<std::uint8_t> joined_;         ///< whether the process is part of the wave
  std::vector<std::uint8_t> lets_pass_;      ///< joined, or fresh and all children let pass
  std::vector<std::uint8_t> has_gone_idle_;  ///< since the last wave
  std::vector<std::uint8_t> is_fresh_;       ///< has never been active
  std::uint64_t messages_ = 0;
};

/// EDOD: resume and acknowledge messages along the control tree, and stop messages for idle
/// subtrees.
class EdodCount {
 public:
  EdodCount(std::uint32_t processes, StepRules rules);
  void add(const TreeStep& step);
  [[nodiscard]] std::uint64_t messages() const { return messages_; }

 private:
  void add_stops(const TreeStep& step);
  void add_resumes(const TreeStep& step);
  std::uint64_t join_path(Rank from, Rank to);

  StepRules rules_;
  std::vector<std::uint32_t> subtree_size_;
  std::vector<std::uint8_t> is_idle_subtree_;
  std::vector<std::uint32_t> arrivals_end_;  ///< where a process's senders end in senders_
  std::vector<Rank> senders_;                ///< grouped by receiver
  std::vector<std::uint64_t> union_of_;      ///< last union of paths that has the parent edge
  std::uint64_t unions_ = 0;
  std::uint64_t messages_ = 0;
};

/// HCDA: every message takes half of its sender's credit, and idle processes return theirs.
class HcdaCount {
 public:
  HcdaCount(std::uint32_t processes, StepRules rules, std::uint64_t initial_credit, Rank first);
  void add(const TreeStep& step);
  [[nodiscard]] std::uint64_t messages() const { return messages_; }

 private:
  StepRules rules_;
  std::uint64_t initial_credit_;
  std::vector<std::uint64_t> credit_;
  std::vector<std::uint64_t> carried_;  ///< by this step's messages, for each receiver
  std::uint64_t messages_ = 0;
};

/// CDA: messages sent at the same time share the sender's credit. If the sender goes idle then, the
/// last of them takes all that is left.
class CdaCount {
 public:
  CdaCount(std::uint32_t processes, StepRules rules, std::uint64_t initial_credit, Rank first);
  void add(const TreeStep& step);
  [[nodiscard]] std::uint64_t messages() const { return messages_; }

 private:
  [[nodiscard]] std::uint64_t share(std::uint64_t credit, std::uint64_t shares) const;

  std::uint64_t initial_credit_;
  std::vector<std::uint64_t> credit_;
  std::vector<std::uint64_t> carried_;  ///< by this step's messages, for each receiver
  std::vector<std::uint64_t> shares_;   ///< S, of each process
  std::uint64_t messages_ = 0;
};

}  // namespace faultline::theory
