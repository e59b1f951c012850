// FA-MPI with one mistake each, which the search for broken lemmas must find, in far fewer
// schedules than `faultline reproduce fampi-2015/properties` tries. Only then does it mean
// something that it finds nothing in the real one.

#include <catch2/catch.hpp>
#include <memory>
#include <utility>

#include "protocols/transactions/fampi.hpp"
#include "sim/core/transaction_requests.hpp"
#include "tests/support/pass_through.hpp"
#include "tests/support/schedules.hpp"

using namespace faultline;
using namespace faultline::test;
using Catch::Matchers::Contains;

namespace {

template <class Mutant>
class MutantOf : public Fampi {
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
class SendsNothingAgain final : public MutantOf<SendsNothingAgain> {
 public:
  using MutantOf::MutantOf;

 private:
  void on_death(Context& context, Rank rank) override {
    hears_ = true;
    MutantOf::on_death(context, rank);
    hears_ = false;
  }
  void carry_out(Context& context, const AgreementOutput& output) override {
    if (hears_) return carry_out_without(context, output, AgreementMessageKind::up);
    MutantOf::carry_out(context, output);
  }
  bool hears_ = false;
};

class NewRootAsksNobody final : public MutantOf<NewRootAsksNobody> {
 public:
  using MutantOf::MutantOf;

 private:
  void carry_out(Context& context, const AgreementOutput& output) override {
    carry_out_without(context, output, AgreementMessageKind::result_request);
  }
};

class ForgetsDecisions final : public MutantOf<ForgetsDecisions> {
 public:
  using MutantOf::MutantOf;

 private:
  void on_decision(Context& context, const AgreementOutput::Decision& decision) override {
    agreement().forget_through(decision.number);
    MutantOf::on_decision(context, decision);
  }
};

/// A repeated finish is taken for another agreement.
class BeginsAnewWhenItFinishesAgain final : public MutantOf<BeginsAnewWhenItFinishesAgain> {
 public:
  using MutantOf::MutantOf;

 private:
  void finish_block(Context& context, const FinishBlock& finish) override {
    if (finish.attempt == finished_) {
      AgreementOutput output;
      agreement().forget_through(finish.attempt);
      agreement().contribute(finish.attempt + 1, {.success = finish.errors == 0}, output);
      return carry_out(context, output);
    }
    finished_ = finish.attempt;
    MutantOf::finish_block(context, finish);
  }
  void on_decision(Context& context, const AgreementOutput::Decision& decision) override {
    finished_ = 0;
    MutantOf::on_decision(context, decision);
  }
  std::uint64_t finished_ = 0;
};

class InvitesNobody final : public MutantOf<InvitesNobody> {
 public:
  using MutantOf::MutantOf;

 private:
  void invite(Context&) override {}
};

class ConsumesWhatIsStale final : public MutantOf<ConsumesWhatIsStale> {
 public:
  using MutantOf::MutantOf;

 private:
  [[nodiscard]] bool is_stale(const WorldEpoch&) const override { return false; }
};

/// Takes a late notice for one of the process that has taken the place of the dead.
class MistakesLateNotices final : public MutantOf<MistakesLateNotices> {
 public:
  using MutantOf::MutantOf;

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
  bool succeeded_ = false;
};

constexpr std::uint64_t kSchedules = 3300;

/// What the search for broken lemmas finds in it, in words.
template <class Mutant>
std::string found_in(std::uint64_t schedules = kSchedules) {
  static Registration mistaken;
  mistaken = *find_registration(Family::transactions, "fampi");
  mistaken.make = [](const OptionValues& values, const JobShape& job) -> ComponentFactory {
    const auto options = std::make_shared<const FampiOptions>(fampi_options().read(values));
    return [options, job](ActorId self) { return std::make_unique<Mutant>(options, job, self); };
  };
  std::string found = found_in_mutant(
      subject_named(Family::transactions, "fampi"),
      [](RunSpec& spec) {
        spec.components[index_of(Family::transactions)].registration = &mistaken;
      },
      schedules);
  UNSCOPED_INFO(found);
  return found;
}

}  // namespace

TEST_CASE("the search finds no mistake in fampi as it is made for mutants") {
  // Else whatever is found in a mutant would be no mistake of its own.
  CHECK(found_in<Fampi>(300) == "");
}

TEMPLATE_TEST_CASE("the search finds each mistake in fampi", "", SendsNothingAgain,
                   NewRootAsksNobody, ForgetsDecisions, BeginsAnewWhenItFinishesAgain,
                   InvitesNobody, ConsumesWhatIsStale, MistakesLateNotices) {
  CHECK(found_in<TestType>() != "");
}

TEST_CASE("the search finds that what is presumed is taken for decided") {
  Registration wrong;
  const std::string found = found_in_mutant(
      subject_named(Family::transactions, "fampi with-collective"),
      [&](RunSpec& spec) {
        make_mistaken<TakesPresumedForDecided>(spec, Family::transactions, wrong);
      },
      kSchedules);
  CHECK_THAT(found, Contains("inconsistent"));
}

TEST_CASE("the search finds that a recovery is not protected") {
  const std::string found = found_in_mutant(
      subject_named(Family::transactions, "fampi"),
      [](RunSpec& spec) {
        spec.components[index_of(Family::transactions)].options.at("protect_recovery") = false;
      },
      kSchedules);
  CHECK_THAT(found, Contains("hung"));
}
