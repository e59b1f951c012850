#include "sim/audit/channel_ledgers.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace faultline {

namespace {

struct BothEnds {
  ChannelTotals sent;
  ChannelTotals consumed;
};

bool agree(const BothEnds& ends, bool some_in_flight) {
  if (some_in_flight && ends.consumed.messages < ends.sent.messages) return true;
  return ends.sent == ends.consumed;
}

/// Has nothing been sent or consumed on any of these channels that has not been before?
bool is_within(const std::map<Endpoint, ChannelTotals>& now,
               const std::map<Endpoint, ChannelTotals>& before) {
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

/// Who dies while it does again what it had done has still done that.
void ChannelLedgers::died(Rank rank, bool was_active) {
  const auto before = at_death_.find(rank);
  const bool had_caught_up = before == at_death_.end() ||
                             !is_within(ranks_[rank], before->second.ledger) ||
                             is_within(before->second.ledger, ranks_[rank]);
  if (had_caught_up) at_death_[rank] = {ranks_[rank], was_active};
}

/// A rank that has caught up is judged by what it does now, unless that is what it did when it
/// died.
bool ChannelLedgers::was_over(const std::function<bool(Rank)>& is_active) const {
  Channels channels;
  for (Rank rank = 0; rank < ranks_.size(); ++rank) {
    const auto before = at_death_.find(rank);
    const bool repeats =
        before != at_death_.end() && is_within(ranks_[rank], before->second.ledger);
    const RankLedger& ledger = repeats ? before->second.ledger : ranks_[rank];
    const bool has_caught_up = !repeats || is_within(ledger, ranks_[rank]);
    if (repeats ? before->second.active && (!has_caught_up || is_active(rank)) : is_active(rank))
      return false;
    add_to(channels, ledger);
  }
  return std::all_of(channels.begin(), channels.end(),
                     [](const auto& channel) { return agree(channel.second, false); });
}

std::optional<std::string> ChannelLedgers::first_difference(bool some_in_flight) const {
  Channels channels;
  for (const RankLedger& rank : ranks_) add_to(channels, rank);
  for (const auto& [channel, ends] : channels)
    if (!agree(ends, some_in_flight)) return in_words(channel, ends);
  return std::nullopt;
}

}  // namespace faultline
