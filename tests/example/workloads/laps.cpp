// SPDX-License-Identifier: Apache-2.0
#include "workloads/laps.hpp"

namespace faultline {

namespace {

enum Kind : std::uint16_t { kToken };

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

constexpr MetricSpec kLapTime{"lap_time_s", Merge::maximum, "mean time of a lap"};

const Registered registered{
    registration<Laps>({.family = Family::workload,
                        .name = "laps",
                        .summary = "a token goes round the ring of ranks",
                        .source = "none: the example of docs/adding/workload.md",
                        .traits = {.starts_at_root = true, .finishes = true, .has_images = true},
                        .message_kinds = {"token"},
                        .metrics = {&kLapTime}},
                       options())};

}  // namespace

Laps::Laps(std::shared_ptr<const Options> options, const JobShape& job, Rank self)
    : options_(std::move(options)), self_(self), next_((self + 1) % job.processes) {}

std::unique_ptr<Component> Laps::clone() const { return std::make_unique<Laps>(*this); }

void Laps::start(Context& context) {
  if (is_root()) context.compute(options_->compute_s);
}

// The root ends the last lap. The ranks on the way have to pass the token on first.
void Laps::on_message(Context& context, const Message&) {
  ++arrivals_;
  if (!is_root() || !has_all()) {
    context.compute(options_->compute_s);
    return;
  }
  lap_time_s_ = context.now_s() / static_cast<double>(options_->laps);
  context.finish();
}

void Laps::on_compute_done(Context& context, std::uint64_t) {
  context.send(next_, kToken, options_->bytes);
  if (!is_root() && has_all()) context.finish();
}

void Laps::report(MetricTotals& totals) const {
  if (is_root() && has_all()) totals.put(kLapTime, lap_time_s_);
}

std::string Laps::waiting_for() const { return has_all() ? "" : "the token"; }

}  // namespace faultline
