// SPDX-License-Identifier: Apache-2.0
#include "analysis/search/accusations.hpp"

#include <algorithm>

namespace faultline::search {

namespace {

/// A tolerance for sums that are rounded.
constexpr double kTolerance_s = 1e-9;

/// The group of a node, counted from 1; 0 if it is in none.
std::size_t side_of(const faults::PartitionSpec& cut, NodeId node) {
  for (std::size_t group = 0; group < cut.groups.size(); ++group)
    if (std::ranges::count(cut.groups[group], node) > 0) return group + 1;
  return 0;
}

/// The resource manager is on node 0, and no rank.
bool parts_from_manager(const faults::PartitionSpec& cut, NodeId node, double at_s) {
  if (cut.of_ranks || at_s < cut.from_s || at_s >= cut.to_s) return false;
  const std::size_t there = side_of(cut, node);
  const std::size_t here = side_of(cut, 0);
  return there != 0 && here != 0 && there != here;
}

}  // namespace

bool reports_can_be_denied(const scenario::RunSpec& spec) {
  const scenario::ComponentChoice& detector = spec.component(Family::failure_detection);
  if (detector.registration == nullptr || spec.reports_are_final()) return false;
  const auto& takes_back = detector.registration->as<DetectorTraits>().takes_back;
  return takes_back && takes_back(detector.options);
}

Accusations::Accusations(const scenario::RunSpec& spec)
    : spec_(spec), can_deny_(reports_can_be_denied(spec)) {}

bool Accusations::add(const Accusation& accusation) {
  if (accusation.accuser == accusation.accused)
    return heard_of_themselves_.insert(accusation.accused).second;
  const Pair pair{accusation.accuser, accusation.accused};
  pairs_.insert(pair);
  if (!now_.emplace(pair, accusation.time_s).second) return false;
  if (spec_.fences())
    told_.emplace_back(heard_s(accusation.accuser_node, accusation.time_s), accusation);
  return true;
}

void Accusations::take_back(ActorId accuser, ActorId accused) {
  std::erase_if(now_, [&](const auto& one) {
    return one.first.first.actor == accuser && one.first.second.actor == accused;
  });
}

bool Accusations::must_refuse(Incarnation receiver, const Message& message) const {
  if (can_deny_ && message.channel == Family::failure_detection) return false;
  const auto found = now_.find({receiver, {message.from, message.from_incarnation}});
  return found != now_.end() && message.inject_s > found->second;
}

/// When the resource manager hears of what is said on that node. Whenever a cut ends, another one
/// may have begun.
double Accusations::heard_s(NodeId node, double from_s) const {
  if (spec_.platform.fencing.reach == scenario::FencingReach::all) return from_s;
  double at_s = from_s;
  for (bool is_moved = true; is_moved && at_s < kNever;) {
    is_moved = false;
    for (const faults::PartitionSpec& cut : spec_.partitions)
      if (parts_from_manager(cut, node, at_s)) {
        at_s = cut.to_s;
        is_moved = true;
      }
  }
  return at_s;
}

/// The processes that are dead to the resource manager, and since when. It does not believe a
/// process that was dead to it when it heard of what that one says.
std::map<Incarnation, double> Accusations::believed() const {
  std::vector<std::pair<double, Accusation>> told = told_;
  std::ranges::stable_sort(told, {}, [](const auto& one) { return one.first; });
  std::map<Incarnation, double> dead;
  for (const auto& [heard_s, accusation] : told)
    if (heard_s < kNever && !dead.contains(accusation.accuser))
      dead.emplace(accusation.accused, heard_s);
  return dead;
}

/// When a router that has failed is repaired is not always stated, nor then when the manager hears
/// of what.
bool Accusations::may_cause(const End& end) const {
  if (heard_of_themselves_.contains(end.accused)) return true;
  const auto is_about = [&](const auto& one) { return one.second.accused == end.accused; };
  if (std::ranges::none_of(told_, is_about)) return false;
  const scenario::FencingSpec& fencing = spec_.platform.fencing;
  if (fencing.reach == scenario::FencingReach::connected && spec_.routers_fail()) return true;
  const auto dead = believed();
  const auto found = dead.find(end.accused);
  if (found == dead.end()) return false;
  const double believed_by_s =
      end.gives_up ? heard_s(end.node, end.time_s) : end.time_s - fencing.delay_s;
  return found->second <= believed_by_s + kTolerance_s;
}

}  // namespace faultline::search
