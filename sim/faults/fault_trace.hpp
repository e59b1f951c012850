#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/random.hpp"

namespace faultline {

/// What a trace is written in; found by its content.
enum class TraceFormat : std::uint8_t {
  lanl,     ///< comma-separated, 26 columns: the failure data of Los Alamos, LA-UR-05-7318
  fta,      ///< event_trace of the Failure Trace Archive (Kondo et al., CCGrid 2010)
  simgrid,  ///< a state profile of one SimGrid host
};

/// "lanl", "fta" or "simgrid".
const char* format_word(TraceFormat format);

/// One recorded failure of one node.
struct FaultRecord {
  double time_s = 0.0;          ///< since the trace's own zero
  std::optional<double> end_s;  ///< when the node was back, if it is known
  std::int64_t system = 0;      ///< LANL: System, FTA: platform_id
  std::int64_t node = 0;        ///< LANL: nodenumz, FTA: node_id
  std::size_t line = 0;
};

/// A line that could not be read, and why.
struct UnreadableLine {
  std::size_t line = 0;
  std::string reason;
  std::optional<std::int64_t> system = {};  ///< where it can be read
};

/// A law of SimGrid's stochastic profiles.
struct ProfileLaw {
  enum class Kind : std::uint8_t { det, norm, unif, exp };
  Kind kind = Kind::det;
  double first = 0.0;   ///< value, mean, least or rate
  double second = 0.0;  ///< standard deviation or largest

  [[nodiscard]] double draw(Stream& random) const;
  bool operator==(const ProfileLaw&) const = default;
};

/// An event of a profile: after a delay the host has a state, 0 being off.
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
  double loop_delay_s = 0.0;  ///< between the last event and the next turn of the first

  bool operator==(const StateProfile&) const = default;
};

/// A trace of failures, in order of time. The zero of `time_s` is the UNIX epoch for FTA, the same
/// in local time for LANL, and the begin of the simulation for SimGrid.
struct FaultTrace {
  TraceFormat format = TraceFormat::lanl;
  std::vector<FaultRecord> records;  ///< of a looping profile those of one turn
  std::vector<UnreadableLine> unreadable;
  std::uint64_t other_events = 0;  ///< readable ones that are no failure, such as repairs
  StateProfile profile;            ///< simgrid
};

/// Goes through a profile, turn after turn.
class ProfileWalk {
 public:
  ProfileWalk(const StateProfile& profile, Stream random) : profile_(profile), random_(random) {}

  /// The next time at which the host goes off; nothing if it stays as it is.
  std::optional<double> next_failure_s();

 private:
  const StateProfile& profile_;
  Stream random_;
  std::size_t at_ = 0;
  double time_s_ = 0.0;
  bool on_ = true;
};

/// Reads a trace; `file` names it in messages. Throws UsageError when it is compressed, its format
/// is none of these or no record can be read. Lines that cannot be read are in the result.
FaultTrace parse_fault_trace(const std::string& text, const std::string& file);

/// The trace without the unreadable lines that say that they are of another system. Records stay.
FaultTrace without_unreadable_of_others(FaultTrace trace, std::int64_t system);

/// What could not be read, one line each and after some of them how many more.
std::vector<std::string> describe_unreadable(const FaultTrace& trace);

}  // namespace faultline
