// SPDX-License-Identifier: Apache-2.0
#include "analysis/exploration/expander.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/core/invariant.hpp"
#include "sim/engine/engine.hpp"

namespace faultline::exploration {

namespace {

/// A digest for a state in which an invariant broke. Nothing expands that state, so any digest will
/// do that no other state has.
StateDigest digest_of_break(StateNumber from, const Step& step) {
  Digest into;
  into.add(from, static_cast<std::uint8_t>(step.kind), step.place, step.dying, step.after);
  for (const std::uint64_t decision : step.decisions) into.add(decision);
  return into.value();
}

/// The families whose properties the search looks at in each new state.
std::vector<Family> families_with_properties(const ExplorationRequest& request,
                                             const engine::StepwiseEngine& engine) {
  std::vector<Family> families;
  families.reserve(engine.invariants().size() + 2);
  for (const engine::DeclaredProperty& declared : engine.invariants())
    families.push_back(declared.family);
  if (request.prune) families.push_back(request.prune->family);
  if (request.goal && request.goal->property) families.push_back(request.goal->property->family);
  return families;
}

}  // namespace

Expander::Expander(const ExplorationRequest& request, const std::vector<Start>& starts,
                   const SeenStates& seen, PartTable& parts, const StepMemory& shared,
                   ExchangedParts* exchanged, MayGoOn may_go_on)
    : request_(request),
      starts_(starts),
      seen_(seen),
      may_go_on_(std::move(may_go_on)),
      job_(engine::run_job(request.spec, request.seed, 0)),
      engine_(job_),
      fresh_(engine_.state().copy()),
      judge_(request, job_, starts),
      bounds_(request),
      parts_(parts),
      shared_(shared),
      memory_(parts),
      exchanged_(exchanged),
      kept_(parts, job_->shape.processes, families_with_properties(request, engine_)),
      looks_at_properties_(kept_.keeps_any()) {
  engine_.check_every_step();
  follow(engine_, request);
  if (exchanged_ != nullptr) exchanged_runs_.emplace(request, starts, job_, parts, *exchanged_);
  if (!request.histories) return;
  engine_.tell_histories_apart();
  fresh_ = engine_.state().copy();
}

Expansion Expander::begin() {
  Expansion all;
  all.next.reserve(starts_.size());
  from_ = kNoState;
  here_ = &fresh_;
  engine_is_here_ = false;
  for (std::uint32_t start = 0; start < starts_.size(); ++start)
    add_step(all, {.kind = Step::Kind::begin, .place = start}, starts_[start].mishaps());
  return all;
}

Expansion Expander::expand(const WaitingState& state) {
  Expansion all{.from = state.number, .next = {}};
  from_ = state.number;
  here_ = nullptr;
  engine_is_here_ = false;
  parts_here_ = state.parts;
  if (parts_here_.empty()) here();
  if (!parts_here_.empty()) parts_.list_agenda(parts_here_, agenda_);
  const Mishaps before = seen_.mishaps(state.number);
  const std::size_t choices = parts_here_.empty() ? events_.size() : agenda_.size();
  const auto actors = static_cast<ActorId>(parts_.actors());
  all.next.reserve(choices + (before.deaths < request_.faults ? actors : 0));
  for (std::uint32_t place = 0; place < choices; ++place) {
    Step step{.kind = Step::Kind::take, .place = place};
    std::vector<std::uint64_t> asked;
    do {
      add_step(all, step, before);
      asked = asked_;
      if (bounds_.within_steps(before.deaths)) add_deaths_within(all, step, before);
    } while (engine::next_decisions(step.decisions, asked));
  }
  if (bounds_.between_steps(before.deaths, is_calm_here(), seen_.step(state.number).has_death()))
    for (ActorId actor = 0; actor < actors; ++actor)
      if (is_alive(actor) && bounds_.may_be_next(actor, before.deaths)) {
        const Step kill{.kind = Step::Kind::kill, .place = actor};
        add_step(all, kill, before.after(kill));
      }
  if (before.losses < request_.losses) add_losses(all, before);
  if (before.stalls() < request_.stalls) add_stalls(all, before);
  return all;
}

void Expander::add_losses(Expansion& into, const Mishaps& before) {
  be_here();
  std::vector<Step> losses;
  losses.reserve(events_.size());
  for (std::uint32_t place = 0; place < events_.size(); ++place)
    if (engine_.can_lose(place)) losses.push_back({.kind = Step::Kind::lose, .place = place});
  for (const Step& loss : losses) add_step(into, loss, before.after(loss));
}

void Expander::add_stalls(Expansion& into, const Mishaps& before) {
  be_here();
  std::vector<Step> stalls;
  stalls.reserve(job_->shape.processes);
  for (Rank rank = 0; rank < job_->shape.processes; ++rank)
    if (!before.has_stalled(rank) && engine_.can_stall(rank))
      stalls.push_back({.kind = Step::Kind::stall, .place = rank});
  for (const Step& stall : stalls) add_step(into, stall, before.after(stall));
}

bool Expander::is_alive(ActorId actor) {
  if (parts_here_.empty()) return here().actors[actor].alive;
  return parts_[parts_here_[PartTable::place_of_actor(actor)]].alive;
}

bool Expander::is_calm_here() const {
  if (parts_here_.empty()) return is_calm(events_);
  return std::all_of(agenda_.begin(), agenda_.end(), [&](std::uint32_t place) {
    return parts_[parts_here_[place]].kind == engine::EventKind::compute_done;
  });
}

/// A death after everything that an actor does in a step counts as one between this step and the
/// next.
void Expander::add_deaths_within(Expansion& into, const Step& step, const Mishaps& before) {
  const std::vector<std::uint64_t> done = done_;
  for (ActorId actor = 0; actor < done.size(); ++actor) {
    if (!bounds_.may_be_next(actor, before.deaths)) continue;
    for (std::uint64_t after = 0; after < done[actor]; ++after) {
      Step cut = step;
      cut.dying = static_cast<std::uint16_t>(actor);
      cut.after = static_cast<std::uint16_t>(after);
      add_step(into, cut, before.after(cut));
    }
  }
}

void Expander::add_step(Expansion& into, const Step& step, const Mishaps& mishaps) {
  constexpr std::uint64_t kStepsBetweenQuestions = 64;
  if (++steps_ % kStepsBetweenQuestions == 0 && !may_go_on_()) throw SearchStopped();
  NextState& one = into.next.emplace_back();
  one.by_mishap = step.is_mishap();
  one.mishaps = mishaps;
  try {
    reach(step);
    one.digest = bounds_.with_mishaps(digest_of_next(), mishaps, step.has_death());
    look_at(one, step, into.from);
  } catch (const RanksDiffer&) {
    one.ranks_differ = true;
  } catch (const BrokenInvariant& broken) {
    one.ranks_differ =
        exchanged_ != nullptr && request_.goal.has_value();  // other states may be sound
    asked_ = engine_.asked();
    done_ = engine_.done();
    one.step = step;
    one.digest = digest_of_break(into.from, step);
    one.ending = ending_by(broken);
  }
}

// ---- one step ---------------------------------------------------------------------------------

/// Finds out where a step leads, from memory if possible.
void Expander::reach(const Step& step) {
  if (request_.recall == StepRecall::nothing) return take(step);
  if (step.kind == Step::Kind::begin) return take_and_note(step);
  StepMemory::Occasion occasion{.state = parts_here_, .step = step, .happens = std::nullopt};
  if (step.kind == Step::Kind::take) occasion.happens = agenda_[step.place];
  if (step.dying != Step::kNoDeath && step.dying != memory_.actor_of(occasion))
    return take_and_note(step);
  if (!recall(occasion)) return take_and_remember(occasion);
  if (request_.recall == StepRecall::checked) compare_with_engine(occasion);
}

/// False if the engine has to take the step.
bool Expander::recall(const StepMemory::Occasion& occasion) {
  return recall(shared_, occasion) || recall(memory_, occasion);
}

bool Expander::recall(const StepMemory& memory, const StepMemory::Occasion& occasion) {
  const StepEffect* effect = memory.find(occasion);
  if (effect == nullptr || !memory.apply(*effect, occasion, parts_next_)) return false;
  is_taken_ = false;
  memory.list_asked(*effect, asked_);
  done_.assign(parts_.actors(), 0);
  done_[memory.actor_of(occasion)] = effect->done;
  return true;
}

void Expander::take(const Step& step) {
  is_taken_ = true;
  parts_next_.clear();
  be_here();
  engine_is_here_ = false;
  take_step(engine_, step, starts_);
  asked_ = engine_.asked();
  done_ = engine_.done();
}

/// Takes a step that the memory does not know.
void Expander::take_and_note(const Step& step) {
  take(step);
  parts_next_ = parts_of_engine(orders_next_);
  take_exchanged(step);
}

void Expander::take_and_remember(const StepMemory::Occasion& occasion) {
  take(occasion.step);
  parts_next_ = parts_of_engine(orders_next_);
  take_exchanged(occasion.step,
                 [&](const MadeState& before, const ExchangedRuns::Reached& reached) {
                   const StepMemory::Occasion other{
                       .state = before.parts, .step = reached.step, .happens = reached.happens};
                   if (memory_.find(other) != nullptr || shared_.find(other) != nullptr) return;
                   engine::StepwiseEngine& engine = exchanged_runs_->engine();
                   memory_.keep(other, {.before = before.parts,
                                        .orders_before = before.orders,
                                        .after = reached.parts,
                                        .orders_after = reached.orders,
                                        .reach = engine.reach(),
                                        .asked = engine.asked(),
                                        .done = engine.done()});
                 });
  memory_.keep(occasion, {.before = parts_here_,
                          .orders_before = orders_,
                          .after = parts_next_,
                          .orders_after = orders_next_,
                          .reach = engine_.reach(),
                          .asked = asked_,
                          .done = done_});
}

void Expander::compare_with_engine(const StepMemory::Occasion& occasion) {
  const PartNumbers recalled = parts_next_;
  const std::vector<std::uint64_t> asked = asked_;
  const std::vector<std::uint64_t> done = done_;
  take(occasion.step);
  parts_next_ = parts_of_engine(orders_next_);
  if (recalled != parts_next_ || asked != asked_ || done != done_)
    throw std::logic_error("a step differs from what the memory has for it");
  take_exchanged(occasion.step);
}

/// The state in which the engine is, with the times at which its scheduled parts were scheduled.
PartNumbers Expander::parts_of_engine(std::vector<std::uint64_t>& orders) {
  return parts_of_engine(engine_, orders);
}

PartNumbers Expander::parts_of_engine(engine::StepwiseEngine& engine,
                                      std::vector<std::uint64_t>& orders) {
  const engine::StateParts parts = engine.parts();
  PartNumbers numbers = numbers_of(parts, parts_, orders);
  if (looks_at_properties_) kept_.keep(numbers, parts, engine);
  if (parts.is_local && parts_.is_over(numbers) != (engine.is_over() || parts.ended))
    throw std::logic_error("the parts of a state do not tell whether the run is over");
  return numbers;
}

StateDigest Expander::digest_of_next() {
  if (parts_next_.empty()) return engine_.digest();
  if (exchanged_ == nullptr) return parts_.digest(parts_next_);
  const std::optional<StateDigest> least = exchanged_->least_digest(parts_next_, earlier_);
  if (!least) throw RanksDiffer();
  return *least;
}

/// Takes the engine to the state that is being expanded.
void Expander::be_here() {
  const engine::RunState& state = here();
  if (!std::exchange(engine_is_here_, true)) engine_.go_on_from(state, events_);
}

/// The state that is being expanded.
const engine::RunState& Expander::here() {
  if (here_ != nullptr) return *here_;
  here_ = &at(from_);
  engine_is_here_ = true;
  events_ = engine_.events();
  if (request_.recall == StepRecall::nothing) return *here_;
  PartNumbers parts;
  if (exchanged_ == nullptr) {
    parts = parts_of_engine(orders_);
  } else {
    parts = path_.back().made.parts;
    orders_ = path_.back().made.orders;
  }
  if (!parts_here_.empty() && parts_here_ != parts)
    throw std::logic_error("a state differs from what the memory has for it");
  parts_here_ = parts;
  return *here_;
}

std::unique_ptr<engine::RunState> Expander::copy_of(const engine::RunState& state) {
  if (spare_.empty()) return std::make_unique<engine::RunState>(state.copy());
  std::unique_ptr<engine::RunState> copy = std::move(spare_.back());
  spare_.pop_back();
  copy->become(state);
  return copy;
}

/// Takes the engine to a state.
const engine::RunState& Expander::at(StateNumber number) {
  const std::vector<StateNumber> way = seen_.path_to(number);
  std::size_t common = 0;
  while (common < path_.size() && common < way.size() && path_[common].number == way[common])
    ++common;
  for (; path_.size() > common; path_.pop_back()) {
    spare_.push_back(std::move(path_.back().made.state));
    for (MadeState& other : path_.back().exchanged) spare_.push_back(std::move(other.state));
  }
  engine_.check_every_step(false);  // they were checked the first time
  engine_.go_on_from(path_.empty() ? fresh_ : *path_.back().made.state);
  for (std::size_t place = common; place < way.size(); ++place) {
    const Step& step = seen_.step(way[place]);
    take_step(engine_, step, starts_);
    Place next{.number = way[place],
               .made = {.state = copy_of(engine_.state()), .parts = {}, .orders = {}}};
    if (exchanged_ != nullptr) follow_exchanged(step, next);
    path_.push_back(std::move(next));
  }
  engine_.check_every_step();
  return *path_.back().made.state;
}

}  // namespace faultline::exploration
