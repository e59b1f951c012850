// SPDX-License-Identifier: Apache-2.0
#include "analysis/drawing/tics.hpp"

#include <catch2/catch.hpp>

using namespace faultline;

namespace {

std::vector<std::string> texts_of(const Tics& tics) {
  std::vector<std::string> texts;
  texts.reserve(tics.size());
  for (const auto& [text, value] : tics) texts.push_back(text);
  return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a number at a tic is exact where that is as short as a power of ten") {
  for (const auto& [value, text] :
       std::vector<std::pair<double, std::string>>{{0, "0"},
                                                   {0.02, "0.02"},
                                                   {16384, "16384"},
                                                   {1048576, "1048576"},
                                                   {1e6, "10^{6}"},
                                                   {2e6, "2\u00B710^{6}"},
                                                   {2.5e-6, "2.5\u00B710^{-6}"},
                                                   {-3e12, "-3\u00B710^{12}"}})
    CHECK(tic_text(value) == text);
  CHECK(breadth_of_tic("10^{6}") == breadth_of_letters(3));
  CHECK(breadth_of_tic("2\u00B710^{6}") == breadth_of_letters(5));
}

TEST_CASE("linear tics are round, and have equally many decimals") {
  CHECK(texts_of(linear_tics({-0.02, 1.03})) == Texts{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"});
  CHECK(texts_of(linear_tics({0, 42})) == Texts{"0", "10", "20", "30", "40"});
  CHECK(texts_of(linear_tics({-1.1, 1.1})) == Texts{"-1.0", "-0.5", "0.0", "0.5", "1.0"});
  CHECK(texts_of(linear_tics({0, 3.2e6})).at(3) == "1.5\u00B710^{6}");
  // Powers of so few digits would all be the same.
  CHECK(texts_of(linear_tics({999990, 1000010})) ==
        Texts{"999990", "999995", "1000000", "1000005", "1000010"});
  CHECK(linear_tics({5, 5}).empty());
}

TEST_CASE("linear tics along x stand side by side") {
  const Interval range{123450, 123460};
  CHECK(linear_tics(range).size() == 6);
  const Tics few = linear_tics(range, 200);
  CHECK(texts_of(few) == Texts{"123450", "123455", "123460"});
  CHECK(static_cast<double>(few.size()) * breadth_of_letters(6) <= 200);
  // Seven numbers of five digits would fit, but would look like one.
  CHECK(linear_tics({2500, 17500}).size() == 7);
  CHECK(texts_of(linear_tics({2500, 17500}, 390)) == Texts{"5000", "10000", "15000"});
}

TEST_CASE("logarithmic tics have digits between where decades are few") {
  const Interval few{50, 500};
  CHECK(texts_of(logarithmic_tics(few)) == Texts{"50", "100", "200", "500"});
  CHECK(minor_tics(few, logarithmic_tics(few)) == std::vector<double>{60, 70, 80, 90, 300, 400});
  const Interval many{1, 1e5};
  CHECK(texts_of(logarithmic_tics(many)) == Texts{"1", "10", "100", "1000", "10000", "100000"});
  CHECK(minor_tics(many, logarithmic_tics(many)).size() == 40);  // eight in each decade
  CHECK(minor_tics({1, 1e12}, logarithmic_tics({1, 1e12})).empty());
  CHECK(texts_of(logarithmic_tics({110, 180})).front() == "110");
}

TEST_CASE("gnuplot gets tics with their texts, and those without one as minor ones") {
  CHECK(tic_list({{"1", 1}, {"10", 10}}, {2, 3}) == "('1' 1, '10' 10, '' 2 1, '' 3 1)");
}
