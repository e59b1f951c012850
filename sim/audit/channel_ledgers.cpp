#include "sim/audit/channel_ledgers.hpp"

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

std::optional<std::string> ChannelLedgers::first_difference(bool some_in_flight) const {
  std::map<std::pair<Endpoint, Endpoint>, BothEnds> channels;
  for (const RankLedger& rank : ranks_)
    for (const auto& [self, ledger] : rank) {
      for (const auto& [to, totals] : ledger.sent) channels[{self, to}].sent = totals;
      for (const auto& [from, totals] : ledger.consumed) channels[{from, self}].consumed = totals;
    }
  for (const auto& [channel, ends] : channels)
    if (!agree(ends, some_in_flight)) return in_words(channel, ends);
  return std::nullopt;
}

}  // namespace faultline
