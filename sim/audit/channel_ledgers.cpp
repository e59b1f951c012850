// SPDX-License-Identifier: Apache-2.0
#include "sim/audit/channel_ledgers.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace faultline::audit {

namespace {

struct BothEnds {
  ChannelTotals sent;
  ChannelTotals consumed;
};

bool agree(const BothEnds& ends, bool some_in_flight) {
  if (some_in_flight && ends.consumed.messages < ends.sent.messages) return true;
  return ends.sent == ends.consumed;
}

/// True if nothing has been sent or consumed on any of these channels that had not been before.
bool is_within(const ChannelsByEnd& now, const ChannelsByEnd& before) {
  return std::all_of(now.begin(), now.end(), [&](const auto& channel) {
    const auto other = before.find(channel.first);
    return other != before.end() && channel.second.messages <= other->second.messages;
  });
}

bool is_within(const RankLedger& now, const RankLedger& before) {
  return std::all_of(now.begin(), now.end(), [&](const auto& endpoint) {
    const auto other = before.find(endpoint.first);
    return other != before.end() && is_within(endpoint.second.sent, other->second.sent) &&
           is_within(endpoint.second.consumed, other->second.consumed);
  });
}

bool equal_ledgers(const RankLedger& a, const RankLedger& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
    return one.first == other.first && one.second.sent == other.second.sent &&
           one.second.consumed == other.second.consumed;
  });
}

using Channels = std::map<std::pair<Endpoint, Endpoint>, BothEnds>;

void add_to(Channels& channels, const RankLedger& rank) {
  for (const auto& [self, ledger] : rank) {
    for (const auto& [to, totals] : ledger.sent) channels[{self, to}].sent = totals;
    for (const auto& [from, totals] : ledger.consumed) channels[{from, self}].consumed = totals;
  }
}

std::string in_words(const std::pair<Endpoint, Endpoint>& channel, const BothEnds& ends) {
  std::string words = "from " + channel.first.in_words();
  words += " to " + channel.second.in_words();
  words += ": " + std::to_string(ends.sent.messages) + " messages were sent";
  words += " and " + std::to_string(ends.consumed.messages) + " consumed";
  if (ends.sent.messages == ends.consumed.messages) words += ", which are not the same";
  return words;
}

}  // namespace

EndpointLedger ChannelLedgers::of(Rank rank, const Endpoint& endpoint) const {
  const auto found = ranks_[rank].find(endpoint);
  return found == ranks_[rank].end() ? EndpointLedger{} : found->second;
}

/// A rank that goes back while it repeats what it had done has still done all of that.
void ChannelLedgers::goes_back(Rank rank, bool was_active) {
  const auto before = gone_back_.find(rank);
  const bool had_caught_up = before == gone_back_.end() ||
                             !is_within(ranks_[rank], before->second.ledger) ||
                             is_within(before->second.ledger, ranks_[rank]);
  if (had_caught_up) gone_back_[rank] = {ranks_[rank], was_active};
}

/// If the states of all ranks agree about every channel and nobody has anything to do, the program
/// was over, whenever each of them was in its state. A rank that has again done as much as before,
/// but with other messages, stands on the new ones; other ranks may still stand on what they got
/// from it before, or may have got from it since.
bool ChannelLedgers::was_over(Rank by, const std::function<bool(Rank)>& is_active) const {
  return agree_at_end(by, History::before, is_active) ||
         agree_at_end(by, History::since, is_active);
}

bool ChannelLedgers::agree_at_end(Rank by, History history,
                                  const std::function<bool(Rank)>& is_active) const {
  Channels channels;
  for (Rank rank = 0; rank < ranks_.size(); ++rank) {
    const Standing standing = standing_of(rank, rank == by, history);
    const bool may_be_active = standing.was_active.value_or(true);
    if (may_be_active && (!standing.is_now || is_active(rank))) return false;
    add_to(channels, *standing.ledger);
  }
  return std::all_of(channels.begin(), channels.end(),
                     [](const auto& channel) { return agree(channel.second, false); });
}

/// A rank that has caught up is judged by what it does now. If it does what it did before it went
/// back, it counts as active only if it was active both times. A rank that announces the end does
/// not know what it has still to repeat.
ChannelLedgers::Standing ChannelLedgers::standing_of(Rank rank, bool announces,
                                                     History history) const {
  const RankLedger& now = ranks_[rank];
  const auto before = gone_back_.find(rank);
  const Standing of_now{.ledger = &now, .was_active = {}, .is_now = true};
  if (before == gone_back_.end() || !is_within(now, before->second.ledger)) return of_now;
  const auto& [ledger, active] = before->second;
  if (equal_ledgers(now, ledger)) return {.ledger = &now, .was_active = active, .is_now = true};
  const bool has_caught_up = is_within(ledger, now);
  if (announces || (has_caught_up && history == History::since)) return of_now;
  return {.ledger = &ledger, .was_active = active, .is_now = false};
}

std::optional<std::string> ChannelLedgers::first_difference(bool some_in_flight) const {
  Channels channels;
  for (const RankLedger& rank : ranks_) add_to(channels, rank);
  for (const auto& [channel, ends] : channels)
    if (!agree(ends, some_in_flight)) return in_words(channel, ends);
  return std::nullopt;
}

}  // namespace faultline::audit
