// SPDX-License-Identifier: Apache-2.0
#include "protocols/termination/leader_view.hpp"

#include "protocols/termination/tally.hpp"
#include "sim/core/invariant.hpp"

namespace faultline::termination {

LeaderView::LeaderView(const JobShape& job, bool keeps)
    : processes_(job.processes), live_(job.processes) {
  if (!keeps) return;
  told_.resize(processes_, job.starts_at_root);
  told_[0] = false;
  untold_ = job.starts_at_root ? 1 : processes_;
}

void LeaderView::move(Rank from, Rank to, std::int64_t messages) {
  const auto channel = channels_.try_emplace({from, to}, 0).first;
  channel->second += messages;
  if (channel->second == 0) channels_.erase(channel);
}

LeaderView::Flushes& LeaderView::flushes_of(Rank dead) {
  Flushes& flushes = flushes_[dead];
  flushes.by.resize(processes_);
  return flushes;
}

void LeaderView::signal(Rank from, const std::vector<std::uint64_t>& words,
                        const FailedRanks& failed) {
  invariant(from < told_.size(), "a signal reaches a process that is no leader");
  if (!told_[from]) one_less_untold();
  told_[from] = true;
  for (const std::uint64_t packed : words) {
    const auto [entry, peer, count] = Tally::word(packed);
    if (entry == Tally::Entry::flushed) {
      Flushes& flushes = flushes_of(peer);
      invariant(!flushes.by[from], "a process reports the flush of one death twice");
      flushes.by[from] = true;
      ++flushes.live;
    } else if (failed.contains(peer)) {
      continue;
    } else if (entry == Tally::Entry::sent) {
      move(from, peer, count);
    } else {
      move(peer, from, -std::int64_t{count});
    }
  }
}

void LeaderView::died(Rank rank, bool in_this_phase) {
  invariant(rank < told_.size() && live_ > 0, "a leader is told of too many deaths");
  --live_;
  if (!told_[rank]) one_less_untold();
  std::erase_if(channels_, [rank](const auto& channel) {
    return channel.first.first == rank || channel.first.second == rank;
  });
  for (auto& [dead, flushes] : flushes_)
    if (flushes.by[rank]) {
      invariant(flushes.live > 0, "fewer processes report a flush than die");
      --flushes.live;
    }
  if (in_this_phase) require_flushes(rank);
}

void LeaderView::one_less_untold() {
  invariant(untold_ > 0, "more processes are idle for the first time than have to be");
  --untold_;
}

void LeaderView::require_flushes(Rank dead) { flushes_of(dead).required = true; }

std::uint64_t LeaderView::missing_flushes() const {
  std::uint64_t missing = 0;
  for (const auto& [dead, flushes] : flushes_)
    if (flushes.required) {
      invariant(flushes.live <= live_, "more processes report a flush than live");
      missing += live_ - flushes.live;
    }
  return missing;
}

bool LeaderView::terminated() const {
  return untold_ == 0 && channels_.empty() && missing_flushes() == 0;
}

std::size_t LeaderView::bytes() const {
  return told_.size() / 8 + channels_.size() * sizeof(decltype(channels_)::value_type) +
         flushes_.size() * processes_ / 8;
}

void LeaderView::digest(Digest& into) const {
  into.add(live_, untold_, told_, channels_, flushes_);
}

std::string LeaderView::waiting_for() const {
  if (told_.empty() || terminated()) return {};
  return std::to_string(untold_) + " processes to be idle, " + std::to_string(channels_.size()) +
         " channels to be empty and " + std::to_string(missing_flushes()) + " flushes";
}

}  // namespace faultline::termination
