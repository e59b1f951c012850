// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sim/core/choices.hpp"
#include "sim/core/component.hpp"

namespace faultline::workloads {

struct TokenRingOptions {
  double stop_probability = 0.01;
  std::optional<std::uint64_t> walk_length;
  double branch_probability = 0.0;
  double branch_walk_probability = 0.0;
  std::string route = "random";
  double step_compute_s = 2e-3;
  double leaf_compute_s = 2e-3;
  std::uint64_t bytes = 64;
  std::optional<std::uint64_t> most_steps;
  std::string choices = "seeded";
};

/// The token ring of termination-2022 sections 5.1 and 6.2: a token walks between uniformly random
/// ranks, where it may also stay on its rank. Before every move, the first included, it stops with
/// a fixed probability. With branching, a step also sends an additional token to a random rank,
/// which ends there or walks on.
class TokenRing final : public Workload {
 public:
  using Options = TokenRingOptions;
  TokenRing(std::shared_ptr<const Options> options, const JobShape& job, Rank self);
  [[nodiscard]] std::unique_ptr<Component> clone() const override;

  void start(WorkloadContext& context) override;
  void on_message(WorkloadContext& context, const Message& message) override;
  void on_compute_done(WorkloadContext& context, std::uint64_t tag) override;
  void report(MetricTotals& totals) const override;

 private:
  /// Moves, stays and leaves are only for the report.
  void digest_state(Digest& into) const override { into.add(steps_done_); }
  void step(WorkloadContext& context, std::uint64_t left);
  [[nodiscard]] Rank random_rank(WorkloadContext& context);
  void send_leaf(WorkloadContext& context, std::uint64_t left);
  [[nodiscard]] bool stops(WorkloadContext& context, std::uint64_t left);
  [[nodiscard]] bool walks_on(WorkloadContext& context, std::uint64_t left);
  [[nodiscard]] bool branches(WorkloadContext& context, std::uint64_t left);

  std::shared_ptr<const Options> options_;
  Rank self_;
  std::uint64_t steps_done_ = 0;  ///< of the walk; travels with the token, 0 without it
  std::uint64_t moves_ = 0;       ///< that left from here
  std::uint64_t stays_ = 0;
  std::uint64_t leaves_ = 0;
};

namespace {

enum Kind : std::uint16_t { kToken, kLeaf };
enum Tag : std::uint64_t { kStep, kLeafTask };

/// The tag of a computation of a token that may still make that many of the most_steps steps.
/// Without most_steps, steps are not counted.
constexpr std::uint64_t tag_of(Tag tag, std::uint64_t left) { return left << 1U | tag; }

/// What a token takes along.
struct Token {
  std::uint64_t steps_done = 0;  ///< of the walk
  std::uint64_t left = 0;        ///< of most_steps
};

OptionSet<TokenRingOptions> walk_options() {
  const std::string paper = "termination-2022 section 5.1";
  return OptionSet<TokenRingOptions>()
      .option("stop_probability", &TokenRingOptions::stop_probability,
              {.doc = "q: probability that the walk ends on its rank, tested after each "
                      "computation and before every step, the first included: (1-q)/q steps on "
                      "average",
               .source = paper,
               .minimum = 0,
               .maximum = 1})
      .option("walk_length", &TokenRingOptions::walk_length,
              {.doc = "a fixed number of steps instead of stop_probability; null: random",
               .source = "the paper's public benchmark walks 10 P steps unless told otherwise",
               .minimum = 0})
      .option("branch_probability", &TokenRingOptions::branch_probability,
              {.doc = "q_b: probability that a step of the token also sends an additional token to "
                      "a rank drawn from all, its own included, which computes there",
               .source = "termination-2022 section 6.2",
               .minimum = 0,
               .maximum = 1})
      .option("branch_walk_probability", &TokenRingOptions::branch_walk_probability,
              {.doc = "probability that an additional token goes on to a rank drawn from all, "
                      "tested after each of its computations; 0: it is a leaf task, which ends "
                      "where it was sent",
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

OptionSet<TokenRingOptions> options() {
  return with_choices(
      walk_options().option(
          "most_steps", &TokenRingOptions::most_steps,
          {.doc = "largest number of steps of the walk and the additional tokens together, stays "
                  "included; an additional token gets its share of the rest; null: any number",
           .minimum = 0,
           .maximum = 1e6}),
      &TokenRingOptions::choices);
}

std::vector<OptionProblem> check(const OptionValues& values, const JobShape&) {
  const bool random_walk = std::holds_alternative<std::monostate>(values.at("walk_length"));
  const bool bounded = !std::holds_alternative<std::monostate>(values.at("most_steps"));
  const bool leaves_end = std::get<double>(values.at("branch_walk_probability")) <= 0.0;
  if (has_open_choices(values) && !bounded && (random_walk || !leaves_end))
    return {{"choices", "\"all\" needs most_steps: the choices would have no end"}};
  if (!random_walk || bounded || std::get<double>(values.at("stop_probability")) > 0.0) return {};
  return {{"stop_probability", "a walk that never stops: expected above 0, or a walk_length"}};
}

constexpr MetricSpec kMoves{"token_moves", Merge::sum, "steps to another rank"};
constexpr MetricSpec kStays{"token_stays", Merge::sum, "steps to the same rank"};
constexpr MetricSpec kLeafTasks{"leaf_tasks", Merge::sum, "computations of additional tokens"};

constexpr Mark kStepMark{"step", "the walk makes a step: its number, from 1"};

const Registered registered{registration<TokenRing>(
    {.family = Family::workload,
     .name = "token-ring",
     .summary = "a token walks between random ranks until it stops; steps may branch",
     .source = "termination-2022 sections 5.1 and 6.2",
     .traits = WorkloadTraits{.starts_at_root = true, .has_images = true},
     .message_kinds = {"token", "leaf"},
     .metrics = {&kMoves, &kStays, &kLeafTasks},
     .marks = {&kStepMark},
     .check = check},
    options())};

}  // namespace

TokenRing::TokenRing(std::shared_ptr<const Options> options, const JobShape&, Rank self)
    : options_(std::move(options)), self_(self) {}

std::unique_ptr<Component> TokenRing::clone() const { return std::make_unique<TokenRing>(*this); }

void TokenRing::start(WorkloadContext& context) {
  if (self_ != 0) return;
  const std::uint64_t left = options_->most_steps.value_or(0);
  const Rank first = options_->route == "random" ? 0 : 1 % context.job().processes;
  if (first == self_)
    context.compute(options_->step_compute_s, tag_of(kStep, left));
  else
    context.send(first, kToken, options_->bytes).payload.put(Token{steps_done_, left});
}

void TokenRing::on_message(WorkloadContext& context, const Message& message) {
  const auto token = message.payload.get<Token>();
  if (message.kind == kLeaf) {
    context.compute(options_->leaf_compute_s, tag_of(kLeafTask, token.left));
    return;
  }
  steps_done_ = token.steps_done;
  context.compute(options_->step_compute_s, tag_of(kStep, token.left));
}

void TokenRing::on_compute_done(WorkloadContext& context, std::uint64_t tag) {
  const std::uint64_t left = tag >> 1U;
  if ((tag & 1U) == kStep) {
    if (!stops(context, left)) step(context, left);
  } else if (walks_on(context, left)) {
    send_leaf(context, left);
  }
}

bool TokenRing::stops(WorkloadContext& context, std::uint64_t left) {
  if (options_->most_steps && left == 0) return true;
  if (options_->walk_length) return steps_done_ >= *options_->walk_length;
  return context.choose_yes(random, options_->stop_probability, "whether the walk stops");
}

bool TokenRing::walks_on(WorkloadContext& context, std::uint64_t left) {
  if (options_->most_steps && left == 0) return false;
  const double probability = options_->branch_walk_probability;
  return probability > 0.0 &&
         context.choose_yes(random, probability, "whether a walk goes on from a further token");
}

bool TokenRing::branches(WorkloadContext& context, std::uint64_t left) {
  if (options_->most_steps && left == 0) return false;
  const double probability = options_->branch_probability;
  return probability > 0.0 &&
         context.choose_yes(random, probability, "whether to send a further token");
}

// The paper draws the next owner from all ranks: a token that stays costs no message. Tokens that
// count steps spend one here, and share the rest with an additional token.
void TokenRing::step(WorkloadContext& context, std::uint64_t left) {
  if (options_->most_steps) --left;
  const Rank next = options_->route == "random" ? random_rank(context) : self_;
  ++steps_done_;
  context.mark(kStepMark, static_cast<std::int64_t>(steps_done_));
  const bool branching = branches(context, left);
  std::uint64_t share = 0;
  if (branching && left > 0) {
    share = options_->branch_walk_probability > 0.0
                ? 1 + context.choose(random, left, "the steps of a further token, less one")
                : 1;
    left -= share;
  }
  if (next == self_) {
    ++stays_;
    context.compute(options_->step_compute_s, tag_of(kStep, left));
  } else {
    ++moves_;
    context.send(next, kToken, options_->bytes)
        .payload.put(Token{std::exchange(steps_done_, std::uint64_t{0}), left});
  }
  if (branching) send_leaf(context, share);
}

Rank TokenRing::random_rank(WorkloadContext& context) {
  return static_cast<Rank>(context.choose(random, context.job().processes, kNextRank));
}

void TokenRing::send_leaf(WorkloadContext& context, std::uint64_t left) {
  ++leaves_;
  if (options_->most_steps) --left;
  const Rank rank =
      options_->route == "random" ? random_rank(context) : (self_ + 1) % context.job().processes;
  if (rank == self_)
    context.compute(options_->leaf_compute_s, tag_of(kLeafTask, left));
  else
    context.send(rank, kLeaf, options_->bytes).payload.put(Token{0, left});
}

void TokenRing::report(MetricTotals& totals) const {
  totals.put(kMoves, moves_);
  totals.put(kStays, stays_);
  totals.put(kLeafTasks, leaves_);
}

}  // namespace faultline::workloads
