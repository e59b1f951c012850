// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/membership/notices.hpp"

#include <algorithm>

#include "sim/core/sorted_list.hpp"

namespace faultline::engine {

// ---- notices ----------------------------------------------------------------------------------

double Notices::notice_at(double delay_s) {
  ending_.expect_news(run_.now_s() + delay_s);
  return run_.now_s() + delay_s;
}

void Notices::spread_word(std::uint32_t death) {
  const Incarnation dead = state_.deaths()[death].dead;
  if (run_.job.exit_notice) {
    Stream random(run_.job.seed, run_.job.replication, Purpose::notices,
                  dead.actor + (std::uint64_t{dead.number} << 33));
    for (ActorId listener = 0; listener < run_.state.actors.size(); ++listener) {
      if (!run_.state.actors[listener].alive ||
          run_.state.actors[listener].component(Family::failure_detection) == nullptr)
        continue;
      const double late_s = run_.job.exit_notice->spread_s > 0.0
                                ? run_.job.exit_notice->spread_s * random.uniform()
                                : 0.0;
      run_.state.schedule.add(notice_at(run_.job.exit_notice->delay_s + late_s),
                              EventKind::exit_notice, listener, death);
    }
  }
  if (run_.is_rank(dead.actor) && run_.actor_count() > run_.job.shape.processes) {
    const ActorId daemon = run_.state.placement.daemon_of(run_.node_of(dead.actor));
    if (run_.state.actors[daemon].alive)
      run_.state.schedule.add(notice_at(run_.job.spec.platform.local_exit_delay_s),
                              EventKind::local_exit, daemon, death);
  }
}

void Notices::hear(ActorId self, Notice notice) {
  if (!run_.state.actors[self].alive) return;
  if (!processors_.waits_as_timer(self, {0, notice})) tell_death(self, notice);
}

void Notices::tell_death(ActorId listener, Notice notice) {
  ending_.expect_news(run_.now_s());
  if (notice.kind != EventKind::local_exit ||
      state_.deaths().is_under(notice.death, run_.incarnation_of(listener)))
    tell_exit(notice.kind, listener, state_.deaths()[notice.death].dead);
}

/// Tells a listener of a death, if it still has the detector, or the connection, that hears of it.
void Notices::tell_exit(EventKind kind, ActorId listener, Incarnation dead) {
  if (kind == EventKind::link_lost) {
    if (!run_.state.actors[listener].alive || !run_.state.actors[listener].rare_state) return;
    auto& links = run_.state.actors[listener].rare_state->links;
    const auto link = std::lower_bound(links.begin(), links.end(), dead);
    if (link == links.end() || *link != dead) return;
    links.erase(link);
  }
  const auto tell = [kind, dead](Detector& detector, DetectorContext& context) {
    if (kind == EventKind::exit_notice)
      detector.on_exit_notice(context, dead);
    else if (kind == EventKind::local_exit)
      detector.on_local_exit(context, dead);
    else
      detector.on_link_lost(context, dead);
  };
  turns_.turn_as<Detector>(listener, Family::failure_detection, tell);
}

// ---- connections ------------------------------------------------------------------------------

void Notices::open_link(ActorId self, Incarnation peer) {
  run_.reached.anything();
  if (!insert_sorted(run_.state.actors[self].rare().links, peer)) return;
  ActorState& state = run_.state.actors[peer.actor];
  if (state.lives_as(peer.number)) {
    insert_sorted(state.rare().linked_by, self);
    return;
  }
  const auto death = state_.deaths().number_of(peer);
  if (death) break_link(self, *death, state_.deaths()[*death].silent);
}

void Notices::break_link(ActorId holder, std::uint32_t death, bool silent) {
  const double delay_s = silent ? run_.job.spec.platform.silent_link_lost_delay_s
                                : run_.job.spec.platform.link_lost_delay_s;
  run_.state.schedule.add(notice_at(delay_s), EventKind::link_lost, holder, death);
}

}  // namespace faultline::engine
