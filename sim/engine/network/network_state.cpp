// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/network/network_state.hpp"

namespace faultline::engine {

NetworkState::NetworkState(const RunJob& job, std::size_t actors)
    : nics_(job.nodes), outgoing_(actors), nics_are_shared_(job.shares_nics()) {
  const auto streams = [&](Purpose purpose) {
    std::vector<Stream> of_actors;
    of_actors.reserve(actors);
    for (ActorId actor = 0; actor < actors; ++actor)
      of_actors.emplace_back(job.seed, job.replication, purpose, actor);
    return of_actors;
  };
  const scenario::PlatformSpec& platform = job.spec.platform;
  if (platform.ordering == scenario::Ordering::unordered) order_random_ = streams(Purpose::network);
  if (platform.delay_noise) noise_random_ = streams(Purpose::delay_noise);
  if (platform.detection_loss_probability > 0.0) loss_random_ = streams(Purpose::detection_loss);
}

}  // namespace faultline::engine
