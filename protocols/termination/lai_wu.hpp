// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "protocols/termination/announcement.hpp"
#include "protocols/termination/entries_by_rank.hpp"
#include "protocols/termination/failed_ranks.hpp"
#include "sim/core/component.hpp"

namespace faultline::termination {

struct LaiWuOptions {
  std::uint64_t control_bytes = 16;
};

/// A cost model of Lai and Wu's detector as adoption-2013 section 3 describes it: the messages of
/// Dijkstra and Scholten as long as nobody dies, and after a death every survivor talks to the
/// root. Here the root sends a query to each survivor, as if it were a message of the application.
/// The query makes the survivor a child of the root, so that nobody is left below the dead.
class LaiWu final : public TerminationDetector {
 public:
  using Options = LaiWuOptions;
  LaiWu(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void start(TerminationContext& context) override;
  void on_sends(TerminationContext& context, std::span<Message* const> batch,
                bool still_active) override;
  Passage on_receive(TerminationContext& context, Message& message) override;
  void on_idle(TerminationContext& context) override;
  void on_message(TerminationContext& context, const Message& message) override;
  void on_peer_failed(TerminationContext& context, Incarnation peer) override;
  void on_flushed(TerminationContext& context, Incarnation peer) override;
  [[nodiscard]] Rank parent() const override { return parent_; }
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

 private:
  struct Debtor {
    Rank rank = kNobody;
    std::uint32_t acks_owed = 0;
  };

  void digest_state(Digest& into) const override;
  [[nodiscard]] bool is_root() const { return self_ == 0; }
  [[nodiscard]] Debtor& successor(Rank rank);
  void will_send_to(Rank rank);
  void acknowledge(TerminationContext& context, Rank predecessor);
  [[nodiscard]] bool is_written_off(Rank rank);
  void got_acknowledgement(Rank rank, std::uint32_t count);
  void query_survivors(TerminationContext& context, Rank failed);
  void ask_root(TerminationContext& context, Rank failed);
  void survivor_asks(TerminationContext& context, Rank failed);
  void await_flush(TerminationContext& context, Rank failed);
  void become_child_of_root(TerminationContext& context);
  void try_disengage(TerminationContext& context);

  std::shared_ptr<const Options> options_;
  Rank self_;
  std::uint32_t processes_;
  Rank parent_ = kNobody;
  std::int64_t D_ = 0;                ///< messages sent and not acknowledged
  EntriesByRank<Debtor> successors_;  ///< includes ranks that owe nothing
  FailedRanks failed_;
  FailedRanks queried_;  ///< root: deaths of this phase about which it has queried the survivors
  std::vector<Rank> awaited_flushes_;  ///< of failed ranks; the root's own, or those of a query
  Announcement announcement_;
  bool started_ = false;
  std::uint64_t recovery_messages_ = 0;
  double noticed_s_ = 0.0;  ///< when the root heard of the last death that it asked about
  double recovery_s_ =
      0.0;  ///< the longest time from then until a survivor was a child of the root
};

}  // namespace faultline::termination
