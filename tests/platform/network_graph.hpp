// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "sim/platform/machine.hpp"
#include "sim/platform/topology.hpp"

namespace faultline::platform {

/// A network cable by cable, to find shortest ways by search where the product uses closed forms.
class NetworkGraph {
 public:
  static constexpr std::uint32_t kUnreachable = std::numeric_limits<std::uint32_t>::max();

  explicit NetworkGraph(std::size_t vertices) : neighbours_(vertices) {}

  void connect(std::size_t a, std::size_t b, std::uint32_t links = 1) {
    connect_one_way(a, b);
    connect_one_way(b, a);
    cables_.push_back({a, b, links});
  }

  void connect_one_way(std::size_t from, std::size_t to) { neighbours_[from].push_back(to); }

  /// Some links side by side, which lead both ways.
  struct Cable {
    std::size_t a;
    std::size_t b;
    std::uint32_t links;
  };
  [[nodiscard]] const std::vector<Cable>& cables() const { return cables_; }
  [[nodiscard]] std::size_t vertices() const { return neighbours_.size(); }

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
  std::vector<Cable> cables_;
};

/// Nodes are the vertices; each is cabled to the next one along every dimension, round the end. Two
/// along a dimension have one cable.
inline NetworkGraph graph_of(const Torus& torus) {
  std::size_t nodes = 1;
  for (const std::uint32_t size : torus.dimensions) nodes *= size;
  NetworkGraph graph(nodes);
  for (std::size_t node = 0; node < nodes; ++node) {
    std::size_t stride = 1;
    for (const std::uint32_t size : torus.dimensions) {
      const std::size_t at = node / stride % size;
      const std::size_t next = node - at * stride + (at + 1) % size * stride;
      if (size > 2 || next > node) graph.connect(node, next);
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
        graph.connect(first[level] + member, first[level + 1] + parent, tree.links[level]);
      }
    }
  }
  return graph;
}

/// Calls visit(router, router, links, blue) for each two routers that are cabled together.
template <class Visit>
void for_each_cable(const Dragonfly& dragonfly, const Visit& visit) {
  const std::size_t per_chassis = dragonfly.routers_per_chassis;
  const std::size_t per_group = per_chassis * dragonfly.chassis_per_group;
  const std::size_t routers = per_group * dragonfly.groups;
  for (std::size_t a = 0; a < routers; ++a) {
    for (std::size_t b = a + 1; b < routers; ++b) {
      const std::size_t group_a = a / per_group;
      const std::size_t group_b = b / per_group;
      const bool alike = group_a == group_b && a % per_chassis == b % per_chassis;
      const bool blue = group_a != group_b && a % per_group == group_b % per_group &&
                        b % per_group == group_a % per_group;
      if (a / per_chassis == b / per_chassis)
        visit(a, b, dragonfly.green_links, false);
      else if (alike)
        visit(a, b, dragonfly.black_links, false);
      else if (blue)
        visit(a, b, dragonfly.blue_links, true);
    }
  }
}

/// A dragonfly, cable by cable. Minimal routes take at most one blue link, even where two would be
/// shorter. So the network is here twice, and blue links lead from the first to the second.
class DragonflyGraph {
 public:
  explicit DragonflyGraph(const Dragonfly& dragonfly)
      : nodes_(static_cast<std::size_t>(places(dragonfly))),
        copy_(nodes_ + nodes_ / dragonfly.nodes_per_router),
        graph_(2 * copy_) {
    for (const std::size_t copy : {std::size_t{0}, copy_})
      for (std::size_t node = 0; node < nodes_; ++node)
        graph_.connect(copy + node, copy + nodes_ + node / dragonfly.nodes_per_router);
    const auto lay = [this](std::size_t a, std::size_t b, std::uint32_t /*links*/, bool blue) {
      graph_.connect_one_way(nodes_ + a, nodes_ + b + (blue ? copy_ : 0));
      graph_.connect_one_way(nodes_ + b, nodes_ + a + (blue ? copy_ : 0));
      if (!blue) graph_.connect(copy_ + nodes_ + a, copy_ + nodes_ + b);
    };
    for_each_cable(dragonfly, lay);
  }

  /// Links from `source` to every node.
  [[nodiscard]] std::vector<std::uint32_t> distances(std::size_t source) const {
    std::vector<std::uint32_t> distance = graph_.distances(source);
    for (std::size_t node = 0; node < nodes_; ++node)
      distance[node] = std::min(distance[node], distance[copy_ + node]);
    distance.resize(nodes_);
    return distance;
  }

 private:
  std::size_t nodes_;
  std::size_t copy_;
  NetworkGraph graph_;
};

inline DragonflyGraph graph_of(const Dragonfly& dragonfly) { return DragonflyGraph(dragonfly); }

}  // namespace faultline::platform
