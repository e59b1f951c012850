// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/advice/question.hpp"
#include "sim/json/json_value.hpp"
#include "sim/scenario/study.hpp"

namespace faultline::advice {

/// One of the stacks to choose from.
struct Alternative {
  std::string name;   ///< "fast + rdaemon", or "fast + rdaemon, timeout_s 2" if that is tuned
  std::string stack;  ///< its name without values that are tuned
  json::JsonValue::Object sets;  ///< what it sets in the scenario, by paths
  bool is_todays = false;        ///< what `compare_with` names
};

/// An alternative that does not race.
struct Unraced {
  std::string name;
  std::string stack;
  std::string why;                    ///< in lines, if the front end says it
  json::JsonValue::Object sets = {};  ///< what it would set in the scenario
};

/// A stack that lacks an option that is tuned.
struct Untuned {
  std::string path;
  std::string stack;
  std::string why;
};

/// All that a question lets one choose from.
struct Field {
  std::vector<Alternative> alternatives;
  std::vector<Unraced> refused;  ///< by the front end: they cannot run the job
  std::vector<Unraced> pruned;   ///< they break a requirement by a closed form
  std::vector<Untuned> untuned;
  scenario::Study study;  ///< a point for each alternative, in their order
};

/// The alternatives of a question. `choose` crosses the families that it names. Message logging and
/// transactions are one choice, of either or neither: the recovery. Detectors that
/// the resource manager informs and models of costs are never among the alternatives, since nobody
/// could use them. Each stack comes once as the scenario has it, and once for each value that is
/// tuned, of one option at a time. Each alternative is checked, and those that the front end
/// refuses are told apart. Throws UsageError if none is left.
Field field_of(const Question& question);

/// A point for each of these alternatives, in their order.
scenario::Study study_of(const Question& question, const std::vector<Alternative>& alternatives);

/// The number of the alternative in the field of the question that is the same job as this one.
/// None if the front end refuses it.
std::optional<std::size_t> place_in(const Field& field, const Question& question,
                                    const Alternative& alternative);

/// The question about these alternatives alone, each as it is here.
Question asked_of(const Question& question, const std::vector<Alternative>& alternatives);

}  // namespace faultline::advice
