// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/turn/stacks.hpp"

#include <optional>
#include <utility>

namespace faultline::engine {

namespace {

std::optional<Residence> residence_of(const scenario::ComponentChoice& choice) {
  if (choice.registration == nullptr) return std::nullopt;
  return residence_of(*choice.registration, choice.options);
}

}  // namespace

/// What message logging brings back draws in each of its lives what it drew in the first: it
/// repeats what it did. Others draw anew. Shifted by 33, because task trees use keys from 2^32 on
/// (workloads/random_task_tree.cpp).
std::uint64_t Stacks::stream_of(ActorId actor, const StackPlace& place) const {
  const ActorState& state = run_.state.actors[actor];
  const bool repeats = index_of(place.family) < index_of(Family::message_logging) &&
                       run_.job.spec.component(Family::message_logging).registration != nullptr;
  return actor + (std::uint64_t{repeats ? std::uint16_t{0} : state.incarnation} << 33);
}

void Stacks::make_levels(ActorId actor, std::size_t below) {
  ActorState& state = run_.state.actors[actor];
  for (std::size_t index = 0; index < below; ++index) {
    const StackPlace& place = kStack[index];
    const auto residence = residence_of(run_.job.spec.components[index]);
    const Residence elsewhere = run_.is_rank(actor) ? Residence::daemons : Residence::ranks;
    if (!residence || *residence == elsewhere) continue;
    auto component = run_.job.factories[index](actor);
    if (place.family != Family::workload || !run_.job.spec.branches_at_choices)
      component->random =
          Stream(run_.job.seed, run_.job.replication, place.purpose, stream_of(actor, place));
    state.place_of(place.family) = std::move(component);
    state.present = static_cast<std::uint8_t>(state.present | 1U << index);
  }
  // A restarted component begins with what it held at the start of the run, already counted.
  const TerminationDetector* termination = state.termination();
  if (termination == nullptr || state.incarnation > 0 || below < kFamilies) return;
  if (const auto conserved = termination->conserved())
    run_.state.truth.conserve(conserved->held - conserved->issued);
}

void Stacks::start(ActorId actor) {
  const bool waits = run_.state.actors[actor].incarnation > 0 &&
                     run_.state.actors[actor].component(Family::message_logging) != nullptr;
  if (waits) run_.state.actors[actor].rare().awaits_start = true;
  start_levels(actor, waits ? index_of(Family::message_logging) : 0, kFamilies);
}

/// Starts the components of a stack from the bottom up.
void Stacks::start_levels(ActorId actor, std::size_t top, std::size_t below) {
  for (std::size_t index = below; index-- > top;) {
    if (kStack[index].role == Role::workload && run_.is_rank(actor))
      run_.state.truth.auditor().started();
    turns_.start(actor, kStack[index].family);
  }
}

}  // namespace faultline::engine
