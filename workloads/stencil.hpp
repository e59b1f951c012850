// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/component.hpp"
#include "sim/core/prefetched.hpp"
#include "workloads/stencil_plan.hpp"
#include "workloads/stencil_states.hpp"
#include "workloads/tree_reduction.hpp"

namespace faultline::workloads {

/// A stencil, as all of its ranks share it.
struct StencilJob {
  StencilJob(const StencilOptions& options, const JobShape& job, bool ordered)
      : plan(options, job, ordered) {}
  StencilJob(const StencilJob&) = delete;
  StencilJob& operator=(const StencilJob&) = delete;

  StencilPlan plan;
  /// The right states of all objects after that many iterations, where order does not matter.
  [[nodiscard]] const std::vector<std::uint64_t>& right_states(std::uint64_t iterations) const {
    return right_.after(iterations);
  }

 private:
  mutable RightStates right_{plan};  ///< computed when they are first asked for
};

/// A stencil: in each iteration an object, a block of a grid of 1 to 3 dimensions, sends its halos
/// to its neighbours, waits for theirs, and computes. A rank hosts one object or several, and one
/// of them computes at a time.
class Stencil final : public Workload, public Prefetched {
 public:
  /// The kinds of its messages. As a bulk program, it sends requests alone.
  enum Kind : std::uint16_t {
    kHalo,
    kSecondHalo,
    kElements,
    kContribution,
    kResult,
    kRequest,
  };

  /// The content of a message of an exchange. The first word is its tag.
  struct Halo {
    std::uint64_t iteration = 0;
    std::uint64_t side = 0;   ///< the side of the receiver at which its sender lies
    std::uint64_t state = 0;  ///< state of the sender
  };
  using Part = TreeReduction::Part;

  Stencil(std::shared_ptr<const StencilJob> job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void start(WorkloadContext& context) override;
  void on_message(WorkloadContext& context, const Message& message) override;
  void on_compute_done(WorkloadContext& context, std::uint64_t object) override;
  void on_answer(WorkloadContext& context, const StackRequest& answer) override;
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

  [[nodiscard]] std::vector<ObjectId> objects() const override;
  [[nodiscard]] PackedObject pack(ObjectId object) const override;
  void remove(ObjectId object) override;
  void unpack(WorkloadContext& context, const PackedObject& packed) override;

 private:
  enum class Phase : std::uint8_t {
    exchanging,     ///< sends and gets halos
    computing,      ///< computes, or waits for the processor
    reducing,       ///< waits for the result at the end of an iteration
    synchronizing,  ///< waits at a synchronisation point
    done,
  };
  /// An object hosted here. There can be millions.
  struct Object {
    std::uint64_t state = 0;
    std::uint64_t exchange = 0;          ///< number of exchanges that are over
    std::uint64_t consumed[2] = {0, 0};  ///< in this exchange and the next
    std::uint32_t arrived[2] = {0, 0};   ///< sides whose halo has come, in this and the next
    std::uint32_t missing = 0;           ///< halos of this exchange that have not come
    std::uint32_t reductions = 0;        ///< reductions that it has contributed to
    float halo_bytes = 0.0F;             ///< of all neighbours in this exchange
    ObjectId number = kNoObject;
    Phase phase = Phase::exchanging;

    void digest(Digest& into) const {
      into.add(state, exchange, consumed[0], consumed[1], arrived[0], arrived[1], missing,
               reductions, number, phase);
    }
  };
  static_assert(sizeof(Object) <= 64);
  /// A message that an object cannot take yet.
  struct Early {
    ObjectId object = kNoObject;
    std::uint64_t number = 0;  ///< number of the exchange or the reduction
    std::uint64_t side = 0;    ///< kNoSide: a result
    std::uint64_t value = 0;

    void digest(Digest& into) const { into.add(object, number, side, value); }
  };
  static constexpr std::uint64_t kNoSide = UINT64_MAX;

  [[nodiscard]] const StencilPlan& plan() const { return job_->plan; }
  [[nodiscard]] std::size_t exchanges() const { return plan().exchanges().size(); }
  [[nodiscard]] std::uint64_t iteration_of(const Object& object) const {
    return object.exchange / exchanges();
  }
  [[nodiscard]] ObjectId first_at_home() const {
    return self_ * plan().options().objects_per_process;
  }
  [[nodiscard]] std::size_t place_of(ObjectId number) const;
  [[nodiscard]] bool hosts_at(std::size_t place, ObjectId number) const {
    return place < objects_.size() && objects_[place].number == number;
  }
  Object& hosted(ObjectId number);
  void digest_state(Digest& into) const override;
  void fetch_ahead(const Message& message) const override;

  void begin_exchange(WorkloadContext& context, Object& object);
  void send_halos(WorkloadContext& context, Object& object);
  void take(Object& object, const Early& halo);
  void take_early(Object& object);
  void try_compute(WorkloadContext& context, Object& object);
  void end_iteration(WorkloadContext& context, Object& object);
  void go_on(WorkloadContext& context, Object& object);
  void contribute(WorkloadContext& context, Object& object, std::uint64_t value);
  void complete_reductions(WorkloadContext& context);
  void pass_results_on(WorkloadContext& context);
  void spread(WorkloadContext& context, const Part& result);
  void take_result(WorkloadContext& context, Object& object, const Part& result);
  [[nodiscard]] bool has_reduced() const;
  void synchronize(WorkloadContext& context);
  void finish_if_done(WorkloadContext& context);
  void report_messages(MetricTotals& totals, double iterations) const;
  void report_states(MetricTotals& totals) const;

  std::shared_ptr<const StencilJob> job_;
  Rank self_;
  std::vector<Object> objects_;  ///< the objects that are here, by number
  std::vector<Early> early_;     ///< in the order in which they came
  TreeReduction reduction_;
  std::uint64_t results_ = 0;  ///< results that have been passed on, in the order of their numbers
  std::vector<Part> early_results_;  ///< results that came before their turn
  std::uint32_t waiting_ = 0;        ///< objects at the synchronisation point
  std::uint32_t done_ = 0;
  std::uint64_t synchronization_ = 0;  ///< number of the next synchronisation point
  bool asked_ = false;  ///< has asked for it, and every object has been waiting since
  bool finished_ = false;
  std::uint64_t marked_ = 0;  ///< iterations whose beginning has been marked
  double finish_s_ = 0.0;
};

}  // namespace faultline::workloads
