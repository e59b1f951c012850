// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

/// Which share of the sets of k failed processes, none of them the root, holds no two of which one
/// has sent to the other: exactly, on the graphs that the simulated cells of adoption-2013's table
/// 1 use. Written from the definitions of these graphs; shares no code with the program.
namespace faultline::theory::graphs {

inline double choose(int from, int count) {
  if (count < 0 || count > from) return 0.0;
  double ways = 1.0;
  for (int i = 1; i <= count; ++i) ways = ways * (from - count + i) / i;
  return ways;
}

/// How many processes a flood has reached, and how many of them have passed it on; apart for those
/// that will fail and for the others.
struct Reached {
  int others = 1;  ///< the root
  int failing = 0;
  int failing_done = 0;
};

/// A flood from the root among n processes: a process that is reached passes it on to f random
/// others. The processes pass it on one by one, in any order, so that only numbers of
/// reached ones count. A failing one may not send to another failing one.
class FloodSurvival {
 public:
  FloodSurvival(int n, int k, int f) : n_(n), k_(k), f_(f), now_(size()), next_(size()) {}

  double share() {
    now_[place({})] = 1.0;
    for (int done = 0; done < n_; ++done) {
      std::fill(next_.begin(), next_.end(), 0.0);
      for (int others = 1; others <= n_ - k_; ++others)
        for (int failing = 0; failing <= k_; ++failing)
          for (int failing_done = 0; failing_done <= failing; ++failing_done)
            pass_on(done, {others, failing, failing_done});
      now_.swap(next_);
    }
    return over_ + now_[place({n_ - k_, k_, k_})];
  }

 private:
  [[nodiscard]] std::size_t size() const { return place({n_ - k_, k_, k_}) + 1; }
  [[nodiscard]] std::size_t place(const Reached& r) const {
    const int place = (r.others * (k_ + 1) + r.failing) * (k_ + 1) + r.failing_done;
    return static_cast<std::size_t>(place);
  }

  /// `done` have passed it on so far; another one does.
  void pass_on(int done, const Reached& reached) {
    const double share = now_[place(reached)];
    if (share == 0.0) return;
    if (done == reached.others + reached.failing) {
      over_ += share;
      return;
    }
    const bool fails = done - reached.failing_done == reached.others;
    const int known = fails ? reached.others : reached.others + reached.failing - 1;
    for (int others = 0; others <= f_; ++others)
      for (int failing = 0; failing <= (fails ? 0 : f_ - others); ++failing) {
        const double ways = choose(n_ - k_ - reached.others, others) *
                            choose(k_ - reached.failing, failing) *
                            choose(known, f_ - others - failing);
        if (ways == 0.0) continue;
        next_[place({reached.others + others, reached.failing + failing,
                     reached.failing_done + (fails ? 1 : 0)})] += share * ways / choose(n_ - 1, f_);
      }
  }

  int n_;
  int k_;
  int f_;
  double over_ = 0.0;
  std::vector<double> now_;
  std::vector<double> next_;
};

using Neighbours = std::vector<std::set<int>>;

/// A grid that wraps around.
inline Neighbours torus(const std::vector<int>& sizes) {
  int nodes = 1;
  for (const int size : sizes) nodes *= size;
  Neighbours neighbours(static_cast<std::size_t>(nodes));
  for (int node = 0; node < nodes; ++node) {
    int stride = 1;
    for (const int size : sizes) {
      const int place = node / stride % size;
      const int next = node + ((place + 1) % size - place) * stride;
      if (next != node) {
        neighbours[static_cast<std::size_t>(node)].insert(next);
        neighbours[static_cast<std::size_t>(next)].insert(node);
      }
      stride *= size;
    }
  }
  return neighbours;
}

/// Counts the sets of up to `most` nodes, not node 0, of which no two are neighbours. The
/// generating function I of these numbers is the product of I(G) / I(G - v) over all nodes v, each
/// taken away in turn; the quotient is 1 + x / product of the same over the neighbours of v in G -
/// v. Nodes further away than `most` change no coefficient.
class IndependentSets {
 public:
  using Series = std::vector<std::int64_t>;

  IndependentSets(Neighbours neighbours, std::size_t most)
      : neighbours_(std::move(neighbours)), present_(neighbours_.size(), true), most_(most) {}

  Series counts() {
    Series product(most_ + 1);
    product[0] = 1;
    present_[0] = false;
    for (std::size_t node = 1; node < neighbours_.size(); ++node) {
      product = multiplied(product, quotient(node, most_));
      present_[node] = false;
    }
    return product;
  }

 private:
  static Series multiplied(const Series& a, const Series& b) {
    Series product(a.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; i + j < a.size() && j < b.size(); ++j) product[i + j] += a[i] * b[j];
    return product;
  }
  /// a / b, where b begins with 1.
  static Series divided(Series a, const Series& b) {
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 1; j <= i && j < b.size(); ++j) a[i] -= b[j] * a[i - j];
    return a;
  }
  /// I(G) / I(G - node), up to the power `most`.
  Series quotient(std::size_t node, std::size_t most) {
    if (most == 1) return {1, 1};
    Series below(most);
    below[0] = 1;
    std::vector<std::size_t> taken;
    taken.reserve(neighbours_[node].size());
    present_[node] = false;
    for (const int neighbour : neighbours_[node]) {
      const auto next = static_cast<std::size_t>(neighbour);
      if (!present_[next]) continue;
      below = divided(below, quotient(next, most - 1));
      present_[next] = false;
      taken.push_back(next);
    }
    for (const std::size_t next : taken) present_[next] = true;
    present_[node] = true;
    Series result(most + 1);
    result[0] = 1;
    std::copy(below.begin(), below.end(), result.begin() + 1);
    return result;
  }

  Neighbours neighbours_;
  std::vector<bool> present_;
  std::size_t most_;
};

}  // namespace faultline::theory::graphs
