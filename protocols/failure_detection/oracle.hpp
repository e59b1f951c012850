// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "sim/core/component.hpp"

namespace faultline::failure_detection {

struct OracleOptions {
  double delay_s = 1e-3;
  double spread_s = 0.0;
};

/// A perfect failure detector: every live rank learns of every death, after a fixed delay and a
/// random one of its own. It assumes that the resource manager knows of deaths, and adoption-2013
/// section 4 asks for no more.
class Oracle final : public Detector {
 public:
  using Options = OracleOptions;
  Oracle(const std::shared_ptr<const Options>&, const JobShape&, Rank) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Oracle>(*this);
  }
  void on_exit_notice(DetectorContext& context, Incarnation dead) override {
    context.report_failed(dead);
  }

 private:
  /// The detector keeps no state.
  void digest_state(Digest&) const override {}
};

}  // namespace faultline::failure_detection
