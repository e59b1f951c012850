// SPDX-License-Identifier: Apache-2.0
#include "analysis/lemmas/recovery_promise.hpp"

#include <string_view>

#include "analysis/lemmas/message_kind.hpp"
#include "protocols/checkpoints/image_checkpoints.hpp"

namespace faultline::lemmas {

RecoveryLog::RecoveryLog(std::uint32_t processes, const Registration& protocol)
    : ranks_(processes),
      image_kind_(message_kind(protocol, "image")),
      your_image_kind_(message_kind(protocol, "your-image")),
      agreed_kind_(message_kind(protocol, "agreed")) {}

void RecoveryLog::see(const audit::Sight& sight) {
  if (sight.actor >= ranks_.size()) return;
  if (sight.kind == audit::Sight::Kind::died) return died(sight.actor);
  if (sight.kind == audit::Sight::Kind::restarted) dead_.erase(sight.actor);
  if (sight.message != nullptr && sight.message->channel == Family::message_logging) {
    if (sight.kind == audit::Sight::Kind::sent) sent(sight.actor, *sight.message);
    if (sight.kind == audit::Sight::Kind::received) received(sight.actor, *sight.message);
    if (sight.kind == audit::Sight::Kind::lost) lost(*sight.message);
  }
  if (sight.kind == audit::Sight::Kind::mark && std::string_view(sight.text) == "recovered") {
    recovering_.erase(sight.actor);
    if (recovering_.empty()) recoveries_overlap_ = false;
  }
}

/// "Send my image to its keeper again, if that has restarted": as soon as the ranks have agreed on
/// the restart. All have heard of the agreement if the keeper has, which has restarted, and nobody
/// is about to.
bool RecoveryLog::had_to_be_copied(const ImageOf& image) const {
  return image.keeper != kNobody && image.own && !image.copy && image.copies_under_way == 0 &&
         !dead_.contains(image.keeper) && image.agreed && ranks_[image.keeper].agreed &&
         agreements_under_way_ <= 0;
}

void RecoveryLog::died(Rank rank) {
  any_death_ = true;
  ranks_[rank].forgotten = had_to_be_copied(ranks_[rank]);
  if (!recovering_.empty()) recoveries_overlap_ = true;
  dead_.insert(rank);
  recovering_.insert(rank);
  ranks_[rank].own = false;
  ++ranks_[rank].deaths;
  ranks_[rank].copies_under_way = 0;
  for (ImageOf& image : ranks_) {
    image.agreed = false;
    if (image.keeper == rank) image.copy = false;
  }
  for (const ImageOf& image : ranks_)
    if (image.keeper != kNobody && !image.own && !image.copy && !image.forgotten)
      image_lost_ = true;
}

bool RecoveryLog::is_copy(const Message& message) const {
  return message.kind == image_kind_ &&
         message.payload.get<checkpoints::ImageWords>().committed == 1;
}

void RecoveryLog::lost(const Message& message) {
  if (message.kind == agreed_kind_) --agreements_under_way_;
  void_images_.erase(&message);
  if (is_copy(message) && message.from_incarnation == ranks_.at(message.from).deaths)
    --ranks_[message.from].copies_under_way;
}

void RecoveryLog::sent(Rank rank, const Message& message) {
  if (message.kind == agreed_kind_) {
    ranks_[rank].agreed = true;
    ++agreements_under_way_;
  }
  if (is_copy(message))
    ++ranks_[rank].copies_under_way;
  else if (message.kind == image_kind_ && !ranks_[rank].agreed)
    void_images_.insert(&message);
}

void RecoveryLog::received(Rank rank, const Message& message) {
  if (message.kind == agreed_kind_) {
    ranks_[rank].agreed = true;
    --agreements_under_way_;
  }
  if (message.kind == your_image_kind_) ranks_[rank].own = true;
  if (message.kind != image_kind_ || void_images_.erase(&message) > 0) return;
  ImageOf& image = ranks_.at(message.from);
  if (message.from_incarnation < image.deaths) return;  // the sender has died since
  if (is_copy(message))
    --image.copies_under_way;
  else if (image.copies_under_way > 0)
    return;  // the message has overtaken the copy, and is not committed
  image.keeper = rank;
  image.own = image.copy = true;
}

std::optional<BrokenPromise> against_recovery(const RecoveryPromise& promise,
                                              const engine::RunResult& result,
                                              const RecoveryLog& log) {
  if (log.all_dead() && result.violations.empty()) return std::nullopt;
  if (std::optional<BrokenPromise> broken = promise_broken_by_end(result)) return broken;
  if (result.outcome != engine::Outcome::fatal_reported || log.image_lost()) return std::nullopt;
  const bool is_of_an_image =
      result.fatal_reason == "a rank has died, and so has the keeper of its image";
  if (log.recoveries_overlap() && !promise.survives_overlaps && !is_of_an_image)
    return std::nullopt;
  return BrokenPromise{LemmaFigure::given_up, "given up without need: " + result.fatal_reason};
}

}  // namespace faultline::lemmas
