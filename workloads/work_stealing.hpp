// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/component.hpp"
#include "workloads/task_list.hpp"
#include "workloads/task_range.hpp"

namespace faultline {

struct WorkStealingOptions {
  std::string preset = "n-queens";
  std::uint32_t board = 12;
  std::uint32_t cut_depth = 5;
  double node_compute_s = 1e-6;
  std::uint32_t tasks = 20000;
  double task_compute_s = 1e-3;
  std::uint64_t task_seed = 1;
  std::string steal = "half";
  std::uint32_t steal_attempts = 2;
  std::uint64_t request_bytes = 32;
  std::uint64_t work_bytes = 256;
};

/// Work stealing over active messages (adoption-2013 section 7.1). All work begins at rank 0. A
/// process that has an empty deque and a free core asks random victims for some of their tasks.
/// After a number of refusals it asks its neighbours in a hypercube, its lifelines, to remember it,
/// and goes idle. A lifeline that gets work sends it a share.
///
/// Every process records which tasks it gave to whom. If ranks died in a phase, rank 0 starts
/// another one, in which every process does again the tasks that it gave to dead thieves.
class WorkStealing final : public Workload {
 public:
  using Options = WorkStealingOptions;
  /// `list` has the tasks of the run. All ranks share it.
  WorkStealing(std::shared_ptr<const Options> options, std::shared_ptr<const TaskList> list,
               const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void start(Context& context) override;
  void on_message(Context& context, const Message& message) override;
  void on_compute_done(Context& context, std::uint64_t tag) override;
  void on_peer_failed(Context& context, Incarnation peer) override;
  void on_announced(Context& context, std::uint32_t phase) override;
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

 private:
  /// The tasks that a thief was given. The giver does them again if the thief dies.
  struct Theft {
    Rank thief;
    TaskRange range;

    void digest(Digest& into) const { into.add(thief, range); }
  };

  void digest_state(Digest& into) const override;

  // owner and victim
  void take_over(const Context& context, TaskRange range);
  void work(Context& context);
  void run(Context& context, std::uint32_t task);
  void requested(Context& context, Rank thief);
  void give(Context& context, Rank thief, bool answer);
  void share(Context& context);

  // thief
  void search(Context& context);
  void attempt(Context& context);
  void answered(Context& context);
  void end_search(Context& context);
  void hang_on_lifelines(Context& context);
  void take_in(Context& context, const Message& message);

  // recovery
  void learn_of_death(Context& context, Rank dead);
  void give_up_without_root(Context& context) const;
  void start_recovery(Context& context);
  void recover(Context& context, const AttachedWords& dead);
  void pass_on_recovery(Context& context, const AttachedWords& dead, Rank rank, std::uint32_t bits);
  void queue_lost_again(Context& context);
  [[nodiscard]] bool knows_dead(Rank rank) const;

  [[nodiscard]] bool out_of_work() const { return running_ == 0 && deque_.empty(); }
  void account_idle(double now_s);

  std::shared_ptr<const Options> options_;
  std::shared_ptr<const TaskList> list_;
  JobShape job_;
  Rank self_;

  TaskDeque deque_;
  std::uint32_t running_ = 0;  ///< tasks that compute here
  std::uint32_t waiting_ = 0;  ///< bit i: the neighbour self ^ 2^i hangs on this lifeline
  std::uint32_t hanging_ = 0;  ///< bit i: this process hangs on that of self ^ 2^i
  bool searching_ = false;
  std::uint32_t attempts_ = 0;  ///< requests of this search
  Rank victim_ = kNobody;       ///< the victim whose answer the search waits for

  std::vector<Theft> thefts_;
  std::vector<Rank> dead_;    ///< ranks known to be dead, in order
  bool unrecovered_ = false;  ///< a rank has died since the last recovery began
  bool announced_ = false;    ///< the current phase is over

  std::vector<TaskRange> begun_;  ///< in order
  std::size_t finished_ = 0;  ///< number of these begun before this process was last out of work
  std::uint64_t tasks_ = 0;
  std::uint64_t steals_ = 0;
  std::uint64_t failed_steals_ = 0;
  std::uint64_t lifeline_gifts_ = 0;
  std::uint64_t lost_steals_ = 0;
  std::uint64_t lost_tasks_ = 0;
  std::uint32_t phases_ = 1;
  double task_s_ = 0.0;
  double last_task_end_s_ = 0.0;
  double idle_s_ = 0.0;
  double idle_since_s_ = 0.0;
};

}  // namespace faultline
