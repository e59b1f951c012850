#include "workloads/stencil.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace faultline {

namespace {

OptionSet<StencilOptions> options() {
  return OptionSet<StencilOptions>()
      .option("dimensions", &StencilOptions::dimensions,
              {.doc = "dimensions of the process grid", .minimum = 1, .maximum = 3})
      .option("periodic", &StencilOptions::periodic, {.doc = "does the grid wrap around?"})
      .option("iterations", &StencilOptions::iterations,
              {.doc = "iterations of the stencil", .minimum = 1})
      .option("bytes", &StencilOptions::bytes, {.doc = "size of a halo message", .unit = "B"})
      .option("compute_s", &StencilOptions::compute_s,
              {.doc = "computation of an iteration", .unit = "s", .minimum = 0, .maximum = 1e6});
}

constexpr MetricSpec kIterations{"iterations_done", Merge::sum, "iterations of all ranks"};
constexpr MetricSpec kTime{"stencil_time_s", Merge::maximum, "when the last rank finished"};

const Registered registered{registration<Stencil>(
    {.family = Family::workload,
     .name = "stencil",
     .summary = "halo exchange with the neighbours on a grid, then computation, iterated",
     .source = "fast-message-logging section 5 (Wave2D, Jacobi3D) without objects",
     .traits = {.finishes = true, .has_images = true},
     .message_kinds = {"halo"},
     .metrics = {&kIterations, &kTime}},
    options())};

std::uint32_t largest_divisor_up_to(std::uint32_t number, std::uint32_t limit) {
  for (std::uint32_t divisor = std::max(1U, limit); divisor > 1; --divisor)
    if (number % divisor == 0) return divisor;
  return 1;
}

}  // namespace

std::vector<std::uint32_t> process_grid(std::uint32_t processes, std::uint32_t dimensions) {
  std::vector<std::uint32_t> grid;
  for (std::uint32_t left = dimensions; left > 1; --left) {
    const double root = std::pow(processes, 1.0 / left);
    grid.push_back(largest_divisor_up_to(processes, static_cast<std::uint32_t>(root + 1e-9)));
    processes /= grid.back();
  }
  grid.push_back(processes);
  std::sort(grid.rbegin(), grid.rend());
  return grid;
}

Stencil::Stencil(std::shared_ptr<const Options> options, const JobShape& job, Rank self)
    : options_(std::move(options)), self_(self) {
  std::uint32_t stride = 1;
  std::uint32_t below = 1;
  for (const std::uint32_t size : process_grid(job.processes, options_->dimensions)) {
    const std::uint32_t place = self / stride % size;
    const bool wraps = options_->periodic && size > 1;
    const std::uint32_t above = 2 * below;
    if (place > 0 || wraps) {
      neighbours_.push_back({place > 0 ? self - stride : self + (size - 1) * stride, above});
      sides_ |= below;
    }
    if (place + 1 < size || wraps) {
      neighbours_.push_back({place + 1 < size ? self + stride : self - (size - 1) * stride, below});
      sides_ |= above;
    }
    stride *= size;
    below *= 4;
  }
}

std::unique_ptr<Component> Stencil::clone() const { return std::make_unique<Stencil>(*this); }

// The grid waits for its neighbours' halos with work left: that makes a rank idle, not finished,
// since only a message can make it go on.
void Stencil::digest_state(Digest& into) const {
  into.add(iteration_, halos_, computing_);
  into.add_sorted(early_, [](const Halo& halo) { return std::pair(halo.iteration, halo.side); });
}

void Stencil::start(Context& context) { exchange(context); }

void Stencil::exchange(Context& context) {
  context.mark("iteration", static_cast<std::int64_t>(iteration_));
  for (const Neighbour& neighbour : neighbours_)
    context.send(neighbour.rank, 0, options_->bytes)
        .payload.put(Halo{iteration_, neighbour.its_side});
  try_compute(context);
}

void Stencil::on_message(Context& context, const Message& message) {
  take(message.payload.get<Halo>());
  try_compute(context);
}

/// Neighbours are at most one iteration apart until one of them goes back to an earlier state. It
/// then sends halos again, of which each counts once, and its neighbours are further ahead of it.
void Stencil::take(const Halo& halo) {
  if (halo.iteration < iteration_) return;
  const std::uint64_t ahead = halo.iteration - iteration_;
  if (ahead <= 1)
    halos_[ahead] |= static_cast<std::uint32_t>(halo.side);
  else
    early_.push_back(halo);
}

void Stencil::try_compute(Context& context) {
  if (computing_ || iteration_ == options_->iterations || missing() != 0) return;
  computing_ = true;
  context.compute(options_->compute_s);
}

void Stencil::on_compute_done(Context& context, std::uint64_t) {
  computing_ = false;
  ++iteration_;
  halos_[0] = halos_[1];
  halos_[1] = 0;
  for (const Halo& halo : std::exchange(early_, {})) take(halo);
  if (iteration_ < options_->iterations) {
    exchange(context);
    return;
  }
  finish_s_ = context.now_s();
  context.finish();
}

void Stencil::report(MetricTotals& totals) const {
  totals.put(kIterations, iteration_);
  totals.put(kTime, finish_s_);
}

std::string Stencil::waiting_for() const {
  if (iteration_ == options_->iterations) return {};
  return std::to_string(std::popcount(missing())) + " halos of iteration " +
         std::to_string(iteration_);
}

}  // namespace faultline
