// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/json/json_value.hpp"

namespace faultline::search {

/// Something that must not be. Findings of one kind may have one cause.
struct Finding {
  std::string kind;  ///< "premature", "exception: ...", "not deterministic", ...
  std::string text;  ///< what happened, for people
};

/// What came of a drawn scenario.
struct Judgement {
  std::string refused;  ///< why the front end refuses it, without its numbers; "" if it does not
  std::string outcome;  ///< how the run ended; "" if it has no result
  std::optional<Finding> finding;
  bool by_membership = false;  ///< it went wrong, and may have: see is_unpromised
  bool as_printed = false;     ///< a protocol is wrong on purpose
  bool explored = false;
  bool may_die = false;      ///< the scenario states or draws deaths
  bool struck = false;       ///< somebody who lived has died
  bool struck_amid = false;  ///< and somebody while an earlier death was not dealt with
  std::uint64_t events = 0;
};

/// A judgement in one line of JSON, and back.
JsonValue judgement_json(const Judgement& judgement);
Judgement read_judgement(const JsonValue& json);

/// A message without what differs from run to run: numbers and quoted words.
std::string kind_of_message(const std::string& message);

/// What is found if a process that judges ends without a word; `why` is how.
Finding crash(const std::string& why);

}  // namespace faultline::search
