#include "workloads/token_ring.hpp"

#include <utility>

namespace faultline {

namespace {

enum Kind : std::uint16_t { kToken, kLeaf };
enum Tag : std::uint64_t { kStep, kLeafTask };

OptionSet<TokenRingOptions> options() {
  const std::string paper = "termination-2022 section 5.1";
  return OptionSet<TokenRingOptions>()
      .option("stop_probability", &TokenRingOptions::stop_probability,
              {.doc = "q: the walk ends where the token is, tested after each computation and "
                      "before every step, the first included: (1-q)/q steps on average",
               .source = paper,
               .minimum = 0,
               .maximum = 1})
      .option("walk_length", &TokenRingOptions::walk_length,
              {.doc = "a fixed number of steps instead of stop_probability; null: random",
               .source = "the paper's public benchmark walks 10 P steps unless told otherwise",
               .minimum = 0})
      .option("branch_probability", &TokenRingOptions::branch_probability,
              {.doc = "q_b: with each step of the token an additional token goes to a rank drawn "
                      "from all, its own included, and computes there",
               .source = "termination-2022 section 6.2",
               .minimum = 0,
               .maximum = 1})
      .option("branch_walk_probability", &TokenRingOptions::branch_walk_probability,
              {.doc = "an additional token goes on to a rank drawn from all, tested after each of "
                      "its computations; 0: it is a leaf task, which ends where it was sent",
               .source = "termination-2022 section 6.2 does not say; in its public benchmark it "
                         "is branch_probability",
               .minimum = 0,
               .maximum = 1})
      .option("route", &TokenRingOptions::route,
              {.doc = "`random`: every step goes to a rank drawn from all, its own included; "
                      "`pipeline`: the token stays on rank 1, additional ones go on to ranks 2, 3, "
                      "...",
               .source = paper + " (random); the paper's public benchmark (pipeline)",
               .choices = {"random", "pipeline"}})
      .option(
          "step_compute_s", &TokenRingOptions::step_compute_s,
          {.doc = "computation of the token's owner before it moves; the default is long enough "
                  "for a wave of control messages to pass",
           .unit = "s",
           .source = paper + " asks for steps that do not overlap; value assumed",
           .minimum = 0,
           .maximum = 1e6})
      .option("leaf_compute_s", &TokenRingOptions::leaf_compute_s,
              {.doc = "time of each computation of an additional token",
               .unit = "s",
               .source = "assumed",
               .minimum = 0,
               .maximum = 1e6})
      .option("bytes", &TokenRingOptions::bytes, {.doc = "size of a message", .unit = "B"});
}

std::vector<OptionProblem> check(const OptionValues& values, const JobShape&) {
  const bool random_walk = std::holds_alternative<std::monostate>(values.at("walk_length"));
  if (!random_walk || std::get<double>(values.at("stop_probability")) > 0.0) return {};
  return {{"stop_probability", "a walk that never stops: expected above 0, or a walk_length"}};
}

constexpr MetricSpec kMoves{"token_moves", Merge::sum, "steps to another rank"};
constexpr MetricSpec kStays{"token_stays", Merge::sum, "steps to the same rank"};
constexpr MetricSpec kLeafTasks{"leaf_tasks", Merge::sum, "computations of additional tokens"};

const Registered registered{registration<TokenRing>(
    {.family = Family::workload,
     .name = "token-ring",
     .summary = "a token walks between random ranks until it stops; steps may branch",
     .source = "termination-2022 sections 5.1 and 6.2",
     .traits = {.starts_at_root = true, .has_images = true},
     .message_kinds = {"token", "leaf"},
     .metrics = {&kMoves, &kStays, &kLeafTasks},
     .check = check},
    options())};

}  // namespace

TokenRing::TokenRing(std::shared_ptr<const Options> options, const JobShape&, Rank self)
    : options_(std::move(options)), self_(self) {}

std::unique_ptr<Component> TokenRing::clone() const { return std::make_unique<TokenRing>(*this); }

void TokenRing::start(Context& context) {
  if (self_ != 0) return;
  const Rank first = options_->route == "random" ? 0 : 1 % context.job().processes;
  if (first == self_)
    context.compute(options_->step_compute_s, kStep);
  else
    context.send(first, kToken, options_->bytes).payload.put(steps_done_);
}

void TokenRing::on_message(Context& context, const Message& message) {
  if (message.kind == kLeaf) {
    context.compute(options_->leaf_compute_s, kLeafTask);
    return;
  }
  steps_done_ = message.payload.get<std::uint64_t>();
  context.compute(options_->step_compute_s, kStep);
}

void TokenRing::on_compute_done(Context& context, std::uint64_t tag) {
  if (tag == kStep) {
    if (!stops()) step(context);
  } else if (walks_on()) {
    send_leaf(context);
  }
}

bool TokenRing::stops() {
  if (options_->walk_length) return steps_done_ >= *options_->walk_length;
  return random.chance(options_->stop_probability);
}

bool TokenRing::walks_on() {
  const double probability = options_->branch_walk_probability;
  return probability > 0.0 && random.chance(probability);
}

// The paper draws the next owner from all ranks: a token that stays costs no message.
void TokenRing::step(Context& context) {
  const Rank next = options_->route == "random" ? random_rank(context) : self_;
  ++steps_done_;
  context.mark("step", static_cast<std::int64_t>(steps_done_));
  if (next == self_) {
    ++stays_;
    context.compute(options_->step_compute_s, kStep);
  } else {
    ++moves_;
    context.send(next, kToken, options_->bytes)
        .payload.put(std::exchange(steps_done_, std::uint64_t{0}));
  }
  if (options_->branch_probability > 0.0 && random.chance(options_->branch_probability))
    send_leaf(context);
}

Rank TokenRing::random_rank(const Context& context) {
  return static_cast<Rank>(random.below(context.job().processes));
}

void TokenRing::send_leaf(Context& context) {
  ++leaves_;
  const Rank rank =
      options_->route == "random" ? random_rank(context) : (self_ + 1) % context.job().processes;
  if (rank == self_)
    context.compute(options_->leaf_compute_s, kLeafTask);
  else
    context.send(rank, kLeaf, options_->bytes);
}

void TokenRing::report(MetricTotals& totals) const {
  totals.put(kMoves, moves_);
  totals.put(kStays, stays_);
  totals.put(kLeafTasks, leaves_);
}

}  // namespace faultline
