// SPDX-License-Identifier: Apache-2.0
#include "analysis/exploration/exploration.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <span>
#include <utility>

#include "analysis/exploration/crew.hpp"
#include "analysis/exploration/death_bounds.hpp"
#include "analysis/exploration/fair_circles.hpp"
#include "analysis/exploration/progress_check.hpp"
#include "analysis/exploration/random_walks.hpp"
#include "sim/engine/engine.hpp"

namespace faultline::exploration {

const char* search_limit_word(SearchLimit limit) {
  switch (limit) {
    case SearchLimit::none:
      return "";
    case SearchLimit::prune:
      return "prune";
    case SearchLimit::depth:
      return "depth";
    case SearchLimit::states:
      return "states";
    case SearchLimit::memory:
      return "memory";
    case SearchLimit::time:
      return "time";
    case SearchLimit::walks:
      return "walks";
    case SearchLimit::interrupt:
      return "interrupt";
  }
  return "";
}

const char* verdict_word(ExplorationResult::Verdict verdict) {
  switch (verdict) {
    case ExplorationResult::Verdict::exhausted:
      return "exhausted";
    case ExplorationResult::Verdict::violated:
      return "violated";
    case ExplorationResult::Verdict::reached:
      return "reached";
    case ExplorationResult::Verdict::bounded:
      return "bounded";
  }
  return "";
}

bool remembers_steps(const ExplorationRequest& request) {
  return request.timers == TimerRule::any && request.losses == 0 &&
         request.departures == Departures::at_once;
}

bool exchanges_ranks(const ExplorationRequest& request) {
  return request.alike == RankOrder::exchanged && request.search != SearchOrder::random &&
         request.recall != StepRecall::nothing && remembers_steps(request);
}

scenario::RunSpec explored_spec(const scenario::RunSpec& spec) {
  scenario::RunSpec explored = engine::without_costs(spec);
  explored.stop.grace_s = explored.stop.time_s = std::numeric_limits<double>::infinity();
  explored.stop.events = std::numeric_limits<std::uint64_t>::max();
  explored.checks_state = false;  // the engine checks after every step
  return explored;
}

namespace {

/// Adds to `all` every way in which up to `left` of the actors from `first` on die within the
/// start.
void add_starts(const std::vector<std::uint64_t>& done, ActorId first, std::uint32_t left,
                Start& start, std::vector<Start>& all) {
  all.push_back(start);
  if (left == 0) return;
  for (ActorId actor = first; actor < done.size(); ++actor)
    for (std::uint64_t after = 0; after < done[actor]; ++after) {
      start.cuts.push_back({actor, after});
      add_starts(done, actor + 1, left - 1, start, all);
      start.cuts.pop_back();
    }
}

}  // namespace

std::vector<Start> starts(const ExplorationRequest& request) {
  engine::StepwiseEngine engine(engine::run_job(request.spec, request.seed, 0));
  follow(engine, request);
  const engine::RunState fresh = engine.state().copy();
  const std::uint32_t deaths = request.crash == CrashPlaces::anywhere ? request.faults : 0;
  std::vector<Start> all;
  Start start;
  do {
    engine.go_on_from(fresh);
    engine.begin({}, start.decisions);
    add_starts(engine.done(), 0, deaths, start, all);
  } while (engine::next_decisions(start.decisions, engine.asked()));
  std::erase_if(
      all, [bounds = DeathBounds(request)](const Start& one) { return !bounds.allow(one.cuts); });
  return all;
}

void follow(engine::StepwiseEngine& engine, const ExplorationRequest& request) {
  if (request.timers == TimerRule::patient) engine.be_patient(request.message_s);
  engine.set_stall_time(request.stall_s);
  engine.let_departures_wait(request.departures == Departures::any);
}

void take_step(engine::StepwiseEngine& engine, const Step& step, const std::vector<Start>& starts) {
  switch (step.kind) {
    case Step::Kind::begin:
      return engine.begin(starts[step.place].cuts, starts[step.place].decisions);
    case Step::Kind::take:
      return engine.take(step.place, step.cuts(), step.decisions);
    case Step::Kind::kill:
      return engine.kill(step.place);
    case Step::Kind::lose:
      return engine.lose(step.place);
    case Step::Kind::stall:
      return engine.stall(step.place);
  }
}

namespace {

/// A search by breadth or by depth.
class Search {
 public:
  /// States that differ by one of these exchanges of ranks count as one.
  Search(const ExplorationRequest& request, TellProgress tell, std::vector<RankExchange> exchanges)
      : request_(request),
        tell_(std::move(tell)),
        starts_(starts(request)),
        crew_(request, starts_, seen_, std::move(exchanges), [this] { return may_go_on(); }) {}

  ExplorationResult run() {
    take_in(crew_.begin(), 0);
    by_breadth_ ? by_breadth() : by_depth();
    finish();
    return std::move(result_);
  }

  /// True if the result means nothing, because the exchanged ranks are not alike.
  [[nodiscard]] bool is_void() const { return is_void_; }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool over() const {
    return found_by(result_) != nullptr || result_.limit > SearchLimit::depth || is_void_;
  }
  void by_breadth();
  void by_depth();
  void take_in(std::vector<Expansion>&& expansions, std::uint32_t depth);
  void take_in(Expansion& expansion, std::uint32_t depth);
  StateNumber take_in(const Expansion& expansion, NextState& successor, std::uint32_t depth);
  [[nodiscard]] std::vector<Step> steps_to(const Expansion& expansion, const Step& last) const;
  void let_go(WaitingState& state) {
    waiting_B_ -= state.bytes();
    state.parts = {};
  }
  void check_limits();
  bool may_go_on();
  void check_progress();
  void judge_progress();
  void take_hung(std::string why, std::vector<Step> steps);
  void finish();

  const ExplorationRequest& request_;
  const TellProgress tell_;  ///< a copy: the caller's does not outlive the call
  const std::vector<Start> starts_;
  SeenStates seen_;
  StepGraph graph_;
  bool is_void_ = false;
  Crew crew_;
  ExplorationResult result_;
  const bool by_breadth_ = request_.search == SearchOrder::breadth;
  std::vector<WaitingState> found_;  ///< new states that are not in the queue yet
  std::uint64_t waiting_ = 0;        ///< states that are not expanded yet
  std::uint64_t waiting_B_ = 0;      ///< the memory that they take
  Clock::time_point begin_ = Clock::now();
};

void Search::by_breadth() {
  for (std::uint32_t depth = 0; !found_.empty() && !over(); ++depth) {
    if (depth >= request_.depth) {
      result_.limit = SearchLimit::depth;
      return;
    }
    std::vector<WaitingState> level = std::exchange(found_, {});
    for (std::size_t next = 0; next < level.size() && !over(); next += crew_.round()) {
      const auto round =
          std::span(level).subspan(next, std::min(crew_.round(), level.size() - next));
      take_in(crew_.expand(round), depth + 1);
      for (WaitingState& state : round) let_go(state);
      check_limits();
    }
  }
}

void Search::by_depth() {
  std::vector<std::pair<WaitingState, std::uint32_t>> stack;
  const auto push_found = [&](std::uint32_t depth) {
    for (std::size_t i = found_.size(); i-- > 0;) stack.emplace_back(std::move(found_[i]), depth);
    found_.clear();
  };
  push_found(0);
  while (!stack.empty() && !over()) {
    const auto [state, depth] = std::move(stack.back());
    stack.pop_back();
    if (depth >= request_.depth) {
      result_.limit = SearchLimit::depth;
      continue;
    }
    take_in(crew_.expand(std::span(&state, 1)), depth + 1);
    waiting_B_ -= state.bytes();
    push_found(depth + 1);
    check_limits();
  }
}

/// Looks at the new states in the order in which a single thread would have found them.
void Search::take_in(std::vector<Expansion>&& expansions, std::uint32_t depth) {
  for (Expansion& expansion : expansions) {
    if (over()) return;
    take_in(expansion, depth);
  }
}

void Search::take_in(Expansion& expansion, std::uint32_t depth) {
  std::vector<StateNumber> targets;
  targets.reserve(expansion.next.size());
  for (NextState& successor : expansion.next) {
    if (over()) return;
    is_void_ = successor.ranks_differ;
    if (is_void_) return;
    const StateNumber number = take_in(expansion, successor, depth);
    if (!successor.by_mishap) targets.push_back(number);
  }
  if (expansion.from == kNoState) return;
  --waiting_;
  ++result_.expanded;
  if (!by_breadth_) return;
  while (graph_.states() < expansion.from) graph_.add_end();
  graph_.add(targets);
}

StateNumber Search::take_in(const Expansion& expansion, NextState& successor, std::uint32_t depth) {
  if (expansion.from != kNoState) ++result_.transitions;
  if (successor.known == kNoState) successor.known = seen_.find(successor.digest);
  if (successor.known != kNoState) return successor.known;
  const StateNumber number =
      seen_.add(successor.digest, expansion.from, successor.step, successor.mishaps);
  result_.depth = std::max(result_.depth, depth);
  const auto steps = [&] { return steps_to(expansion, successor.step); };
  if (successor.is_goal) {
    result_.reached =
        Refutation{.outcome = engine::Outcome::limit, .violations = {}, .steps = steps()};
  } else if (successor.ending) {
    take_end(request_, *successor.ending, steps, result_);
    if (found_by(result_) == nullptr) ++result_.expanded;
  } else if (successor.is_pruned) {
    ++result_.pruned;
  } else {
    waiting_B_ += found_.emplace_back(number, std::move(successor.parts)).bytes();
    result_.largest_queue = std::max(result_.largest_queue, ++waiting_);
  }
  if (seen_.size() >= request_.states && !over()) result_.limit = SearchLimit::states;
  return number;
}

std::vector<Step> Search::steps_to(const Expansion& expansion, const Step& last) const {
  std::vector<Step> steps;
  if (expansion.from != kNoState) steps = seen_.steps_to(expansion.from);
  steps.push_back(last);
  return steps;
}

void Search::check_limits() {
  if (over()) return;
  if (seen_.bytes() + graph_.bytes() + waiting_B_ + crew_.bytes() > request_.memory_B) {
    result_.limit = SearchLimit::memory;
    return;
  }
  may_go_on();
}

/// Looks at the clock, and reports the progress. If the search must end, sets its limit.
bool Search::may_go_on() {
  const double elapsed_s = std::chrono::duration<double>(Clock::now() - begin_).count();
  if (request_.time_limit_s && elapsed_s > *request_.time_limit_s)
    result_.limit = SearchLimit::time;
  const ExplorationProgress progress{
      .states = seen_.size(), .waiting = waiting_, .depth = result_.depth};
  if (tell_ && !tell_(progress)) result_.limit = SearchLimit::interrupt;
  return !over();
}

/// Checks the progress of all states. If the search must end meanwhile, the checks until then hold,
/// and the limit shows that the rest is unchecked.
void Search::check_progress() {
  try {
    judge_progress();
  } catch (const SearchStopped&) {
    // may_go_on() has set the limit.
  }
}

/// A state from which no end can be reached goes on for ever. Throws SearchStopped.
void Search::judge_progress() {
  const MayGoOn go_on = [this] { return may_go_on(); };
  while (graph_.states() < seen_.size()) graph_.add_end();
  const std::optional<StateNumber> endless = graph_.first_without_end(go_on);
  result_.progress_checked = true;
  if (endless)
    return take_hung(
        "from here the run goes on for ever: no end can be reached unless somebody dies",
        seen_.steps_to(*endless));
  const FairnessCheck fairness = find_fair_circle(
      graph_, request_, starts_, seen_,
      [&](const engine::StepwiseEngine& engine) { return crew_.digest(engine); }, go_on);
  result_.fairness_checked = fairness.complete && !fairness.circle;
  if (!fairness.circle) return;
  std::vector<Step> steps = seen_.steps_to(fairness.circle->state);
  const std::vector<Step>& round = fairness.circle->round;
  steps.insert(steps.end(), round.begin(), round.end());
  take_hung("the last " + std::to_string(round.size()) +
                " steps lead back to the same state, and a run can go on like that for ever, "
                "although it is fair: whatever can happen all the time does happen",
            std::move(steps));
}

void Search::take_hung(std::string why, std::vector<Step> steps) {
  const Ending hung{
      .outcome = engine::Outcome::hung,
      .violations = {
          {.kind = "hung", .time_s = 0.0, .actor = std::nullopt, .detail = std::move(why)}}};
  take_end(
      request_, hung, [&] { return std::move(steps); }, result_);
}

void Search::finish() {
  result_.states = seen_.size();
  if (result_.pruned > 0 && result_.limit == SearchLimit::none) result_.limit = SearchLimit::prune;
  if (by_breadth_ && !over() && result_.limit == SearchLimit::none) check_progress();
  result_.verdict = result_.refutation                   ? ExplorationResult::Verdict::violated
                    : result_.reached                    ? ExplorationResult::Verdict::reached
                    : result_.limit == SearchLimit::none ? ExplorationResult::Verdict::exhausted
                                                         : ExplorationResult::Verdict::bounded;
  result_.stored_B = seen_.bytes() + graph_.bytes();
  result_.wall_s = std::chrono::duration<double>(Clock::now() - begin_).count();
}

/// True if the two may change places, as far as the bounds of deaths allow it.
bool may_die_alike(const ExplorationRequest& request, Rank one, Rank other) {
  const auto is_victim = [&](Rank rank) {
    return std::find(request.victims.begin(), request.victims.end(), rank) != request.victims.end();
  };
  return is_victim(one) == is_victim(other) && (!request.in_order || !is_victim(one));
}

/// The ranks that are alike, as far as a short search by depth can tell, without the root. A search
/// that exchanges them finds out whether they are. If there are many, some keep their places: the
/// search follows each exchange in every new step.
std::vector<AlikeRanks> alike_ranks(const ExplorationRequest& request, const TellProgress& tell) {
  constexpr std::uint64_t kStatesOfProbe = 300;
  constexpr std::size_t kMostAlike = 4;  // four ranks have 24 orders
  ExplorationRequest probe = request;
  probe.search = SearchOrder::depth;
  probe.states = std::min(request.states, kStatesOfProbe);
  probe.jobs = 1;
  const JobShape job = engine::run_job(request.spec, request.seed, 0)->shape;
  bool interrupted = false;  // the following search will notice, too
  const auto are_alike = [&](Rank one, Rank other) {
    if (interrupted || !may_die_alike(request, one, other)) return false;
    Search search(probe, tell, exchanges_of({{one, other}}, job));
    interrupted = search.run().limit == SearchLimit::interrupt;
    return !search.is_void();
  };
  std::vector<AlikeRanks> alike;
  for (Rank rank = 1; rank < job.processes; ++rank) {
    const auto same = std::find_if(alike.begin(), alike.end(), [&](const AlikeRanks& ranks) {
      return ranks.size() < kMostAlike && are_alike(ranks.front(), rank);
    });
    if (same == alike.end())
      alike.push_back({rank});
    else
      same->push_back(rank);
  }
  std::erase_if(alike, [](const AlikeRanks& ranks) { return ranks.size() < 2; });
  return alike;
}

/// Leaves a search the time that remains after an earlier one, which began at `begin`.
void shorten(ExplorationRequest& request, std::chrono::steady_clock::time_point begin) {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  if (request.time_limit_s)
    request.time_limit_s = std::max(0.0, *request.time_limit_s - elapsed.count());
}

/// A search that exchanges these ranks; nothing if they turn out to differ. Several threads may
/// find that out in states beyond a violation, which one thread does not reach. So one thread
/// decides.
std::optional<ExplorationResult> search_exchanged(ExplorationRequest request,
                                                  const TellProgress& tell,
                                                  const std::vector<AlikeRanks>& alike) {
  const JobShape job = engine::run_job(request.spec, request.seed, 0)->shape;
  for (;;) {
    const auto begin = std::chrono::steady_clock::now();
    Search search(request, tell, exchanges_of(alike, job));
    ExplorationResult result = search.run();
    if (!search.is_void()) {
      result.exchanged = alike;
      return result;
    }
    if (request.jobs == 1) return std::nullopt;
    request.jobs = 1;
    shorten(request, begin);
  }
}

}  // namespace

ExplorationResult explore(const ExplorationRequest& request, const TellProgress& tell) {
  if (request.search == SearchOrder::random) return walk_at_random(request, tell);
  ExplorationRequest searched = request;
  if (!remembers_steps(request)) searched.recall = StepRecall::nothing;
  if (exchanges_ranks(searched)) {
    const std::vector<AlikeRanks> alike = alike_ranks(searched, tell);
    const auto begin = std::chrono::steady_clock::now();
    if (auto result = search_exchanged(searched, tell, alike)) return std::move(*result);
    shorten(searched, begin);
  }
  return Search(searched, tell, {}).run();
}

}  // namespace faultline::exploration
