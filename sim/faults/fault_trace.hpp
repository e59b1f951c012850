#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/random.hpp"
#include "sim/core/types.hpp"

namespace faultline {

/// The format of a trace. It is recognised by the content of the file.
enum class TraceFormat : std::uint8_t {
  lanl,     ///< comma-separated, 26 columns: the failure data of Los Alamos, LA-UR-05-7318
  fta,      ///< event_trace of the Failure Trace Archive (Kondo et al., CCGrid 2010)
  simgrid,  ///< a state profile of one SimGrid host
};

/// "lanl", "fta" or "simgrid".
const char* format_word(TraceFormat format);

/// One recorded failure of one node.
struct FaultRecord {
  double time_s = 0.0;          ///< since the zero of the trace, see FaultTrace
  std::optional<double> end_s;  ///< when the node was back, if that is known
  std::int64_t system = 0;      ///< LANL: System, FTA: platform_id
  std::int64_t node = 0;        ///< LANL: nodenumz, FTA: node_id
  std::size_t line = 0;
};

/// A line that could not be read, and why.
struct UnreadableLine {
  std::size_t line = 0;
  std::string reason;
  std::optional<std::int64_t> system = {};  ///< if at least that could be read
};

/// A probability law of SimGrid's stochastic profiles.
struct ProfileLaw {
  enum class Kind : std::uint8_t { det, norm, unif, exp };
  Kind kind = Kind::det;
  double first = 0.0;   ///< the value (det), mean (norm), least value (unif) or rate (exp)
  double second = 0.0;  ///< the standard deviation (norm) or largest value (unif)

  [[nodiscard]] double draw(Stream& random) const;
  bool operator==(const ProfileLaw&) const = default;
};

/// An event of a profile: after the delay the host gets the state. State 0 means off.
struct ProfileEvent {
  ProfileLaw delay_s;
  ProfileLaw state;

  bool operator==(const ProfileEvent&) const = default;
};

/// A state profile of SimGrid, with the meaning that SimGrid 3.32 gives it.
struct StateProfile {
  std::vector<ProfileEvent> events;
  bool stochastic = false;
  bool loops = false;
  double loop_delay_s = 0.0;  ///< from the last event to the start of the next loop

  bool operator==(const StateProfile&) const = default;
};

/// A trace of failures, in order of time. The zero of `time_s` is the UNIX epoch for FTA,
/// 1970-01-01 0:00 in local time for LANL, and the start of the simulation for SimGrid.
struct FaultTrace {
  TraceFormat format = TraceFormat::lanl;
  std::vector<FaultRecord> records;  ///< of a looping profile, those of one loop
  std::vector<UnreadableLine> unreadable;
  std::uint64_t other_events = 0;  ///< readable events that are not failures, such as repairs
  StateProfile profile;            ///< only for simgrid
};

/// Goes through a profile, loop after loop.
class ProfileWalk {
 public:
  ProfileWalk(const StateProfile& profile, Stream random) : profile_(profile), random_(random) {}

  /// The next time at which the host is switched off, or nothing if that does not happen any more.
  std::optional<double> next_failure_s();
  /// When the host is on again after the failure returned last. kNever if it stays off.
  [[nodiscard]] double back_s() const { return back_s_; }

 private:
  std::optional<double> next_switch_s(bool on);

  const StateProfile& profile_;
  Stream random_;
  std::size_t at_ = 0;
  double time_s_ = 0.0;
  double back_s_ = kNever;
  bool on_ = true;
};

/// Reads a trace. `file` names it in messages. Throws UsageError if the text is compressed, has
/// none of the formats, or has no readable failure. Unreadable lines are listed in the result.
FaultTrace parse_fault_trace(const std::string& text, const std::string& file);

/// The trace without those unreadable lines that are known to belong to another system. Keeps all
/// records.
FaultTrace without_unreadable_of_others(FaultTrace trace, std::int64_t system);

/// Describes the first unreadable lines, one line each. A last line says how many more there are.
std::vector<std::string> describe_unreadable(const FaultTrace& trace);

}  // namespace faultline
