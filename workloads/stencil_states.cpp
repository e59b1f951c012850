// SPDX-License-Identifier: Apache-2.0
#include "workloads/stencil_states.hpp"

#include <utility>

namespace faultline::workloads {

std::vector<std::uint64_t> final_states(const StencilPlan& plan) {
  std::vector<std::uint64_t> states(plan.objects());
  for (ObjectId object = 0; object < states.size(); ++object)
    states[object] = StencilStates::initial(object);
  std::vector<std::uint64_t> consumed;
  for (std::uint64_t iteration = 0; iteration < plan.options().iterations; ++iteration) {
    for (std::size_t exchange = 0; exchange < plan.exchanges().size(); ++exchange) {
      consumed.assign(states.size(), 0);
      for (ObjectId object = 0; object < states.size(); ++object)
        plan.for_each_neighbour(object, exchange, [&](const StencilPlan::Neighbour& neighbour) {
          consumed[neighbour.object] += StencilStates::part(states[object], neighbour.its_side);
        });
      for (ObjectId object = 0; object < states.size(); ++object)
        states[object] = StencilStates::next(states[object], consumed[object]);
    }
    if (!plan.reduces()) continue;
    const std::uint64_t smallest = *std::min_element(states.begin(), states.end());
    for (std::uint64_t& state : states) state = StencilStates::reduced(state, smallest);
  }
  return states;
}

}  // namespace faultline::workloads
