// SPDX-License-Identifier: Apache-2.0
#include "workloads/stencil_states.hpp"

#include <algorithm>

namespace faultline::workloads {

const std::vector<std::uint64_t>& RightStates::after(std::uint64_t iterations) {
  if (states_.empty() || iterations < iterations_) {
    states_.resize(plan_.objects());
    for (ObjectId object = 0; object < states_.size(); ++object)
      states_[object] = StencilStates::initial(object);
    iterations_ = 0;
  }
  for (; iterations_ < iterations; ++iterations_) iterate();
  return states_;
}

void RightStates::iterate() {
  std::vector<std::uint64_t> consumed;
  for (std::size_t exchange = 0; exchange < plan_.exchanges().size(); ++exchange) {
    consumed.assign(states_.size(), 0);
    for (ObjectId object = 0; object < states_.size(); ++object)
      plan_.for_each_neighbour(object, exchange, [&](const StencilPlan::Neighbour& neighbour) {
        consumed[neighbour.object] += StencilStates::part(states_[object], neighbour.its_side);
      });
    for (ObjectId object = 0; object < states_.size(); ++object)
      states_[object] = StencilStates::next(states_[object], consumed[object]);
  }
  if (!plan_.reduces()) return;
  const std::uint64_t smallest = *std::min_element(states_.begin(), states_.end());
  for (std::uint64_t& state : states_) state = StencilStates::reduced(state, smallest);
}

}  // namespace faultline::workloads
