// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "sim/audit/auditor.hpp"
#include "sim/audit/block_ledgers.hpp"
#include "sim/audit/channel_ledgers.hpp"
#include "sim/audit/recovery_stages.hpp"
#include "sim/core/digest.hpp"
#include "sim/core/message.hpp"
#include "sim/core/packed_object.hpp"
#include "sim/core/stack_request.hpp"
#include "sim/engine/job/run_job.hpp"

namespace faultline::engine {

/// The ground truth of a run: the auditor and, for jobs that need them, the ledgers of what their
/// programs send each other and of TryBlocks, and the stages of recoveries. The rooms tell it what
/// happens. It changes nothing in the run, and no actor can ask it; the run ends by what it says.
class GroundTruth {
 public:
  explicit GroundTruth(const RunJob& job);

  [[nodiscard]] audit::Auditor& auditor() { return auditor_; }
  [[nodiscard]] const audit::Auditor& auditor() const { return auditor_; }
  [[nodiscard]] const std::vector<audit::Violation>& violations() const {
    return auditor_.violations();
  }

  // ---- what programs do ----------------------------------------------------------------------
  /// The workload of a rank sends a message, which no layer has seen yet.
  void sent(Rank rank, const Message& message) {
    auditor_.sent();
    if (channels_) [[unlikely]]
      enter(rank, message, true);
  }
  /// The workload of a rank is about to handle a message, which all layers have seen.
  void consumed(Rank rank, const Message& message) {
    auditor_.delivered();
    if (channels_) [[unlikely]]
      enter(rank, message, false);
  }
  /// What an announcement is judged by, beside what the auditor counts.
  struct AtAnnouncement {
    std::function<bool(Rank)> is_active;
    /// Does all that goes on belong to ranks that will be ended, because they were declared dead?
    std::function<bool()> only_doomed_go_on;
  };
  /// A rank has announced the end of its phase.
  void announced(Rank rank, std::uint32_t phase, double now_s, const AtAnnouncement& at);
  /// Has an announcement been made while something went on that would come to nothing?
  [[nodiscard]] bool is_unsettled() const { return unsettled_.has_value(); }
  /// Then this rank is about to handle a message of the program. If it will not be ended, and the
  /// sender is one that is, the announcement was premature.
  void settle(Incarnation receiver, const Message& message);
  /// A program of TryBlocks says something to the layer below it, or is told something. Returns
  /// what is wrong with it, if anything is.
  [[nodiscard]] std::optional<std::string> hears_of_block(
      Incarnation rank, const StackRequest& request, const audit::BlockLedgers::IsAlive& is_alive);
  /// A component marks something. `living`: the ranks that are alive.
  void marked(ActorId actor, const char* name, std::int64_t value, std::uint32_t living,
              double now_s);

  // ---- what protocols conserve ---------------------------------------------------------------
  /// Is a quantity audited that a protocol conserves, such as credit?
  [[nodiscard]] bool audits_conserved() const { return audits_conserved_; }
  /// A component that conserves one begins with so much of it.
  void conserve(std::int64_t difference) {
    audits_conserved_ = true;
    auditor_.conserved_moved(difference);
  }
  /// Layers have sent messages again, or discarded them. From then on what is conserved is no
  /// longer audited: until a recovery is over, the same credit can be in two places, or in none.
  void replayed(std::uint64_t resent, std::uint64_t discarded);

  // ---- deaths, restarts, images --------------------------------------------------------------
  /// `daemon`: the one that the rank has died with; nobody if it has died alone.
  void died(Incarnation dead, bool was_active, bool had_started, double now_s, Incarnation daemon);
  /// An actor declares an incarnation of a peer dead, for the first time.
  void declared_dead(ActorId by, Incarnation peer, double now_s);
  void taken_back(ActorId by, Incarnation peer) { auditor_.taken_back(by, peer); }
  void restarted(Incarnation actor);
  /// A rank goes on from a state in which that was its ledger (ledger_of). What is conserved is
  /// no longer audited: it holds again only when all ranks that roll back have done so. `starts`:
  /// the rank had not started; else it goes back from what it has done.
  void put_back(Rank rank, bool starts, bool was_active, const RankLedger& ledger);
  /// What the programs have sent to and consumed from each other, as far as the rank goes. Empty in
  /// jobs that need no ledgers.
  [[nodiscard]] RankLedger ledger_of(Rank rank) const {
    return channels_ ? channels_->of(rank) : RankLedger();
  }
  /// The same for an object of the rank. None in jobs that need no ledgers.
  [[nodiscard]] std::shared_ptr<const EndpointLedger> ledger_of(Rank rank, ObjectId object) const;
  void hosted(Rank rank, const PackedObject& packed);
  void removed(Rank rank, ObjectId object);

  // ---- for the verdict and the report --------------------------------------------------------
  [[nodiscard]] const std::optional<audit::ChannelLedgers>& channels() const { return channels_; }
  [[nodiscard]] const std::optional<audit::BlockLedgers>& blocks() const { return blocks_; }
  [[nodiscard]] const std::optional<audit::RecoveryStages>& recovery() const { return recovery_; }
  /// The ledgers. The auditor has a digest of its own.
  void add_ledgers(Digest& into) const;

 private:
  void enter(Rank rank, const Message& message, bool sent);
  [[nodiscard]] bool is_rank(ActorId actor) const { return actor < processes_; }

  std::uint32_t processes_;
  bool has_objects_;
  bool awaits_announcement_;
  bool detector_is_accurate_;
  bool audits_conserved_ = false;
  audit::Auditor auditor_;
  std::optional<audit::Violation> unsettled_;  ///< what that announcement would be
  std::optional<audit::ChannelLedgers>
      channels_;                               ///< where a layer can bring back ranks that can die
  std::optional<audit::BlockLedgers> blocks_;  ///< of programs of TryBlocks
  std::optional<audit::RecoveryStages> recovery_;  ///< where there are blocks
};

}  // namespace faultline::engine
