// SPDX-License-Identifier: Apache-2.0

// FA-MPI with one mistake each, which the search for broken lemmas must find, in far fewer
// schedules than `faultline reproduce fampi-2015/properties` tries. Only then does it mean
// something that it finds nothing in the real one.

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>

#include "tests/protocols/transactions/fampi_mutants.hpp"
#include "tests/support/pass_through.hpp"
#include "tests/support/schedules.hpp"

namespace faultline::transactions {

using namespace test;
using Catch::Matchers::Contains;

namespace {

constexpr std::uint64_t kSchedules = 3300;

/// What the search for broken lemmas finds in it, in words.
template <class Mutant>
std::string found_in(std::uint64_t schedules = kSchedules, const std::string& subject = "fampi") {
  static Registration mistaken;
  mistaken = *find_registration(Family::transactions, "fampi");
  mistaken.make = [](const OptionValues& values, const JobShape& job) -> ComponentFactory {
    const auto options = std::make_shared<const FampiOptions>(fampi_options().read(values));
    return [options, job](ActorId self) { return std::make_unique<Mutant>(options, job, self); };
  };
  std::string found = found_in_mutant(
      subject_named(Family::transactions, subject),
      [](scenario::RunSpec& spec) {
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

TEMPLATE_TEST_CASE("the search finds mistakes in fampi under programs that a scenario states", "",
                   SendsNothingAgain, ForgetsDecisions, BeginsAnewWhenItFinishesAgain,
                   InvitesNobody, ConsumesWhatIsStale) {
  CHECK(found_in<TestType>(kSchedules, "fampi under try-script") != "");
}

TEST_CASE("the search finds that what is presumed is taken for decided") {
  Registration wrong;
  const std::string found = found_in_mutant(
      subject_named(Family::transactions, "fampi with-collective"),
      [&](scenario::RunSpec& spec) {
        make_mistaken<TakesPresumedForDecided>(spec, Family::transactions, wrong);
      },
      kSchedules);
  CHECK_THAT(found, Contains("inconsistent"));
}

TEST_CASE("the search finds that a recovery is not protected") {
  const std::string found = found_in_mutant(
      subject_named(Family::transactions, "fampi"),
      [](scenario::RunSpec& spec) {
        spec.components[index_of(Family::transactions)].options.at("protect_recovery") = false;
      },
      kSchedules);
  CHECK_THAT(found, Contains("hung"));
}

}  // namespace faultline::transactions
