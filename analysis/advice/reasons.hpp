// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/advice/alternatives.hpp"

namespace faultline::advice {

/// Why alternatives do not race, in sentences: each reason once, with all whom it holds for. A
/// stack is named without the values of what is tuned if the reason holds for all of them.
class Reasons {
 public:
  /// `sizes` has the number of alternatives of each stack.
  explicit Reasons(std::map<std::string, std::size_t> sizes) : sizes_(std::move(sizes)) {}

  /// `name` and `stack` as in Alternative.
  void add(const std::string& name, const std::string& stack, const std::string& why);

  /// "Refused: cda and hcda: it tolerates no faults". `what` is the first word.
  [[nodiscard]] std::vector<std::string> sentences(const std::string& what) const;

 private:
  /// A stack, and the values with which it has been added, "" for those of the scenario.
  using Stack = std::pair<std::string, std::vector<std::string>>;

  [[nodiscard]] std::string words_of(const Stack& stack) const;

  std::map<std::string, std::size_t> sizes_;
  std::vector<std::pair<std::string, std::vector<Stack>>> all_;
};

/// "as it is, timeout_s 0.1, 0.5": values of what is tuned, "" for those of the scenario.
std::string values_text(const std::vector<std::string>& values);

/// What the front end refuses.
std::vector<std::string> refusals(const Field& field);

/// What is not tuned in some stacks.
std::vector<std::string> untuned_sentences(const Field& field);

/// What need not race by theory.
std::vector<std::string> pruned_sentences(const Field& field);

}  // namespace faultline::advice
