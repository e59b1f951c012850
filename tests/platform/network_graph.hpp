#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "sim/platform/machine.hpp"

namespace faultline::test {

/// A network cable by cable, to find shortest ways by search where the product uses closed forms.
class NetworkGraph {
 public:
  static constexpr std::uint32_t kUnreachable = std::numeric_limits<std::uint32_t>::max();

  explicit NetworkGraph(std::size_t vertices) : neighbours_(vertices) {}

  void connect(std::size_t a, std::size_t b) {
    connect_one_way(a, b);
    connect_one_way(b, a);
  }

  void connect_one_way(std::size_t from, std::size_t to) { neighbours_[from].push_back(to); }

  /// Links from `source` to every vertex, by breadth-first search.
  [[nodiscard]] std::vector<std::uint32_t> distances(std::size_t source) const {
    std::vector<std::uint32_t> distance(neighbours_.size(), kUnreachable);
    std::vector<std::size_t> queue{source};
    distance[source] = 0;
    for (std::size_t next = 0; next < queue.size(); ++next) {
      for (const std::size_t neighbour : neighbours_[queue[next]]) {
        if (distance[neighbour] != kUnreachable) continue;
        distance[neighbour] = distance[queue[next]] + 1;
        queue.push_back(neighbour);
      }
    }
    return distance;
  }

 private:
  std::vector<std::vector<std::size_t>> neighbours_;
};

/// Nodes are the vertices; each is cabled to the next one along every dimension, round the end.
inline NetworkGraph graph_of(const Torus& torus) {
  std::size_t nodes = 1;
  for (const std::uint32_t size : torus.dimensions) nodes *= size;
  NetworkGraph graph(nodes);
  for (std::size_t node = 0; node < nodes; ++node) {
    std::size_t stride = 1;
    for (const std::uint32_t size : torus.dimensions) {
      const std::size_t at = node / stride % size;
      const std::size_t next = node - at * stride + (at + 1) % size * stride;
      if (next != node) graph.connect(node, next);
      stride *= size;
    }
  }
  return graph;
}

/// Nodes come first, then the switches level by level. By definition of the extended generalized
/// fat tree, a vertex of level l has one digit per level, of base parents[i] for i < l and
/// children[i] else, and is cabled to those of level l + 1 that agree in all digits but digit l.
inline NetworkGraph graph_of(const FatTree& tree) {
  const std::size_t levels = tree.children.size();
  const auto base = [&tree](std::size_t level, std::size_t digit) -> std::size_t {
    return digit < level ? tree.parents[digit] : tree.children[digit];
  };
  std::vector<std::size_t> first{0};
  for (std::size_t level = 0; level <= levels; ++level) {
    std::size_t count = 1;
    for (std::size_t digit = 0; digit < levels; ++digit) count *= base(level, digit);
    first.push_back(first.back() + count);
  }
  NetworkGraph graph(first.back());
  for (std::size_t level = 0; level < levels; ++level) {
    for (std::size_t member = 0; member < first[level + 1] - first[level]; ++member) {
      std::vector<std::size_t> digits;
      for (std::size_t digit = 0, rest = member; digit < levels; ++digit) {
        digits.push_back(rest % base(level, digit));
        rest /= base(level, digit);
      }
      for (std::size_t choice = 0; choice < tree.parents[level]; ++choice) {
        digits[level] = choice;
        std::size_t parent = 0;
        for (std::size_t digit = levels; digit-- > 0;) {
          parent = parent * base(level + 1, digit) + digits[digit];
        }
        graph.connect(first[level] + member, first[level + 1] + parent);
      }
    }
  }
  return graph;
}

/// A dragonfly, cable by cable. Minimal routes take at most one blue link, even where two would be
/// shorter. So the network is here twice, and blue links lead from the first to the second.
class DragonflyGraph {
 public:
  explicit DragonflyGraph(const Dragonfly& dragonfly)
      : per_chassis_(dragonfly.routers_per_chassis),
        per_group_(per_chassis_ * dragonfly.chassis_per_group),
        routers_(per_group_ * dragonfly.groups),
        nodes_(routers_ * dragonfly.nodes_per_router),
        graph_(2 * (nodes_ + routers_)) {
    for (const std::size_t copy : {std::size_t{0}, nodes_ + routers_}) {
      for (std::size_t node = 0; node < nodes_; ++node)
        graph_.connect(copy + node, copy + nodes_ + node / dragonfly.nodes_per_router);
      for (std::size_t a = 0; a < routers_; ++a)
        for (std::size_t b = a + 1; b < routers_; ++b)
          if (is_green_or_black(a, b)) graph_.connect(copy + nodes_ + a, copy + nodes_ + b);
    }
    for (std::size_t a = 0; a < routers_; ++a)
      for (std::size_t b = 0; b < routers_; ++b)
        if (is_blue(a, b)) graph_.connect_one_way(nodes_ + a, 2 * nodes_ + routers_ + b);
  }

  /// Links from `source` to every node.
  [[nodiscard]] std::vector<std::uint32_t> distances(std::size_t source) const {
    std::vector<std::uint32_t> distance = graph_.distances(source);
    for (std::size_t node = 0; node < nodes_; ++node)
      distance[node] = std::min(distance[node], distance[nodes_ + routers_ + node]);
    distance.resize(nodes_);
    return distance;
  }

 private:
  [[nodiscard]] bool is_green_or_black(std::size_t a, std::size_t b) const {
    const bool alike = a / per_group_ == b / per_group_ && a % per_chassis_ == b % per_chassis_;
    return a / per_chassis_ == b / per_chassis_ || alike;
  }

  [[nodiscard]] bool is_blue(std::size_t a, std::size_t b) const {
    const std::size_t group_a = a / per_group_;
    const std::size_t group_b = b / per_group_;
    return group_a != group_b && a % per_group_ == group_b % per_group_ &&
           b % per_group_ == group_a % per_group_;
  }

  std::size_t per_chassis_;
  std::size_t per_group_;
  std::size_t routers_;
  std::size_t nodes_;
  NetworkGraph graph_;
};

inline DragonflyGraph graph_of(const Dragonfly& dragonfly) { return DragonflyGraph(dragonfly); }

}  // namespace faultline::test
