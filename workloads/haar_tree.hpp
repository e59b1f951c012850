// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace faultline::workloads {

/// A node of a binary tree over an interval, numbered as in a heap: the root is 1 and the halves of
/// n are 2n and 2n+1.
using HaarNode = std::uint64_t;

/// The tree that an adaptive projection of exp(-x^2) on [-10, 10] onto the Haar basis unfolds
/// (termination-2022 sections 2 and 6.2). A node samples the function in the middle of each of its
/// two halves. It is refined if its detail coefficient exceeds the threshold, or if its depth is
/// below 3.
///
/// The paper prints e^-2x and no criterion. Function, criterion and least depth are those of its
/// authors' public benchmark (PaRSEC tests/haar-tree-project).
class HaarTree {
 public:
  explicit HaarTree(double threshold) : threshold_(threshold) {}

  [[nodiscard]] static unsigned depth(HaarNode node);
  /// True if the node has two halves below it.
  [[nodiscard]] bool refined(HaarNode node) const;
  /// The number of nodes in the subtree of this node, itself included. Takes time that grows with
  /// the logarithm of that number, and no memory for each node.
  [[nodiscard]] std::uint64_t subtree_nodes(HaarNode node) const;

 private:
  /// The nodes first..end-1 of one depth.
  struct Range {
    std::uint64_t first;
    std::uint64_t end;
  };
  enum class Verdict { all_refined, all_leaves, unknown };

  [[nodiscard]] bool refined(unsigned depth, std::uint64_t index) const;
  [[nodiscard]] Verdict verdict(unsigned depth, Range range) const;
  void add_halves(unsigned depth, Range range, std::vector<Range>& halves) const;

  double threshold_;
};

}  // namespace faultline::workloads
