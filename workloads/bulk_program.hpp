// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/component.hpp"
#include "sim/core/mark.hpp"
#include "sim/core/operations.hpp"
#include "sim/core/seldom.hpp"
#include "sim/core/transaction_requests.hpp"
#include "sim/core/world.hpp"
#include "workloads/allreduce_request.hpp"
#include "workloads/program.hpp"

namespace faultline::workloads {

/// Makes the program of a rank.
using ProgramOfRank = std::function<std::shared_ptr<const Program>(Rank)>;

/// Walks the steps of a bulk-synchronous program of TryBlocks. It is a value: waiting is a state,
/// and a rollback assigns the saved iteration and state.
///
/// In a TryBlock, a request that fails or times out leads to the finish of that block. A TryBlock
/// is a request of the one around it. Outside of TryBlocks a request that fails never ends, as in
/// MPI without fault tolerance. A stack without `transactions` has no TryBlocks, and the death of a
/// rank ends the job, as MPI's default error handler does, unless message logging brings it back.
///
/// Message logging takes a checkpoint when all ranks have asked for it: at the start, where a
/// TryBlock would be committed and one is due, and at the end.
///
/// A rank raises an error in its own data on the innermost open TryBlock, as on any request of the
/// one around it (MPI_Request_raise_error), or else on the next TryBlock.
class BulkProgram final : public Workload {
 public:
  /// `request_kind`: the kind of its messages.
  BulkProgram(std::shared_ptr<const ProgramOfRank> programs, ActorId self,
              std::uint16_t request_kind);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void start(WorkloadContext& context) override;
  void on_message(WorkloadContext& context, const Message& message) override;
  void on_sent(WorkloadContext& context, ActorId to, std::uint16_t kind) override;
  void on_timer(WorkloadContext& context, std::uint64_t key) override;
  void on_compute_done(WorkloadContext& context, std::uint64_t tag) override;
  void on_answer(WorkloadContext& context, const StackRequest& answer) override;
  void on_request(WorkloadContext& context, const StackRequest& request) override;
  void on_peer_failed(WorkloadContext& context, Incarnation peer) override;
  void on_peer_restarted(WorkloadContext& context, Incarnation peer) override;
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

 private:
  /// What the next step waits for.
  enum class Waits : std::uint8_t {
    nothing,
    world,     ///< entering a world, at the start or after a rejected TryBlock
    start,     ///< the start of a TryBlock
    requests,  ///< the requests of an exchange
    sum,       ///< the requests of an allreduce
    compute,
    outcome,  ///< the outcome of a TryBlock
    saved,    ///< a checkpoint of transactions
    image,    ///< a checkpoint of message logging, of all ranks
    leave,    ///< being released, at the end
    end,      ///< nothing: the end has come
  };
  /// A TryBlock that has begun.
  struct OpenBlock {
    std::size_t begin = 0;  ///< its step
    bool failed = false;    ///< a request in it has not succeeded

    void digest(Digest& into) const { into.add(begin, failed); }
  };

  /// The worlds to which ranks have moved.
  struct OtherWorlds {
    World next{0};                   ///< the world that it is being told of
    std::vector<WorldSince> shrunk;  ///< the smaller worlds in which the program has gone on

    void digest(Digest& into) const { into.add(next, shrunk); }
  };

  void digest_state(Digest& into) const override;
  void walk(WorkloadContext& context);
  void go_through_steps(WorkloadContext& context);
  void hold_work(WorkloadContext& context);
  void do_step(WorkloadContext& context);
  void next_step();
  void next_iteration(WorkloadContext& context);
  void leave(WorkloadContext& context);
  void end_program(WorkloadContext& context);
  void begin_exchange(WorkloadContext& context);
  void begin_sum(WorkloadContext& context);
  void post_sum(WorkloadContext& context);
  void check_requests(WorkloadContext& context);
  void consume_exchange();
  void begin_block(WorkloadContext& context);
  void on_started(const BlockStarted& started);
  void raise_error();
  void finish_block(WorkloadContext& context);
  void give_block_up(WorkloadContext& context);
  void ask_for_outcome(WorkloadContext& context);
  void on_outcome(WorkloadContext& context, BlockVerdict verdict);
  void save(WorkloadContext& context);
  bool ask_for_image(WorkloadContext& context);
  void on_image(WorkloadContext& context, std::uint64_t number);
  void stop(WorkloadContext& context);
  void abandon(WorkloadContext& context);
  void enter(WorkloadContext& context, const WorldEntered& entered);
  void take_rank();
  [[nodiscard]] Rank data_rank() const;
  [[nodiscard]] AllreduceRequest::Means sum_means(WorkloadContext& context);
  /// True if an open TryBlock must be given up.
  [[nodiscard]] bool has_failed() const;
  [[nodiscard]] const ProgramStep& step() const { return program_->steps[step_]; }
  [[nodiscard]] const ProgramStates& states() const { return *program_->states; }
  [[nodiscard]] ProgramStates::Place place() const { return {rank_, iteration_, step_}; }

  std::shared_ptr<const ProgramOfRank> programs_;
  ActorId self_;
  Rank rank_;
  std::shared_ptr<const Program> program_;  ///< of its rank
  World world_;
  Seldom<OtherWorlds> others_;
  WorldEpoch epoch_;
  Operations operations_;
  AllreduceRequest sum_;
  std::vector<OpenBlock> open_;  ///< the outermost first
  Waits waits_ = Waits::nothing;
  bool has_blocks_ = false;       ///< the stack has the family `transactions`
  bool raises_next_ = false;      ///< raises an error when the next TryBlock begins
  bool redoes_ = false;           ///< repeats what it had done before a rollback
  bool holds_work_ = false;       ///< has declared work, because it waits for a send
  std::uint32_t sum_tag_ = 0;     ///< the first tag of the allreduce
  std::uint64_t checkpoint_ = 0;  ///< number of the next checkpoint of message logging
  std::uint64_t iteration_ = 0;
  std::size_t step_ = 0;
  std::uint64_t state_ = 0;        ///< a digest of what was consumed
  std::uint32_t attempt_ = 0;      ///< number of the last TryBlock in this epoch of the world
  std::uint32_t tag_ = 0;          ///< the next tag that no request of this attempt has had
  Operation first_operation_ = 0;  ///< the first operation of the step
  std::uint32_t errors_ = 0;       ///< requests of this TryBlock that have not succeeded
  std::uint32_t cancelled_ = 0;
  double timeout_s_ = kNever;  ///< of requests
  std::uint64_t reached_ = 0;  ///< iterations that the program ended at least once

  std::uint64_t halo_messages_ = 0;
  std::uint32_t redone_ = 0;
  std::uint32_t raised_ = 0;
  std::uint32_t timed_out_ = 0;
  std::uint32_t all_cancelled_ = 0;
  double finish_s_ = 0.0;
};

/// Makes the component of each rank. `request_kind`: the kind of its messages.
ComponentFactory bulk_program_factory(ProgramOfRank programs, std::uint16_t request_kind = 0);

/// Declares `checkpoint_iterations`, which all these programs have, as an optional number.
OptionNotes checkpoint_notes();

inline constexpr Mark kRedoMark{
    "redo", "a program goes back to an iteration that it has done: its number, from 0"};
inline constexpr Mark kRedoneMark{
    "redone", "a program is at the first iteration that it has not done: its number, from 0"};

/// What registrations of programs have in common: metrics, how they are judged, and how they are
/// recovered. The caller still sets their options, of which one is `checkpoint_iterations`, and
/// `make`.
Registration bulk_program_registration(std::string name, std::string summary, std::string source);

}  // namespace faultline::workloads
