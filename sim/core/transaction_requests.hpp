// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/core/types.hpp"
#include "sim/core/world.hpp"

namespace faultline {

// What a program of TryBlocks asks the family `transactions`, and the answers (Hassani et al.,
// 2015, section 3 and appendix A). Attempts are numbered within an epoch of the world, alike on all
// ranks, from 1 on. A stack without the family has no TryBlocks: the program runs as plain MPI.

/// A program begins, anew if its process was spawned. Answered by WorldEntered as soon as it can.
/// The same request is answered again if the job is started again while the program runs.
struct EnterWorld {
  static constexpr std::uint16_t kRequest = 16;
  std::uint64_t state_bytes = 0;  ///< what a checkpoint of the program holds
};

/// The world is not as it was when the last TryBlock began, or data are to be restored: after a
/// rejected TryBlock. Answered by WorldEntered.
struct RecoverWorld {
  static constexpr std::uint16_t kRequest = 17;
  std::uint64_t unused = 0;
};

/// Successive ranks of a world that are successive actors. Answered before WorldEntered, in the
/// order of ranks; not at all while every rank is the actor of its number.
struct WorldPart {
  static constexpr std::uint16_t kRequest = 26;
  ActorId actor = 0;  ///< the first
  std::uint32_t count = 0;
};

/// A process of a world that has taken the place of a dead one. Answered before WorldEntered, once
/// for each: a notice of its start that the program gets later says nothing of the requests that it
/// has begun in this world.
struct MemberLife {
  static constexpr std::uint16_t kRequest = 29;
  Incarnation life;
};

/// The program goes on in this world, at the beginning of an iteration. If the epoch is that of the
/// program's world, only its data are those of an earlier moment.
struct WorldEntered {
  static constexpr std::uint16_t kRequest = EnterWorld::kRequest;
  WorldEpoch epoch;
  std::uint64_t iteration = 0;
  std::uint64_t state = 0;  ///< of the program, as it was saved
  /// Not 0 if `state` says nothing: at the beginning, from which the program always finds it.
  std::uint64_t finds_state_itself = 0;
};

/// Another answer to EnterWorld: the job has been ended. The program, which has not come to its
/// end, does nothing more until it enters the next world.
struct JobEnded {
  static constexpr std::uint16_t kRequest = 25;
  std::uint64_t unused = 0;
};

/// MPI_TryBlock_start. Answered by BlockStarted.
struct StartBlock {
  static constexpr std::uint16_t kRequest = 18;
  std::uint64_t attempt = 0;
};
struct BlockStarted {
  static constexpr std::uint16_t kRequest = StartBlock::kRequest;
  std::uint64_t attempt = 0;          ///< 0: the protocol has no TryBlocks
  double request_timeout_s = kNever;  ///< of each request inside
  /// Not 0 in a second answer: another rank gives this TryBlock up, so its requests will not end.
  std::uint64_t released = 0;
};

/// MPI_TryBlock_finish, when all requests inside are done, or some have not succeeded. To ask again
/// for the same attempt changes nothing: what a rank has contributed stays.
struct FinishBlock {
  static constexpr std::uint16_t kRequest = 19;
  std::uint32_t attempt = 0;
  std::uint32_t errors = 0;     ///< requests that failed, timed out or were raised
  std::uint64_t cancelled = 0;  ///< requests that are still pending and are cancelled
};

enum class BlockVerdict : std::uint64_t { accepted, rejected, timed_out };

/// MPI_Wait_local. Answered by BlockOutcome.
struct WaitBlock {
  static constexpr std::uint16_t kRequest = 20;
  std::uint64_t attempt = 0;
};
struct BlockOutcome {
  static constexpr std::uint16_t kRequest = WaitBlock::kRequest;
  std::uint64_t attempt = 0;
  BlockVerdict verdict = BlockVerdict::accepted;
  std::uint64_t is_local = 0;  ///< not 0: this rank has decided alone, and others may otherwise
};

/// MPI_Get_failed_group: which processes all have agreed are lost. Answered by FailedGroup.
struct QueryBlock {
  static constexpr std::uint16_t kRequest = 21;
  std::uint64_t attempt = 0;
  std::uint64_t index = 0;  ///< which of them is named
};
struct FailedGroup {
  static constexpr std::uint16_t kRequest = QueryBlock::kRequest;
  std::uint64_t count = 0;
  Incarnation failed;  ///< nobody if there are not so many
};

/// The program has done its work (MPI_Finalize). Answered by the same struct when its process may
/// end.
struct LeaveWorld {
  static constexpr std::uint16_t kRequest = 23;
  std::uint64_t unused = 0;
};

/// The program finds an error in its data, such as a flipped bit, and raises it
/// (MPI_Request_raise_error). The engine asks for it (`soft` in `faults.at`). Not answered.
struct RaiseError {
  static constexpr std::uint16_t kRequest = 30;
  std::uint64_t unused = 0;
};

/// The program can go on from here later. Asked at the end of an iteration, outside of TryBlocks;
/// answered by CheckpointSaved, at once if none is due.
struct SaveCheckpoint {
  static constexpr std::uint16_t kRequest = 22;
  std::uint64_t iteration = 0;  ///< the next one
  std::uint64_t state = 0;
  std::uint64_t bytes = 0;
};
struct CheckpointSaved {
  static constexpr std::uint16_t kRequest = SaveCheckpoint::kRequest;
  std::uint64_t iteration = 0;
};

}  // namespace faultline
