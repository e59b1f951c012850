#pragma once

#include <memory>

#include "sim/core/component.hpp"

namespace faultline {

struct OracleOptions {
  double delay_s = 1e-3;
};

/// A perfect failure detector: every live rank learns of every death after a fixed delay. The
/// resource manager is assumed to know of deaths, which is all that adoption-2013 section 4 asks
/// for.
class Oracle final : public Component {
 public:
  using Options = OracleOptions;
  Oracle(const std::shared_ptr<const Options>& options, const JobShape&, Rank)
      : delay_s_(options->delay_s) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Oracle>(*this);
  }
  void on_exit_notice(Context& context, ActorId dead) override { context.report_failed(dead); }
  [[nodiscard]] std::optional<double> exit_notice_delay_s() const override { return delay_s_; }

 private:
  double delay_s_;
};

}  // namespace faultline
