// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "protocols/transactions/agreement.hpp"
#include "protocols/transactions/block_statistics.hpp"
#include "protocols/transactions/world_layer.hpp"
#include "sim/core/seldom.hpp"

namespace faultline {

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
class Fampi : public WorldLayer {
 public:
  using Options = FampiOptions;
  Fampi(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Fampi>(*this);
  }
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

 protected:
  void on_death(Context& context, ActorId actor) override;
  [[nodiscard]] bool is_given_up() const override { return presumes() && called_; }
  void on_data(Context& context) override;
  virtual void finish_block(Context& context, const FinishBlock& finish);
  virtual void carry_out(Context& context, const AgreementOutput& output);
  virtual void on_decision(Context& context, const AgreementOutput::Decision& decision);
  virtual void invite(Context& context);
  virtual void mend_invitation(Context& context, Rank dead);
  [[nodiscard]] Agreement& agreement() { return agreement_; }

 private:
  enum OwnKind : std::uint16_t { kUp = kOwnKinds, kDown, kResultRequest, kInvite };
  enum OwnTimer : std::uint64_t { kWaitTimer = kOwnTimers };
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

  void on_world(Context& context) override;
  [[nodiscard]] bool all_have_entered() const override {
    return attempt_ > 0 || phase() == Phase::regrouping;
  }
  void on_block_request(Context& context, const StackRequest& request) override;
  void on_own_message(Context& context, const Message& message) override;
  void on_own_timer(Context& context, std::uint64_t key) override;
  void digest_state(Digest& into) const override;

  void start_block(Context& context, const StackRequest& request);
  void wait_for_block(Context& context, const StackRequest& request);
  void leave(Context& context, const StackRequest& request);
  [[nodiscard]] const Options& options() const {
    return static_cast<const Options&>(world_options());
  }
  [[nodiscard]] bool decides_alone() const { return options().scope == "local"; }
  // Presumed TryBlocks: protocols/transactions/presumption.cpp.
  [[nodiscard]] bool presumes() const { return options().scope == "with-collective"; }
  void finish_presuming(Context& context, bool succeeded);
  void settle_presumed(Context& context, bool is_accepted);
  void call(Context& context);
  void try_to_leave(Context& context);
  [[nodiscard]] bool calls(const AgreementMessage& up) const;
  [[nodiscard]] std::uint64_t agreement_number() const;
  [[nodiscard]] std::uint32_t code_of(std::uint32_t attempt) const;
  void recover(Context& context);
  void contribute(Context& context, bool success);
  void answer_outcome(Context& context);
  void on_invite(Context& context, const Message& message);
  void send_invite(Context& context, Rank to) const;
  void release(Context& context);

  Agreement agreement_;
  std::uint32_t attempt_ = 0;     ///< the TryBlock that began last
  std::uint32_t finished_ = 0;    ///< the TryBlock that the program has finished
  std::uint32_t released_ = 0;    ///< the TryBlock that it was told to give up
  std::uint32_t invited_ = 0;     ///< the last TryBlock that others give up
  bool contributed_ = false;      ///< to the TryBlock that began last
  bool called_ = false;           ///< a rank wants an agreement on presumed TryBlocks
  std::uint32_t waits_ = 0;       ///< for this outcome, that have timed out
  std::uint32_t rejections_ = 0;  ///< successive ones in which nobody was dead
  std::uint32_t wait_timeouts_ = 0;
  std::optional<AgreementValue> outcome_;  ///< of the TryBlock
  std::optional<Asked> start_request_;     ///< of the TryBlock
  std::optional<Asked> wait_request_;
  Seldom<Presumption> presumption_;
  BlockStatistics statistics_;
};

}  // namespace faultline
