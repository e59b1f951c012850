// SPDX-License-Identifier: Apache-2.0
#include "sim/faults/fault_plan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/core/error.hpp"

namespace faultline::faults {

namespace {

/// No run gets through more faults of a source. A law with tiny times between faults has no end.
constexpr std::uint64_t kMostDrawn = 10'000'000;

}  // namespace

FaultPlan::FaultPlan(const std::vector<FaultSpec>& faults, const JobShape& job)
    : processes_(job.processes) {
  for (const FaultSpec& fault : faults) {
    if (!fault.cut_off.empty()) continue;
    const auto index = static_cast<std::uint32_t>(victims_.size());
    std::vector<Victim> victims;
    for (const Rank rank : fault.ranks)
      victims.push_back({.actor = rank, .soft = fault.soft, .stall_s = fault.stall_s});
    for (const NodeId node : fault.nodes)
      victims.push_back(
          {.actor = job.processes + node, .silent = true, .repair_s = fault.repair_s});
    for (const NodeId node : fault.daemons) victims.push_back({.actor = job.processes + node});
    victims_.push_back(std::move(victims));
    if (fault.time_s) timed_.push_back({*fault.time_s, index});
    if (fault.event) counted_.push_back({*fault.event, index});
    if (fault.mark) marked_[{fault.mark->value, fault.mark->name}].push_back(index);
  }
  std::stable_sort(timed_.begin(), timed_.end(),
                   [](const Timed& a, const Timed& b) { return a.time_s < b.time_s; });
  std::stable_sort(counted_.begin(), counted_.end(),
                   [](const Counted& a, const Counted& b) { return a.event < b.event; });
}

void FaultPlan::add(const FaultSourceChoice& source, const FaultTarget& target) {
  const bool ends = limit_of(source).has_value();
  if (ends) ++owing_;
  sources_.push_back({.faults = source.registration->make(source.options, target, source.key),
                      .key = source.key,
                      .ends = ends,
                      .owes = ends});
}

std::optional<double> FaultPlan::draw(std::uint32_t index) {
  Source& source = sources_[index];
  const auto time_s = source.faults->next_time_s();
  if (time_s && std::isfinite(*time_s)) {
    if (++source.drawn > kMostDrawn)
      throw UsageError("faults." + source.key + ": more than " + std::to_string(kMostDrawn) +
                       " faults would strike in a run; expected rarer faults, or a limit");
    return time_s;
  }
  if (source.owes) --owing_;
  source.owes = false;
  return std::nullopt;
}

std::vector<Victim> FaultPlan::drawn_victims(std::uint32_t source, const ParentOf& parent_of) {
  std::vector<Victim> victims;
  for (const ActorId actor : sources_[source].faults->victims(parent_of))
    victims.push_back({.actor = actor, .silent = actor >= processes_});
  const std::vector<double> repairs_s = sources_[source].faults->repairs_s();
  for (std::size_t i = 0; i < repairs_s.size(); ++i) victims[i].back_s = repairs_s[i];
  return victims;
}

std::vector<std::uint32_t> FaultPlan::take_mark(std::string_view name, std::int64_t value) {
  const auto struck = marked_.find(std::make_pair(value, name));
  if (struck == marked_.end()) return {};
  return std::move(marked_.extract(struck).mapped());
}

void FaultPlan::digest(Digest& into) const {
  into.add(next_counted_, marked_.size());
  for (const auto& [mark, indices] : marked_) into.add(mark, indices);
}

}  // namespace faultline::faults
