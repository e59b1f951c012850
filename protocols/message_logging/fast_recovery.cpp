// SPDX-License-Identifier: Apache-2.0

// Recovery under fast message logging: on the restarted rank itself, or on several helpers.

#include <algorithm>
#include <utility>

#include "protocols/message_logging/fast.hpp"
#include "sim/core/invariant.hpp"

namespace faultline::message_logging {

namespace {

constexpr std::uint32_t kBytesOfSender = 8;

bool has(const std::vector<MovedObject>& objects, Rank home, ObjectId object) {
  return std::any_of(objects.begin(), objects.end(), [=](const MovedObject& moved) {
    return moved.home == home && moved.object == object;
  });
}

}  // namespace

// ---- messages for objects that have moved -----------------------------------------------------

/// Until its object has settled.
bool Fast::must_wait(const RecoveryContext& context, const Message& message) {
  if (emigrants_.empty() && immigrants_.empty()) return false;
  if (const Emigrant* object = emigrants_.find(message.to_object))
    return object->stage == Emigrant::Stage::leaving ||
           context.known(object->host.actor) != object->host;  // it is lost
  const Immigrant* object = immigrants_.find(message.to_object);
  return object != nullptr && object->stage != Immigrant::Stage::here &&
         object->stage != Immigrant::Stage::gone;
}

/// Home passes on the messages for an object that is away. An object that has come home, or has
/// gone there, has had all that it needs: messages that still come are duplicates.
std::optional<Admission> Fast::admit_moved(RecoveryContext& context, Message& message) {
  if (const Emigrant* object = emigrants_.find(message.to_object)) {
    if (object->stage == Emigrant::Stage::back) return Admission::discard;
    Message& passed_on = context.relay(message, object->host.actor);
    context.attach(passed_on, Incarnation{message.from, message.from_incarnation});
    passed_on.add_bytes(kBytesOfSender);
    return Admission::kept;
  }
  const Immigrant* object = immigrants_.find(message.to_object);
  if (object != nullptr && object->stage == Immigrant::Stage::gone) return Admission::discard;
  return std::nullopt;
}

// ---- a restart is agreed on -------------------------------------------------------------------

/// Its host has restarted since, as all that take part in the restart know. The messages that the
/// object has sent there are no longer logged, so that it must do everything again even if it is
/// home.
bool Fast::is_lost(const Emigrant& emigrant) const {
  return program_.wave().incarnation_of(emigrant.host.actor) > emigrant.host.number;
}

void Fast::on_joined(RecoveryContext& context, Rank root, RestartReport& report) {
  if (std::ranges::find(deaths_, root, &std::pair<Rank, double>::first) == deaths_.end())
    deaths_.emplace_back(root, program_.wave().death_s());
  for (const Immigrant& object : immigrants_)
    if (object.stage != Immigrant::Stage::gone)
      report.moved.push_back({object.object, object.home, {self_, context.incarnation()}});
  report.lost = lost_;  // somebody may have missed the agreement after which they were sent again
  for (const Emigrant& object : emigrants_)
    if (is_lost(object)) report.lost.push_back({object.object, self_, object.host});
  for (const LogPeer& to : log_.peers())
    if (to.sent > 0 && program_.wave().incarnation_of(to.rank) > 0)
      report.addressed.push_back(to.rank);
}

void Fast::on_agreed(RecoveryContext& context) {
  await_again();
  replace_lost(context);
  resend_lost(context);
  deaths_.clear();
  log_.serve_restarted(program_.wave(), [&](const LogPeer& peer) { restart(context, peer); });
}

// def Restart(A), for all objects that were there
void Fast::restart(RecoveryContext& context, const LogPeer& to) const {
  log_.for_each_logged(to, [&](const Message& logged, std::uint64_t, std::uint32_t noted) {
    log_.resend(context, logged, noted, program_.stamp());
  });
}

/// Sends again to objects that were lost away from home. Home has restarted before, and is there.
void Fast::resend_lost(RecoveryContext& context) {
  std::vector<MovedObject> lost = program_.wave().agreement().lost;
  std::erase_if(lost, [this](const MovedObject& object) {
    return std::find(resent_.begin(), resent_.end(), object) != resent_.end();
  });
  if (lost.empty()) return;
  resent_.insert(resent_.end(), lost.begin(), lost.end());
  for (const LogPeer& to : log_.peers())
    if (to.rank == self_ ||
        program_.wave().incarnation_of(to.rank) <= to.served)  // else it gets it all
      resend_to(context, to, lost);
}

void Fast::resend_to(RecoveryContext& context, const LogPeer& to,
                     const std::vector<MovedObject>& lost) const {
  log_.for_each_logged(to, [&](const Message& logged, std::uint64_t, std::uint32_t noted) {
    if (has(lost, to.rank, logged.to_object)) log_.resend(context, logged, noted, program_.stamp());
  });
}

/// Home sends objects again that were lost elsewhere.
void Fast::replace_lost(RecoveryContext& context) {
  std::uint32_t place = 0;
  for (const Emigrant& emigrant : emigrants_) {
    if (!is_lost(emigrant)) continue;
    if (emigrant.stage == Emigrant::Stage::back) {
      context.remove_object(emigrant.object);
      ++moving_;
    }
    lost_.push_back({emigrant.object, self_, emigrant.host});
    distribute(context, emigrant.object, emigrant.host.actor, place++);
  }
}

// ---- how far the others are -------------------------------------------------------------------

/// As far as this rank knows: a wave that is cut does not reach everybody.
double Fast::death_s_of(Rank rank) const {
  const auto known = std::ranges::find(deaths_, rank, &std::pair<Rank, double>::first);
  return known == deaths_.end() ? program_.wave().death_s() : known->second;
}

/// What a dead rank has sent comes again, as far as this rank has had it. Then the objects that
/// were lost are where they were.
void Fast::await_again() {
  program_.wave().for_each_restarted([&](Incarnation begun) {
    if (!come_.expect_again(begun)) return;
    const double death_s = death_s_of(begun.actor);
    behind_since_s_ = std::min(behind_since_s_.value_or(death_s), death_s);
  });
}

/// The object is not here any more, or begins anew. Nothing is awaited for it.
void Fast::forget_received_by(RecoveryContext& context, ObjectId object) {
  come_.forget({.object = object});
  if (behind_since_s_ && come_.behind() == 0) catch_up(context);
}

void Fast::catch_up(RecoveryContext& context) {
  program_.note_recovered(context, *std::exchange(behind_since_s_, std::nullopt));
}

// ---- a restarted rank -------------------------------------------------------------------------

/// At the start of the program there is nothing to recover.
void Fast::come_up(RecoveryContext& context) {
  if (!std::exchange(came_up_, true)) program_.note_recovered(context, context.death_s());
}

// def Recovery
void Fast::on_restored(RecoveryContext& context) {
  program_.on_restored();
  host_waiting(context);
  if (helpers_ > 0) distribute_all(context);
  awaits_helpers_ = helpers_ > 0 && moving_ > 0;
  if (!awaits_helpers_) program_.resume(context, *this);
}

/// All objects of this rank go on elsewhere. If nobody has sent this rank anything, there is
/// nothing to replay, and they stay at home. So it is after the last checkpoint, from which nobody
/// would bring them home.
void Fast::distribute_all(RecoveryContext& context) {
  const std::vector<Rank>& addressed = program_.wave().agreement().addressed;
  const bool replays = std::find(addressed.begin(), addressed.end(), self_) != addressed.end();
  const std::vector<MovedObject>& moved = program_.wave().agreement().moved;
  std::uint32_t place = 0;
  for (const ObjectId object : context.objects()) {
    const auto living = std::find_if(moved.begin(), moved.end(), [&](const MovedObject& other) {
      return other.home == self_ && other.object == object &&
             context.known(other.host.actor) == other.host;
    });
    if (living == moved.end() && !replays) continue;
    context.remove_object(object);
    ++moving_;
    if (living == moved.end()) {
      distribute(context, object, self_, place++);
      continue;
    }
    Emigrant& there = emigrants_.of(object);
    there.host = living->host;
    there.stage = Emigrant::Stage::away;
  }
}

/// Lets an object of this rank go on elsewhere, from the last checkpoint: the `place`-th of those
/// that were lost with `dead`. Those that were lost on a helper do not come home before the next
/// checkpoint: what they have contributed to a reduction at home came as messages, which only
/// messages repeat.
void Fast::distribute(RecoveryContext& context, ObjectId object, Rank dead, std::uint32_t place) {
  const PackedObject packed = program_.images().last().image.pack(object);
  auto helper = static_cast<Rank>((std::uint64_t{dead} + 1 + place % helpers_) % processes_);
  if (helper == self_) helper = dead;
  Emigrant& there = emigrants_.of(object);
  there.host = context.known(helper);
  there.stage = Emigrant::Stage::leaving;
  there.level = program_.level();
  const double death_s = dead == self_ ? context.death_s() : death_s_of(dead);
  Message& message = context.send(helper, kObject, packed.bytes + program_.control_bytes());
  message.payload.put(ObjectWords{.epoch = program_.epoch(), .object = object, .death_s = death_s});
  context.attach(message, packed);
}

/// The program goes on when all of its objects do.
void Fast::try_resume(RecoveryContext& context) {
  if (!awaits_helpers_ || moving_ > 0 || any_is(emigrants_, Emigrant::Stage::leaving)) return;
  awaits_helpers_ = false;
  program_.resume(context, *this);
}

// ---- objects come and go ----------------------------------------------------------------------

void Fast::on_own_message(RecoveryContext& context, const Message& message) {
  if (message.kind == kObject) return take_object(context, message);
  if (message.kind == kHomecoming) return take_home(context, message);
  if (message.kind == kHosted) on_hosted(context, message);
}

void Fast::on_hosted(RecoveryContext& context, const Message& message) {
  const auto words = message.payload.get<ObjectWords>();
  Emigrant* object = emigrants_.find(static_cast<ObjectId>(words.object));
  if (object == nullptr || object->stage != Emigrant::Stage::leaving ||
      object->host != Incarnation{message.from, message.from_incarnation})
    return;
  object->stage = Emigrant::Stage::away;
  program_.gate().release_held(context, *this);
  try_resume(context);
}

void Fast::take_object(RecoveryContext& context, const Message& message) {
  const auto words = message.payload.get<ObjectWords>();
  Immigrant& object = immigrants_.of(static_cast<ObjectId>(words.object));
  object.home = message.from;
  object.stage = Immigrant::Stage::waiting;
  object.epoch = words.epoch;
  object.death_s = words.death_s;
  object.state = *context.attached<PackedObject>(message);
  host_waiting(context);
}

/// This rank must have come as far as the rank that has packed them. An object that was here before
/// has got and sent nothing yet.
void Fast::host_waiting(RecoveryContext& context) {
  if (!program_.is_up()) return;
  for (Immigrant& object : immigrants_) {
    if (object.stage != Immigrant::Stage::waiting || object.epoch != program_.epoch()) continue;
    object.stage = Immigrant::Stage::settling;
    forget_received_by(context, object.object);
    log_.forget_sent_by(object.object);
    program_waits_ = false;
    context.host_object(std::exchange(object.state, {}));
    ++moving_;
  }
}

void Fast::on_object_moved(RecoveryContext& context, ObjectId object) {
  --moving_;
  if (Immigrant* here = immigrants_.find(object);
      here && here->stage == Immigrant::Stage::settling) {
    here->stage = Immigrant::Stage::here;
    program_.note_recovered(context, here->death_s);
    context.send(here->home, kHosted, program_.control_bytes())
        .payload.put(ObjectWords{.epoch = here->epoch, .object = object});
  }
  if (moving_ > 0) return;
  program_.gate().release_held(context, *this);
  try_resume(context);
  program_.ask_if_ready(context, *this);
}

// ---- the next checkpoint ----------------------------------------------------------------------

// def Checkpoint, line 25
void Fast::send_home(RecoveryContext& context) {
  if (!program_waits_) return;
  for (Immigrant& object : immigrants_) {
    if (object.stage != Immigrant::Stage::here) continue;
    const std::optional<PackedObject> packed = context.pack(object.object);
    if (!packed) return context.set_timer(kSendHome, CheckpointedProgram::kTryAgain_s);
    Message& message =
        context.send(object.home, kHomecoming, packed->bytes + program_.control_bytes());
    message.payload.put(ObjectWords{
        .epoch = object.epoch, .object = object.object, .level = program_.wave().joined()});
    context.attach(message, *packed);
    object.stage = Immigrant::Stage::gone;
    forget_received_by(context, object.object);
    context.remove_object(object.object);
    ++moving_;
  }
}

void Fast::on_timer(RecoveryContext& context, std::uint64_t key) {
  if (key == kSendHome) return send_home(context);
  ProgramLayer::on_timer(context, key);
}

/// An object that waits at the next checkpoint waits at home, too, if home has gone on from the
/// last.
void Fast::take_home(RecoveryContext& context, const Message& message) {
  if (!program_.is_up() || program_.gate().is_resuming()) {
    homecomings_.push_back(message);
    return;
  }
  const auto words = message.payload.get<ObjectWords>();
  Emigrant* object = emigrants_.find(static_cast<ObjectId>(words.object));
  if (words.epoch != program_.epoch() || object == nullptr ||
      object->stage == Emigrant::Stage::back ||
      object->host != Incarnation{message.from, message.from_incarnation} ||
      words.level < object->level)
    return;  // it was taken for lost
  object->stage = Emigrant::Stage::back;
  context.host_object(*context.attached<PackedObject>(message));
  ++moving_;
}

}  // namespace faultline::message_logging
