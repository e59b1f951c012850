// SPDX-License-Identifier: Apache-2.0
#include "analysis/exploration/rank_exchange.hpp"

#include <algorithm>
#include <numeric>

#include "sim/core/choices.hpp"

namespace faultline::exploration {

std::uint64_t RankExchange::decision(std::string_view what, std::uint64_t answer,
                                     ActorId chooser) const {
  if (what == kNextRank) return (*this)(static_cast<ActorId>(answer));
  if (what != kChildRank && what != kReceiverRank) return answer;
  const auto rank = static_cast<ActorId>(answer < chooser ? answer : answer + 1);
  const ActorId other = (*this)(rank);
  return other < (*this)(chooser) ? other : other - 1;
}

bool RankExchange::leads(const RankExchange& from, const RankExchange& to) const {
  for (Rank rank = 0; rank < ranks_.size(); ++rank)
    if (ranks_[from.ranks_[rank]] != to.ranks_[rank]) return false;
  return true;
}

bool RankExchange::is_inverse_of(const RankExchange& other) const {
  for (Rank rank = 0; rank < ranks_.size(); ++rank)
    if (other.ranks_[ranks_[rank]] != rank) return false;
  return true;
}

std::vector<RankExchange> exchanges_of(const std::vector<AlikeRanks>& alike, const JobShape& job) {
  std::vector<Rank> same(job.processes);
  std::iota(same.begin(), same.end(), 0);
  std::vector<std::vector<Rank>> all{same};
  for (const AlikeRanks& ranks : alike) {
    std::vector<std::vector<Rank>> more;
    AlikeRanks order = ranks;
    do {
      for (std::vector<Rank> exchange : all) {
        for (std::size_t i = 0; i < ranks.size(); ++i) exchange[ranks[i]] = order[i];
        more.push_back(std::move(exchange));
      }
    } while (std::next_permutation(order.begin(), order.end()));
    all = std::move(more);
  }
  std::erase(all, same);
  std::vector<RankExchange> exchanges;
  exchanges.reserve(all.size());
  for (std::vector<Rank>& ranks : all)
    exchanges.emplace_back(std::move(ranks), job.nodes == job.processes);
  return exchanges;
}

}  // namespace faultline::exploration
