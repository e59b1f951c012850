#pragma once

#include <cstdint>
#include <vector>

#include "analysis/theory/tree_steps.hpp"

namespace faultline {

/// The four algorithms of termination-2022 section 5.2, each as a rule that counts the control
/// messages of one step after another. The control tree is a binary heap on the ranks.

/// 4C: a wave climbs through idle processes, and costs 2(P - 1) when it reaches the root.
class FourCounterCount {
 public:
  FourCounterCount(std::uint32_t processes, StepRules rules);
  void add(const TreeStep& step);
  [[nodiscard]] std::uint64_t messages() const { return messages_; }

 private:
  void add_literal(const TreeStep& step, Rank process);
  void add_resolved(const TreeStep& step, Rank process);

  StepRules rules_;
  std::vector<std::uint8_t> joined_;         ///< the wave
  std::vector<std::uint8_t> lets_pass_;      ///< joined, or fresh above processes that let pass
  std::vector<std::uint8_t> has_gone_idle_;  ///< since the last wave
  std::vector<std::uint8_t> is_fresh_;       ///< never activated
  std::uint64_t messages_ = 0;
};

/// EDOD: resume and acknowledge along the control tree, and a stop for idle subtrees.
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
  std::vector<std::uint64_t> union_of_;      ///< last union of paths with the edge to the parent
  std::uint64_t unions_ = 0;
  std::uint64_t messages_ = 0;
};

/// HCDA: every message takes half of the credit; idle processes return theirs.
class HcdaCount {
 public:
  HcdaCount(std::uint32_t processes, StepRules rules, std::uint64_t initial_credit, Rank first);
  void add(const TreeStep& step);
  [[nodiscard]] std::uint64_t messages() const { return messages_; }

 private:
  StepRules rules_;
  std::uint64_t initial_credit_;
  std::vector<std::uint64_t> credit_;
  std::vector<std::uint64_t> carried_;  ///< by the messages of this step, by receiver
  std::uint64_t messages_ = 0;
};

/// CDA: the simultaneous messages share the credit, and the last one before idleness takes the
/// rest.
class CdaCount {
 public:
  CdaCount(std::uint32_t processes, StepRules rules, std::uint64_t initial_credit, Rank first);
  void add(const TreeStep& step);
  [[nodiscard]] std::uint64_t messages() const { return messages_; }

 private:
  [[nodiscard]] std::uint64_t share(std::uint64_t credit, std::uint64_t shares) const;

  std::uint64_t initial_credit_;
  std::vector<std::uint64_t> credit_;
  std::vector<std::uint64_t> carried_;  ///< by the messages of this step, by receiver
  std::vector<std::uint64_t> shares_;   ///< S, by process
  std::uint64_t messages_ = 0;
};

}  // namespace faultline
