// SPDX-License-Identifier: Apache-2.0
#include "analysis/exploration/fair_circles.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "sim/engine/engine.hpp"

namespace faultline::exploration {

namespace {

/// A limit, because each state in a circle is made again from the start.
constexpr std::size_t kMostJudged = 100'000;
constexpr std::size_t kStatesBetweenQuestions = 64;

using StateSet = std::set<StateNumber>;

/// The strongly connected components that have a circle: Tarjan's algorithm with an explicit stack.
class StrongComponents {
 public:
  explicit StrongComponents(const StepGraph::Part& part) : part_(part) {
    for (const auto& [state, targets] : part)
      if (!places_.contains(state)) visit(state);
  }
  [[nodiscard]] const std::vector<StateSet>& all() const { return all_; }

 private:
  struct Place {
    std::size_t number;
    std::size_t lowest;
    bool open;
  };
  struct Frame {
    StateNumber state;
    std::size_t next;
  };

  void visit(StateNumber root) {
    open(root);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      const std::vector<StateNumber>& targets = part_.at(frame.state);
      if (frame.next < targets.size()) {
        const StateNumber target = targets[frame.next++];
        if (!part_.contains(target)) continue;
        const auto found = places_.find(target);
        if (found == places_.end())
          open(target);
        else if (found->second.open)
          lower(frame.state, found->second.number);
        continue;
      }
      const StateNumber done = frame.state;
      frames_.pop_back();
      const Place place = places_.at(done);
      if (!frames_.empty()) lower(frames_.back().state, place.lowest);
      if (place.lowest == place.number) close(done);
    }
  }
  void open(StateNumber state) {
    const std::size_t number = places_.size();
    places_[state] = {.number = number, .lowest = number, .open = true};
    stack_.push_back(state);
    frames_.push_back({.state = state, .next = 0});
  }
  void lower(StateNumber state, std::size_t number) {
    std::size_t& lowest = places_.at(state).lowest;
    lowest = std::min(lowest, number);
  }
  void close(StateNumber root) {
    StateSet component;
    for (StateNumber state = kNoState; state != root;) {
      state = stack_.back();
      stack_.pop_back();
      places_.at(state).open = false;
      component.insert(state);
    }
    const std::vector<StateNumber>& targets = part_.at(root);
    const bool has_circle =
        component.size() > 1 || std::find(targets.begin(), targets.end(), root) != targets.end();
    if (has_circle) all_.push_back(std::move(component));
  }

  const StepGraph::Part& part_;
  std::map<StateNumber, Place> places_;
  std::vector<StateNumber> stack_;
  std::vector<Frame> frames_;
  std::vector<StateSet> all_;
};

/// Names what happens in an event.
using EventName = std::tuple<engine::EventKind, ActorId, ActorId, std::uint64_t, Family>;

EventName name_of(const engine::Choice& choice) {
  return {choice.kind, choice.actor, choice.peer, choice.detail, choice.family};
}

/// For a message, the name of its channel.
EventName without_content(EventName name) {
  if (std::get<engine::EventKind>(name) == engine::EventKind::arrive) {
    std::get<std::uint64_t>(name) = 0;
    std::get<Family>(name) = Family::workload;
  }
  return name;
}

class Judge {
 public:
  using DigestOf = std::function<StateDigest(const engine::StepwiseEngine&)>;
  Judge(const ExplorationRequest& request, const std::vector<Start>& starts, const SeenStates& seen,
        const DigestOf& digest_of, const MayGoOn& may_go_on)
      : ask_(may_go_on, kStatesBetweenQuestions),
        starts_(starts),
        seen_(seen),
        digest_of_(digest_of),
        bounds_(request),
        engine_(engine::run_job(request.spec, request.seed, 0)) {
    follow(engine_, request);
    if (request.histories) engine_.tell_histories_apart();
    fresh_ = engine_.state().copy();
  }

  /// True if a fair run can stay in these states. Throws SearchStopped.
  bool is_fair(const StateSet& component) {
    mishaps_ = seen_.mishaps(*component.begin());
    places_.clear();
    ways_.clear();
    engine_.go_on_from(*fresh_);
    for (const Step& step : seen_.steps_to(*component.begin())) take_step(engine_, step, starts_);
    first_ = engine_.digest();
    back_.reset();
    waiting_.clear();
    take_in(first_, {});
    std::set<EventName> always;
    std::set<EventName> taken;
    for (std::size_t place = 0; !waiting_.empty(); ++place) {
      ask_.step();
      const engine::RunState here = std::move(waiting_.front());
      waiting_.pop_front();
      const std::set<EventName> possible = look_at(place, here, component, taken);
      if (place == 0)
        always = possible;
      else
        std::erase_if(always, [&](const EventName& name) { return !possible.contains(name); });
    }
    return std::includes(taken.begin(), taken.end(), always.begin(), always.end());
  }

  /// A shortest way from the first state back to it, within the component that was judged last.
  [[nodiscard]] std::vector<Step> round() const {
    std::vector<Step> round{back_->step};
    for (std::size_t place = back_->before; place != 0; place = ways_[place].before)
      round.push_back(ways_[place].step);
    std::reverse(round.begin(), round.end());
    return round;
  }

 private:
  /// A step that leads to a state, and the place of the state before it among those found.
  struct Way {
    std::size_t before = 0;
    Step step;
  };

  /// Takes in the state in which the engine is, if it was not found before.
  void take_in(const StateDigest& digest, const Way& way) {
    if (!places_.insert(digest).second) return;
    ways_.push_back(way);
    waiting_.push_back(engine_.state().copy());
  }

  /// What can happen in a state. Adds the events that lead to states of the component to `taken`.
  std::set<EventName> look_at(std::size_t place, const engine::RunState& here,
                              const StateSet& component, std::set<EventName>& taken) {
    engine_.go_on_from(here);
    const std::vector<engine::Choice> agenda = engine_.agenda();
    std::set<EventName> possible;
    for (std::uint32_t choice = 0; choice < agenda.size(); ++choice) {
      const EventName name = without_content(name_of(agenda[choice]));
      possible.insert(name);
      Step step{.kind = Step::Kind::take, .place = choice};
      do {
        engine_.go_on_from(here);
        take_step(engine_, step, starts_);
        const StateNumber next =
            seen_.find(bounds_.with_mishaps(digest_of_(engine_), mishaps_, false));
        if (!component.contains(next)) continue;
        taken.insert(name);
        const StateDigest digest = engine_.digest();
        if (!back_ && digest == first_) back_ = Way{.before = place, .step = step};
        take_in(digest, {.before = place, .step = step});
      } while (engine::next_decisions(step.decisions, engine_.asked()));
    }
    return possible;
  }

  NowAndThen ask_;
  const std::vector<Start>& starts_;
  const SeenStates& seen_;
  const DigestOf& digest_of_;
  DeathBounds bounds_;
  engine::StepwiseEngine engine_;
  std::optional<engine::RunState> fresh_;
  Mishaps mishaps_;
  std::set<StateDigest> places_;          ///< states of the component that were found
  std::vector<Way> ways_;                 ///< a way to each of them, by breadth
  std::deque<engine::RunState> waiting_;  ///< states that are not looked at yet
  StateDigest first_;
  std::optional<Way> back_;  ///< the way to the first state
};

}  // namespace

FairnessCheck find_fair_circle(
    const StepGraph& graph, const ExplorationRequest& request, const std::vector<Start>& starts,
    const SeenStates& seen,
    const std::function<StateDigest(const engine::StepwiseEngine&)>& digest_of,
    const MayGoOn& may_go_on) {
  if (request.spec.platform.ordering != scenario::Ordering::fifo)
    return {.complete = false, .circle = {}};
  const auto part = graph.part_with_circles(kMostJudged, may_go_on);
  if (!part) return {.complete = false, .circle = {}};
  FairnessCheck check;
  if (part->empty()) return check;
  Judge judge(request, starts, seen, digest_of, may_go_on);
  const StrongComponents components(*part);
  for (const StateSet& component : components.all()) {
    const StateNumber first = *component.begin();
    if (check.circle && check.circle->state < first) continue;
    if (judge.is_fair(component)) check.circle = FairCircle{.state = first, .round = judge.round()};
  }
  return check;
}

}  // namespace faultline::exploration
