// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocols/transactions/program_block.hpp"
#include "protocols/transactions/world_agreement.hpp"
#include "protocols/transactions/world_layer.hpp"

namespace faultline::transactions {

/// User-Level Failure Mitigation, as used by programs that must keep all ranks. A request whose
/// peer is dead fails; its rank revokes the world, which ends the requests of all. At the end of
/// each TryBlock the ranks agree whether all have succeeded (MPI_Comm_agree). If not, they shrink
/// the world, again if a rank dies meanwhile; the first rank has new processes started; all put the
/// next world together, agree on that, restore their data and agree once more.
class UlfmRecovery final : public WorldLayer, private AgreementSteps {
 public:
  using Options = WorldOptions;
  UlfmRecovery(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<UlfmRecovery>(*this);
  }

  // ---- as a layer -----------------------------------------------------------------------------
  void on_message(RecoveryContext& context, const Message& message) override;
  void on_request(RecoveryContext& context, const StackRequest& request) override;
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

  /// The agreements of one shrink in Open MPI: on the failed ranks, on the context id (two), and on
  /// its activation.
  static constexpr std::uint32_t kShrinkAgreements = 4;
  /// The agreements after a spawn and a merge: on the spawn, and on the merge among the survivors
  /// and among all.
  static constexpr std::uint32_t kMergeAgreements = 3;
  /// The agreements with the one after the split that puts the ranks in their former order.
  static constexpr std::uint32_t kRebuildAgreements = kMergeAgreements + 1;

  enum OwnKind : std::uint16_t { kRevoke = AgreementKind::kinds };

 private:
  /// What the next decision is about. Each stage has its numbers of agreements in a world.
  enum class Stage : std::uint8_t {
    rebuild,  ///< all numbers before rebuild_agreements_
    restore,  ///< rebuild_agreements_
    block,    ///< the numbers after that, by the attempt
    shrink,   ///< the next numbers, whatever was decided last
  };

  void on_death(RecoveryContext& context, ActorId dead) override;
  void on_world(RecoveryContext& context) override;
  void on_data(RecoveryContext& context) override { contribute(context, true); }
  [[nodiscard]] bool all_have_entered() const override {
    return has_decided_ && world_.phase() != WorldPhase::entering;
  }
  void carry_out(RecoveryContext& context, const AgreementOutput& output) override;
  void digest_state(Digest& into) const override;

  [[nodiscard]] const WorldMembers& members() const { return world_.members(); }
  /// The TryBlock that is to be agreed on; 0 if it is a recovery.
  [[nodiscard]] std::int64_t marked_attempt() const {
    return stage_ == Stage::block ? block_.attempt() : 0;
  }
  void start_block(RecoveryContext& context, const StackRequest& request);
  void finish_block(RecoveryContext& context, const FinishBlock& finish);
  [[nodiscard]] bool replaces_only_the_shrunk() const;
  void await_data(RecoveryContext& context);
  void begin_shrink(RecoveryContext& context);
  void on_shrunk(RecoveryContext& context, const AgreementValue& value);
  void contribute_to_next(RecoveryContext& context, bool success);
  void contribute(RecoveryContext& context, bool success);
  void on_decision(RecoveryContext& context, const AgreementValue& value);
  void revoke(RecoveryContext& context);
  void send_revoke(RecoveryContext& context, Rank to) const;
  void release(RecoveryContext& context);

  std::shared_ptr<const Options> options_;
  std::uint64_t rebuild_agreements_;  ///< before data are restored in a new world
  WorldAgreement agreement_;
  ProgramBlock block_{kNever};
  Stage stage_ = Stage::block;
  std::uint64_t number_ = 0;  ///< number of the next agreement, or of the one under way
  bool contributed_ = false;  ///< to that agreement
  bool has_decided_ = false;  ///< has decided an agreement of this world
  bool revoked_ = false;      ///< this world is revoked
  std::uint32_t shrink_step_ = 0;
  /// The processes without which this process has last shrunk a world; nothing if it has not.
  std::optional<std::vector<ActorId>> shrunk_;
  std::uint64_t shrinks_ = 0;
};

}  // namespace faultline::transactions
