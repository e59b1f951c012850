#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analysis/runs/run_record.hpp"
#include "sim/json/json_value.hpp"
#include "sim/scenario/scenario.hpp"

namespace faultline::search {

/// How much is done with a drawn scenario.
struct JudgeSettings {
  std::uint64_t events = 100000;    ///< a run that has more ends as `limit`
  bool repeats = true;              ///< runs it twice: the same must come of it
  bool compares = true;             ///< runs a scenario of `simgrid` on `loggp`, too
  std::uint64_t explored_each = 4;  ///< of the small ones; 0: none
  /// What protocols do as they were printed, though it is wrong, counts as found.
  bool as_printed = false;
};

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
  std::uint64_t events = 0;
};

/// Does anybody in the stack promise that a run comes to an end although somebody has died? Else a
/// program may wait for the dead for ever.
bool outlives_deaths(const RunSpec& spec);

/// Does a component do what its paper prints, though that is known to be wrong, or leave out what
/// protects it?
bool is_wrong_on_purpose(const RunSpec& spec);

/// Reads a scenario as a user's file would be read, runs it and judges the run. On SimGrid the run
/// has a process of its own.
Judgement judged(const JsonValue& scenario, const JudgeSettings& settings);

/// The same in a process of its own with a limit of memory, so that a crash or a run without end
/// is a finding, too.
Judgement judged_apart(const JsonValue& scenario, const JudgeSettings& settings);

/// A judgement in one line of JSON, and back.
JsonValue judgement_json(const Judgement& judgement);
Judgement read_judgement(const JsonValue& json);

/// The memory that processes that judge may take.
inline constexpr std::uint64_t kMemory_B = std::uint64_t{2} << 30U;
/// A run that takes longer is taken to be without end, on a machine with other work, too [s].
inline constexpr int kPatience_s = 900;

/// What is found if such a process ends without a word; `why` is how.
Finding crash(const std::string& why);

}  // namespace faultline::search
