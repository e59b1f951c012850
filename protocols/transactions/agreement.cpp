// SPDX-License-Identifier: Apache-2.0
#include "protocols/transactions/agreement.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/core/invariant.hpp"
#include "sim/core/sorted_list.hpp"

namespace faultline::transactions {

namespace {

constexpr std::uint32_t kHeaderBytes = 92;  ///< an UP that names no member
constexpr std::uint32_t kMemberBytes = 4;

bool contains(const std::vector<Rank>& ranks, Rank rank) {
  return std::binary_search(ranks.begin(), ranks.end(), rank);
}

void unite_lists(std::vector<Rank>& ranks, const std::vector<Rank>& others) {
  if (others.empty()) return;
  std::vector<Rank> united;
  united.reserve(ranks.size() + others.size());
  std::set_union(ranks.begin(), ranks.end(), others.begin(), others.end(),
                 std::back_inserter(united));
  ranks = std::move(united);
}

AgreementTree::Shape shape_of(AgreementAlgorithm algorithm) {
  return algorithm == AgreementAlgorithm::star ? AgreementTree::Shape::star
                                               : AgreementTree::Shape::heap;
}

void send(AgreementOutput& output, Rank to, AgreementMessageKind kind, std::uint64_t sweep,
          const AgreementValue& value = {}) {
  output.sends.push_back({.to = to, .message = {.kind = kind, .sweep = sweep, .value = value}});
}

}  // namespace

void AgreementValue::unite(const AgreementValue& other) {
  success = success && other.success;
  codes |= other.codes;
  unite_lists(failed, other.failed);
}

std::uint64_t agreement_bytes(const AgreementMessage& message) {
  return kHeaderBytes + kMemberBytes * message.value.failed.size();
}

Agreement::Agreement(AgreementAlgorithm algorithm, Rank self, std::uint32_t members,
                     std::vector<Rank> absent)
    : algorithm_(algorithm),
      self_(self),
      tree_{.shape = shape_of(algorithm), .members = members, .absent = absent},
      failed_(std::move(absent)) {
  invariant(self < members && !contains(failed_, self),
            "a rank that agrees is no member of its group");
}

// ---- the tree as this member sees it ------------------------------------------------------------

std::uint32_t Agreement::sweeps_each() const {
  return algorithm_ == AgreementAlgorithm::two_phase ? 2 : 1;
}

/// True for the second sweep of a two-phase agreement, in which all contribute what they know
/// already.
bool Agreement::confirms(const Sweep& sweep) const {
  return sweeps_each() == 2 && sweep.number % 2 == 1;
}

bool Agreement::is_dead(Rank rank) const { return contains(failed_, rank); }

bool Agreement::is_expelled() const { return is_dead(self_); }

bool Agreement::is_gone(const Sweep& sweep, Rank rank) const {
  return rank < sweep.lowest || is_dead(rank);
}

/// The first member that is alive.
Rank Agreement::root_of(const Sweep& sweep) const {
  Rank root = sweep.lowest;
  while (is_dead(root)) ++root;
  return root;
}

/// The next ancestor that is alive, or else the root. This member's own rank if it is the root.
Rank Agreement::parent_in(const Sweep& sweep) const {
  std::uint32_t position = tree_.position_of(self_);
  while (position > 0) {
    position = tree_.parent(position);
    const Rank rank = tree_.rank_at(position);
    if (!is_gone(sweep, rank)) return rank;
  }
  return root_of(sweep);
}

/// Goes down each branch to the first member that is alive or whose contribution has come: that
/// member stands for all below it. The root looks after the whole tree.
Agreement::Survey Agreement::survey(const Sweep& sweep) const {
  Survey found;
  const std::uint32_t own = tree_.position_of(self_);
  std::vector<std::uint32_t> to_visit{root_of(sweep) == self_ ? 0 : own};
  while (!to_visit.empty()) {
    const std::uint32_t position = to_visit.back();
    to_visit.pop_back();
    const Rank rank = tree_.rank_at(position);
    if (rank != self_) {
      if (contains(sweep.from, rank)) continue;
      if (!is_gone(sweep, rank)) {
        found.awaited.push_back(rank);
        continue;
      }
      found.missing.push_back(rank);
    }
    tree_.for_each_child(position, [&](std::uint32_t child) { to_visit.push_back(child); });
  }
  std::sort(found.awaited.begin(), found.awaited.end());
  std::sort(found.missing.begin(), found.missing.end());
  return found;
}

// ---- sweeps ------------------------------------------------------------------------------------

Agreement::Sweep& Agreement::sweep_of(std::uint64_t number) {
  const auto place = std::lower_bound(
      sweeps_.begin(), sweeps_.end(), number,
      [](const Sweep& sweep, std::uint64_t wanted) { return sweep.number < wanted; });
  if (place != sweeps_.end() && place->number == number) return *place;
  Sweep made;
  made.number = number;
  return *sweeps_.insert(place, std::move(made));
}

void Agreement::forget_sweeps_below(std::uint64_t number) {
  first_sweep_ = std::max(first_sweep_, number);
  std::erase_if(sweeps_, [number](const Sweep& sweep) { return sweep.number < number; });
}

void Agreement::forget_through(std::uint64_t number) {
  forget_sweeps_below((number + 1) * sweeps_each());
}

bool Agreement::contribute(std::uint64_t number, AgreementValue value, AgreementOutput& output) {
  const std::uint64_t sweep = number * sweeps_each();
  if (sweep < first_sweep_ || sweep_of(sweep).contributed) return false;
  unite_lists(value.failed, failed_);
  contribute_to(sweep, value, output);
  return true;
}

void Agreement::contribute_to(std::uint64_t number, const AgreementValue& value,
                              AgreementOutput& output) {
  for (const Sweep& earlier : sweeps_)
    invariant(earlier.number >= number || !earlier.contributed || earlier.decided,
              "a member contributes to an agreement before it knows the result of the last one");
  Sweep& sweep = sweep_of(number);
  sweep.contributed = true;
  sweep.value.unite(value);
  go_on(sweep, output);
}

void Agreement::go_on(Sweep& sweep, AgreementOutput& output) {
  if (is_expelled()) return;
  if (!sweep.contributed || sweep.decided || sweep.sent_to != kNobody) return;
  const bool is_root = root_of(sweep) == self_;
  const Survey below = survey(sweep);
  if (is_root && tree_.position_of(self_) > 0) ask(sweep, below.awaited, output);
  if (!below.awaited.empty()) return;
  if (!confirms(sweep)) unite_lists(sweep.value.failed, below.missing);
  if (is_root) return decide(sweep, AgreementValue(sweep.value), kNobody, output);
  sweep.sent_to = parent_in(sweep);
  send(output, sweep.sent_to, AgreementMessageKind::up, sweep.number, sweep.value);
}

void Agreement::ask(Sweep& sweep, const std::vector<Rank>& awaited, AgreementOutput& output) const {
  for (const Rank rank : awaited)
    if (insert_sorted(sweep.asked, rank))
      send(output, rank, AgreementMessageKind::result_request, sweep.number);
}

void Agreement::decide(Sweep& sweep, const AgreementValue& value, Rank told_by,
                       AgreementOutput& output) {
  const std::uint64_t number = sweep.number;
  sweep.decided = true;
  sweep.value = value;
  sweep.asked = {};
  for (const Rank rank : std::exchange(sweep.from, {}))
    if (rank != told_by && !is_dead(rank))
      send(output, rank, AgreementMessageKind::down, number, value);
  forget_sweeps_below(number);
  const std::uint64_t each = sweeps_each();
  if (number % each + 1 < each) return contribute_to(number + 1, value, output);
  unite_lists(failed_, value.failed);
  unite_lists(tree_.absent, value.failed);
  output.decisions.push_back({.number = number / each, .value = value});
}

// ---- events ------------------------------------------------------------------------------------

void Agreement::on_message(Rank from, const AgreementMessage& message, AgreementOutput& output) {
  invariant(from < tree_.members && from != self_, "a contribution of no member of the group");
  if (message.sweep < first_sweep_ || is_dead(from)) return;
  Sweep& sweep = sweep_of(message.sweep);
  if (from < sweep.lowest) return;
  switch (message.kind) {
    case AgreementMessageKind::up:
      return on_up(sweep, from, message.value, output);
    case AgreementMessageKind::result_request:
      return on_request(sweep, from, output);
    case AgreementMessageKind::down:
      if (!sweep.decided && (from == sweep.sent_to || contains(sweep.asked, from)))
        decide(sweep, message.value, from, output);
      return;
  }
}

void Agreement::on_up(Sweep& sweep, Rank from, const AgreementValue& value,
                      AgreementOutput& output) {
  if (sweep.decided)
    return send(output, from, AgreementMessageKind::down, sweep.number, sweep.value);
  if (!insert_sorted(sweep.from, from)) return;
  if (!confirms(sweep)) sweep.value.unite(value);
  // At the centre of a star, each survey would look at all members.
  if (tree_.shape == AgreementTree::Shape::star &&
      sweep.from.size() + failed_.size() + 1 < tree_.members)
    return;
  go_on(sweep, output);
}

/// The sender is the root, so all members before it are dead, whether this member has heard so or
/// not. (A member that takes this one for dead is no root: it has been misinformed.)
void Agreement::on_request(Sweep& sweep, Rank from, AgreementOutput& output) const {
  if (sweep.decided)
    return send(output, from, AgreementMessageKind::down, sweep.number, sweep.value);
  if (from > self_) return;
  sweep.lowest = std::max(sweep.lowest, from);
  if (sweep.sent_to == kNobody || sweep.sent_to == from) return;
  sweep.sent_to = from;
  send(output, from, AgreementMessageKind::up, sweep.number, sweep.value);
}

void Agreement::on_peer_failed(Rank peer, AgreementOutput& output) {
  invariant(peer < tree_.members && peer != self_, "the death of no member of the group");
  if (!insert_sorted(failed_, peer)) return;
  std::vector<std::uint64_t> numbers;
  numbers.reserve(sweeps_.size());
  for (const Sweep& sweep : sweeps_) numbers.push_back(sweep.number);
  for (const std::uint64_t number : numbers) {
    if (number < first_sweep_) continue;
    Sweep& sweep = sweep_of(number);
    if (sweep.sent_to == peer) sweep.sent_to = kNobody;
    go_on(sweep, output);
  }
}

// ---- how it stands -----------------------------------------------------------------------------

std::string Agreement::waiting_for() const {
  if (is_expelled()) return "its end, since the others have agreed that it is dead";
  for (const Sweep& sweep : sweeps_) {
    if (!sweep.contributed || sweep.decided) continue;
    if (sweep.sent_to != kNobody) return "the decision from rank " + std::to_string(sweep.sent_to);
    const Survey below = survey(sweep);
    if (!below.awaited.empty())
      return "the contribution of rank " + std::to_string(below.awaited.front());
  }
  return "";
}

void Agreement::Sweep::digest(Digest& into) const {
  into.add(number, contributed, decided, lowest, sent_to, value, from, asked);
}

void Agreement::digest(Digest& into) const { into.add(tree_, failed_, first_sweep_, sweeps_); }

}  // namespace faultline::transactions
