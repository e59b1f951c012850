// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "protocols/transactions/program_block.hpp"
#include "protocols/transactions/world_agreement.hpp"
#include "protocols/transactions/world_layer.hpp"
#include "sim/core/seldom.hpp"

namespace faultline::transactions {

struct FampiOptions : WorldOptions {
  std::string agreement = "era";
  std::string scope = "global";
  std::string release = "timeout";
  double request_timeout_s = 0.1;
  double wait_timeout_s = 2.0;
  std::uint64_t retries = 3;
  double cancel_s = 0.0;
};

/// Declares the options.
OptionSet<FampiOptions> fampi_options();

/// FA-MPI (Hassani et al., 2015): at the end of a TryBlock all ranks agree whether all requests
/// have succeeded, and which ranks are dead. If none is, they repeat a rejected TryBlock. Otherwise
/// the ranks regroup, and agree once more before they go on from the last checkpoint that all have:
/// that is TryBlock 0 of the new world, which a death during the recovery rejects.
class Fampi : public WorldLayer, protected AgreementSteps {
 public:
  using Options = FampiOptions;
  Fampi(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Fampi>(*this);
  }

  // ---- as a layer -----------------------------------------------------------------------------
  void on_message(RecoveryContext& context, const Message& message) override;
  void on_request(RecoveryContext& context, const StackRequest& request) override;
  void on_timer(RecoveryContext& context, std::uint64_t key) override;
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

 protected:
  void on_death(RecoveryContext& context, ActorId dead) override;
  void on_world(RecoveryContext& context) override;
  void on_data(RecoveryContext& context) override;
  [[nodiscard]] bool all_have_entered() const override {
    return attempt() > 0 || world_.phase() == WorldPhase::regrouping;
  }
  [[nodiscard]] bool is_given_up() const override { return presumes() && called_; }
  void carry_out(RecoveryContext& context, const AgreementOutput& output) override;
  void digest_state(Digest& into) const override;

  // The parts.
  std::shared_ptr<const Options> options_;
  WorldAgreement agreement_;
  ProgramBlock block_;

  std::uint32_t invited_ = 0;  ///< the last TryBlock that others give up

 private:
  enum OwnKind : std::uint16_t { kInvite = AgreementKind::kinds };
  enum OwnTimer : std::uint64_t { kWaitTimer = WorldTimer::keys };
  struct InviteWords {
    WorldEpoch epoch;
    std::uint32_t attempt = 0;
  };

  /// With presumed TryBlocks there is at most one agreement in a world, besides that of its
  /// recovery.
  struct Presumption {
    std::uint32_t block = 0;    ///< a TryBlock taken for accepted, not decided; 0: none
    std::uint32_t revoked = 0;  ///< those that were rejected
    Asked wait;                 ///< the program's request for its outcome
    std::optional<Asked> leave_request;

    void digest(Digest& into) const { into.add(block, wait, leave_request); }
  };

  [[nodiscard]] const WorldMembers& members() const { return world_.members(); }
  /// The TryBlock that began last.
  [[nodiscard]] std::uint32_t attempt() const { return block_.attempt(); }
  [[nodiscard]] bool decides_alone() const { return options_->scope == "local"; }
  void start_block(RecoveryContext& context, const StackRequest& request);
  void finish_block(RecoveryContext& context, const FinishBlock& finish);
  void wait_for_block(RecoveryContext& context, const StackRequest& request);
  void answer_outcome(RecoveryContext& context);
  void recover(RecoveryContext& context);
  void contribute(RecoveryContext& context, bool success);
  void on_decision(RecoveryContext& context, const AgreementOutput::Decision& decision);
  void end_recovery(RecoveryContext& context, const AgreementValue& value);
  void invite(RecoveryContext& context);
  void send_invite(RecoveryContext& context, Rank to) const;
  void mend_invitation(RecoveryContext& context, Rank dead) const;
  void on_invite(RecoveryContext& context, const Message& message);
  void release(RecoveryContext& context);
  // Presumed TryBlocks: protocols/transactions/presumption.cpp.
  [[nodiscard]] bool presumes() const { return options_->scope == "with-collective"; }
  void finish_presuming(RecoveryContext& context, bool succeeded);
  void settle_presumed(RecoveryContext& context, bool is_accepted);
  void call(RecoveryContext& context);
  void leave(RecoveryContext& context, const StackRequest& request);
  void try_to_leave(RecoveryContext& context);
  [[nodiscard]] bool calls(const AgreementMessage& up) const;
  [[nodiscard]] std::uint64_t agreement_number() const;
  /// Numbers a TryBlock differently from those around it, so that a failure in it can be told from
  /// one in the TryBlock before or after.
  static std::uint32_t code_of(std::uint32_t attempt) { return 1U << (attempt % 32); }

  std::uint32_t finished_ = 0;    ///< the TryBlock that the program has finished
  std::uint32_t released_ = 0;    ///< the TryBlock that it was told to give up
  bool contributed_ = false;      ///< to the TryBlock that began last
  bool called_ = false;           ///< a rank wants an agreement on presumed TryBlocks
  std::uint32_t waits_ = 0;       ///< for this outcome, that have timed out
  std::uint32_t rejections_ = 0;  ///< successive ones in which nobody was dead
  std::uint32_t wait_timeouts_ = 0;
  Seldom<Presumption> presumption_;
};

}  // namespace faultline::transactions
