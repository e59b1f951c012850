// SPDX-License-Identifier: Apache-2.0
#include "analysis/exploration/random_walks.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "analysis/exploration/death_bounds.hpp"
#include "analysis/exploration/ending.hpp"
#include "analysis/exploration/seen_states.hpp"
#include "sim/core/invariant.hpp"
#include "sim/engine/engine.hpp"

namespace faultline::exploration {

namespace {

/// A walk without end stops after this many steps, unless the request states another number.
constexpr std::uint32_t kLongestWalk = 10000;

/// The probability that something goes wrong in a step.
constexpr double kMishap = 0.125;

class Walks {
 public:
  Walks(const ExplorationRequest& request, TellProgress tell)
      : request_(request),
        tell_(std::move(tell)),
        starts_(starts(request)),
        job_(engine::run_job(request.spec, request.seed, 0)),
        engine_(job_),
        fresh_(engine_.state().copy()),
        judge_(request, job_, starts_),
        bounds_(request) {
    engine_.check_every_step();
    follow(engine_, request);
    if (!request.histories) return;
    engine_.tell_histories_apart();
    fresh_ = engine_.state().copy();
  }

  ExplorationResult run() {
    std::uint64_t walks = 0;
    for (; walks < request_.walks && !over(); ++walks) {
      // Components of an explored job do not draw from streams of that purpose.
      Stream random(request_.seed, walks, Purpose::faults, 0);
      walk(random);
      check_limits();
    }
    if (!over()) result_.limit = SearchLimit::walks;
    result_.verdict = result_.refutation ? ExplorationResult::Verdict::violated
                      : result_.reached  ? ExplorationResult::Verdict::reached
                                         : ExplorationResult::Verdict::bounded;
    result_.states = result_.expanded = seen_.size();
    result_.stored_B = seen_.bytes();
    result_.wall_s = std::chrono::duration<double>(Clock::now() - begin_).count();
    return std::move(result_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool over() const {
    return found_by(result_) != nullptr || result_.limit > SearchLimit::depth;
  }

  void walk(Stream& random) {
    steps_.clear();
    engine_.go_on_from(fresh_);
    engine_.draw_choices(nullptr);
    const auto start =
        static_cast<std::uint32_t>(random.chance(0.5) ? 0 : random.below(starts_.size()));
    mishaps_ = starts_[start].mishaps();
    bool goes_on = take({.kind = Step::Kind::begin, .place = start});
    engine_.draw_choices(&random);
    for (std::uint32_t depth = 0; goes_on; ++depth) {
      if (depth >= std::min(request_.depth, kLongestWalk)) return;
      goes_on = take(drawn(random));
      ++result_.transitions;
      result_.depth = std::max(result_.depth, depth + 1);
    }
  }

  /// In one step in eight something goes wrong, as far as the bounds allow: the network loses a
  /// message, or else a rank stalls, or else an actor dies.
  Step drawn(Stream& random) {
    std::optional<Step> mishap = drawn_loss(random);
    if (!mishap) mishap = drawn_stall(random);
    Step step = mishap ? *mishap : drawn_death_or_choice(random);
    mishaps_ = mishaps_.after(step);
    return step;
  }

  std::optional<Step> drawn_loss(Stream& random) {
    if (mishaps_.losses >= request_.losses || !random.chance(kMishap)) return std::nullopt;
    const auto place = static_cast<std::uint32_t>(random.below(engine_.agenda().size()));
    if (!engine_.can_lose(place)) return std::nullopt;
    return Step{.kind = Step::Kind::lose, .place = place};
  }

  std::optional<Step> drawn_stall(Stream& random) {
    if (mishaps_.stalls() >= request_.stalls || !random.chance(kMishap)) return std::nullopt;
    const auto rank = static_cast<Rank>(random.below(request_.spec.platform.processes));
    if (mishaps_.has_stalled(rank) || !engine_.can_stall(rank)) return std::nullopt;
    return Step{.kind = Step::Kind::stall, .place = rank};
  }

  Step drawn_death_or_choice(Stream& random) {
    const std::uint32_t deaths = mishaps_.deaths;
    const bool within = bounds_.within_steps(deaths);
    const bool between =
        bounds_.between_steps(deaths, is_calm(engine_.events()), steps_.back().has_death());
    Step step{.kind = Step::Kind::take,
              .place = static_cast<std::uint32_t>(random.below(engine_.agenda().size()))};
    if (!between || !random.chance(kMishap)) return step;
    const auto& actors = engine_.state().actors;
    const auto may_die = [&](ActorId actor) {
      return actor < actors.size() && actors[actor].alive && bounds_.may_be_next(actor, deaths);
    };
    if (within && random.chance(0.5)) {
      const ActorId actor = engine_.agenda()[step.place].actor;
      if (may_die(actor)) {
        constexpr std::uint64_t kMostThings = 8;
        step.dying = static_cast<std::uint16_t>(actor);
        step.after = static_cast<std::uint16_t>(random.below(kMostThings));
        return step;
      }
    }
    std::vector<ActorId> victims;
    for (ActorId actor = 0; actor < actors.size(); ++actor)
      if (may_die(actor)) victims.push_back(actor);
    if (victims.empty()) return step;
    return {.kind = Step::Kind::kill,
            .place = victims[static_cast<std::size_t>(random.below(victims.size()))]};
  }

  /// Returns false if nothing goes on from there.
  bool take(const Step& step) {
    steps_.push_back(step);
    Ending ending;
    bool is_new = false;
    try {
      take_step(engine_, step, starts_);
      keep_what_was_drawn();
      const StateDigest digest = bounds_.with_mishaps(engine_.digest(), mishaps_, step.has_death());
      is_new = seen_.find(digest) == kNoState;
      if (is_new) seen_.add(digest, kNoState, steps_.back(), mishaps_);
      engine_.check_properties();
      if (request_.goal && request_.goal->property && engine_.holds(*request_.goal->property)) {
        result_.reached =
            Refutation{.outcome = engine::Outcome::limit, .violations = {}, .steps = steps_};
        return false;
      }
      const bool violates = !engine_.state().truth.violations().empty();
      if (!engine_.agenda().empty() && !violates) {
        const bool goes_on = !request_.prune || !engine_.holds(*request_.prune);
        if (!goes_on && is_new) ++result_.pruned;
        return goes_on;
      }
      ending = judge_.judged(engine_.end(), mishaps_.deaths, [&] { return steps_; });
    } catch (const BrokenInvariant& broken) {
      keep_what_was_drawn();
      ending = ending_by(broken);
      is_new = true;
    }
    if (is_new || (!request_.goal && !ending.violations.empty()))
      take_end(
          request_, ending, [&] { return steps_; }, result_);
    return false;
  }

  /// Keeps the choices that were drawn, so that the step goes the same way when it is taken again.
  /// The choices of a start are in the list of starts.
  void keep_what_was_drawn() {
    if (steps_.back().kind == Step::Kind::take) steps_.back().decisions = engine_.decisions();
  }

  void check_limits() {
    if (over()) return;
    const double elapsed_s = std::chrono::duration<double>(Clock::now() - begin_).count();
    if (request_.time_limit_s && elapsed_s > *request_.time_limit_s)
      result_.limit = SearchLimit::time;
    if (seen_.size() >= request_.states) result_.limit = SearchLimit::states;
    if (seen_.bytes() > request_.memory_B) result_.limit = SearchLimit::memory;
    if (tell_ && !tell_({.states = seen_.size(), .waiting = 0, .depth = result_.depth}))
      result_.limit = SearchLimit::interrupt;
  }

  const ExplorationRequest& request_;
  const TellProgress tell_;
  const std::vector<Start> starts_;
  std::shared_ptr<const engine::RunJob> job_;
  engine::StepwiseEngine engine_;
  engine::RunState fresh_;
  EndingJudge judge_;
  DeathBounds bounds_;
  SeenStates seen_;
  ExplorationResult result_;
  std::vector<Step> steps_;  ///< of this walk, with what the workload has chosen
  Mishaps mishaps_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace

ExplorationResult walk_at_random(const ExplorationRequest& request, const TellProgress& tell) {
  return Walks(request, tell).run();
}

}  // namespace faultline::exploration
