#include "workloads/sum_request.hpp"

namespace faultline {

/// Stage 0 folds the ranks beyond the largest power of two into the others, and the last one gives
/// them the sum.
std::optional<SumRequest::Stage> SumRequest::stage(std::uint32_t number) const {
  const std::uint32_t core = std::bit_floor(ranks_);
  const bool folds = self_ >= core;
  const bool has_partner = self_ < ranks_ - core;
  if (number == 0) {
    if (folds) return Stage{.partner = self_ - core, .sends = true};
    if (has_partner) return Stage{.partner = self_ + core, .receives = true};
    return std::nullopt;
  }
  if (number + 1 < stages(ranks_)) {
    if (folds) return std::nullopt;
    return Stage{.partner = self_ ^ (1U << (number - 1)), .sends = true, .receives = true};
  }
  if (folds) return Stage{.partner = self_ - core, .receives = true, .replaces = true};
  if (has_partner) return Stage{.partner = self_ + core, .sends = true};
  return std::nullopt;
}

bool SumRequest::post_next(const Means& means) {
  receive_ = 0;
  while (stage_ < stages(ranks_)) {
    const std::uint32_t tag = means.first_tag + stage_;
    const std::optional<Stage> now = stage(stage_++);
    if (!now) continue;
    const ActorId partner = means.world.actor_of(now->partner);
    replaces_ = now->replaces;
    if (now->receives)
      receive_ = means.operations.receive(means.context, partner, tag, means.timeout_s);
    if (now->sends) {
      OperationData data;
      data.put(Part{sum_});
      means.operations.send(means.context, partner, tag, means.bytes, means.timeout_s, data);
    }
    return true;
  }
  return false;
}

void SumRequest::take(const Operations& operations) {
  if (receive_ == 0) return;
  const std::uint64_t part = operations.data(receive_).get<Part>().sum;
  sum_ = replaces_ ? part : sum_ + part;
}

}  // namespace faultline
