// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/choices.hpp"
#include "sim/core/component.hpp"
#include "workloads/random_successors.hpp"

namespace faultline::workloads {

struct FloodOptions {
  std::string graph = "random";
  std::uint32_t fanout = 8;
  std::uint64_t bytes = 64;
  double compute_s = 1.0;
  std::string choices = "seeded";
};

/// Rank 0 floods a graph: a rank that its first message reaches sends one to each of its
/// successors, and computes. On a random graph, chance decides which rank engages which. While the
/// ranks compute, all reachable ranks are engaged and have sent to all their successors.
class Flood final : public Workload {
 public:
  using Options = FloodOptions;
  Flood(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void start(WorkloadContext& context) override;
  void on_message(WorkloadContext& context, const Message& message) override;

 private:
  void digest_state(Digest& into) const override { into.add(reached_); }
  [[nodiscard]] std::vector<Rank> successors(WorkloadContext& context);
  void pass_on(WorkloadContext& context);

  std::shared_ptr<const Options> options_;
  Rank self_;
  bool reached_ = false;
};

namespace {

OptionSet<FloodOptions> options() {
  return with_choices(
      OptionSet<FloodOptions>()
          .option("graph", &FloodOptions::graph,
                  {.doc = "random: distinct random successors; tree: those of a complete tree, in "
                          "which every message engages its receiver and recovery costs the most",
                   .choices = {"random", "tree"}})
          .option("fanout", &FloodOptions::fanout,
                  {.doc = "successors of each rank",
                   .source = "adoption-2013 section 5.2",
                   .minimum = 1})
          .option("bytes", &FloodOptions::bytes, {.doc = "size of a message", .unit = "B"})
          .option("compute_s", &FloodOptions::compute_s,
                  {.doc = "computation of each rank once it has sent to its successors",
                   .unit = "s",
                   .minimum = 0,
                   .maximum = 1e9}),
      &FloodOptions::choices);
}

std::vector<OptionProblem> check(const OptionValues& values, const JobShape& job) {
  if (job.processes > options().read(values).fanout) return {};
  return {{"fanout",
           "expected at most " + std::to_string(job.processes - 1) + ", one less than processes"}};
}

const Registered registered{registration<Flood>(
    {.family = Family::workload,
     .name = "flood",
     .summary =
         "a message that spreads over a graph: random or complete engagement trees, survival",
     .source = "adoption-2013 section 5.4",
     .traits = WorkloadTraits{.starts_at_root = true, .has_images = true},
     .message_kinds = {"flood"},
     .check = check},
    options())};

}  // namespace

Flood::Flood(std::shared_ptr<const Options> options, const JobShape&, Rank self)
    : options_(std::move(options)), self_(self) {}

std::unique_ptr<Component> Flood::clone() const { return std::make_unique<Flood>(*this); }

void Flood::start(WorkloadContext& context) {
  if (self_ == 0) pass_on(context);
}

void Flood::on_message(WorkloadContext& context, const Message&) {
  if (!reached_) pass_on(context);
}

// The last ranks of a complete tree have fewer successors, or none.
std::vector<Rank> Flood::successors(WorkloadContext& context) {
  if (options_->graph == "random") return random_successors(context, random, options_->fanout);
  std::vector<Rank> children;
  children.reserve(options_->fanout);
  const std::uint32_t processes = context.job().processes;
  const std::uint64_t first = std::uint64_t{self_} * options_->fanout + 1;
  for (std::uint64_t child = first; child < first + options_->fanout && child < processes; ++child)
    children.push_back(static_cast<Rank>(child));
  return children;
}

void Flood::pass_on(WorkloadContext& context) {
  reached_ = true;
  for (const Rank to : successors(context)) context.send(to, 0, options_->bytes);
  context.compute(options_->compute_s);
}

}  // namespace faultline::workloads
