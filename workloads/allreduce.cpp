// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>

#include "sim/core/component.hpp"
#include "workloads/collectives.hpp"

namespace faultline::workloads {

struct AllreduceOptions {
  std::uint64_t repetitions = 100;
  std::uint64_t bytes = 8;
  double compute_s = 0.0;
};

/// Repeated all-reduce of one number over all ranks, with computation in between: noise and
/// synchronisation experiments. Each rank checks the sum.
class Allreduce final : public Workload {
 public:
  using Options = AllreduceOptions;
  Allreduce(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void start(WorkloadContext& context) override;
  void on_message(WorkloadContext& context, const Message& message) override;
  void on_compute_done(WorkloadContext& context, std::uint64_t tag) override;
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

 private:
  void digest_state(Digest& into) const override;
  void begin(WorkloadContext& context);
  void send(WorkloadContext& context, const std::vector<RecursiveDoubling::Send>& sends);
  void try_complete(WorkloadContext& context);

  std::shared_ptr<const Options> options_;
  Rank self_;
  RecursiveDoubling sum_;
  double expected_;
  std::uint64_t operations_ = 0;
  std::uint64_t wrong_ = 0;
  bool reducing_ = false;
  double finish_s_ = 0.0;
};

namespace {

OptionSet<AllreduceOptions> options() {
  return OptionSet<AllreduceOptions>()
      .option("repetitions", &AllreduceOptions::repetitions,
              {.doc = "number of operations", .minimum = 1})
      .option("bytes", &AllreduceOptions::bytes, {.doc = "size of a message", .unit = "B"})
      .option(
          "compute_s", &AllreduceOptions::compute_s,
          {.doc = "computation before each operation", .unit = "s", .minimum = 0, .maximum = 1e6});
}

constexpr MetricSpec kTime{"allreduce_time_s", Merge::maximum,
                           "time at which the last rank finished"};
constexpr MetricSpec kWrongSums{"wrong_sums", Merge::sum,
                                "wrong sums; if not 0, the run is `violated` (`wrong-result`)"};

constexpr Mark kOperationMark{"operation",
                              "a rank has the sum of an operation: its number, from 1"};

const Registered registered{registration<Allreduce>(
    {.family = Family::workload,
     .name = "allreduce",
     .summary = "repeated all-reduce by recursive doubling, each sum checked",
     .source = "Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005",
     .traits =
         WorkloadTraits{
             .finishes = true, .has_images = true, .end_checks = {{&kWrongSums, "wrong-result"}}},
     .message_kinds = {"part"},
     .metrics = {&kTime, &kWrongSums},
     .marks = {&kOperationMark}},
    options())};

}  // namespace

Allreduce::Allreduce(std::shared_ptr<const Options> options, const JobShape& job, Rank self)
    : options_(std::move(options)),
      self_(self),
      sum_(self, job.processes),
      expected_(0.5 * job.processes * (job.processes - 1.0)) {}

std::unique_ptr<Component> Allreduce::clone() const { return std::make_unique<Allreduce>(*this); }

void Allreduce::start(WorkloadContext& context) { begin(context); }

// A single rank waits for nobody, so its operations must not nest.
void Allreduce::begin(WorkloadContext& context) {
  if (options_->compute_s > 0.0 || context.job().processes == 1) {
    context.compute(options_->compute_s);
    return;
  }
  on_compute_done(context, 0);
}

void Allreduce::on_compute_done(WorkloadContext& context, std::uint64_t) {
  reducing_ = true;
  send(context, sum_.begin(static_cast<double>(self_)));
  try_complete(context);
}

void Allreduce::on_message(WorkloadContext& context, const Message& message) {
  send(context, sum_.take(message.payload.get<CollectivePart>()));
  try_complete(context);
}

void Allreduce::send(WorkloadContext& context, const std::vector<RecursiveDoubling::Send>& sends) {
  for (const auto& send : sends) context.send(send.to, 0, options_->bytes).payload.put(send.part);
}

void Allreduce::try_complete(WorkloadContext& context) {
  const auto sum = sum_.sum();
  if (!reducing_ || !sum) return;
  reducing_ = false;
  if (*sum != expected_) ++wrong_;
  ++operations_;
  context.mark(kOperationMark, static_cast<std::int64_t>(operations_));
  if (operations_ < options_->repetitions) {
    begin(context);
    return;
  }
  finish_s_ = context.now_s();
  context.finish();
}

void Allreduce::report(MetricTotals& totals) const {
  totals.put(kTime, finish_s_);
  totals.put(kWrongSums, wrong_);
}

// A wrong sum is a violation at the end of the run, so the count of wrong sums is part of the
// state.
void Allreduce::digest_state(Digest& into) const { into.add(sum_, operations_, reducing_, wrong_); }

std::string Allreduce::waiting_for() const {
  return reducing_ ? "parts of operation " + std::to_string(operations_ + 1) : std::string();
}

}  // namespace faultline::workloads
