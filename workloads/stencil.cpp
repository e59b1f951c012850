#include "workloads/stencil.hpp"

#include <algorithm>
#include <cmath>

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
     .traits = {.finishes = true},
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
  for (const std::uint32_t size : process_grid(job.processes, options_->dimensions)) {
    const std::uint32_t place = self / stride % size;
    const bool wraps = options_->periodic && size > 1;
    if (place > 0 || wraps)
      neighbours_.push_back(place > 0 ? self - stride : self + (size - 1) * stride);
    if (place + 1 < size || wraps)
      neighbours_.push_back(place + 1 < size ? self + stride : self - (size - 1) * stride);
    stride *= size;
  }
}

std::unique_ptr<Component> Stencil::clone() const { return std::make_unique<Stencil>(*this); }

// The grid waits for its neighbours' halos with work left: that makes a rank idle, not finished,
// since only a message can make it go on.
void Stencil::start(Context& context) { exchange(context); }

void Stencil::exchange(Context& context) {
  context.mark("iteration", static_cast<std::int64_t>(iteration_));
  for (const Rank neighbour : neighbours_)
    context.send(neighbour, 0, options_->bytes).payload.put(iteration_);
  try_compute(context);
}

void Stencil::on_message(Context& context, const Message& message) {
  ++halos_[message.payload.get<std::uint64_t>() - iteration_];
  try_compute(context);
}

void Stencil::try_compute(Context& context) {
  if (computing_ || iteration_ == options_->iterations || halos_[0] < neighbours_.size()) return;
  computing_ = true;
  context.compute(options_->compute_s);
}

void Stencil::on_compute_done(Context& context, std::uint64_t) {
  computing_ = false;
  ++iteration_;
  halos_[0] = halos_[1];
  halos_[1] = 0;
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
  return std::to_string(neighbours_.size() - halos_[0]) + " halos of iteration " +
         std::to_string(iteration_);
}

}  // namespace faultline
