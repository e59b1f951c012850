// SPDX-License-Identifier: Apache-2.0

// The steps of a search, taken with ranks that have changed places.

#include <utility>

#include "analysis/exploration/expander.hpp"

namespace faultline::exploration {

/// Takes the step that the engine has just taken in what the state becomes under each exchange.
/// Shows `look` the state there, and the one that is reached. Throws RanksDiffer.
void Expander::take_exchanged(const Step& step, const LookAtExchanged& look) {
  if (exchanged_ == nullptr) return;
  std::optional<PartNumber> event;
  if (step.kind == Step::Kind::take) event = parts_here_[agenda_[step.place]];
  const ExchangedRuns::Taken taken{
      .step = step, .event = event, .engine = engine_, .after = parts_next_};
  std::vector<PartNumbers> all;
  all.reserve(exchanged_->size());
  for (std::size_t exchange = 0; exchange < exchanged_->size(); ++exchange) {
    const MadeState& before =
        from_ == kNoState ? exchanged_runs_->fresh() : path_.back().exchanged[exchange];
    const ExchangedRuns::Reached reached = exchanged_runs_->take(exchange, before, taken);
    if (looks_at_properties_) kept_.keep(reached.parts, reached.state, exchanged_runs_->engine());
    if (look) look(before, reached);
    all.push_back(reached.parts);
  }
  if (!exchanged_->note_all(all)) throw RanksDiffer();
}

/// Takes the exchanged runs on from the last place of the path to a new one, to which the engine
/// has just gone.
void Expander::follow_exchanged(const Step& step, Place& place) {
  place.made.parts = parts_of_engine(place.made.orders);
  std::optional<PartNumber> event;
  if (step.kind == Step::Kind::take) {
    const PartNumbers& before = path_.back().made.parts;
    std::vector<std::uint32_t> agenda;
    parts_.list_agenda(before, agenda);
    event = before[agenda[step.place]];
  }
  const ExchangedRuns::Taken taken{
      .step = step, .event = event, .engine = engine_, .after = place.made.parts};
  engine::StepwiseEngine& engine = exchanged_runs_->engine();
  engine.check_every_step(false);
  for (std::size_t exchange = 0; exchange < exchanged_->size(); ++exchange) {
    const MadeState& before =
        path_.empty() ? exchanged_runs_->fresh() : path_.back().exchanged[exchange];
    ExchangedRuns::Reached reached = exchanged_runs_->take(exchange, before, taken);
    place.exchanged.push_back(
        {copy_of(engine.state()), std::move(reached.parts), std::move(reached.orders)});
  }
  engine.check_every_step();
}

}  // namespace faultline::exploration
