// SPDX-License-Identifier: Apache-2.0

// What the simulated cells of adoption-2013's table 1 have to come to: closed forms and exact
// counts, held against every graph and every set of failed processes of a small job.

#include "tests/analysis/theory/graph_survival.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <string>

#include "analysis/reproduction/item_reader.hpp"
#include "sim/core/data_directory.hpp"
#include "tests/analysis/theory/exact_survival.hpp"

namespace faultline::theory {

namespace {

/// The successors of each process, as bits.
using Graph = std::vector<unsigned>;

/// Every choice of f successors for each of n processes.
std::vector<Graph> all_graphs(int n, int f) {
  std::vector<Graph> graphs{{}};
  for (int process = 0; process < n; ++process) {
    std::vector<Graph> longer;
    for (const Graph& graph : graphs)
      for (unsigned successors = 0; successors < 1U << n; ++successors) {
        if (std::popcount(successors) != f || (successors >> process & 1U) != 0) continue;
        longer.push_back(graph);
        longer.back().push_back(successors);
      }
    graphs.swap(longer);
  }
  return graphs;
}

bool has(unsigned set, int process) { return (set >> process & 1U) != 0; }

unsigned everybody(const Graph& graph) { return (1U << graph.size()) - 1; }

/// Whom a message of process 0 reaches if everybody passes it on.
unsigned reached_in(const Graph& graph) {
  unsigned reached = 1;
  for (std::size_t step = 0; step < graph.size(); ++step)
    for (std::size_t process = 0; process < graph.size(); ++process)
      if (has(reached, static_cast<int>(process))) reached |= graph[process];
  return reached;
}

/// The sets of k processes without process 0 in all graphs, and those of them in which none of
/// `senders` has sent to another one of the set.
template <class Senders>
exact::Fraction share_by_trying_all(int n, int k, int f, Senders senders) {
  std::int64_t unrelated = 0;
  std::int64_t all = 0;
  for (const Graph& graph : all_graphs(n, f)) {
    const unsigned sent = senders(graph);
    for (unsigned failed = 0; failed < 1U << n; failed += 2) {
      if (std::popcount(failed) != k) continue;
      bool related = false;
      for (int process = 1; process < n; ++process)
        related |=
            has(failed & sent, process) && (graph[static_cast<std::size_t>(process)] & failed) != 0;
      ++all;
      unrelated += related ? 0 : 1;
    }
  }
  return exact::share(unrelated, all);
}

double value_of(const exact::Fraction& fraction) {
  return fraction.numerator.convert_to<double>() / fraction.denominator.convert_to<double>();
}

}  // namespace

TEST_CASE("INDEP's closed form is exact where each process sends to f random others") {
  for (const auto& [n, f] : {std::pair{3, 1}, {4, 1}, {4, 2}, {5, 1}, {5, 2}, {5, 3}})
    for (int k = 2; k < n; ++k) {
      INFO("n " << n << ", f " << f << ", k " << k);
      const exact::Fraction tried = share_by_trying_all(n, k, f, everybody);
      const exact::Fraction form = exact::indep_survival(n, k, f);
      CHECK(tried.numerator * form.denominator == form.numerator * tried.denominator);
    }
}

TEST_CASE("the survival of a flood is that of all graphs, where whom it misses sends nothing") {
  for (const auto& [n, f] : {std::pair{3, 1}, {4, 1}, {4, 2}, {5, 1}, {5, 2}, {5, 3}})
    for (int k = 2; k < n; ++k) {
      INFO("n " << n << ", f " << f << ", k " << k);
      const double tried = value_of(share_by_trying_all(n, k, f, reached_in));
      CHECK(graphs::FloodSurvival(n, k, f).share() == Approx(tried).epsilon(1e-12).margin(1e-15));
    }
}

TEST_CASE("the sets of a torus without neighbours are counted as by trying all") {
  const auto neighbours = graphs::torus({4, 3, 2});
  CHECK(neighbours[0] == std::set<int>{1, 3, 4, 8, 12});
  graphs::IndependentSets::Series tried(6);
  for (unsigned set = 0; set < 1U << 24U; set += 2) {
    const int size = std::popcount(set);
    if (size > 5) continue;
    bool independent = true;
    for (unsigned left = set; independent && left != 0; left &= left - 1)
      for (const int neighbour : neighbours[static_cast<std::size_t>(std::countr_zero(left))])
        independent &= !has(set, neighbour);
    tried[static_cast<std::size_t>(size)] += independent ? 1 : 0;
  }
  CHECK(graphs::IndependentSets(neighbours, 5).counts() == tried);
}

TEST_CASE("the exact values of table 1's simulated cells are those of their graphs") {
  const reproduction::ReproductionItem item =
      reproduction::read_reproduction_item(data_directory() / "adoption-2013/table-1.json");
  const auto unrelated = graphs::IndependentSets(graphs::torus({8, 8, 4}), 8).counts();
  std::size_t compared = 0;
  for (const reproduction::Cell& cell : item.cells) {
    if (!cell.exact) continue;
    const std::string& measure = item.measures[cell.measure].name;
    const auto k = static_cast<int>(*cell.at);
    INFO(cell.name);
    ++compared;
    if (cell.protocol == "rel-eager") {
      // All processes are children of the root, which does not die.
      CHECK((measure == "stencil" && *cell.exact == 1.0));
      continue;
    }
    CHECK(cell.protocol == "indep");
    const double by_graph =
        measure == "stencil"
            ? static_cast<double>(unrelated.at(static_cast<std::size_t>(k))) /
                  graphs::choose(255, k)
            : graphs::FloodSurvival(256, k, std::stoi(measure.substr(measure.find("f=") + 2)))
                  .share();
    CHECK(*cell.exact == Approx(by_graph).epsilon(1e-5));
  }
  CHECK(compared == 16);
}

}  // namespace faultline::theory
