#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/lemmas/fact_log.hpp"
#include "analysis/lemmas/needless_fatal.hpp"
#include "sim/core/invariant.hpp"
#include "sim/engine/stepwise_engine.hpp"
#include "tests/support/job.hpp"

namespace faultline::test {

/// What a search tries in each state.
struct Bounds {
  std::size_t deaths = 0;          ///< in one run
  std::vector<Rank> victims = {};  ///< who may die
  /// When a death strikes: between any two steps; only when nothing else can happen but that a
  /// computation ends; or then, or together with another.
  enum class Strike { any_time, in_calm, together_in_calm } strike = Strike::any_time;
  bool in_order = false;      ///< the victims die in their order
  std::size_t depth = 1'000;  ///< of a run; longer ones are not looked at
};

/// One step of a run: a choice of the agenda is taken, or an actor dies.
struct SearchStep {
  std::size_t place = 0;
  ActorId victim = kNobody;
};

/// Keeps what the last message was about.
class LastMessage final : public RunObserver {
 public:
  explicit LastMessage(const RunSpec& spec) : spec_(spec) {}
  void see(const Sight& sight) override {
    if (sight.kind != Sight::Kind::received) return;
    const Registration* of = spec_.component(sight.message->channel).registration;
    words_ = sight.message->channel == Family::workload
                 ? "message " + std::to_string(sight.message->kind)
                 : of->message_kinds.at(sight.message->kind);
  }
  [[nodiscard]] const std::string& words() const { return words_; }

 private:
  const RunSpec& spec_;
  std::string words_;
};

/// What a search has found.
struct Searched {
  bool exhausted = false;  ///< no run is longer than the bound
  std::size_t states = 0;
  std::size_t transitions = 0;
  std::size_t depth = 0;                    ///< of the last state
  std::map<std::string, std::size_t> ends;  ///< how runs end, by the word for it
  std::vector<SearchStep> shortest;         ///< to the end that was wanted, if it was found
  bool found = false;
};

/// A breadth-first search through all runs of a job. Two runs that come to the same state go on as
/// one.
class BreadthFirst {
 public:
  BreadthFirst(const Job& job, Bounds bounds)
      : job_(run_job(without_costs(job.spec), 1, 0)), bounds_(std::move(bounds)) {}

  /// Looks at all states; ends at the first run that ends as `wanted` says, if any word is given.
  Searched search(const std::string& wanted = {}) {
    Searched searched;
    StepwiseEngine engine(job_);
    engine.begin();
    std::deque<Node> frontier;
    std::map<StateDigest, std::size_t> seen;
    trail_.clear();
    const auto arrive = [&](std::size_t before, const SearchStep& step, std::size_t depth,
                            std::size_t deaths) {
      if (!seen.emplace(engine.digest(), trail_.size()).second) return false;
      trail_.push_back({before, step});
      ++searched.states;
      searched.depth = depth;
      if (!is_over(engine)) {
        frontier.push_back(
            {engine.state().copy(), trail_.size() - 1, depth, deaths, step.victim != kNobody});
        return false;
      }
      const std::string end = word_for(judged_end(engine));
      ++searched.ends[end];
      searched.found = end == wanted;
      if (searched.found) searched.shortest = way_to(trail_.size() - 1);
      return searched.found;
    };
    arrive(0, {}, 0, 0);
    while (!frontier.empty() && frontier.front().depth < bounds_.depth) {
      const Node node = std::move(frontier.front());
      frontier.pop_front();
      for (const SearchStep& step : steps_from(engine, node)) {
        engine.go_on_from(node.state);
        ++searched.transitions;
        const std::string broken = take(engine, step);
        if (!broken.empty()) {
          ++searched.ends[broken];
          searched.found = broken == wanted;
          if (!searched.found) continue;
          trail_.push_back({node.place, step});
          searched.shortest = way_to(trail_.size() - 1);
          return searched;
        }
        const std::size_t died = step.victim == kNobody ? 0 : 1;
        if (arrive(node.place, step, node.depth + 1, node.deaths + died)) return searched;
      }
    }
    searched.exhausted = frontier.empty();
    return searched;
  }

  /// Takes the steps of a run again and says what each of them was.
  [[nodiscard]] std::vector<std::string> told(const std::vector<SearchStep>& steps) const {
    StepwiseEngine engine(job_);
    LastMessage last(job_->spec);
    engine.observe(last);
    engine.begin();
    std::vector<std::string> words;
    for (const SearchStep& step : steps) {
      std::string said = words_for(engine, step);
      const bool message =
          step.victim == kNobody && engine.agenda()[step.place].kind == EventKind::arrive;
      const std::string broken = take(engine, step);
      if (message) said.append(last.words());
      words.push_back(std::move(said));
      if (!broken.empty()) words.push_back(broken);
    }
    return words;
  }

  /// How the run with these steps ends, shown to an observer if one is given.
  [[nodiscard]] RunResult ended(const std::vector<SearchStep>& steps,
                                RunObserver* observer = nullptr) const {
    StepwiseEngine engine(job_);
    if (observer != nullptr) engine.observe(*observer);
    engine.begin();
    for (const SearchStep& step : steps) static_cast<void>(take(engine, step));
    return engine.end();
  }

 private:
  struct Node {
    RunState state;
    std::size_t place;  ///< in the trail
    std::size_t depth;
    std::size_t deaths;
    bool just_struck;
  };
  struct Trail {
    std::size_t before;
    SearchStep step;
  };

  static bool is_over(StepwiseEngine& engine) {
    return engine.agenda().empty() || !engine.state().auditor.violations().empty();
  }

  /// A run in which the detector gives up is made again, watched, and judged.
  RunResult judged_end(StepwiseEngine& engine) const {
    RunResult result = engine.end();
    if (!detector_gave_up(result)) return result;
    FactLog log(job_->spec.platform.processes);
    result = ended(way_to(trail_.size() - 1), &log);
    judge_giving_up(job_->spec, log, result);
    return result;
  }

  /// "premature", "hung", "fatal-reported", "terminated", ...
  static std::string word_for(const RunResult& result) {
    if (!result.violations.empty()) return result.violations.front().kind;
    return outcome_word(result.outcome);
  }

  static std::string take(StepwiseEngine& engine, const SearchStep& step) {
    try {
      if (step.victim == kNobody)
        engine.take(step.place);
      else
        engine.kill(step.victim);
    } catch (const BrokenInvariant& broken) {
      return std::string("broken invariant: ") + broken.what();
    }
    return {};
  }

  [[nodiscard]] std::vector<SearchStep> steps_from(StepwiseEngine& engine, const Node& node) const {
    engine.go_on_from(node.state);
    std::vector<SearchStep> steps;
    bool calm = true;
    for (std::size_t place = 0; place < engine.agenda().size(); ++place) {
      steps.push_back({place, kNobody});
      calm = calm && engine.agenda()[place].kind == EventKind::compute_done;
    }
    using Strike = Bounds::Strike;
    const bool now = calm || bounds_.strike == Strike::any_time ||
                     (bounds_.strike == Strike::together_in_calm && node.just_struck);
    if (node.deaths == bounds_.deaths || !now) return steps;
    for (const Rank victim : bounds_.victims)
      if (engine.state().actors[victim].alive &&
          (!bounds_.in_order || victim == bounds_.victims[node.deaths]))
        steps.push_back({0, victim});
    return steps;
  }

  [[nodiscard]] std::vector<SearchStep> way_to(std::size_t place) const {
    std::deque<SearchStep> way;
    for (; place != 0; place = trail_[place].before) way.push_front(trail_[place].step);
    return {way.begin(), way.end()};
  }

  [[nodiscard]] static std::string words_for(StepwiseEngine& engine, const SearchStep& step) {
    if (step.victim != kNobody) return std::to_string(step.victim) + " dies";
    const Choice& choice = engine.agenda().at(step.place);
    const std::string actor = std::to_string(choice.actor);
    const std::string peer = choice.peer == kNobody ? "" : std::to_string(choice.peer);
    const std::string detail = std::to_string(choice.detail);
    switch (choice.kind) {
      case EventKind::arrive:
        return peer + " -> " + actor + ": ";
      case EventKind::compute_done:
        return actor + " ends its computation";
      case EventKind::exit_notice:
        return actor + " is told that " + peer + " has died";
      case EventKind::timer:
        return actor + ": timer " + detail;
      default:
        return actor + ": event of another kind";
    }
  }

  std::shared_ptr<const RunJob> job_;
  Bounds bounds_;
  std::vector<Trail> trail_;
};

}  // namespace faultline::test
