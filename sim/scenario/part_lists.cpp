// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/part_lists.hpp"

namespace faultline::scenario {

const std::vector<PartList>& part_lists() {
  using platform::Part;
  static const std::vector<PartList> lists = {
      {Part::router,
       {"routers",
        "routers that fail at time_s: nobody dies, and their nodes and all others cannot reach "
        "each other until repair_s has passed"}},
      {Part::rack, {"racks", "racks whose nodes, spare ones included, all die"}},
      {Part::group, {"groups", "groups of the topology whose nodes all die"}},
      {Part::power_unit, {"power_units", "power units whose nodes all die"}}};
  return lists;
}

}  // namespace faultline::scenario
