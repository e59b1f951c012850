// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/restart_wave.hpp"

#include <algorithm>
#include <utility>

#include "sim/core/invariant.hpp"

namespace faultline::message_logging {

namespace {

constexpr std::uint32_t kBytesOfIncarnation = 8;
constexpr std::uint32_t kBytesOfImage = 16;
constexpr std::uint32_t kBytesOfMoved = 16;

std::uint64_t bytes_of(const RestartReport& report) {
  return kBytesOfImage * report.images.size() +
         report.determinant_bytes * report.determinants.size() +
         kBytesOfMoved * (report.moved.size() + report.lost.size()) +
         sizeof(Rank) * report.addressed.size();
}

}  // namespace

/// A rank that has not committed the latest checkpoint yet knows of messages from before it, which
/// nobody will replay.
void RestartReport::add(const RestartReport& other) {
  partners += other.partners;
  determinant_bytes = std::max(determinant_bytes, other.determinant_bytes);
  images.insert(images.end(), other.images.begin(), other.images.end());
  moved.insert(moved.end(), other.moved.begin(), other.moved.end());
  lost.insert(lost.end(), other.lost.begin(), other.lost.end());
  if (other.epoch < epoch) return;
  if (other.epoch > epoch) {
    determinants.clear();
    addressed.clear();
  }
  epoch = other.epoch;
  for (const Rank rank : other.addressed)
    if (std::find(addressed.begin(), addressed.end(), rank) == addressed.end())
      addressed.push_back(rank);
  determinants.insert(determinants.end(), other.determinants.begin(), other.determinants.end());
}

RestartWave::Due RestartWave::begin(RecoveryContext& context, double death_s) {
  root_ = self_;
  death_s_ = death_s;
  restarted_.clear();
  joined_ = 0;
  for (Rank rank = 0; rank < processes_; ++rank) {
    const Incarnation known =
        rank == self_ ? Incarnation{self_, context.incarnation()} : context.known(rank);
    if (known.number == 0) continue;
    restarted_.push_back(known);
    joined_ += known.number;
  }
  to_tell_ = true;
  return tell_when_all_are_known(context);
}

RestartWave::Due RestartWave::on_message(RecoveryContext& context, const Message& message) {
  const auto words = message.payload.get<Words>();
  switch (message.kind) {
    case checkpoints::CheckpointMessage::restarted:
      return words.level > joined_ ? join(context, message) : Due::nothing;
    case checkpoints::CheckpointMessage::reported:
      return words.level == joined_ ? take_report(context, message) : Due::nothing;
    default:
      invariant(message.kind == checkpoints::CheckpointMessage::agreed,
                "a message of another kind in a restart");
      if (words.level != joined_) return Due::nothing;
      return agree(context, *context.attached<RestartAgreement>(message));
  }
}

RestartWave::Due RestartWave::join(RecoveryContext& context, const Message& message) {
  const auto words = message.payload.get<Words>();
  joined_ = words.level;
  root_ = static_cast<Rank>(words.value);
  death_s_ = words.death_s;
  restarted_ = *context.attached<std::vector<Incarnation>>(message);
  reported_.reset();
  reports_ = {};
  to_tell_ = true;
  for (const Incarnation& life : restarted_)
    if (life.actor != self_ && context.known(life.actor).number < life.number) context.learn(life);
  return tell_when_all_are_known(context);
}

RestartWave::Due RestartWave::on_peer_restarted(RecoveryContext& context) {
  return tell_when_all_are_known(context);
}

/// A child may have restarted. A message to it before this rank knows of that would be lost.
RestartWave::Due RestartWave::tell_when_all_are_known(RecoveryContext& context) {
  const bool all = std::all_of(restarted_.begin(), restarted_.end(), [&](const Incarnation& life) {
    return life.actor == self_ || context.known(life.actor).number >= life.number;
  });
  if (!to_tell_ || !all) return Due::nothing;
  to_tell_ = false;
  const std::uint64_t list = kBytesOfIncarnation * restarted_.size();
  tree().for_each_child(self_, [&](Rank child) {
    Message& told = context.send(child, checkpoints::CheckpointMessage::restarted, bytes_ + list);
    told.payload.put(Words{joined_, root_, death_s_});
    context.attach(told, restarted_);
  });
  return Due::report;
}

RestartWave::Due RestartWave::report(RecoveryContext& context, const RestartReport& own) {
  invariant(!reported_.has_own(), "a rank reports twice in a restart");
  reported_.add_own();
  reports_.add(own);
  return pass_on_report(context);
}

RestartWave::Due RestartWave::take_report(RecoveryContext& context, const Message& message) {
  reported_.add_child();
  reports_.add(*context.attached<RestartReport>(message));
  return pass_on_report(context);
}

RestartWave::Due RestartWave::pass_on_report(RecoveryContext& context) {
  invariant(!reported_.exceeds(tree().child_count(self_)), "a child reports twice in a restart");
  if (!reported_.is_complete(tree().child_count(self_))) return Due::nothing;
  if (self_ != root_) {
    Message& up = context.send(tree().parent(self_), checkpoints::CheckpointMessage::reported,
                               bytes_ + bytes_of(reports_));
    up.payload.put(Words{joined_, reports_.epoch, 0.0});
    context.attach(up, std::exchange(reports_, {}));
    return Due::nothing;
  }
  RestartAgreement agreement{joined_,        reports_.epoch, {},
                             reports_.moved, reports_.lost,  reports_.addressed};
  for (const checkpoints::KeptFor& kept : reports_.images)
    if (kept.number + 1 == agreement.epoch) agreement.have_images.push_back(kept.client);
  return agree(context, agreement);
}

RestartWave::Due RestartWave::agree(RecoveryContext& context, const RestartAgreement& agreement) {
  agreement_ = agreement;
  const std::uint64_t list =
      sizeof(Rank) * (agreement.have_images.size() + agreement.addressed.size()) +
      kBytesOfMoved * (agreement.moved.size() + agreement.lost.size());
  tree().for_each_child(self_, [&](Rank child) {
    Message& told = context.send(child, checkpoints::CheckpointMessage::agreed, bytes_ + list);
    told.payload.put(Words{agreement.level, agreement.epoch, 0.0});
    context.attach(told, agreement);
  });
  return Due::agreed;
}

std::uint16_t RestartWave::incarnation_of(Rank rank) const {
  for (const Incarnation& life : restarted_)
    if (life.actor == rank) return life.number;
  return 0;
}

void RestartWave::digest(Digest& into) const {
  into.add(joined_, root_, to_tell_, reported_, agreement_.level, agreement_.epoch,
           agreement_.moved, agreement_.addressed);
  if (agreement_.level < joined_) into.add(restarted_, reports_);
}

}  // namespace faultline::message_logging
