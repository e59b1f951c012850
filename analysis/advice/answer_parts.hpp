// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/advice/advice.hpp"
#include "analysis/advice/alternatives.hpp"
#include "analysis/text/text_table.hpp"

namespace faultline::advice {

/// A part of an answer: a table, and paragraphs above and below it. Any of them can be empty.
struct Part {
  std::string title;  ///< of the part, where it has a heading
  std::string above = {};
  text::TextTable table = {};
  std::vector<std::string> below = {};

  [[nodiscard]] bool is_empty() const {
    return above.empty() && table.rows.empty() && below.empty();
  }
};

/// The parts that follow the sentences of an answer: where the choice changes, the ranking, what it
/// rests on, what was refused, and how it was found. Of each stack with tuned options the ranking
/// has the best values. Parts without content are left out.
std::vector<Part> answer_parts(const Field& field, const Advice& advice);

}  // namespace faultline::advice
