// SPDX-License-Identifier: Apache-2.0
#include "workloads/any_tree.hpp"

#include <utility>

#include "sim/core/choices.hpp"

namespace faultline::workloads {

AnyTree::AnyTree(std::shared_ptr<const RandomTreeOptions> options) : options_(std::move(options)) {}

std::unique_ptr<Component> AnyTree::clone() const { return std::make_unique<AnyTree>(*this); }

void AnyTree::start(WorkloadContext& context) {
  if (context.self() != 0) return;
  const std::uint64_t most = context.job().processes > 1 ? *options_->most_messages : 0;
  run(context, context.choose(random, most + 1, "the number of messages of the tree"));
}

void AnyTree::on_message(WorkloadContext& context, const Message& message) {
  run(context, message.payload.get<std::uint64_t>());
}

void AnyTree::run(WorkloadContext& context, std::uint64_t messages) {
  ++tasks_;
  context.compute(options_->task_compute_s, messages);
}

void AnyTree::on_compute_done(WorkloadContext& context, std::uint64_t messages) {
  while (messages > 0) {
    const auto other =
        static_cast<Rank>(context.choose(random, context.job().processes - 1, kChildRank));
    const Rank to = other + static_cast<Rank>(other >= context.self());
    const std::uint64_t below = context.choose(random, messages, "the number of messages below it");
    context.send(to, 0, options_->bytes).payload.put(below);
    messages -= 1 + below;
    if (!options_->pauses || context.choose(random, 2, "whether to compute once more") == 0)
      continue;
    return context.compute(options_->task_compute_s, messages);
  }
}

void AnyTree::report(MetricTotals& totals) const { totals.put(kTasksRun, tasks_); }

}  // namespace faultline::workloads
