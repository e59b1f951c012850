// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>
#include <optional>

#include "sim/core/component.hpp"

namespace faultline::workloads {

struct PingPongOptions {
  std::uint64_t repetitions = 1000;
  std::uint64_t bytes = 8;
  std::optional<std::uint32_t> peer;
  bool pairs = false;
  double compute_s = 0.0;
};

/// Sends one message at a time to and fro between rank 0 and a peer, or in each of P/2 pairs. Half
/// a round trip of one pair is the latency that the documentation of a machine states.
class PingPong final : public Workload {
 public:
  using Options = PingPongOptions;
  PingPong(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void start(WorkloadContext& context) override;
  void on_message(WorkloadContext& context, const Message& message) override;
  void on_compute_done(WorkloadContext& context, std::uint64_t tag) override;
  void report(MetricTotals& totals) const override;
  [[nodiscard]] std::string waiting_for() const override;

 private:
  /// Leaves out everything that is only for the report.
  void digest_state(Digest& into) const override { into.add(round_trips_); }
  [[nodiscard]] bool serves() const { return self_ < peer_; }
  void take_ball(WorkloadContext& context);
  void finish(WorkloadContext& context);

  std::shared_ptr<const Options> options_;
  Rank self_;
  Rank peer_;  ///< kNobody if this rank has no peer
  std::uint64_t round_trips_ = 0;
  double begin_s_ = 0.0;
  double half_round_trip_s_ = 0.0;
  bool finished_ = false;
};

namespace {

OptionSet<PingPongOptions> options() {
  return OptionSet<PingPongOptions>()
      .option("repetitions", &PingPongOptions::repetitions, {.doc = "round trips", .minimum = 1})
      .option("bytes", &PingPongOptions::bytes, {.doc = "size of a message", .unit = "B"})
      .option("peer", &PingPongOptions::peer, {.doc = "the other rank; null: the last one"})
      .option("pairs", &PingPongOptions::pairs, {.doc = "all ranks play, rank i with rank i + P/2"})
      .option("compute_s", &PingPongOptions::compute_s,
              {.doc = "computation of a rank that has got the ball, before it returns the ball",
               .unit = "s",
               .minimum = 0,
               .maximum = 1e6});
}

std::vector<OptionProblem> check(const OptionValues& values, const JobShape& job) {
  const OptionValue& peer = values.at("peer");
  if (job.processes < 2) return {{"name", "ping-pong needs platform.processes of at least 2"}};
  if (std::get<bool>(values.at("pairs"))) {
    if (job.processes % 2 != 0)
      return {
          {"pairs", "expected an even platform.processes, got " + std::to_string(job.processes)}};
    if (std::holds_alternative<std::int64_t>(peer))
      return {{"peer", "expected null with pairs, which determines the peers"}};
  }
  if (!std::holds_alternative<std::int64_t>(peer)) return {};
  const auto rank = std::get<std::int64_t>(peer);
  if (rank >= 1 && rank < std::int64_t{job.processes}) return {};
  return {{"peer", "expected a rank from 1 to " + std::to_string(job.processes - 1)}};
}

constexpr MetricSpec kHalfRoundTrip{"half_round_trip_s", Merge::maximum,
                                    "half of the mean time of a round trip of the slowest pair",
                                    Trend::may_fall};

constexpr Mark kRoundTripMark{"round-trip",
                              "rank 0 has its ball back: the number of the round trip, from 1"};

const Registered registered{registration<PingPong>(
    {.family = Family::workload,
     .name = "ping-pong",
     .summary = "one message at a time between rank 0 and a peer, or in pairs of all ranks",
     .source = "the usual MPI latency test",
     .traits = WorkloadTraits{.starts_at_root = true,
                              .finishes = true,
                              .has_images = true,
                              .driven_by_messages = true,
                              .starts_everywhere =
                                  [](const OptionValues& values) {
                                    return std::get<bool>(values.at("pairs"));
                                  }},
     .message_kinds = {"ball"},
     .metrics = {&kHalfRoundTrip},
     .marks = {&kRoundTripMark},
     .check = check},
    options())};

Rank peer_of(const PingPongOptions& options, const JobShape& job, Rank self) {
  if (options.pairs) return (self + job.processes / 2) % job.processes;
  const Rank peer = options.peer.value_or(job.processes - 1);
  if (self == 0) return peer;
  return self == peer ? 0 : kNobody;
}

}  // namespace

PingPong::PingPong(std::shared_ptr<const Options> options, const JobShape& job, Rank self)
    : options_(std::move(options)), self_(self), peer_(peer_of(*options_, job, self)) {}

std::unique_ptr<Component> PingPong::clone() const { return std::make_unique<PingPong>(*this); }

void PingPong::start(WorkloadContext& context) {
  begin_s_ = context.now_s();
  if (peer_ == kNobody)
    finish(context);
  else if (serves())
    context.send(peer_, 0, options_->bytes);
}

void PingPong::on_message(WorkloadContext& context, const Message&) {
  if (options_->compute_s > 0.0)
    context.compute(options_->compute_s);
  else
    take_ball(context);
}

void PingPong::on_compute_done(WorkloadContext& context, std::uint64_t) { take_ball(context); }

void PingPong::take_ball(WorkloadContext& context) {
  ++round_trips_;
  if (!serves()) {
    context.send(peer_, 0, options_->bytes);
    if (round_trips_ == options_->repetitions) finish(context);
    return;
  }
  if (self_ == 0) context.mark(kRoundTripMark, static_cast<std::int64_t>(round_trips_));
  if (round_trips_ < options_->repetitions) {
    context.send(peer_, 0, options_->bytes);
    return;
  }
  half_round_trip_s_ =
      (context.now_s() - begin_s_) / (2.0 * static_cast<double>(options_->repetitions));
  finish(context);
}

void PingPong::finish(WorkloadContext& context) {
  finished_ = true;
  context.finish();
}

void PingPong::report(MetricTotals& totals) const {
  if (peer_ != kNobody && serves() && finished_) totals.put(kHalfRoundTrip, half_round_trip_s_);
}

std::string PingPong::waiting_for() const {
  return finished_ ? "" : "rank " + std::to_string(peer_);
}

}  // namespace faultline::workloads
