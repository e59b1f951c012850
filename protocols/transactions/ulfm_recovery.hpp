// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "protocols/transactions/agreement.hpp"
#include "protocols/transactions/block_statistics.hpp"
#include "protocols/transactions/world_layer.hpp"

namespace faultline {

struct UlfmRecoveryOptions : WorldOptions {};

/// User-Level Failure Mitigation, as used by programs that must keep all ranks. A request whose
/// peer is dead fails; its rank revokes the world, which ends the requests of all. At the end of
/// each TryBlock the ranks agree whether all have succeeded (MPI_Comm_agree). If not, they shrink
/// the world, again if a rank dies meanwhile; the first rank has new processes started; all put the
/// next world together, agree on that, restore their data and agree once more.
class UlfmRecovery final : public WorldLayer {
 public:
  using Options = UlfmRecoveryOptions;
  UlfmRecovery(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<UlfmRecovery>(*this);
  }
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

  enum OwnKind : std::uint16_t { kUp = kOwnKinds, kDown, kResultRequest, kRevoke };

 private:
  /// What the next decision is about. Each stage has its numbers of agreements in a world.
  enum class Stage : std::uint8_t {
    rebuild,  ///< all numbers before rebuild_agreements_
    restore,  ///< rebuild_agreements_
    block,    ///< the numbers after that, by the attempt
    shrink,   ///< the next numbers, whatever was decided last
  };

  void on_death(Context& context, ActorId actor) override;
  void on_world(Context& context) override;
  [[nodiscard]] bool restores_later() const override { return true; }
  [[nodiscard]] bool all_have_entered() const override {
    return has_decided_ && phase() != Phase::entering;
  }
  void on_data(Context& context) override;
  void on_block_request(Context& context, const StackRequest& request) override;
  void on_own_message(Context& context, const Message& message) override;
  void digest_state(Digest& into) const override;

  void start_block(Context& context, const StackRequest& request);
  void finish_block(Context& context, const FinishBlock& finish);
  void answer_outcome(Context& context);
  [[nodiscard]] bool replaces_only_the_shrunk() const;
  void await_data(Context& context);
  void begin_shrink(Context& context);
  void on_shrunk(Context& context, const AgreementValue& value);
  void contribute_to_next(Context& context, bool success);
  void contribute(Context& context, bool success);
  void carry_out(Context& context, const AgreementOutput& output);
  void on_decision(Context& context, const AgreementValue& value);
  void on_block_decision(Context& context, const AgreementValue& value);
  void revoke(Context& context);
  void send_revoke(Context& context, Rank to) const;
  void mend_revocation(Context& context, Rank dead) const;
  void release(Context& context);

  std::uint64_t rebuild_agreements_;  ///< before data are restored in a new world
  Agreement agreement_;
  Stage stage_ = Stage::block;
  std::uint64_t number_ = 0;   ///< number of the next agreement, or of the one under way
  bool contributed_ = false;   ///< to that agreement
  bool has_decided_ = false;   ///< has decided an agreement of this world
  std::uint64_t attempt_ = 0;  ///< the TryBlock that began last
  std::optional<AgreementValue> outcome_;  ///< of the TryBlock
  std::optional<Asked> start_request_;     ///< of the TryBlock
  std::optional<Asked> wait_request_;
  bool revoked_ = false;  ///< this world is revoked
  std::uint32_t shrink_step_ = 0;
  /// The processes without which this process has last shrunk a world; nothing if it has not.
  std::optional<std::vector<ActorId>> shrunk_;

  BlockStatistics statistics_;
  std::uint64_t shrinks_ = 0;
};

}  // namespace faultline
