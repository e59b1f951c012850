#include "analysis/exploration/expander.hpp"

#include <algorithm>

#include "sim/core/invariant.hpp"
#include "sim/engine/engine.hpp"

namespace faultline {

namespace {

/// Roughly what a copy of a small job takes.
constexpr std::uint64_t kCopy_B = 16384;
constexpr std::uint64_t kMostCopies = 65536;

std::size_t copies_within(const ExplorationRequest& request) {
  return static_cast<std::size_t>(
      std::min(kMostCopies, request.memory_B / (4 * kCopy_B * std::max(1U, request.jobs))));
}

/// A state in which an invariant broke has no digest. It is not expanded, so any will do that no
/// other state has.
StateDigest digest_of_break(StateNumber from, const Step& step) {
  Digest into;
  into.add(from, static_cast<std::uint8_t>(step.kind), step.place, step.dying, step.after);
  for (const std::uint64_t decision : step.decisions) into.add(decision);
  return into.value();
}

}  // namespace

Expander::Expander(const ExplorationRequest& request, const std::vector<Start>& starts,
                   const SeenStates& seen)
    : request_(request),
      starts_(starts),
      seen_(seen),
      job_(run_job(request.spec, request.seed, 0)),
      engine_(job_),
      fresh_(engine_.state().copy()),
      judge_(request, job_, starts),
      bounds_(request),
      most_kept_(copies_within(request)) {
  engine_.check_every_step();
  if (!request.histories) return;
  engine_.tell_histories_apart();
  fresh_ = engine_.state().copy();
}

Expansion Expander::begin() {
  Expansion all;
  all.next.reserve(starts_.size());
  for (std::uint32_t start = 0; start < starts_.size(); ++start)
    add_step(all, fresh_, {.kind = Step::Kind::begin, .place = start},
             static_cast<std::uint32_t>(starts_[start].cuts.size()));
  return all;
}

Expansion Expander::expand(StateNumber state) {
  Expansion all{.from = state, .next = {}};
  const RunState& here = at(state);
  const std::uint32_t deaths = seen_.deaths(state);
  engine_.go_on_from(here);
  events_ = engine_.events();
  const std::size_t choices = events_.size();
  all.next.reserve(choices + here.actors.size());
  for (std::uint32_t place = 0; place < choices; ++place) {
    Step step{.kind = Step::Kind::take, .place = place};
    std::vector<std::uint64_t> asked;
    do {
      add_step(all, here, step, deaths);
      asked = engine_.asked();
      if (bounds_.within_steps(deaths)) add_deaths_within(all, here, step, deaths + 1);
    } while (next_decisions(step.decisions, asked));
  }
  if (bounds_.between_steps(deaths, events_, seen_.step(state).has_death()))
    for (ActorId actor = 0; actor < here.actors.size(); ++actor)
      if (here.actors[actor].alive && bounds_.may_be_next(actor, deaths))
        add_step(all, here, {.kind = Step::Kind::kill, .place = actor}, deaths + 1);
  return all;
}

/// A death after all that an actor does in a step is one between this step and the next.
void Expander::add_deaths_within(Expansion& into, const RunState& here, const Step& step,
                                 std::uint32_t deaths) {
  const std::vector<std::uint64_t> done = engine_.done();
  for (ActorId actor = 0; actor < done.size(); ++actor) {
    if (!bounds_.may_be_next(actor, deaths - 1)) continue;
    for (std::uint64_t after = 0; after < done[actor]; ++after) {
      Step cut = step;
      cut.dying = static_cast<std::uint16_t>(actor);
      cut.after = static_cast<std::uint16_t>(after);
      add_step(into, here, cut, deaths);
    }
  }
}

void Expander::add_step(Expansion& into, const RunState& here, const Step& step,
                        std::uint32_t deaths) {
  NextState& one = into.next.emplace_back();
  one.step = step;
  one.deaths = deaths;
  engine_.go_on_from(here, events_);
  try {
    take_step(engine_, step, starts_);
    one.digest = bounds_.with_deaths(engine_.digest(), deaths, step.has_death());
    look_at(one, into.from);
  } catch (const BrokenInvariant& broken) {
    one.digest = digest_of_break(into.from, step);
    one.ending = ending_by(broken);
  }
}

void Expander::look_at(NextState& one, StateNumber from) {
  one.known = seen_.find(one.digest);
  if (one.known != kNoState) return;
  if (!found_.insert(one.digest).second) return;
  engine_.check_properties();
  one.is_goal = request_.goal && request_.goal->property && engine_.holds(*request_.goal->property);
  one.is_pruned = request_.prune && engine_.holds(*request_.prune);
  if (engine_.is_over() || !engine_.state().auditor.violations().empty())
    one.ending = ending_of(one, from);
  else if (keeps_copies())
    one.state = copy_of_state();
}

Ending Expander::ending_of(const NextState& one, StateNumber from) {
  return judge_.judged(engine_.end(), one.deaths, [&] {
    std::vector<Step> steps;
    if (from != kNoState) steps = seen_.steps_to(from);
    steps.push_back(one.step);
    return steps;
  });
}

std::unique_ptr<RunState> Expander::copy_of_state() {
  if (spare_.empty()) return std::make_unique<RunState>(engine_.state().copy());
  std::unique_ptr<RunState> copy = std::move(spare_.back());
  spare_.pop_back();
  copy->become(engine_.state());
  return copy;
}

void Expander::keep(StateNumber number, std::unique_ptr<RunState> state) {
  if (keeps_copies())
    kept_.emplace(number, std::move(state));
  else
    reuse(std::move(state));
}

void Expander::reuse(std::unique_ptr<RunState> state) {
  constexpr std::size_t kMostSpare = 4096;
  if (state && spare_.size() < kMostSpare) spare_.push_back(std::move(state));
}

/// The copy that was kept is of no use once its state has been expanded.
const RunState& Expander::at(StateNumber number) {
  if (const auto found = kept_.find(number); found != kept_.end()) {
    reuse(std::move(taken_));
    taken_ = std::move(found->second);
    kept_.erase(found);
    return *taken_;
  }
  const std::vector<StateNumber> way = seen_.path_to(number);
  std::size_t common = 0;
  while (common < path_.size() && common < way.size() && path_[common].number == way[common])
    ++common;
  for (; path_.size() > common; path_.pop_back()) reuse(std::move(path_.back().state));
  for (std::size_t place = common; place < way.size(); ++place) {
    engine_.go_on_from(place == 0 ? fresh_ : *path_.back().state);
    take_step(engine_, seen_.step(way[place]), starts_);
    path_.push_back({way[place], copy_of_state()});
  }
  return *path_.back().state;
}

}  // namespace faultline
