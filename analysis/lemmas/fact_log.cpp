// SPDX-License-Identifier: Apache-2.0
#include "analysis/lemmas/fact_log.hpp"

#include <algorithm>

namespace faultline::lemmas {

void FactLog::see(const audit::Sight& sight) {
  if (sight.kind != audit::Sight::Kind::lost && !dropped_.empty()) after_drops(sight);
  switch (sight.kind) {
    case audit::Sight::Kind::sent:
      if (keeps(sight.peer))
        on_their_way_[sight.message] = {sight.actor, sight.peer, sight.until_s};
      note_message(sight.actor, Fact::What::sent, sight.peer, sight);
      break;
    case audit::Sight::Kind::injected:
      if (const auto found = on_their_way_.find(sight.message); found != on_their_way_.end())
        found->second.injected_s = sight.time_s;
      break;
    case audit::Sight::Kind::received:
      arrived(sight);
      break;
    case audit::Sight::Kind::lost:
      on_their_way_.erase(sight.message);
      dropped_.push_back({sight.actor, sight.peer, sight.time_s});
      break;
    case audit::Sight::Kind::phase_began:
      phase_began(sight.actor, sight.time_s);
      break;
    case audit::Sight::Kind::died:
      died(sight.actor, sight.time_s);
      break;
    case audit::Sight::Kind::declared_dead:
      if (sight.peer < processes() && !deaths_s_.contains(sight.peer))
        first_false_report_s_ = std::min(first_false_report_s_, sight.time_s);
      note(sight.actor, Fact::What::told_dead, sight.peer, sight.time_s);
      check_flushed(sight.actor, sight.peer, sight.time_s);
      break;
    case audit::Sight::Kind::announced:
      note(sight.actor, Fact::What::told_over, kNobody, sight.time_s);
      break;
    case audit::Sight::Kind::gave_up:
      gave_up_ = GaveUp{sight.actor, sight.time_s};
      break;
    default:
      break;
  }
}

void FactLog::keep_only(Rank rank) {
  only_ = rank;
  for (Rank other = 0; other < processes(); ++other)
    if (other != rank) facts_[other].clear();
  std::erase_if(on_their_way_, [rank](const auto& entry) { return entry.second.to != rank; });
}

void FactLog::note(Rank self, Fact::What what, Rank peer, double time_s) {
  if (!keeps(self)) return;
  facts_[self].push_back({.what = what, .peer = peer, .number = ++number_, .time_s = time_s});
}

void FactLog::note_message(Rank self, Fact::What what, Rank peer, const audit::Sight& sight) {
  if (!keeps(self)) return;
  const Message& message = *sight.message;
  facts_[self].push_back({.what = what,
                          .peer = peer,
                          .number = ++number_,
                          .time_s = what == Fact::What::sent ? sight.time_s : sight.until_s,
                          .channel = message.channel,
                          .kind = static_cast<std::uint16_t>(message.kind),
                          .payload = message.payload,
                          .attachments = message.attachments});
}

void FactLog::arrived(const audit::Sight& sight) {
  if (!keeps(sight.actor)) return;
  on_their_way_.erase(sight.message);
  note_message(sight.actor, Fact::What::handled, sight.peer, sight);
  check_flushed(sight.actor, sight.peer, sight.until_s);
}

/// A message dropped because its phase is over is no longer awaited. A process that dies also drops
/// its inbox, but learns nothing from that: these drops come right before its death, and do not
/// count.
void FactLog::after_drops(const audit::Sight& next) {
  for (const Dropped& message : dropped_)
    if (next.kind != audit::Sight::Kind::died || next.actor != message.to)
      check_flushed(message.to, message.from, message.time_s);
  dropped_.clear();
}

void FactLog::phase_began(Rank self, double time_s) {
  if (!keeps(self)) return;
  auto& facts = facts_[self];
  const std::vector<Fact> before(facts.begin() + static_cast<std::ptrdiff_t>(phase_begins_[self]),
                                 facts.end());
  phase_begins_[self] = facts.size();
  note(self, Fact::What::phase_began, kNobody, time_s);
  for (const Fact& fact : before) {
    if (fact.what != Fact::What::told_dead) continue;
    note(self, Fact::What::told_dead, fact.peer, time_s);
    check_flushed(self, fact.peer, time_s);
  }
}

/// Messages that had not entered the network are lost with their sender.
void FactLog::died(Rank rank, double time_s) {
  if (rank >= processes()) return;  // a node's daemon
  deaths_s_.emplace(rank, time_s);
  std::erase_if(on_their_way_, [=](const auto& entry) {
    const OnItsWay& message = entry.second;
    return message.to == rank || (message.from == rank && message.injected_s > time_s);
  });
}

void FactLog::check_flushed(Rank self, Rank peer, double time_s) {
  const auto is = [=](Fact::What what) {
    return [=](const Fact& fact) { return fact.what == what && fact.peer == peer; };
  };
  if (!keeps(self) || deaths_s_.contains(self)) return;
  const auto& facts = facts_[self];
  const auto begin = facts.begin() + static_cast<std::ptrdiff_t>(phase_begins_[self]);
  const auto told = std::find_if(begin, facts.end(), is(Fact::What::told_dead));
  if (told == facts.end()) return;
  if (std::any_of(begin, facts.end(), is(Fact::What::flushed))) return;
  // Of a peer that was told to be dead while it lived, what it sends after that is refused.
  const auto death = deaths_s_.find(peer);
  const bool is_true = death != deaths_s_.end() && death->second <= told->time_s;
  const double last_s = is_true ? kNever : told->time_s;
  if (std::any_of(on_their_way_.begin(), on_their_way_.end(), [=](const auto& entry) {
        const OnItsWay& message = entry.second;
        return message.from == peer && message.to == self && message.injected_s <= last_s;
      }))
    return;
  note(self, Fact::What::flushed, peer, time_s);
}

}  // namespace faultline::lemmas
