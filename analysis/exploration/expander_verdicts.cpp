// SPDX-License-Identifier: Apache-2.0

// How a search judges the state to which a step leads.

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "analysis/exploration/expander.hpp"

namespace faultline::exploration {

namespace {

/// True if two runs have ended in the same way, whichever actor has broken a promise.
bool end_alike(const engine::RunResult& one, const engine::RunResult& other) {
  return one.outcome == other.outcome && kinds_of(one.violations) == kinds_of(other.violations);
}

}  // namespace

void Expander::look_at(NextState& one, const Step& step, StateNumber from) {
  one.known = seen_.find(one.digest);
  if (one.known != kNoState) return;
  const auto place = static_cast<std::uint32_t>(found_count_);
  if (found_.insert(one.digest, place) != place) return;
  ++found_count_;
  one.step = step;
  one.parts = parts_next_;
  if (looks_at_properties_) look_at_properties(one);
  const bool is_over = is_taken_ ? engine_.is_over() || !engine_.state().truth.violations().empty()
                                 : parts_.is_over(parts_next_);
  if (is_over) {
    if (!is_taken_) {
      take(step);
      if (exchanged_ != nullptr) parts_next_ = parts_of_engine(orders_next_);
    }
    one.ending = ending_of(one, from);
  }
}

void Expander::look_at_properties(NextState& one) {
  const bool is_checked = request_.recall == StepRecall::checked;
  std::optional<Seen> seen;
  if (!is_taken_ || is_checked || exchanged_ != nullptr) seen = seen_in_kept();
  if (!seen || !seen->is_sound || is_checked) {
    const std::optional<Seen> recalled = std::exchange(seen, seen_by_engine(one.step));
    if (recalled && *recalled != *seen)
      throw std::logic_error("a property has another value in a state that was put together");
  }
  one.is_goal = seen->is_goal;
  one.is_pruned = seen->is_pruned;
}

/// The values of the properties in the next state, and in what it becomes when ranks change places,
/// put together from kept parts. Nothing if a part has not been kept.
std::optional<Expander::Seen> Expander::seen_in_kept() {
  if (parts_next_.empty() || parts_.is_over(parts_next_)) return std::nullopt;
  const engine::StateView* view = kept_.look_at(parts_next_);
  if (view == nullptr) return std::nullopt;
  const Seen seen = seen_in(*view);
  for (std::size_t exchange = 0; exchanged_ != nullptr && exchange < exchanged_->size();
       ++exchange) {
    const auto other = exchanged_->exchanged(exchange, parts_next_);
    view = other ? kept_.look_at(*other) : nullptr;
    if (view == nullptr) return std::nullopt;
    if (seen_in(*view) != seen) throw RanksDiffer();
  }
  return seen;
}

Expander::Seen Expander::seen_in(const engine::StateView& view) const {
  const bool in_one_phase = view.is_in_one_phase();
  const auto holds = [&](const engine::DeclaredProperty& declared) {
    return in_one_phase && view.holds(declared);
  };
  const std::vector<engine::DeclaredProperty>& invariants = engine_.invariants();
  return {.is_sound = !in_one_phase || std::all_of(invariants.begin(), invariants.end(), holds),
          .is_goal = request_.goal && request_.goal->property && holds(*request_.goal->property),
          .is_pruned = request_.prune && holds(*request_.prune)};
}

/// Takes the step, unless the engine has done so, and looks at the properties.
Expander::Seen Expander::seen_by_engine(const Step& step) {
  if (!is_taken_) {
    take(step);
    parts_next_ = parts_of_engine(orders_next_);
  }
  std::vector<Seen> exchanged;
  take_exchanged(step, [&](const MadeState&, const ExchangedRuns::Reached&) {
    exchanged.push_back(seen_by(exchanged_runs_->engine()));
  });
  const Seen seen = seen_by(engine_);
  if (std::any_of(exchanged.begin(), exchanged.end(),
                  [&](const Seen& other) { return other != seen; }))
    throw RanksDiffer();
  return seen;
}

Expander::Seen Expander::seen_by(engine::StepwiseEngine& engine) const {
  const bool was_sound = engine.state().truth.violations().empty();
  engine.check_properties();
  return {
      .is_sound = !was_sound || engine.state().truth.violations().empty(),
      .is_goal = request_.goal && request_.goal->property && engine.holds(*request_.goal->property),
      .is_pruned = request_.prune && engine.holds(*request_.prune)};
}

/// Judges the end of a run, and whether exchanged runs end in the same way. If a property was found
/// broken, it is broken in these, too.
Ending Expander::ending_of(const NextState& one, StateNumber from) {
  std::vector<engine::RunResult> exchanged;
  const std::vector<audit::Violation>& violations = engine_.state().truth.violations();
  if (violations.empty() || violations.back().kind != "broken-property")
    take_exchanged(one.step, [&](const MadeState&, const ExchangedRuns::Reached&) {
      exchanged.push_back(exchanged_runs_->engine().end());
    });
  engine::RunResult result = engine_.end();
  if (!std::all_of(exchanged.begin(), exchanged.end(),
                   [&](const engine::RunResult& other) { return end_alike(result, other); }))
    throw RanksDiffer();
  return judge_.judged(std::move(result), one.mishaps.deaths, [&] {
    std::vector<Step> steps;
    if (from != kNoState) steps = seen_.steps_to(from);
    steps.push_back(one.step);
    return steps;
  });
}

}  // namespace faultline::exploration
