// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "sim/core/component.hpp"

namespace faultline::failure_detection {

struct ErringOracleOptions {
  std::uint32_t reporter = 1;
  std::uint32_t accused = 2;
  double report_s = 0.01;
  bool spreads = true;
  double delay_s = 1e-3;
  double spread_s = 0.0;
  std::uint64_t control_bytes = 16;
};

/// A failure detector that makes one mistake at a stated moment: it tells one rank that another
/// one, which lives, is dead. It reports real deaths as `oracle` does. Under `explore` the mistake
/// comes at any moment.
class ErringOracle final : public Detector {
 public:
  using Options = ErringOracleOptions;
  ErringOracle(std::shared_ptr<const Options> options, const JobShape&, Rank)
      : options_(std::move(options)) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<ErringOracle>(*this);
  }
  void start(DetectorContext& context) override;
  void on_timer(DetectorContext& context, std::uint64_t key) override;
  void on_message(DetectorContext& context, const Message& message) override;
  void on_exit_notice(DetectorContext& context, Incarnation dead) override {
    context.report_failed(dead);
  }

 private:
  /// The detector keeps no state.
  void digest_state(Digest&) const override {}

  std::shared_ptr<const Options> options_;
};

}  // namespace faultline::failure_detection
