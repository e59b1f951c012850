// FA-MPI with one mistake each, which the random search must find. Only then does it mean something
// that it finds nothing in the real one. That a recovery is not protected is an option, which
// recovery_test.cpp searches.

#include <catch2/catch.hpp>
#include <memory>
#include <utility>
#include <variant>

#include "protocols/transactions/fampi.hpp"
#include "tests/protocols/transactions/transactions_run.hpp"

using namespace faultline;
using namespace faultline::test;

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

FampiOptions options_of(const OptionValues& values) {
  FampiOptions options;
  options.agreement = std::get<std::string>(values.at("agreement"));
  options.recovery = std::get<std::string>(values.at("recovery"));
  options.scope = std::get<std::string>(values.at("scope"));
  options.release = std::get<std::string>(values.at("release"));
  options.request_timeout_s = std::get<double>(values.at("request_timeout_s"));
  options.wait_timeout_s = std::get<double>(values.at("wait_timeout_s"));
  options.spawn_s = std::get<double>(values.at("spawn_s"));
  options.spawn = std::get<std::string>(values.at("spawn"));
  options.rebuild_over = std::get<std::string>(values.at("rebuild_over"));
  options.checkpoint = std::get<std::string>(values.at("checkpoint"));
  options.checkpoint_iterations =
      static_cast<std::uint64_t>(std::get<std::int64_t>(values.at("checkpoint_iterations")));
  return options;
}

/// What the search finds in it, in words.
template <class Mutant>
std::string found_in(std::uint64_t runs = 20000) {
  static Registration mistaken;
  mistaken = *find_registration(Family::transactions, "fampi");
  mistaken.make = [](const OptionValues& values, const JobShape& job) -> ComponentFactory {
    const auto options = std::make_shared<const FampiOptions>(options_of(values));
    return [options, job](ActorId self) { return std::make_unique<Mutant>(options, job, self); };
  };
  std::string found = counterexample("fampi", EngineKind::loggp, runs, [](RunSpec& spec) {
    spec.components[index_of(Family::transactions)].registration = &mistaken;
  });
  UNSCOPED_INFO(found);
  return found;
}

}  // namespace

TEST_CASE("the random search finds no mistake in fampi as it is made for mutants") {
  // Else whatever is found in a mutant would be no mistake of its own.
  CHECK(found_in<Fampi>(500) == "");
}

TEMPLATE_TEST_CASE("the random search finds each mistake in fampi", "", SendsNothingAgain,
                   NewRootAsksNobody, ForgetsDecisions, BeginsAnewWhenItFinishesAgain,
                   InvitesNobody, ConsumesWhatIsStale, MistakesLateNotices) {
  CHECK(found_in<TestType>() != "");
}
