// SPDX-License-Identifier: Apache-2.0
#include "sim/core/options.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <typeinfo>

#include "sim/core/component.hpp"
#include "sim/core/registry.hpp"

namespace faultline {

namespace {

struct Settings {
  bool loud = true;
  std::uint32_t ranks = 3;
  std::int64_t credit = -4;
  double period_s = 0.5;
  std::string word = "x";
  std::optional<double> limit_s;
  std::optional<std::uint64_t> steps = 9;
  ChosenWords colours;
};

OptionSet<Settings> declared() {
  return OptionSet<Settings>()
      .option("loud", &Settings::loud, {})
      .option("ranks", &Settings::ranks, {})
      .option("credit", &Settings::credit, {})
      .option("period_s", &Settings::period_s, {.unit = "s"})
      .option("word", &Settings::word, {.choices = {"x", "y"}})
      .option("limit_s", &Settings::limit_s, {.unit = "s"})
      .option("steps", &Settings::steps, {})
      .option("colours", &Settings::colours, {.choices = {"red", "green"}});
}

OptionValues defaults() {
  const OptionSet<Settings> set = declared();
  OptionValues values;
  for (const OptionSpec& spec : set.specs()) values[spec.name] = spec.default_value;
  return values;
}

}  // namespace

TEST_CASE("the defaults of a declaration are the members of a default-constructed struct") {
  const Settings read = declared().read(defaults());
  CHECK(read.loud);
  CHECK(read.ranks == 3);
  CHECK(read.credit == -4);
  CHECK(read.period_s == 0.5);
  CHECK(read.word == "x");
  CHECK_FALSE(read.limit_s);
  CHECK(read.steps == 9U);
  CHECK(read.colours.empty());
}

TEST_CASE("checked values reach the members that they were declared for") {
  OptionValues values = defaults();
  values["loud"] = false;
  values["ranks"] = std::int64_t{17};
  values["limit_s"] = 2.5;
  values["steps"] = std::monostate{};
  values["colours"] = ChosenWords{"green"};
  const Settings read = declared().read(values);
  CHECK_FALSE(read.loud);
  CHECK(read.ranks == 17);
  CHECK(read.limit_s == 2.5);
  CHECK_FALSE(read.steps);
  CHECK(names(read.colours, "green"));
  CHECK_FALSE(names(read.colours, "red"));
}

TEST_CASE("a declaration knows kind, range and nullability from the member's type") {
  const auto set = declared();
  const auto& specs = set.specs();
  CHECK(specs[0].kind == OptionKind::boolean);
  CHECK(specs[1].kind == OptionKind::integer);
  CHECK(specs[1].minimum == 0.0);
  CHECK(specs[1].maximum == 4294967295.0);
  CHECK(specs[2].minimum < 0.0);
  CHECK(specs[2].maximum == 9007199254740992.0);
  CHECK(specs[3].kind == OptionKind::number);
  CHECK(specs[4].kind == OptionKind::text);
  CHECK(specs[5].nullable);
  CHECK_FALSE(specs[3].nullable);
  CHECK(specs[7].kind == OptionKind::texts);
}

TEST_CASE("a size is at most 1 TB, unless its declaration says otherwise") {
  struct Sizes {
    std::uint64_t bytes = 8;
    std::uint64_t few_bytes = 8;
    std::uint64_t all_bytes = 8;
    std::uint64_t messages = 8;
  };
  const auto set = OptionSet<Sizes>()
                       .option("bytes", &Sizes::bytes, {.unit = "B"})
                       .option("few_bytes", &Sizes::few_bytes, {.unit = "B", .maximum = 100})
                       .option("all_bytes", &Sizes::all_bytes, {.unit = "B", .maximum = 1e15})
                       .option("messages", &Sizes::messages, {});
  CHECK(set.specs()[0].maximum == 1e12);
  CHECK(set.specs()[1].maximum == 100);
  CHECK(set.specs()[2].maximum == 1e15);
  CHECK(set.specs()[3].maximum == 9007199254740992.0);
}

TEST_CASE("an option that was not given is an error, not a default") {
  OptionValues values = defaults();
  values.erase("ranks");
  CHECK_THROWS_AS(declared().read(values), std::out_of_range);
}

TEST_CASE("registrations are sorted, distinct, and complete enough to list and to make") {
  const auto& all = registrations();
  REQUIRE(all.size() >= 9);
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO(all[i].name);
    if (i > 0)
      CHECK(std::pair(all[i - 1].family, all[i - 1].name) < std::pair(all[i].family, all[i].name));
    CHECK(find_registration(all[i].family, all[i].name) == &all[i]);
    CHECK_FALSE(all[i].summary.empty());
    CHECK_FALSE(all[i].source.empty());
    CHECK(all[i].make);
    CHECK(all[i].message_kinds.size() <= kLastKind + 1);
    for (const OptionSpec& option : all[i].options) CHECK_FALSE(option.doc.empty());
  }
  CHECK(find_registration(Family::termination, "token-ring") == nullptr);
}

TEST_CASE("every registered component clones itself") {
  for (const Registration& registration : registrations()) {
    OptionValues values;
    for (const OptionSpec& option : registration.options)
      values[option.name] = option.default_value;
    JobShape job;
    job.processes = 8;  // a cube, too
    job.nodes = 8;
    const auto component = registration.make(values, job)(1);
    component->random = Stream(1, 2, Purpose::workload, 3);
    const auto copy = component->clone();
    INFO(registration.name);
    REQUIRE(copy != nullptr);
    CHECK(typeid(*copy) == typeid(*component));
    CHECK(copy->random.next() == component->random.next());
  }
}

}  // namespace faultline
