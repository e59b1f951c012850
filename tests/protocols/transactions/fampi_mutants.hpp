// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "protocols/transactions/fampi.hpp"
#include "sim/core/transaction_requests.hpp"
#include "tests/support/pass_through.hpp"

// FA-MPI with one mistake each.

namespace faultline::test {

/// With the copies that a component needs.
template <class Mutant>
class FampiMutant : public Fampi {
 public:
  using Fampi::Fampi;
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Mutant>(static_cast<const Mutant&>(*this));
  }

 protected:
  void carry_out_without(Context& context, AgreementOutput output, AgreementMessageKind kind) {
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
  void on_death(Context& context, Rank rank) override {
    hears_ = true;
    FampiMutant::on_death(context, rank);
    hears_ = false;
  }
  void carry_out(Context& context, const AgreementOutput& output) override {
    if (hears_) return carry_out_without(context, output, AgreementMessageKind::up);
    FampiMutant::carry_out(context, output);
  }
  bool hears_ = false;
};

class NewRootAsksNobody final : public FampiMutant<NewRootAsksNobody> {
 public:
  using FampiMutant::FampiMutant;

 private:
  void carry_out(Context& context, const AgreementOutput& output) override {
    carry_out_without(context, output, AgreementMessageKind::result_request);
  }
};

class ForgetsDecisions final : public FampiMutant<ForgetsDecisions> {
 public:
  using FampiMutant::FampiMutant;

 private:
  void on_decision(Context& context, const AgreementOutput::Decision& decision) override {
    agreement().forget_through(decision.number);
    FampiMutant::on_decision(context, decision);
  }
};

/// A repeated finish is taken for another agreement.
class BeginsAnewWhenItFinishesAgain final : public FampiMutant<BeginsAnewWhenItFinishesAgain> {
 public:
  using FampiMutant::FampiMutant;

 private:
  void finish_block(Context& context, const FinishBlock& finish) override {
    if (finish.attempt == finished_) {
      AgreementOutput output;
      agreement().forget_through(finish.attempt);
      agreement().contribute(finish.attempt + 1, {.success = finish.errors == 0}, output);
      return carry_out(context, output);
    }
    finished_ = finish.attempt;
    FampiMutant::finish_block(context, finish);
  }
  void on_decision(Context& context, const AgreementOutput::Decision& decision) override {
    finished_ = 0;
    FampiMutant::on_decision(context, decision);
  }
  std::uint64_t finished_ = 0;
};

class InvitesNobody final : public FampiMutant<InvitesNobody> {
 public:
  using FampiMutant::FampiMutant;

 private:
  void invite(Context&) override {}
};

/// Leaves out the ranks behind one of whose death a rank hears after it has invited.
class MendsNoInvitation final : public FampiMutant<MendsNoInvitation> {
 public:
  using FampiMutant::FampiMutant;

 private:
  void mend_invitation(Context&, Rank) override {}
};

class ConsumesWhatIsStale final : public FampiMutant<ConsumesWhatIsStale> {
 public:
  using FampiMutant::FampiMutant;

 private:
  [[nodiscard]] bool is_stale(const WorldEpoch&) const override { return false; }
};

/// Takes a late notice for one of the process that has taken the place of the dead.
class MistakesLateNotices final : public FampiMutant<MistakesLateNotices> {
 public:
  using FampiMutant::FampiMutant;

 private:
  [[nodiscard]] bool is_replaced(Incarnation) const override { return false; }
};

/// Says of what is presumed that it has been decided.
class TakesPresumedForDecided final : public PassThrough<TakesPresumedForDecided> {
 public:
  using PassThrough::PassThrough;
  void on_request(Context& context, const StackRequest& request) override {
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

}  // namespace faultline::test
