// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace faultline {

/// The work between two checkpoints that wastes least time, in seconds, to the first order in
/// checkpoint_s / mtbf_s (Young, CACM 17(9), 1974).
inline double young_interval_s(double checkpoint_s, double mtbf_s) {
  return std::sqrt(2.0 * checkpoint_s * mtbf_s);
}

/// The interval between checkpoints that costs least, to a higher order (Daly, FGCS 22(3), 2006,
/// equation 37). Faults come at exponential intervals with the mean `mtbf_s`, of the whole job. How
/// long a restart takes does not matter.
inline double daly_interval_s(double checkpoint_s, double mtbf_s) {
  if (checkpoint_s >= 2.0 * mtbf_s) return mtbf_s;
  const double share = checkpoint_s / (2.0 * mtbf_s);
  return young_interval_s(checkpoint_s, mtbf_s) * (1.0 + std::sqrt(share) / 3.0 + share / 9.0) -
         checkpoint_s;
}

}  // namespace faultline
