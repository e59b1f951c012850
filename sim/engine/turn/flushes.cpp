// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/turn/flushes.hpp"

#include <algorithm>

namespace faultline::engine {

bool Flushes::is_in_flight(Incarnation from, ActorId to) {
  run_.reached.channels();
  return network_.any_in_flight(from, to);
}

void Flushes::flush(ActorId self, const Flush& asked) {
  run_.state.actors[self].rare().flushing.push_back(asked);
  run_.state.roll.note_flush();
  answer_flushes(self, asked.peer);
}

void Flushes::answer_flushes(ActorId self, Incarnation peer) {
  ActorState& actor = run_.state.actors[self];
  if (!actor.rare_state) return;
  auto& flushing = actor.rare_state->flushing;
  const auto is_asked = [peer](const Flush& flush) { return flush.peer == peer; };
  const auto asked = std::count_if(flushing.begin(), flushing.end(), is_asked);
  if (asked == 0 || is_in_flight(peer, self)) return;
  std::erase_if(flushing, is_asked);
  const auto tell = [&](Family family) {
    turns_.turn(
        self, family,
        [peer](auto& component, auto& context) { component.on_flushed(context, peer); }, true);
  };
  for (auto answer = asked; answer > 0; --answer) {
    for (std::size_t level = index_of(Family::failure_detection); level-- > 0;)
      tell(kStack[level].family);
    tell(Family::failure_detection);
  }
}

}  // namespace faultline::engine
