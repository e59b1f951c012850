// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/advice/race.hpp"
#include "analysis/advice/tuning.hpp"
#include "sim/core/options.hpp"
#include "sim/core/stack.hpp"
#include "sim/json/json_value.hpp"

namespace faultline::advice {

/// How far a question may be pursued. In events, so that an answer does not depend on the machine.
struct Budget {
  double events = 2e10;
  static const OptionSet<Budget>& options();
};

/// The keys of a question that are plain values.
struct QuestionSettings {
  std::vector<std::string> choose;  ///< keys of families; none: all that the job leaves open
  std::optional<std::string> objective;
  double equivalent_within = 0.02;
  double confidence = 0.95;
  std::optional<Budget> budget;
  static const OptionSet<QuestionSettings>& options();
};

/// What somebody wants to know: which of several stacks to use for a job.
struct Question {
  std::string file;  ///< as the user named it
  std::string name = {};
  json::JsonValue scenario = {};    ///< of the job, not checked yet
  std::string scenario_file;        ///< that it stands in, and where its relative paths start
  std::string scenario_place = {};  ///< its path in that file; "" if it is all of it
  QuestionSettings settings = {};
  json::JsonValue stacks = {};        ///< the alternatives by name; null: what `choose` names
  json::JsonValue compare_with = {};  ///< what is used today; null if that is not said
  std::vector<Tuned> tune = {};       ///< options of which the alternatives try several values
  std::vector<PathRange> over = {};   ///< along which it is asked where the choice changes
  std::vector<Requirement> require = {};
  bool states_requirements = false;
};

/// Is this the tree of a question, and not of a scenario alone?
bool is_question(const json::JsonValue& root);

/// Reads a question, or a scenario, which asks for everything that fits. `sets` are "PATH=JSON", in
/// order. The scenario in it is checked later, with each alternative. Throws UsageError with every
/// error.
Question load_question(const std::string& path, const std::vector<std::string>& sets = {});

/// Like load_question, but from JSON text. `file` names it in messages.
Question parse_question(const std::string& text, const std::string& file,
                        const std::vector<std::string>& sets = {});

}  // namespace faultline::advice
