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
  /// What a message says.
  struct Halo {
    std::uint64_t iteration = 0;
    std::uint64_t side = 0;  ///< of the receiver at which its sender lies: one bit

    void digest(Digest& into) const { into.add(iteration, side); }
  };

  using Options = StencilOptions;
  Stencil(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void start(Context& context) override;
  void on_message(Context& context, const Message& message) override;
  void on_compute_done(Context& context, std::uint64_t tag) override;
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

 private:
  /// A rank has two sides in each dimension of the grid. Both may lead to the same neighbour.
  struct Neighbour {
    Rank rank;
    std::uint32_t its_side;  ///< at which this rank lies
  };

  void digest_state(Digest& into) const override;
  void exchange(Context& context);
  void take(const Halo& halo);
  void try_compute(Context& context);
  [[nodiscard]] std::uint32_t missing() const { return sides_ & ~halos_[0]; }

  std::shared_ptr<const Options> options_;
  Rank self_;
  std::vector<Neighbour> neighbours_;
  std::uint32_t sides_ = 0;  ///< with a neighbour
  std::uint64_t iteration_ = 0;
  std::uint32_t halos_[2] = {0, 0};  ///< sides whose halo has come, for this iteration and the next
  std::vector<Halo> early_;          ///< of later iterations
  bool computing_ = false;
  double finish_s_ = 0.0;
};

/// The grid of exactly that many ranks that is nearest to a cube; its sizes descend.
std::vector<std::uint32_t> process_grid(std::uint32_t processes, std::uint32_t dimensions);

}  // namespace faultline
