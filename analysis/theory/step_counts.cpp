// SPDX-License-Identifier: Apache-2.0
#include "analysis/theory/step_counts.hpp"

#include <algorithm>
#include <utility>

namespace faultline::theory {

namespace {

/// C_con and W_con. Section 4 gives no values; these are the ones of the published module.
constexpr std::uint64_t kConservationCredit = 4096;
constexpr std::uint64_t kConservationShare = 64;

constexpr Rank parent_of(Rank process) { return (process - 1) / 2; }

/// Visits the ranks in descending order, so that a process comes after its children.
template <class Visit>
void for_each_descending(std::uint32_t processes, Visit visit) {
  for (Rank p = processes; p-- > 0;) visit(p);
}

/// True if the flag of every child is set, and for a process without children.
bool all_children(Rank process, const std::vector<std::uint8_t>& flags) {
  const std::size_t first = 2 * std::size_t{process} + 1;
  const std::size_t end = std::min(first + 2, flags.size());
  for (std::size_t child = first; child < end; ++child)
    if (flags[child] == 0) return false;
  return true;
}

std::vector<std::uint64_t> credit_at_start(std::uint32_t processes, StepRules rules,
                                           std::uint64_t initial_credit, Rank first) {
  std::vector<std::uint64_t> credit(processes, rules == StepRules::literal ? initial_credit : 0);
  credit[first] = initial_credit;
  return credit;
}

}  // namespace

FourCounterCount::FourCounterCount(std::uint32_t processes, StepRules rules)
    : rules_(rules),
      joined_(processes),
      lets_pass_(processes, rules == StepRules::resolved ? 1 : 0),
      has_gone_idle_(processes),
      is_fresh_(processes, 1) {}

void FourCounterCount::add(const TreeStep& step) {
  for_each_descending(step.processes(), [&](Rank p) {
    if (rules_ == StepRules::literal)
      add_literal(step, p);
    else
      add_resolved(step, p);
  });
  if (joined_[0] != 0) {
    messages_ += 2 * (joined_.size() - 1);
    std::fill(joined_.begin(), joined_.end(), 0);
    std::fill(has_gone_idle_.begin(), has_gone_idle_.end(), 0);
  }
  if (rules_ == StepRules::resolved) return;
  // A process that a message of this step activates was still idle while the wave climbed: messages
  // arrive at the end of the step.
  for (Rank p = 0; p < step.processes(); ++p)
    if (step.becomes_active(p)) joined_[p] = 0;
}

void FourCounterCount::add_literal(const TreeStep& step, Rank process) {
  if (step.becomes_idle(process) && all_children(process, joined_)) joined_[process] = 1;
}

void FourCounterCount::add_resolved(const TreeStep& step, Rank process) {
  const bool becomes_idle = step.becomes_idle(process);
  if (step.was_active[process] != 0 || step.is_active[process] != 0) is_fresh_[process] = 0;
  if (becomes_idle) has_gone_idle_[process] = 1;
  const bool is_idle = becomes_idle || step.is_active[process] == 0;
  const bool may_join = process == 0 ? becomes_idle : is_idle && has_gone_idle_[process] != 0;
  const bool all_below = all_children(process, lets_pass_);
  if (may_join && all_below) joined_[process] = 1;
  const bool is_transparent = is_fresh_[process] != 0 && all_below;
  lets_pass_[process] = static_cast<std::uint8_t>(joined_[process] != 0 || is_transparent);
}

EdodCount::EdodCount(std::uint32_t processes, StepRules rules)
    : rules_(rules),
      subtree_size_(processes, 1),
      is_idle_subtree_(processes),
      arrivals_end_(processes),
      union_of_(processes) {
  for (Rank p = processes; p-- > 1;) subtree_size_[parent_of(p)] += subtree_size_[p];
}

void EdodCount::add(const TreeStep& step) {
  add_stops(step);
  add_resumes(step);
}

void EdodCount::add_stops(const TreeStep& step) {
  for_each_descending(step.processes(), [&](Rank p) {
    const bool is_idle_below = all_children(p, is_idle_subtree_);
    const bool is_idle_subtree = is_idle_below && step.is_active[p] == 0;
    is_idle_subtree_[p] = static_cast<std::uint8_t>(is_idle_subtree);
    if (!step.becomes_idle(p)) return;
    if (rules_ == StepRules::resolved)
      messages_ += is_idle_below ? 1 : 0;
    else
      messages_ += is_idle_subtree ? subtree_size_[p] : 0;
  });
}

void EdodCount::add_resumes(const TreeStep& step) {
  std::fill(arrivals_end_.begin(), arrivals_end_.end(), 0);
  for (const StepMessage& message : step.messages) ++arrivals_end_[message.to];
  std::uint32_t begin = 0;
  for (std::uint32_t& end : arrivals_end_) begin += std::exchange(end, begin);
  senders_.resize(step.messages.size());
  for (const StepMessage& message : step.messages)
    senders_[arrivals_end_[message.to]++] = message.from;
  begin = 0;
  for (Rank p = 0; p < step.processes(); ++p) {
    const std::uint32_t end = arrivals_end_[p];
    if (step.becomes_active(p)) {
      ++unions_;
      for (std::uint32_t i = begin; i < end; ++i) messages_ += join_path(senders_[i], p);
    }
    begin = end;
  }
}

// Climbs from both ends until they meet. The larger of two ranks in a heap is never above the
// other, so that one climbs. An edge is known by its lower end.
std::uint64_t EdodCount::join_path(Rank from, Rank to) {
  std::uint64_t added = 0;
  while (from != to) {
    Rank& lower = from > to ? from : to;
    if (std::exchange(union_of_[lower], unions_) != unions_) ++added;
    lower = parent_of(lower);
  }
  return added;
}

HcdaCount::HcdaCount(std::uint32_t processes, StepRules rules, std::uint64_t initial_credit,
                     Rank first)
    : rules_(rules),
      initial_credit_(initial_credit),
      credit_(credit_at_start(processes, rules, initial_credit, first)),
      carried_(processes) {}

void HcdaCount::add(const TreeStep& step) {
  const bool literal = rules_ == StepRules::literal;
  std::fill(carried_.begin(), carried_.end(), 0);
  for (const StepMessage& message : step.messages) {
    if (literal && message.from == message.to) continue;
    std::uint64_t& credit = credit_[message.from];
    while (credit < 2) {
      credit += initial_credit_;
      ++messages_;
    }
    carried_[message.to] += credit / 2;
    credit -= credit / 2;
  }
  for (Rank p = 0; p < step.processes(); ++p) {
    const bool idles = step.becomes_idle(p);
    if (literal ? idles && credit_[p] > 0 : idles || step.is_active[p] == 0) ++messages_;
    if (idles) credit_[p] = 0;
    credit_[p] += carried_[p];
  }
}

CdaCount::CdaCount(std::uint32_t processes, StepRules rules, std::uint64_t initial_credit,
                   Rank first)
    : initial_credit_(initial_credit),
      credit_(credit_at_start(processes, rules, initial_credit, first)),
      carried_(processes),
      shares_(processes) {}

std::uint64_t CdaCount::share(std::uint64_t credit, std::uint64_t shares) const {
  if (shares == 1) return credit;
  const std::uint64_t equal = credit / shares;
  return credit > kConservationCredit ? equal : std::min(equal, kConservationShare);
}

void CdaCount::add(const TreeStep& step) {
  std::fill(carried_.begin(), carried_.end(), 0);
  for (Rank p = 0; p < step.processes(); ++p) shares_[p] = step.becomes_idle(p) ? 0 : 1;
  for (const StepMessage& message : step.messages)
    if (message.from != message.to) ++shares_[message.from];
  for (const StepMessage& message : step.messages) {
    if (message.from == message.to) continue;
    std::uint64_t& credit = credit_[message.from];
    std::uint64_t& shares = shares_[message.from];
    while (credit < shares) {
      credit += initial_credit_;
      ++messages_;
    }
    const std::uint64_t carried = share(credit, shares--);
    credit -= carried;
    carried_[message.to] += carried;
  }
  for (Rank p = 0; p < step.processes(); ++p) {
    if (step.becomes_idle(p) && std::exchange(credit_[p], 0) > 0) ++messages_;
    credit_[p] += carried_[p];
  }
}

}  // namespace faultline::theory
