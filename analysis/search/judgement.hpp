// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/json/json_value.hpp"

namespace faultline::search {

/// Something that must not happen. Findings of one kind may have one cause.
struct Finding {
  std::string kind;  ///< "premature", "exception: ...", "not deterministic", ...
  std::string text;  ///< what happened, for people
};

/// The result of judging a drawn scenario.
struct Judgement {
  std::string refused;  ///< why the front end refuses it, without numbers; "" if it does not
  std::string outcome;  ///< how the run ended; "" if it has no result
  std::optional<Finding> finding;
  bool by_membership = false;  ///< it went wrong, as it may: see is_unpromised
  bool as_printed = false;     ///< a protocol is wrong on purpose
  bool explored = false;
  bool may_die = false;      ///< the scenario states or draws deaths
  bool struck = false;       ///< a live process has died
  bool struck_amid = false;  ///< a process has died while an earlier death was not dealt with
  std::uint64_t events = 0;
};

/// A judgement in one line of JSON, and back.
json::JsonValue judgement_json(const Judgement& judgement);
Judgement read_judgement(const json::JsonValue& json);

/// A message without the parts that differ from run to run: numbers and quoted words.
std::string kind_of_message(const std::string& message);

/// The finding if a judging process ends without a word; `why` is how it ended.
Finding crash(const std::string& why);

}  // namespace faultline::search
