// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "protocols/transactions/fampi.hpp"
#include "sim/core/transaction_requests.hpp"
#include "tests/support/pass_through.hpp"

// FA-MPI with one mistake each: a step of its goes wrong, or what one of its parts holds.

namespace faultline::transactions {

/// With the copies that a component needs.
template <class Mutant>
class FampiMutant : public Fampi {
 public:
  using Fampi::Fampi;
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Mutant>(static_cast<const Mutant&>(*this));
  }

 protected:
  void carry_out_without(RecoveryContext& context, AgreementOutput output,
                         AgreementMessageKind kind) {
    std::erase_if(output.sends,
                  [kind](const AgreementOutput::Send& send) { return send.message.kind == kind; });
    Fampi::carry_out(context, output);
  }
};

/// A contribution that the dead parent had is not sent again.
class SendsNothingAgain final : public FampiMutant<SendsNothingAgain> {
 public:
  using FampiMutant::FampiMutant;

 private:
  void on_death(RecoveryContext& context, ActorId dead) override {
    hears_ = true;
    FampiMutant::on_death(context, dead);
    hears_ = false;
  }
  void carry_out(RecoveryContext& context, const AgreementOutput& output) override {
    if (hears_) return carry_out_without(context, output, AgreementMessageKind::up);
    FampiMutant::carry_out(context, output);
  }
  bool hears_ = false;
};

class NewRootAsksNobody final : public FampiMutant<NewRootAsksNobody> {
 public:
  using FampiMutant::FampiMutant;

 private:
  void carry_out(RecoveryContext& context, const AgreementOutput& output) override {
    carry_out_without(context, output, AgreementMessageKind::result_request);
  }
};

class ForgetsDecisions final : public FampiMutant<ForgetsDecisions> {
 public:
  using FampiMutant::FampiMutant;

 private:
  void carry_out(RecoveryContext& context, const AgreementOutput& output) override {
    for (const AgreementOutput::Decision& decision : output.decisions)
      agreement_.forget_through(decision.number);
    FampiMutant::carry_out(context, output);
  }
};

/// A repeated finish is taken for another agreement.
class BeginsAnewWhenItFinishesAgain final : public FampiMutant<BeginsAnewWhenItFinishesAgain> {
 public:
  using FampiMutant::FampiMutant;
  void on_request(RecoveryContext& context, const StackRequest& request) override {
    if (!request.is<FinishBlock>()) return FampiMutant::on_request(context, request);
    const auto finish = request.get<FinishBlock>();
    if (std::exchange(finished_, finish.attempt) != finish.attempt)
      return FampiMutant::on_request(context, request);
    agreement_.forget_through(finish.attempt);
    agreement_.contribute(context, finish.attempt + 1, {.success = finish.errors == 0},
                          world_.members(), *this);
  }

 private:
  void carry_out(RecoveryContext& context, const AgreementOutput& output) override {
    if (!output.decisions.empty()) finished_ = 0;
    FampiMutant::carry_out(context, output);
  }
  std::uint64_t finished_ = 0;
};

/// Nobody hears that a rank gives a TryBlock up.
class InvitesNobody final : public FampiMutant<InvitesNobody> {
 public:
  InvitesNobody(const std::shared_ptr<const Options>& options, const JobShape& job, Rank self)
      : FampiMutant(without_invitations(*options), job, self) {}

 private:
  static std::shared_ptr<const Options> without_invitations(Options options) {
    options.release = "timeout";
    return std::make_shared<const Options>(std::move(options));
  }
};

/// Leaves out the ranks behind one of whose death a rank hears after it has invited.
class MendsNoInvitation final : public FampiMutant<MendsNoInvitation> {
 public:
  using FampiMutant::FampiMutant;

 private:
  void on_death(RecoveryContext& context, ActorId dead) override {
    const std::uint32_t invited = std::exchange(invited_, 0);
    FampiMutant::on_death(context, dead);
    invited_ = std::max(invited_, invited);
  }
};

/// Delivers what was sent in the world before, when its program goes on.
class ConsumesWhatIsStale final : public FampiMutant<ConsumesWhatIsStale> {
 public:
  using FampiMutant::FampiMutant;
  Passage on_receive(RecoveryContext& context, Message& message) override {
    const bool is_late = message.transactions.get<WorldEpoch>() <= world_.members().epoch();
    if (world_.phase() == WorldPhase::spawned || !is_late)
      return FampiMutant::on_receive(context, message);
    if (world_.phase() == WorldPhase::running) return Passage::deliver;
    stale_.push_back(message);
    return Passage::hold;
  }
  void on_request(RecoveryContext& context, const StackRequest& request) override {
    FampiMutant::on_request(context, request);
    if (world_.phase() != WorldPhase::running) return;
    for (const Message& message : std::exchange(stale_, {})) context.deliver(message);
  }

 private:
  void digest_state(Digest& into) const override {
    FampiMutant::digest_state(into);
    into.add(stale_);
  }
  std::vector<Message> stale_;
};

/// Takes a late notice for one of the process that has taken the place of the dead.
class MistakesLateNotices final : public FampiMutant<MistakesLateNotices> {
 public:
  using FampiMutant::FampiMutant;
  void on_peer_failed(RecoveryContext& context, Incarnation peer) override {
    if (world_.phase() != WorldPhase::spawned && world_.members().has(peer.actor))
      peer.number = std::max(peer.number, world_.members().life_of(peer.actor));
    FampiMutant::on_peer_failed(context, peer);
  }
};

/// Says of what is presumed that it has been decided.
class TakesPresumedForDecided final
    : public test::PassThrough<TakesPresumedForDecided, RecoveryLayer> {
 public:
  using PassThrough::PassThrough;
  void on_request(RecoveryContext& context, const StackRequest& request) override {
    if (request.is<FinishBlock>()) succeeded_ = request.get<FinishBlock>().errors == 0;
    if (request.is<WaitBlock>() && succeeded_)
      context.answer(request, BlockOutcome{.attempt = request.get<WaitBlock>().attempt});
    PassThrough::on_request(context, request);
  }

 private:
  void digest_state(Digest& into) const override {
    PassThrough::digest_state(into);
    into.add(succeeded_);
  }
  bool succeeded_ = false;
};

}  // namespace faultline::transactions
