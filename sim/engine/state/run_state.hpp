// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/engine/actors/shared_state.hpp"
#include "sim/engine/job/run_job.hpp"
#include "sim/engine/membership/membership_state.hpp"
#include "sim/engine/network/network_state.hpp"
#include "sim/engine/state/state_parts.hpp"
#include "sim/engine/storage/stable_storage.hpp"
#include "sim/engine/verdict/run_ending.hpp"
#include "sim/engine/verdict/tally.hpp"

namespace faultline::engine {

/// Everything of a run that changes, between two events. It is a value: a copy goes on as the
/// original does, and shares nothing with it that changes.
struct RunState : SharedState {
  /// Before the first event, without components.
  explicit RunState(const RunJob& job);
  RunState(RunState&&) noexcept = default;
  RunState& operator=(RunState&&) noexcept = default;
  ~RunState() = default;
  [[nodiscard]] RunState copy() const;
  /// Becomes a copy of another state of the same job, in the memory that it has. Several times as
  /// fast as copy().
  void become(const RunState& other);

  /// The digest of all that determines what can happen from here on and how it will be judged, but
  /// for times: for runs in which time stands still. Two states of one job with the same digest
  /// have the same future, whatever led to them. Left out is what is only reported. What is
  /// scheduled, but can no longer have an effect, must have been removed.
  [[nodiscard]] StateDigest digest(const RunJob& job) const;
  /// What the digest is made of.
  [[nodiscard]] StateParts parts(const RunJob& job) const;

  /// Does its receiver refuse the message, or the daemon of the receiver's node?
  [[nodiscard]] bool is_refused(const Message& message) const;

  NetworkState network;
  /// By rank: a digest of all that it has done and been told (HistoryKeeper). Empty unless states
  /// are told apart by that.
  std::vector<StateDigest> histories;
  MembershipState membership;
  StableStorage storage;
  RunEnding ending;

  std::uint32_t serial = 0;
  std::uint64_t next_attended = 0;  ///< the event after which more is due than after every one
  std::uint64_t next_checked = 0;   ///< the event after which the state is checked
  Tally tally;

 private:
  // The messages are still those of the original.
  RunState(const RunState&) = default;
  RunState& operator=(const RunState&) = default;
  void repoint_messages(const RunState& from);
  [[nodiscard]] StateDigest common_part(const RunJob& job) const;
  void add_unanswered(Digest& into) const;
  void add_awaited_deaths(Digest& into) const;
  [[nodiscard]] bool is_local(const RunJob& job) const;
  [[nodiscard]] ScheduledPart part_of(const Event& event) const;
  [[nodiscard]] StateDigest content_of(const Event& event) const;
};

Lane lane_of(const Event& event, const RunState& state);

}  // namespace faultline::engine
