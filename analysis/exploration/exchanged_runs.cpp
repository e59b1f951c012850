// SPDX-License-Identifier: Apache-2.0
#include "analysis/exploration/exchanged_runs.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "sim/core/invariant.hpp"
#include "sim/engine/engine.hpp"

namespace faultline::exploration {

std::vector<std::string> kinds_of(const std::vector<audit::Violation>& violations) {
  std::vector<std::string> kinds;
  kinds.reserve(violations.size());
  for (const audit::Violation& violation : violations) kinds.push_back(violation.kind);
  std::sort(kinds.begin(), kinds.end());
  return kinds;
}

PartNumbers numbers_of(const engine::StateParts& parts, PartTable& table,
                       std::vector<std::uint64_t>& orders) {
  orders.clear();
  orders.reserve(parts.scheduled.size());
  for (const engine::ScheduledPart& part : parts.scheduled) orders.push_back(part.order);
  return table.numbers_of(parts);
}

ExchangedRuns::ExchangedRuns(const ExplorationRequest& request, const std::vector<Start>& starts,
                             std::shared_ptr<const engine::RunJob> job, PartTable& parts,
                             ExchangedParts& exchanged)
    : starts_(starts), parts_(parts), exchanged_(exchanged), engine_(std::move(job)) {
  engine_.check_every_step();
  follow(engine_, request);
  if (request.histories) engine_.tell_histories_apart();
  fresh_.state = std::make_unique<engine::RunState>(engine_.state().copy());
}

ExchangedRuns::Reached ExchangedRuns::take(std::size_t exchange, const MadeState& before,
                                           const Taken& taken) {
  Reached reached;
  engine_.go_on_from(*before.state);
  reached.step = exchanged(exchange, before, taken, reached.happens);
  try {
    take_step(engine_, reached.step, starts_);
  } catch (const BrokenInvariant&) {
    throw RanksDiffer();
  } catch (const std::out_of_range&) {  // the engine asks for other choices
    throw RanksDiffer();
  }
  reached.state = engine_.parts();
  reached.parts = numbers_of(reached.state, parts_, reached.orders);
  if (!does_the_same(exchanged_[exchange], taken.engine) ||
      !exchanged_.note(exchange, taken.after, reached.parts))
    throw RanksDiffer();
  return reached;
}

Step ExchangedRuns::exchanged(std::size_t exchange, const MadeState& before, const Taken& taken,
                              std::optional<std::uint32_t>& happens) {
  const RankExchange& ranks = exchanged_[exchange];
  Step step = taken.step;
  if (step.kind == Step::Kind::begin) {
    step.place = exchanged_start(ranks, step.place);
    return step;
  }
  if (step.dying != Step::kNoDeath) step.dying = static_cast<std::uint16_t>(ranks(step.dying));
  if (!taken.event) {
    step.place = ranks(step.place);
    return step;
  }
  const PartNumber event = exchanged_.exchanged(exchange, *taken.event);
  parts_.list_agenda(before.parts, agenda_);
  const auto place = std::find_if(agenda_.begin(), agenda_.end(), [&](std::uint32_t there) {
    return before.parts[there] == event;
  });
  if (place == agenda_.end()) throw RanksDiffer();
  happens = *place;
  step.place = static_cast<std::uint32_t>(place - agenda_.begin());
  const std::vector<const char*>& about = taken.engine.asked_about();
  step.decisions.resize(about.size());  // a workload that decides nothing gets the first answer
  const ActorId chooser = parts_[*taken.event].actor;
  for (std::size_t i = 0; i < about.size(); ++i)
    step.decisions[i] = ranks.decision(about[i], step.decisions[i], chooser);
  return step;
}

/// The start in which the images of the actors that die in this one die, and the workload makes the
/// same choices.
std::uint32_t ExchangedRuns::exchanged_start(const RankExchange& exchange,
                                             std::uint32_t start) const {
  const auto by_actor = [](const engine::Cut& one, const engine::Cut& other) {
    return one.actor < other.actor;
  };
  std::vector<engine::Cut> cuts = starts_[start].cuts;
  for (engine::Cut& cut : cuts) cut.actor = exchange(cut.actor);
  std::sort(cuts.begin(), cuts.end(), by_actor);
  const auto same = [](const engine::Cut& one, const engine::Cut& other) {
    return one.actor == other.actor && one.after == other.after;
  };
  for (std::uint32_t other = 0; other < starts_.size(); ++other)
    if (starts_[other].decisions == starts_[start].decisions &&
        std::equal(cuts.begin(), cuts.end(), starts_[other].cuts.begin(), starts_[other].cuts.end(),
                   same))
      return other;
  throw RanksDiffer();
}

/// True if the last steps of both engines asked for the same choices and did as much.
bool ExchangedRuns::does_the_same(const RankExchange& exchange,
                                  const engine::StepwiseEngine& other) const {
  const auto same_words = [](const char* one, const char* two) {
    return std::string_view(one) == two;
  };
  const std::vector<const char*>& about = other.asked_about();
  if (engine_.asked() != other.asked() ||
      !std::equal(about.begin(), about.end(), engine_.asked_about().begin(),
                  engine_.asked_about().end(), same_words))
    return false;
  for (ActorId actor = 0; actor < other.done().size(); ++actor)
    if (engine_.done()[exchange(actor)] != other.done()[actor]) return false;
  return engine_.is_over() == other.is_over() &&
         kinds_of(engine_.state().truth.violations()) == kinds_of(other.state().truth.violations());
}

}  // namespace faultline::exploration
