// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/job/pace.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "sim/core/random.hpp"

namespace faultline::engine {

Pace::Pace(const scenario::RunSpec& spec, std::uint32_t nodes, std::uint64_t seed,
           std::uint64_t replication) {
  if (spec.platform.os_noise) add_noise(*spec.platform.os_noise, nodes, seed, replication);
  std::set<NodeId> slow;
  for (const faults::SlowSpec& one : spec.slow) slow.insert(one.nodes.begin(), one.nodes.end());
  if (!slow.empty()) steps_.resize(nodes);
  for (const NodeId node : slow) add_steps(spec.slow, node);
  varies_ = !slow.empty() || spec.platform.os_noise;
}

// ---- interruptions ----------------------------------------------------------------------------

/// The moment of a node does not depend on which others have noise.
void Pace::add_noise(const scenario::OsNoise& noise, std::uint32_t nodes, std::uint64_t seed,
                     std::uint64_t replication) {
  noise_ = {noise.interval_s, noise.length_s, std::vector<double>(nodes, kNever)};
  const auto draw = [&](NodeId node) {
    noise_.first_s[node] =
        noise.interval_s * Stream(seed, replication, Purpose::os_noise, node).uniform();
  };
  for (const NodeId node : noise.nodes) draw(node);
  for (NodeId node = 0; noise.nodes.empty() && node < nodes; ++node) draw(node);
}

double Pace::Noise::done_s(NodeId node, double begin_s, double work_s) const {
  if (first_s.empty() || first_s[node] == kNever) return begin_s + work_s;
  double since_s = std::fmod(begin_s - first_s[node], interval_s);  // the last one began
  if (since_s < 0.0) since_s += interval_s;
  if (since_s < length_s) {
    begin_s += length_s - since_s;
    since_s = length_s;
  }
  const double rest_s = work_s - (interval_s - since_s);
  if (rest_s <= 0.0) return begin_s + work_s;
  const double interruptions = std::ceil(rest_s / (interval_s - length_s));
  return begin_s + work_s + interruptions * length_s;
}

/// How much a processor of the node can do until then, from any moment on that is the same for all
/// calls.
double Pace::Noise::work_until_s(NodeId node, double at_s) const {
  if (first_s.empty() || first_s[node] == kNever) return at_s;
  const double intervals = std::floor((at_s - first_s[node]) / interval_s);
  const double since_s = at_s - first_s[node] - intervals * interval_s;
  return intervals * (interval_s - length_s) + std::max(0.0, since_s - length_s);
}

// ---- slow nodes -------------------------------------------------------------------------------

/// Where several entries slow a node at the same time, their factors multiply.
void Pace::add_steps(const std::vector<faults::SlowSpec>& slow, NodeId node) {
  std::vector<faults::SlowSpec> of_node;
  std::set<double> times_s;
  for (const faults::SlowSpec& one : slow) {
    if (std::find(one.nodes.begin(), one.nodes.end(), node) == one.nodes.end()) continue;
    of_node.push_back(one);
    times_s.insert(one.from_s);
    if (one.to_s != kNever) times_s.insert(one.to_s);
  }
  for (const double from_s : times_s) {
    double factor = 1.0;
    for (const faults::SlowSpec& one : of_node)
      if (one.from_s <= from_s && from_s < one.to_s) factor *= one.factor;
    steps_[node].push_back({from_s, factor});
  }
}

Pace::Steps::const_iterator Pace::first_after(const Steps& steps, double at_s) {
  return std::upper_bound(steps.begin(), steps.end(), at_s,
                          [](double time_s, const Step& step) { return time_s < step.from_s; });
}

double Pace::factor(NodeId node, double at_s) const {
  if (steps_.empty()) return 1.0;
  const auto next = first_after(steps_[node], at_s);
  return next == steps_[node].begin() ? 1.0 : std::prev(next)->factor;
}

double Pace::done_s(NodeId node, double begin_s, double work_s) const {
  if (steps_.empty() || steps_[node].empty()) return noise_.done_s(node, begin_s, work_s);
  const Steps& steps = steps_[node];
  for (auto next = first_after(steps, begin_s);; ++next) {
    const double factor = next == steps.begin() ? 1.0 : std::prev(next)->factor;
    const double end_s = noise_.done_s(node, begin_s, work_s * factor);
    if (next == steps.end() || end_s <= next->from_s) return end_s;
    const double done_s =
        noise_.work_until_s(node, next->from_s) - noise_.work_until_s(node, begin_s);
    work_s = std::max(0.0, work_s - done_s / factor);
    begin_s = next->from_s;
  }
}

double Pace::computed_s(NodeId node, double begin_s, double work_s) const {
  return noise_.done_s(node, begin_s, work_s);
}

}  // namespace faultline::engine
