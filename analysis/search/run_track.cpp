// SPDX-License-Identifier: Apache-2.0
#include "analysis/search/run_track.hpp"

#include <algorithm>

namespace faultline::search {

void RunTrack::see(const audit::Sight& sight) {
  if (sight.kind == audit::Sight::Kind::placed || sight.kind == audit::Sight::Kind::restarted) {
    if (sight.actor >= nodes_.size()) nodes_.resize(sight.actor + std::size_t{1});
    nodes_[sight.actor] = static_cast<NodeId>(sight.value);
  }
  Kind kind{.kind = sight.kind};
  Moment moment{.time_s = sight.time_s, .actor = sight.actor, .peer = sight.peer};
  switch (sight.kind) {
    case audit::Sight::Kind::placed:
    case audit::Sight::Kind::injected:
    case audit::Sight::Kind::sending:
    case audit::Sight::Kind::lost:
    case audit::Sight::Kind::gave_up:
      return;  // no fault can hit it, or it was seen already as something else
    case audit::Sight::Kind::died:
      last_death_s_ = std::max(last_death_s_, sight.time_s);
      return;
    case audit::Sight::Kind::sent:
    case audit::Sight::Kind::received:
      kind.channel = sight.message->channel;
      kind.message = sight.message->kind;
      moment.peer = sight.actor == sight.message->from ? sight.message->to : sight.message->from;
      break;
    case audit::Sight::Kind::mark:
      kind.mark = sight.text;
      moment.value = static_cast<std::int64_t>(sight.value);
      break;
    default:
      break;
  }
  last_s_ = std::max(last_s_, sight.time_s);
  moments_[std::move(kind)].push_back(moment);
}

}  // namespace faultline::search
