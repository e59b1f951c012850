// SPDX-License-Identifier: Apache-2.0

// TryBlocks with a collective inside: a rank that succeeds accepts its own, and all agree when a
// rank has not succeeded.

#include <utility>

#include "protocols/transactions/fampi.hpp"

namespace faultline::transactions {

/// Ranks do not agree on a presumed TryBlock. The one agreement of a world ends what all are doing,
/// in whichever TryBlock.
std::uint64_t Fampi::agreement_number() const {
  if (attempt() == 0) return 0;
  return presumes() ? 1 : attempt();
}

/// A collective that has ended proves that all have begun this TryBlock, so all have succeeded in
/// the last one. Nothing proves yet that others succeed in this one.
void Fampi::finish_presuming(RecoveryContext& context, bool succeeded) {
  if (contributed_) return;
  if (succeeded) {
    settle_presumed(context, true);
    presumption_.change().block = attempt();
    block_.statistics.contributed_s = context.now_s();
    block_.statistics.on_decision(true, context.now_s());
    rejections_ = 0;
    if (called_) contribute(context, true);
    return;
  }
  if (!std::exchange(called_, true)) invite(context);
  contribute(context, false);
}

void Fampi::settle_presumed(RecoveryContext& context, bool is_accepted) {
  if (presumption_->block == 0) return;
  Presumption& own = presumption_.change();
  const BlockVerdict verdict = is_accepted ? BlockVerdict::accepted : BlockVerdict::rejected;
  context.answer(own.wait, BlockOutcome{std::exchange(own.block, 0), verdict});
  if (is_accepted) return;
  --block_.statistics.committed;
  ++block_.statistics.rejected;
  ++own.revoked;
}

/// A rank that has failed waits for an agreement of all, including those that have presumed.
void Fampi::call(RecoveryContext& context) {
  if (std::exchange(called_, true)) return;
  invite(context);
  world_.end_lost_save(context, *this);
  if (attempt() == 0) return;
  if (presumption_->block != attempt()) return release(context);
  if (!contributed_) contribute(context, true);
}

/// At the end, no TryBlock follows that could prove the last one.
void Fampi::leave(RecoveryContext& context, const StackRequest& request) {
  if (!presumes() || attempt() == 0) return context.answer(request, LeaveWorld{});
  presumption_.change().leave_request = request;
  if (block_.outcome()) return try_to_leave(context);
  if (!contributed_) contribute(context, true);
}

void Fampi::try_to_leave(RecoveryContext& context) {
  if (!presumption_->leave_request) return;
  if (!block_.outcome()->accepts()) return world_.regroup(context, *this);
  context.answer(*std::exchange(presumption_.change().leave_request, std::nullopt), LeaveWorld{});
}

/// True if this contribution to the agreement reports a failure. The agreement of a recovery is
/// another one.
bool Fampi::calls(const AgreementMessage& up) const {
  const std::uint64_t first_sweep = options_->agreement == "two-phase" ? 2 : 1;
  return up.sweep >= first_sweep && !up.value.accepts();
}

}  // namespace faultline::transactions
