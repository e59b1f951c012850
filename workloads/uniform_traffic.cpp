// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/choices.hpp"
#include "sim/core/component.hpp"
#include "workloads/random_successors.hpp"

namespace faultline::workloads {

struct UniformTrafficOptions {
  std::optional<std::uint32_t> tokens;
  std::uint32_t hops = 100;
  std::optional<std::uint32_t> fanout;
  std::uint64_t bytes = 64;
  double compute_s = 0.0;
  std::optional<double> burst_compute_s;
  double stay_probability = 0.0;
  std::string choices = "seeded";
};

/// Random traffic. Each token makes a fixed number of hops between random ranks, so that the number
/// of messages does not depend on their order. With a fan-out, a rank sends only to a few fixed
/// successors of its own (adoption-2013 section 5.2). It may then begin with a burst: it sends a
/// message to each successor and computes, and in that time every rank is engaged.
class UniformTraffic final : public Workload {
 public:
  using Options = UniformTrafficOptions;
  UniformTraffic(std::shared_ptr<const Options> options, const JobShape&, Rank);
  UniformTraffic(const UniformTraffic& other);
  UniformTraffic& operator=(const UniformTraffic&) = delete;
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void start(WorkloadContext& context) override;
  void on_message(WorkloadContext& context, const Message& message) override;
  void on_compute_done(WorkloadContext& context, std::uint64_t hops_left) override;

 private:
  void digest_state(Digest& into) const override {
    into.add(successors_ ? *successors_ : std::vector<Rank>());
  }
  void burst(WorkloadContext& context) const;
  void move(WorkloadContext& context, std::uint64_t hops_left);
  [[nodiscard]] Rank successor(WorkloadContext& context);

  std::shared_ptr<const Options> options_;
  /// Does not change after the start; null if all other ranks are successors. It is a pointer,
  /// because a benchmark has a million ranks without it.
  std::unique_ptr<const std::vector<Rank>> successors_;
};

namespace {

OptionSet<UniformTrafficOptions> options() {
  return with_choices(
      OptionSet<UniformTrafficOptions>()
          .option("tokens", &UniformTrafficOptions::tokens,
                  {.doc = "tokens in flight, dealt to the ranks in turn; null: one per rank"})
          .option("hops", &UniformTrafficOptions::hops,
                  {.doc = "number of hops of each token", .minimum = 1})
          .option("fanout", &UniformTrafficOptions::fanout,
                  {.doc = "fixed, distinct, random successors of each rank; null: all others",
                   .source = "adoption-2013 section 5.2",
                   .minimum = 1})
          .option("bytes", &UniformTrafficOptions::bytes, {.doc = "size of a message", .unit = "B"})
          .option("compute_s", &UniformTrafficOptions::compute_s,
                  {.doc = "computation before each hop", .unit = "s", .minimum = 0, .maximum = 1e9})
          .option(
              "burst_compute_s", &UniformTrafficOptions::burst_compute_s,
              {.doc = "computation of a burst at the start, for which every rank sends one message "
                      "to each successor; null: no burst",
               .unit = "s",
               .source = "adoption-2013 section 5.4 (every process has sent to f others)",
               .minimum = 0,
               .maximum = 1e9})
          .option("stay_probability", &UniformTrafficOptions::stay_probability,
                  {.doc = "probability that a hop leads back to its own rank, which sends a "
                          "message to itself",
                   .minimum = 0,
                   .maximum = 1}),
      &UniformTrafficOptions::choices);
}

std::vector<OptionProblem> check(const OptionValues& values, const JobShape& job) {
  const OptionValue& fanout = values.at("fanout");
  if (std::holds_alternative<std::monostate>(fanout) &&
      !std::holds_alternative<std::monostate>(values.at("burst_compute_s")))
    return {{"fanout", "missing, needed by burst_compute_s"}};
  const std::int64_t others = std::max<std::int64_t>(1, std::int64_t{job.processes} - 1);
  if (!std::holds_alternative<std::int64_t>(fanout) || std::get<std::int64_t>(fanout) <= others)
    return {};
  return {{"fanout", "expected at most " + std::to_string(others) + ", one less than processes"}};
}

const Registered registered{registration<UniformTraffic>(
    {.family = Family::workload,
     .name = "uniform-traffic",
     .summary = "tokens that hop between random ranks: load, benchmarks, fan-out and survival",
     .source = "adoption-2013 section 5.2 (fan-out)",
     .traits = WorkloadTraits{.has_images = true},
     .message_kinds = {"token"},
     .check = check},
    options())};

}  // namespace

UniformTraffic::UniformTraffic(std::shared_ptr<const Options> options, const JobShape&, Rank)
    : options_(std::move(options)) {}

UniformTraffic::UniformTraffic(const UniformTraffic& other)
    : Workload(other), options_(other.options_) {
  if (other.successors_)
    successors_ = std::make_unique<const std::vector<Rank>>(*other.successors_);
}

std::unique_ptr<Component> UniformTraffic::clone() const {
  return std::make_unique<UniformTraffic>(*this);
}

void UniformTraffic::start(WorkloadContext& context) {
  const std::uint32_t processes = context.job().processes;
  if (options_->fanout && processes > 1)
    successors_ = std::make_unique<const std::vector<Rank>>(
        random_successors(context, random, *options_->fanout));
  if (options_->burst_compute_s) burst(context);
  const std::uint64_t tokens = options_->tokens.value_or(processes);
  for (std::uint64_t token = context.self(); token < tokens; token += processes)
    move(context, options_->hops);
}

void UniformTraffic::burst(WorkloadContext& context) const {
  if (successors_)
    for (const Rank to : *successors_)
      context.send(to, 0, options_->bytes).payload.put(std::uint64_t{0});
  context.compute(*options_->burst_compute_s, 0);
}

Rank UniformTraffic::successor(WorkloadContext& context) {
  const std::uint32_t processes = context.job().processes;
  if (processes == 1) return 0;
  if (options_->stay_probability > 0.0 &&
      context.choose_yes(random, options_->stay_probability, "whether to stay"))
    return context.self();
  if (successors_)
    return (*successors_)[context.choose(random, successors_->size(), "which of its successors")];
  const auto other = static_cast<Rank>(context.choose(random, processes - 1, kReceiverRank));
  return other + static_cast<Rank>(other >= context.self());
}

void UniformTraffic::on_message(WorkloadContext& context, const Message& message) {
  const auto hops_left = message.payload.get<std::uint64_t>();
  if (hops_left == 0) return;
  if (options_->compute_s > 0.0)
    context.compute(options_->compute_s, hops_left);
  else
    move(context, hops_left);
}

void UniformTraffic::on_compute_done(WorkloadContext& context, std::uint64_t hops_left) {
  if (hops_left > 0) move(context, hops_left);
}

void UniformTraffic::move(WorkloadContext& context, std::uint64_t hops_left) {
  const Rank to = successor(context);
  context.send(to, 0, options_->bytes).payload.put(hops_left - 1);
}

}  // namespace faultline::workloads
