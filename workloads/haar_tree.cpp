// SPDX-License-Identifier: Apache-2.0
#include "workloads/haar_tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace faultline::workloads {

namespace {

constexpr double kLeft = -10.0;
constexpr double kRight = 10.0;
constexpr unsigned kLeastDepth = 3;

double function(double x) { return std::exp(-x * x); }

// The largest slope of the function, at 1/sqrt(2): sqrt(2/e) = 0.85776..., rounded up.
constexpr double kSteepest = 0.85777;

double width(unsigned depth) { return std::ldexp(kRight - kLeft, -static_cast<int>(depth)); }

double middle(unsigned depth, std::uint64_t index) {
  return kLeft + width(depth) * (static_cast<double>(index) + 0.5);
}

// 2^(-depth/2): the basis functions have norm 1.
double scale(unsigned depth) {
  return std::ldexp(depth % 2 == 0 ? 1.0 : std::numbers::sqrt2 / 2.0, -static_cast<int>(depth / 2));
}

// All sampled places are multiples of 5 x 2^-depth, which a double holds exactly.
double detail_of(unsigned depth, std::uint64_t index) {
  const double left = function(middle(depth, index) - width(depth) / 4.0);
  const double right = function(middle(depth, index) + width(depth) / 4.0);
  return std::fabs(left - right) / 2.0 * scale(depth);
}

// How far a computed detail can be from the true one: x^2 and exp round by less than two units in
// the last place each, which moves exp(-x^2) by less than 3 x 2^-53; this is five times that.
double rounding(unsigned depth) { return 0x1.0p-50 * scale(depth); }

}  // namespace

unsigned HaarTree::depth(HaarNode node) { return static_cast<unsigned>(std::bit_width(node)) - 1; }

bool HaarTree::refined(unsigned depth, std::uint64_t index) const {
  return depth < kLeastDepth || detail_of(depth, index) > threshold_;
}

bool HaarTree::refined(HaarNode node) const {
  return refined(depth(node), node - (std::uint64_t{1} << depth(node)));
}

// On either side of x = 0 the true detail rises with |x| up to one peak and then falls. For samples
// h on both sides of x it is exp(-x^2 - h^2) sinh(2xh), whose peak solves x tanh(2xh) = h and lies
// between 0.70 and 0.71 + h. So the least detail of a range is at one of its ends, and so is the
// largest, unless the peak lies inside, where the steepest slope bounds it. Where rounding could
// turn the decision, there is none.
HaarTree::Verdict HaarTree::verdict(unsigned depth, Range range) const {
  if (depth < kLeastDepth) return Verdict::all_refined;
  const double first = middle(depth, range.first);
  const double last = middle(depth, range.end - 1);
  if (first < 0.0 && last > 0.0) return Verdict::unknown;
  const auto [least, most] =
      std::minmax({detail_of(depth, range.first), detail_of(depth, range.end - 1)});
  if (least > threshold_ + rounding(depth)) return Verdict::all_refined;
  const double near = std::min(std::fabs(first), std::fabs(last));
  const double far = std::max(std::fabs(first), std::fabs(last));
  const double half_apart = width(depth) / 4.0;
  const bool peak_inside = far > 0.70 && near < 0.71 + half_apart;
  const double bound = peak_inside ? kSteepest * half_apart * scale(depth) : most;
  if (bound + rounding(depth) <= threshold_) return Verdict::all_leaves;
  return Verdict::unknown;
}

// Appends the halves of the refined nodes of a range.
void HaarTree::add_halves(unsigned depth, Range range, std::vector<Range>& halves) const {
  constexpr std::uint64_t kFew = 4;
  const std::uint64_t count = range.end - range.first;
  const Verdict known = count > kFew ? verdict(depth, range) : Verdict::unknown;
  if (known == Verdict::all_leaves) return;
  const bool single = count == 1 && refined(depth, range.first);
  if (known == Verdict::all_refined || single) {
    const Range below{2 * range.first, 2 * range.end};
    if (!halves.empty() && halves.back().end == below.first)
      halves.back().end = below.end;
    else
      halves.push_back(below);
  } else if (count > 1) {
    const std::uint64_t cut = range.first + count / 2;
    add_halves(depth, {range.first, cut}, halves);
    add_halves(depth, {cut, range.end}, halves);
  }
}

std::uint64_t HaarTree::subtree_nodes(HaarNode node) const {
  unsigned level = depth(node);
  const std::uint64_t index = node - (std::uint64_t{1} << level);
  std::uint64_t nodes = 0;
  std::vector<Range> ranges{{index, index + 1}};
  std::vector<Range> halves;
  for (; !ranges.empty(); ++level) {
    halves.clear();
    for (const Range& range : ranges) {
      nodes += range.end - range.first;
      add_halves(level, range, halves);
    }
    ranges.swap(halves);
  }
  return nodes;
}

}  // namespace faultline::workloads
