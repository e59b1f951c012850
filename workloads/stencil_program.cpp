// SPDX-License-Identifier: Apache-2.0
#include "workloads/stencil_program.hpp"

#include <algorithm>
#include <vector>

#include "workloads/bulk_program.hpp"
#include "workloads/stencil_states.hpp"

namespace faultline::workloads {

namespace {

constexpr std::uint64_t kReductionBytes = 16;  ///< as a stencil of objects sends

/// A rank is the object of its number.
class StatesOfObjects final : public ProgramStates {
 public:
  explicit StatesOfObjects(std::shared_ptr<const StencilJob> job) : job_(std::move(job)) {}

  [[nodiscard]] const StencilPlan& plan() const { return job_->plan; }

  [[nodiscard]] std::uint64_t initial(Rank rank) const override {
    return StencilStates::initial(rank);
  }
  [[nodiscard]] std::uint64_t sent(const Place& /*by*/, std::uint64_t state) const override {
    return state;
  }
  /// The receives are in the order of the ways to the neighbours.
  [[nodiscard]] std::uint64_t after_exchange(
      std::uint64_t state, Rank rank, std::uint8_t exchange,
      const std::vector<std::uint64_t>& values) const override {
    const std::vector<StencilPlan::Way>& ways = plan().exchanges()[exchange].ways;
    std::uint64_t consumed = 0;
    auto value = values.begin();
    plan().for_each_neighbour(rank, exchange, [&](const StencilPlan::Neighbour& neighbour) {
      consumed += StencilStates::part(*value++, ways[neighbour.its_side].opposite);
    });
    return StencilStates::next(state, consumed);
  }
  [[nodiscard]] std::uint64_t contributed(const Place& /*by*/, std::uint64_t state) const override {
    return state;
  }
  [[nodiscard]] std::uint64_t combined(std::uint64_t one, std::uint64_t other) const override {
    return std::min(one, other);
  }
  [[nodiscard]] std::uint64_t after_allreduce(std::uint64_t state,
                                              std::uint64_t value) const override {
    return plan().reduces() ? StencilStates::reduced(state, value) : state;
  }
  [[nodiscard]] std::uint64_t state_after(
      const Program& /*program*/, Rank rank, std::uint64_t iterations,
      const std::vector<WorldSince>& /*shrunk*/) const override {
    return job_->right_states(iterations)[rank];
  }
  [[nodiscard]] std::uint64_t share(Rank rank, std::uint64_t state) const override {
    return StencilStates::share(rank, state);
  }

 private:
  std::shared_ptr<const StencilJob> job_;
};

std::shared_ptr<const Program> program_of(const StatesOfObjects& states, Rank rank) {
  using Kind = ProgramStep::Kind;
  const StencilPlan& plan = states.plan();
  const auto program = std::make_shared<Program>();
  program->states = &states;
  program->iterations = plan.options().iterations;
  program->processes = plan.processes();
  program->state_bytes = plan.options().object_bytes;
  program->checkpoint_iterations = plan.options().checkpoint_iterations.value_or(0);
  std::vector<ProgramStep>& steps = program->steps;
  steps.push_back({.kind = Kind::begin_try});
  for (std::size_t number = 0; number < plan.exchanges().size(); ++number) {
    HaloExchange halo;
    double bytes = 0.0;
    plan.for_each_neighbour(rank, number, [&](const StencilPlan::Neighbour& neighbour) {
      halo.sends.push_back({.rank = neighbour.object, .bytes = neighbour.bytes});
      bytes += static_cast<double>(neighbour.bytes);
    });
    halo.receives = halo.sends;
    halo.shrink_to_fit();
    program->exchanges.push_back(std::move(halo));
    steps.push_back({.kind = Kind::exchange, .exchange = static_cast<std::uint8_t>(number)});
    steps.push_back({.kind = Kind::compute, .duration_s = plan.compute_s(number, bytes)});
  }
  if (plan.waits_for_all()) steps.push_back({.kind = Kind::allreduce, .bytes = kReductionBytes});
  steps.push_back({.kind = Kind::finish});
  steps.push_back({.kind = Kind::checkpoint});
  return program;
}

}  // namespace

ComponentFactory stencil_program_factory(const std::shared_ptr<const StencilJob>& job,
                                         std::uint16_t request_kind) {
  return bulk_program_factory([states = std::make_shared<const StatesOfObjects>(job)](
                                  Rank rank) { return program_of(*states, rank); },
                              request_kind);
}

}  // namespace faultline::workloads
