// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace faultline::statistics {

/// A sum by Kahan's method. Its rounding error does not grow with the number of terms, as long as
/// they have the same sign.
class CompensatedSum {
 public:
  void add(double term) {
    const double corrected = term - lost_;
    const double next = total_ + corrected;
    lost_ = (next - total_) - corrected;
    total_ = next;
  }

  [[nodiscard]] double value() const { return total_; }

 private:
  double total_ = 0.0;
  double lost_ = 0.0;
};

}  // namespace faultline::statistics
