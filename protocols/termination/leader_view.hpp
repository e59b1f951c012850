#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "protocols/termination/failed_ranks.hpp"
#include "sim/core/component.hpp"

namespace faultline {

/// Venkatesan's detector: what a leader knows of all processes, whose states it simulates: who has
/// been idle, and the channels on which messages are not accounted for at both ends.
class LeaderView {
 public:
  /// `keeps`: at a leader; others know nothing.
  LeaderView(const JobShape& job, bool keeps);
  /// The words of a live process's tally, which is idle.
  void signal(Rank from, const std::vector<std::uint64_t>& words, const FailedRanks& failed);
  /// Nothing of the dead process's channels counts any more. If it died in this phase, all
  /// survivors must have taken in what it has sent.
  void died(Rank rank, bool in_this_phase);
  void require_flushes(Rank dead);
  /// All live processes were idle when they last told, and no channel holds a message.
  [[nodiscard]] bool terminated() const;
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] std::string waiting_for() const;

 private:
  /// Who has taken in all that a dead process has sent.
  struct Flushes {
    std::vector<bool> by;
    std::uint32_t live = 0;  ///< of these, how many live
    bool required = false;   ///< this leader has been told of the death
  };

  [[nodiscard]] std::uint64_t missing_flushes() const;
  Flushes& flushes_of(Rank dead);
  void move(Rank from, Rank to, std::int64_t messages);

  std::uint32_t processes_;
  std::uint32_t live_;
  std::uint32_t untold_ = 0;  ///< live processes that have not been idle
  std::vector<bool> told_;    ///< by rank
  std::map<std::pair<Rank, Rank>, std::int64_t> channels_;  ///< sent less received, if not 0
  std::map<Rank, Flushes> flushes_;                         ///< by dead rank
};

}  // namespace faultline
