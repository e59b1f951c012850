// SPDX-License-Identifier: Apache-2.0
#include "sim/faults/victim_placement.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <variant>

namespace faultline::faults {

namespace {

/// The place of a node of the job in its machine. In a torus the job is a box in a corner. In other
/// networks it takes the first nodes.
std::uint32_t machine_place(const platform::TopologySpec& part,
                            const platform::TopologySpec& machine, NodeId node) {
  const auto* box = std::get_if<platform::Torus>(&part);
  const auto* torus = std::get_if<platform::Torus>(&machine);
  if (box == nullptr || torus == nullptr) return node;
  std::uint32_t place = 0;
  std::uint32_t stride = 1;
  for (std::size_t i = 0; i < box->dimensions.size(); ++i) {
    place += node % box->dimensions[i] * stride;
    node /= box->dimensions[i];
    stride *= torus->dimensions[i];
  }
  return place;
}

/// Adds the problems of faults that take such parts.
void check_part(const PlacementOptions& options, platform::Part part, const FaultTarget& target,
                std::vector<OptionProblem>& problems) {
  if (!platform::nodes_of(part, target.parts()))
    problems.push_back({"component", platform::lacks(part, target.parts())});
  const std::string of_part = " with component \"" + options.component + "\"";
  if (options.victims != "nodes") problems.push_back({"victims", R"(expected "nodes")" + of_part});
  if (options.placement != "uniform")
    problems.push_back({"placement", R"(expected "uniform")" + of_part});
}

}  // namespace

const OptionSet<PlacementOptions>& placement_options() {
  using Options = PlacementOptions;
  static const auto set =
      OptionSet<Options>()
          .option("component", &Options::component,
                  {.doc = "what fails as a whole: a node; or all nodes of a rack, a group of the "
                          "topology or a power unit at once; or a router, which kills nobody and "
                          "cuts its nodes off from all others until it is repaired",
                   .choices = platform::part_words()})
          .option("victims", &Options::victims,
                  {.doc = "what dies: whole nodes with all their ranks, or single ranks",
                   .choices = {"nodes", "ranks"}})
          .option("placement", &Options::placement,
                  {.doc = "which victims die together: any; the nearest by hops of the network, "
                          "such as a rack; or a process with its parent and children in the tree "
                          "that the termination detector keeps at that moment",
                   .choices = {"uniform", "contiguous", "related"}})
          .option("scope", &Options::scope,
                  {.doc = "faults of the job alone, or of the whole machine, which hit the job "
                          "where they hit its nodes",
                   .choices = {"job", "machine"}})
          .option("spare_root", &Options::spare_root,
                  {.doc = "neither rank 0 nor the node that holds it at the start ever dies"});
  return set;
}

std::vector<OptionProblem> check_placement(const PlacementOptions& options,
                                           const FaultTarget& target) {
  std::vector<OptionProblem> problems;
  if (options.scope == "machine") {
    if (target.machine == nullptr)
      problems.push_back({"scope", R"("machine" needs platform.machine, whose nodes are known)"});
    if (options.victims == "ranks")
      problems.push_back({"victims", R"(expected "nodes" with scope "machine")"});
    if (options.placement == "related")
      problems.push_back({"placement",
                          R"(expected "uniform" or "contiguous" with scope "machine": )"
                          "processes outside the job have no parents"});
  }
  const platform::Part part = platform::part_of_word(options.component);
  if (part != platform::Part::node) check_part(options, part, target, problems);
  const std::uint32_t units = part != platform::Part::node ? parts_in_job(part, target).value_or(0)
                              : options.victims == "ranks" ? target.job.processes
                                                           : target.job.nodes;
  if (options.spare_root && options.scope == "job" && units == 1)
    problems.push_back(
        {"spare_root", "leaves nobody to die in a job of one " +
                           (part != platform::Part::node
                                ? options.component
                                : options.victims.substr(0, options.victims.size() - 1))});
  return problems;
}

std::optional<std::uint32_t> parts_in_job(platform::Part part, const FaultTarget& target) {
  if (part == platform::Part::node) return target.job.nodes;
  const auto nodes = platform::nodes_of(part, target.parts());
  if (!nodes) return std::nullopt;
  return (target.job.nodes + target.job.spare_nodes - 1) / *nodes + 1;
}

VictimPlacement::VictimPlacement(const PlacementOptions& options, const FaultTarget& target,
                                 Stream random)
    : options_(options),
      of_ranks_(options.victims == "ranks"),
      job_(target.job),
      node_of_(target.node_of),
      random_(random) {
  if (options.placement == "contiguous") kind_ = Kind::contiguous;
  if (options.placement == "related") kind_ = Kind::related;
  const platform::Part part = platform::part_of_word(options.component);
  if (part != platform::Part::node) {
    list_parts(target, part);
    return;
  }
  if (options.scope == "machine") {
    list_machine_units(target);
    return;
  }
  list_job_units();
  if (kind_ == Kind::contiguous) network_ = *target.routes;
}

void VictimPlacement::list_job_units() {
  const std::uint32_t count = of_ranks_ ? job_.processes : job_.nodes;
  const std::uint32_t root = of_ranks_ ? 0 : node_of_[0];
  units_.reserve(count);
  places_.reserve(count);
  for (std::uint32_t unit = 0; unit < count; ++unit) {
    if (options_.spare_root && unit == root) continue;
    units_.push_back(unit);
    places_.push_back(of_ranks_ ? node_of_[unit] : unit);
  }
}

/// Makes a unit for each node of the machine. If distances matter, makes one for each place of its
/// network.
void VictimPlacement::list_machine_units(const FaultTarget& target) {
  const platform::Machine& machine = *target.machine;
  const bool near = kind_ == Kind::contiguous;
  const auto count =
      near ? static_cast<std::uint32_t>(platform::places(machine.topology)) : machine.nodes;
  units_.assign(count, kNobody);
  const platform::TopologySpec part =
      platform::partition(machine, job_.nodes, target.whole_machine);
  for (NodeId node = 0; node < job_.nodes; ++node) {
    if (options_.spare_root && node == node_of_[0]) continue;
    units_[near ? machine_place(part, machine.topology, node) : node] = node;
  }
  if (!near) return;
  network_.emplace(machine.topology, 1.0, 1.0);
  places_.resize(count);
  std::iota(places_.begin(), places_.end(), 0U);
}

/// The job's nodes are the first ones of the machine, except in a torus, whose parts are single
/// nodes.
void VictimPlacement::list_parts(const FaultTarget& target, platform::Part part) {
  nodes_of_part_ = platform::nodes_of(part, target.parts()).value();
  const bool is_of_machine = options_.scope == "machine";
  const std::uint32_t nodes = is_of_machine ? target.machine->nodes : job_.nodes + job_.spare_nodes;
  const std::uint32_t of_root = node_of_[0] / nodes_of_part_;
  for (std::uint32_t unit = 0; unit * nodes_of_part_ < nodes; ++unit) {
    const bool is_spared = options_.spare_root && unit == of_root;
    if (!is_spared || is_of_machine) units_.push_back(is_spared ? kNobody : unit);
  }
}

std::vector<ActorId> VictimPlacement::actors_of(std::uint32_t unit) const {
  if (of_ranks_) return {unit};
  if (nodes_of_part_ == 0) return {job_.processes + unit};
  std::vector<ActorId> actors;
  const std::uint32_t first = unit * nodes_of_part_;
  const std::uint32_t end = std::min(first + nodes_of_part_, job_.nodes + job_.spare_nodes);
  for (NodeId node = first; node < end; ++node) actors.push_back(job_.processes + node);
  return actors;
}

std::vector<std::vector<ActorId>> VictimPlacement::choose(std::uint64_t size,
                                                          std::optional<std::uint32_t> first,
                                                          const ParentOf& parent_of) {
  const auto all = static_cast<std::uint64_t>(units_.size());
  const auto count = static_cast<std::uint32_t>(std::min(size, all));
  Indices chosen;
  if (kind_ == Kind::related) {
    chosen = related(count, first, parent_of);
  } else {
    const std::uint32_t begin = first ? *first : static_cast<std::uint32_t>(random_.below(all));
    chosen = kind_ == Kind::uniform ? uniform(count, begin) : contiguous(count, begin);
  }
  std::vector<std::vector<ActorId>> victims;
  victims.reserve(chosen.size());
  for (const std::uint32_t index : chosen)
    if (units_[index] != kNobody) victims.push_back(actors_of(units_[index]));
  return victims;
}

/// Draws `size` - 1 other units without repetition (Floyd's algorithm; Bentley, Programming Pearls,
/// CACM 30(9), 1987).
VictimPlacement::Indices VictimPlacement::uniform(std::uint32_t size, std::uint32_t first) {
  std::set<std::uint32_t> others;
  const std::uint32_t rest = units() - 1;
  for (std::uint32_t i = rest - (size - 1); i < rest; ++i) {
    const auto drawn = static_cast<std::uint32_t>(random_.below(i + 1));
    if (!others.insert(drawn).second) others.insert(i);
  }
  Indices chosen{first};
  chosen.reserve(size);
  for (const std::uint32_t other : others) chosen.push_back(other < first ? other : other + 1);
  return chosen;
}

std::uint32_t VictimPlacement::distance(std::uint32_t a, std::uint32_t b) const {
  return places_[a] == places_[b] ? 0 : network_->hops(places_[a], places_[b]);
}

/// The units nearest to `first` by hops. Among equally near ones, those whose numbers follow next
/// after `first`, going round from the last unit to number 0.
VictimPlacement::Indices VictimPlacement::contiguous(std::uint32_t size,
                                                     std::uint32_t first) const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> near;  // hops, steps in number
  near.reserve(units_.size());
  for (std::uint32_t steps = 0; steps < units(); ++steps)
    near.emplace_back(distance(first, (first + steps) % units()), steps);
  std::partial_sort(near.begin(), near.begin() + size, near.end());
  Indices chosen;
  chosen.reserve(size);
  for (std::uint32_t i = 0; i < size; ++i) chosen.push_back((first + near[i].second) % units());
  return chosen;
}

/// For each unit, the units of its ranks' parents, followed by the units of their children.
std::vector<VictimPlacement::Indices> VictimPlacement::relatives(const ParentOf& parent_of) const {
  std::vector<std::uint32_t> index_of(of_ranks_ ? job_.processes : job_.nodes, kNobody);
  for (std::uint32_t index = 0; index < units(); ++index) index_of[units_[index]] = index;
  std::vector<Indices> parents(units_.size());
  std::vector<Indices> children(units_.size());
  for (Rank rank = 0; rank < job_.processes; ++rank) {
    const Rank parent = parent_of(rank);
    if (parent >= job_.processes) continue;
    const std::uint32_t child_at = index_of[of_ranks_ ? rank : node_of_[rank]];
    const std::uint32_t parent_at = index_of[of_ranks_ ? parent : node_of_[parent]];
    if (child_at == parent_at || child_at == kNobody || parent_at == kNobody) continue;
    parents[child_at].push_back(parent_at);
    children[parent_at].push_back(child_at);
  }
  for (std::uint32_t index = 0; index < units(); ++index)
    parents[index].insert(parents[index].end(), children[index].begin(), children[index].end());
  return parents;
}

/// Starts at a unit that has relatives, takes these, then their relatives, and so on. If there are
/// too few, the rest are drawn from all units.
VictimPlacement::Indices VictimPlacement::related(std::uint32_t size,
                                                  std::optional<std::uint32_t> first,
                                                  const ParentOf& parent_of) {
  const std::vector<Indices> near = relatives(parent_of);
  Indices in_tree;
  for (std::uint32_t index = 0; index < units(); ++index)
    if (!near[index].empty()) in_tree.push_back(index);
  Indices chosen;
  std::vector<bool> taken(units_.size());
  const auto take = [&](std::uint32_t index) {
    if (chosen.size() < size && !taken[index]) chosen.push_back(index);
    taken[index] = true;
  };
  if (first)
    take(*first);
  else if (!in_tree.empty())
    take(in_tree[random_.below(in_tree.size())]);
  // By index, because the list grows in the loop.
  std::size_t next = 0;
  while (next < chosen.size() && chosen.size() < size)
    for (const std::uint32_t relative : near[chosen[next++]]) take(relative);
  while (chosen.size() < size) take(static_cast<std::uint32_t>(random_.below(units_.size())));
  return chosen;
}

}  // namespace faultline::faults
