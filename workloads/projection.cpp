// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>

#include "sim/core/component.hpp"
#include "workloads/haar_tree.hpp"

namespace faultline::workloads {

struct ProjectionOptions {
  double threshold = 1e-7;
  double task_compute_s = 1e-6;
  std::uint64_t bytes = 64;
};

/// The projection of termination-2022 section 6.2, with one task for each node of a Haar tree. The
/// task decides whether its node is refined, and if so makes a task of each half. Nodes of depth d
/// < log2(P) are on ranks drawn uniformly, and all others on the rank of their parent. So most of
/// the tree consists of subtrees that stay on one rank; each of them runs as one computation.
class Projection final : public Workload {
 public:
  using Options = ProjectionOptions;
  Projection(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void start(WorkloadContext& context) override;
  void on_message(WorkloadContext& context, const Message& message) override;
  void on_compute_done(WorkloadContext& context, std::uint64_t tag) override;
  void report(MetricTotals& totals) const override;

 private:
  /// Messages and computations hold everything that remains to be done; tasks are only for the
  /// report.
  void digest_state(Digest&) const override {}
  void spawn(WorkloadContext& context, HaarNode node);
  void run(WorkloadContext& context, HaarNode node);

  std::shared_ptr<const Options> options_;
  HaarTree tree_;
  Rank self_;
  std::uint64_t tasks_ = 0;
};

namespace {

constexpr std::uint64_t kSubtree = 0;  // tag of a computation after which nothing is left to do

OptionSet<ProjectionOptions> options() {
  return OptionSet<ProjectionOptions>()
      .option("threshold", &ProjectionOptions::threshold,
              {.doc = "precision: a node is refined while its detail coefficient exceeds this; "
                      "1e-7 makes 44,367 tasks, 1e-12 92,709,147, 1e-13 524,882,667",
               .source = "termination-2022 section 6.2 and table 2; function exp(-x^2), criterion "
                         "and least depth 3 from its public benchmark, as e^-2x in the text has "
                         "over 4e8 nodes at 1e-7",
               .minimum = 1e-16,
               .maximum = 1})
      .option("task_compute_s", &ProjectionOptions::task_compute_s,
              {.doc = "computation time of one task; a subtree that stays on its rank computes the "
                      "sum of its tasks on one core",
               .unit = "s",
               .source = "assumed: two evaluations of the function and a turn of the scheduler",
               .minimum = 0,
               .maximum = 1e6})
      .option("bytes", &ProjectionOptions::bytes,
              {.doc = "size of a message that makes a task on another rank",
               .unit = "B",
               .source = "assumed"});
}

constexpr MetricSpec kTasks{"tasks", Merge::sum, "tasks that were computed to their end"};

const Registered registered{registration<Projection>(
    {.family = Family::workload,
     .name = "projection",
     .summary =
         "adaptive projection of a function: a tree of tasks that unfolds where it is needed",
     .source = "termination-2022 sections 2 and 6.2",
     .traits = WorkloadTraits{.starts_at_root = true, .has_images = true},
     .message_kinds = {"task"},
     .metrics = {&kTasks}},
    options())};

// d < log2(P): these nodes are dealt to random ranks.
bool dealt(HaarNode node, const JobShape& job) {
  return (std::uint64_t{1} << HaarTree::depth(node)) < job.processes;
}

// Gives every rank the same answer, so nobody has to be told where a task went.
Rank dealt_to(HaarNode node, const JobShape& job) {
  return static_cast<Rank>(
      Stream(job.seed, job.replication, Purpose::task_mapping, node).below(job.processes));
}

}  // namespace

Projection::Projection(std::shared_ptr<const Options> options, const JobShape&, Rank self)
    : options_(std::move(options)), tree_(options_->threshold), self_(self) {}

std::unique_ptr<Component> Projection::clone() const { return std::make_unique<Projection>(*this); }

// The computation starts at rank 0, which sends the root to its rank.
void Projection::start(WorkloadContext& context) {
  if (self_ == 0) spawn(context, 1);
}

void Projection::spawn(WorkloadContext& context, HaarNode node) {
  const JobShape& job = context.job();
  const Rank owner = dealt(node, job) ? dealt_to(node, job) : self_;
  if (owner == self_)
    run(context, node);
  else
    context.send(owner, 0, options_->bytes).payload.put(node);
}

void Projection::on_message(WorkloadContext& context, const Message& message) {
  run(context, message.payload.get<HaarNode>());
}

void Projection::run(WorkloadContext& context, HaarNode node) {
  const bool subtree = !dealt(2 * node, context.job());
  const std::uint64_t tasks = subtree ? tree_.subtree_nodes(node) : 1;
  tasks_ += tasks;
  context.compute(static_cast<double>(tasks) * options_->task_compute_s, subtree ? kSubtree : node);
}

void Projection::on_compute_done(WorkloadContext& context, std::uint64_t tag) {
  if (tag == kSubtree || !tree_.refined(tag)) return;
  spawn(context, 2 * tag);
  spawn(context, 2 * tag + 1);
}

void Projection::report(MetricTotals& totals) const { totals.put(kTasks, tasks_); }

}  // namespace faultline::workloads
