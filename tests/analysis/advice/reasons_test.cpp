// SPDX-License-Identifier: Apache-2.0

// Each reason is told once, and a stack without its tuned values if they do not matter.
#include "analysis/advice/reasons.hpp"

#include <catch2/catch.hpp>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace faultline::advice {

namespace {

using Words = std::vector<std::string>;

/// How many alternatives the stacks of that field have.
const std::map<std::string, std::size_t> kSizes{{"a", 3}, {"b", 2}, {"c", 1}};

/// A field with three alternatives of stack a, two of b, and one of c.
Field field_of_three() {
  Field field;
  for (const char* name : {"a", "a, timeout_s 1", "a, timeout_s 2", "b", "b, period_s 3", "c"})
    field.alternatives.push_back({.name = name, .stack = std::string(1, *name), .sets = {}});
  return field;
}

}  // namespace

TEST_CASE("a reason that holds for all values of a stack names the stack alone") {
  Reasons reasons(kSizes);
  for (const char* name : {"a", "a, timeout_s 1", "a, timeout_s 2", "c"})
    reasons.add(name, std::string(1, *name), "late");
  CHECK(reasons.sentences("Pruned") == Words{"Pruned: a and c: late"});
}

TEST_CASE("a reason that holds for some values of a stack names these") {
  Reasons reasons(kSizes);
  reasons.add("a, timeout_s 1", "a", "late");
  reasons.add("a, timeout_s 2", "a", "late");
  reasons.add("b", "b", "late");
  reasons.add("c", "c", "termination: c tolerates no faults");
  CHECK(reasons.sentences("Refused") == Words{"Refused: a (timeout_s 1, 2) and b (as it is): late",
                                              "Refused: c: termination: it tolerates no faults"});
}

TEST_CASE("refused alternatives count among those of their stack") {
  Field field = field_of_three();
  field.refused = {{"c, timeout_s 9", "c", "too long"}, {"d", "d", "too long"}};
  CHECK(refusals(field) == Words{"Refused: c (timeout_s 9) and d: too long"});
}

TEST_CASE("stacks that lack an option for the same reason share a sentence") {
  Field field;
  field.untuned = {{"a.b", "x", "none"}, {"a.c", "x", "none"}, {"a.b", "y", "none"}};
  CHECK(untuned_sentences(field) ==
        Words{"a.b is not tuned in x and y: none.", "a.c is not tuned in x: none."});
}

}  // namespace faultline::advice
