// SPDX-License-Identifier: Apache-2.0
#include "protocols/termination/power_sum.hpp"

#include "sim/core/invariant.hpp"

namespace faultline::termination {

void PowerSum::add(std::uint64_t exponent) {
  if (fraction_.size() < exponent) fraction_.resize(exponent);
  while (exponent > 0 && fraction_[exponent - 1]) {  // two of one power make one of the next
    fraction_[--exponent] = false;
    invariant(ones_ > 0, "a sum has more ones than it counts");
    --ones_;
  }
  if (exponent == 0) {
    ++whole_;
  } else {
    fraction_[exponent - 1] = true;
    ++ones_;
  }
}

std::optional<std::uint64_t> PowerSum::whole() const {
  return ones_ == 0 ? std::optional(whole_) : std::nullopt;
}

// Adds the set bits only: the number of places depends on the terms that were added on the way.
void PowerSum::digest(Digest& into) const {
  into.add(whole_, ones_);
  for (std::size_t place = 0; place < fraction_.size(); ++place)
    if (fraction_[place]) into.add(place);
}

}  // namespace faultline::termination
