#include "workloads/ping_pong.hpp"

namespace faultline {

namespace {

OptionSet<PingPongOptions> options() {
  return OptionSet<PingPongOptions>()
      .option("repetitions", &PingPongOptions::repetitions, {.doc = "round trips", .minimum = 1})
      .option("bytes", &PingPongOptions::bytes, {.doc = "size of a message", .unit = "B"})
      .option("peer", &PingPongOptions::peer, {.doc = "the other rank; null: the last one"});
}

std::vector<OptionProblem> check(const OptionValues& values, const JobShape& job) {
  const OptionValue& peer = values.at("peer");
  if (job.processes < 2) return {{"name", "ping-pong needs platform.processes of at least 2"}};
  if (!std::holds_alternative<std::int64_t>(peer)) return {};
  const auto rank = std::get<std::int64_t>(peer);
  if (rank >= 1 && rank < std::int64_t{job.processes}) return {};
  return {{"peer", "expected a rank from 1 to " + std::to_string(job.processes - 1)}};
}

constexpr MetricSpec kHalfRoundTrip{"half_round_trip_s", Merge::last,
                                    "half of the mean time of a round trip"};

const Registered registered{registration<PingPong>(
    {.family = Family::workload,
     .name = "ping-pong",
     .summary = "one message at a time between rank 0 and a peer",
     .source = "the usual MPI latency test",
     .traits = {.starts_at_root = true, .finishes = true, .has_images = true},
     .message_kinds = {"ball"},
     .metrics = {&kHalfRoundTrip},
     .check = check},
    options())};

}  // namespace

PingPong::PingPong(std::shared_ptr<const Options> options, const JobShape& job, Rank self)
    : options_(std::move(options)),
      self_(self),
      peer_(options_->peer.value_or(job.processes - 1)) {}

std::unique_ptr<Component> PingPong::clone() const { return std::make_unique<PingPong>(*this); }

void PingPong::start(Context& context) {
  begin_s_ = context.now_s();
  if (self_ == 0)
    context.send(peer_, 0, options_->bytes);
  else if (self_ != peer_)
    finish(context);
}

void PingPong::on_message(Context& context, const Message&) {
  ++round_trips_;
  if (self_ == peer_) {
    context.send(0, 0, options_->bytes);
    if (round_trips_ == options_->repetitions) finish(context);
    return;
  }
  context.mark("round-trip", static_cast<std::int64_t>(round_trips_));
  if (round_trips_ < options_->repetitions) {
    context.send(peer_, 0, options_->bytes);
    return;
  }
  half_round_trip_s_ =
      (context.now_s() - begin_s_) / (2.0 * static_cast<double>(options_->repetitions));
  finish(context);
}

void PingPong::finish(Context& context) {
  finished_ = true;
  context.finish();
}

void PingPong::report(MetricTotals& totals) const {
  if (self_ == 0 && finished_) totals.put(kHalfRoundTrip, half_round_trip_s_);
}

std::string PingPong::waiting_for() const {
  return finished_ ? "" : "rank " + std::to_string(self_ == 0 ? peer_ : 0);
}

}  // namespace faultline
