// SPDX-License-Identifier: Apache-2.0
#include "workloads/allreduce_request.hpp"

#include "workloads/collectives.hpp"

namespace faultline::workloads {

bool AllreduceRequest::post_next(const Means& means) {
  receive_ = 0;
  while (stage_ < doubling_stages(ranks_)) {
    const std::uint32_t tag = means.first_tag + stage_;
    const std::optional<DoublingStage> now = doubling_stage(self_, ranks_, stage_++);
    if (!now) continue;
    const ActorId partner = means.world.actor_of(means.first_rank + now->partner);
    replaces_ = now->replaces;
    if (now->receives)
      receive_ = means.operations.receive(means.context, partner, tag, means.timeout_s);
    if (now->sends) {
      OperationData data;
      data.put(Part{value_});
      means.operations.send(means.context, partner, tag, means.bytes, means.timeout_s, data);
    }
    return true;
  }
  return false;
}

void AllreduceRequest::take(const Operations& operations, const ProgramStates& states) {
  if (receive_ == 0) return;
  const std::uint64_t part = operations.data(receive_).get<Part>().value;
  value_ = replaces_ ? part : states.combined(value_, part);
}

}  // namespace faultline::workloads
