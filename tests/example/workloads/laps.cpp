// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "sim/core/component.hpp"

namespace faultline::workloads {

namespace {

enum Kind : std::uint16_t { kToken };

constexpr MetricSpec kLapTime{"lap_time_s", Merge::maximum, "mean time of a lap"};

struct LapsOptions {
  std::uint64_t laps = 10;
  std::uint64_t bytes = 8;
  double compute_s = 0.0;
};

/// A token goes round the ring of ranks. Each rank computes before it passes the token on.
class Laps final : public Workload {
 public:
  using Options = LapsOptions;
  Laps(std::shared_ptr<const Options> options, const JobShape& job, Rank self)
      : options_(std::move(options)), self_(self), next_((self + 1) % job.processes) {}
  [[nodiscard]] std::unique_ptr<Component> clone() const override {
    return std::make_unique<Laps>(*this);
  }

  void start(WorkloadContext& context) override {
    if (is_root()) context.compute(options_->compute_s);
  }

  // The root ends the last lap. The ranks on the way have to pass the token on first.
  void on_message(WorkloadContext& context, const Message&) override {
    ++arrivals_;
    if (!is_root() || !has_all()) {
      context.compute(options_->compute_s);
      return;
    }
    lap_time_s_ = context.now_s() / static_cast<double>(options_->laps);
    context.finish();
  }

  void on_compute_done(WorkloadContext& context, std::uint64_t) override {
    context.send(next_, kToken, options_->bytes);
    if (!is_root() && has_all()) context.finish();
  }

  void report(MetricTotals& totals) const override {
    if (is_root() && has_all()) totals.put(kLapTime, lap_time_s_);
  }
  [[nodiscard]] std::string waiting_for() const override { return has_all() ? "" : "the token"; }

 private:
  /// The time is for the report.
  void digest_state(Digest& into) const override { into.add(arrivals_); }
  [[nodiscard]] bool is_root() const { return self_ == 0; }
  [[nodiscard]] bool has_all() const { return arrivals_ == options_->laps; }

  std::shared_ptr<const Options> options_;
  Rank self_;
  Rank next_;
  std::uint64_t arrivals_ = 0;
  double lap_time_s_ = 0.0;
};

OptionSet<LapsOptions> options() {
  return OptionSet<LapsOptions>()
      .option("laps", &LapsOptions::laps, {.doc = "how often the token goes round", .minimum = 1})
      .option("bytes", &LapsOptions::bytes, {.doc = "size of the token", .unit = "B"})
      .option("compute_s", &LapsOptions::compute_s,
              {.doc = "computation of a rank that has the token",
               .unit = "s",
               .minimum = 0,
               .maximum = 1e6});
}

const Registered registered{registration<Laps>(
    {.family = Family::workload,
     .name = "laps",
     .summary = "a token goes round the ring of ranks",
     .source = "none: the example of docs/adding/workload.md",
     .traits = WorkloadTraits{.starts_at_root = true, .finishes = true, .has_images = true},
     .message_kinds = {"token"},
     .metrics = {&kLapTime}},
    options())};

}  // namespace

}  // namespace faultline::workloads
