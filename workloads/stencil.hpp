#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/core/component.hpp"

namespace faultline {

struct StencilOptions {
  std::uint32_t dimensions = 3;
  bool periodic = true;
  std::uint64_t iterations = 100;
  std::uint32_t bytes = 8192;
  double compute_s = 1e-3;
};

/// A bulk stencil: in each iteration a rank sends its halo to its neighbours on a grid of 1 to 3
/// dimensions, waits for theirs, and computes.
class Stencil final : public Workload {
 public:
  using Options = StencilOptions;
  Stencil(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void start(Context& context) override;
  void on_message(Context& context, const Message& message) override;
  void on_compute_done(Context& context, std::uint64_t tag) override;
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

 private:
  void exchange(Context& context);
  void try_compute(Context& context);

  std::shared_ptr<const Options> options_;
  Rank self_;
  std::vector<Rank> neighbours_;
  std::uint64_t iteration_ = 0;
  std::uint32_t halos_[2] = {0, 0};  ///< that have come, for this iteration and the next
  bool computing_ = false;
  double finish_s_ = 0.0;
};

/// The grid of exactly that many ranks that is nearest to a cube; its sizes descend.
std::vector<std::uint32_t> process_grid(std::uint32_t processes, std::uint32_t dimensions);

}  // namespace faultline
