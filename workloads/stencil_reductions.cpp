// SPDX-License-Identifier: Apache-2.0

// The reductions of a stencil: what its objects contribute, and how the results come back to them.

#include <algorithm>

#include "workloads/stencil.hpp"
#include "workloads/stencil_states.hpp"

namespace faultline::workloads {

namespace {

constexpr std::uint32_t kReductionBytes = 16;  ///< the number of a reduction, and a value

}  // namespace

/// An object contributes at its home, which sends the contributions of its objects up the tree
/// together.
void Stencil::contribute(WorkloadContext& context, Object& object, std::uint64_t value) {
  const Part part{.number = object.reductions++, .smallest = value};
  const Rank home = plan().home(object.number);
  if (home == self_) {
    reduction_.take(part);
    complete_reductions(context);
  } else {
    Message& message = context.send(home, kContribution, kReductionBytes);
    message.from_object = object.number;
    message.to_object = kNoObject;
    message.payload.put(part);
  }
  const auto result = std::find_if(early_.begin(), early_.end(), [&](const Early& early) {
    return early.object == object.number && early.side == kNoSide && early.number == part.number;
  });
  if (result == early_.end()) return;
  const Part early{.number = result->number, .smallest = result->value};
  early_.erase(result);
  take_result(context, object, early);
}

void Stencil::complete_reductions(WorkloadContext& context) {
  while (const auto part = reduction_.complete()) {
    if (self_ == 0) {
      spread(context, *part);
      continue;
    }
    Message& message =
        context.send(TreeReduction::parent_of(self_), kContribution, kReductionBytes);
    message.from_object = message.to_object = kNoObject;
    message.payload.put(*part);
  }
  synchronize(context);
}

/// Results overtake one another only when results from before a death are sent again, all at once.
/// What this rank sends must have the same order as before.
void Stencil::pass_results_on(WorkloadContext& context) {
  const auto next = [this] {
    return std::find_if(early_results_.begin(), early_results_.end(),
                        [this](const Part& part) { return part.number == results_; });
  };
  for (auto result = next(); result != early_results_.end(); result = next()) {
    const Part part = *result;
    early_results_.erase(result);
    spread(context, part);
  }
}

/// Passes a result down the tree, and to each object with its home here, wherever the object is.
void Stencil::spread(WorkloadContext& context, const Part& result) {
  const auto send = [&](Rank rank, ObjectId object) {
    Message& message = context.send(rank, kResult, kReductionBytes);
    message.from_object = kNoObject;
    message.to_object = object;
    message.payload.put(result);
  };
  const auto [first_child, past_children] = reduction_.children();
  for (Rank child = first_child; child < past_children; ++child) send(child, kNoObject);
  for (std::uint32_t i = 0; i < plan().options().objects_per_process; ++i)
    send(self_, first_at_home() + i);
  ++results_;
  synchronize(context);
}

void Stencil::take_result(WorkloadContext& context, Object& object, const Part& result) {
  if (result.number >= object.reductions) {
    early_.push_back({object.number, result.number, kNoSide, result.smallest});
    return;
  }
  if (result.number + 1 < object.reductions) return;  // the result of an earlier reduction
  if (object.phase == Phase::synchronizing) return go_on(context, object);
  if (object.phase != Phase::reducing) return;
  if (plan().reduces()) object.state = StencilStates::reduced(object.state, result.smallest);
  end_iteration(context, object);
}

}  // namespace faultline::workloads
