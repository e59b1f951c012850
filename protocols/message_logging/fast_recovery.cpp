// SPDX-License-Identifier: Apache-2.0

// Recovery under fast message logging: on the restarted rank itself, or on several helpers.

#include <algorithm>
#include <utility>

#include "protocols/message_logging/fast.hpp"
#include "sim/core/invariant.hpp"

namespace faultline {

namespace {

/// What a message about an object says besides what it attaches.
struct ObjectWords {
  std::uint64_t epoch = 0;  ///< of the checkpoint from which the object goes on
  std::uint64_t object = 0;
  double death_s = 0.0;     ///< of the rank that had it
  std::uint64_t level = 0;  ///< of a homecoming: the restarts that its sender knows of
};

constexpr std::uint32_t kBytesOfSender = 8;

/// The place of an object in a list by objects.
template <class Entries>
auto place_in(Entries& entries, ObjectId object) {
  return std::lower_bound(entries.begin(), entries.end(), object,
                          [](const auto& entry, ObjectId wanted) { return entry.object < wanted; });
}

/// The entry of an object, or null.
template <class Entries>
auto find_in(Entries& entries, ObjectId object) {
  const auto place = place_in(entries, object);
  return place != entries.end() && place->object == object ? &*place : nullptr;
}

/// The entry of an object, a new one if there was none.
template <class Entry>
Entry& put_in(std::vector<Entry>& entries, ObjectId object) {
  const auto place = place_in(entries, object);
  if (place != entries.end() && place->object == object) return *place;
  Entry fresh;
  fresh.object = object;
  return *entries.insert(place, fresh);
}

bool has(const std::vector<MovedObject>& objects, Rank home, ObjectId object) {
  return std::any_of(objects.begin(), objects.end(), [=](const MovedObject& moved) {
    return moved.home == home && moved.object == object;
  });
}

}  // namespace

Fast::Emigrant* Fast::emigrant(ObjectId object) { return find_in(emigrants_, object); }
Fast::Immigrant* Fast::immigrant(ObjectId object) { return find_in(immigrants_, object); }

// ---- messages for objects that have moved -----------------------------------------------------

bool Fast::is_elsewhere(const Message& message) const {
  return find_in(emigrants_, message.to_object) != nullptr;
}

/// Until its object has settled.
bool Fast::must_wait(Context& context, const Message& message) {
  if (emigrants_.empty() && immigrants_.empty()) return false;
  if (const Emigrant* object = emigrant(message.to_object))
    return object->stage == Emigrant::Stage::leaving ||
           context.known(object->host.actor) != object->host;  // it is lost
  const Immigrant* object = immigrant(message.to_object);
  return object != nullptr && object->stage != Immigrant::Stage::here &&
         object->stage != Immigrant::Stage::gone;
}

/// Home passes on what comes. Who has come home, or has gone there, has had all that it needs: what
/// still comes is there twice.
std::optional<CheckpointedLayer::Verdict> Fast::admit_moved(Context& context, Message& message) {
  if (const Emigrant* object = emigrant(message.to_object)) {
    if (object->stage == Emigrant::Stage::back) return Verdict::discard;
    Message& passed_on = context.relay(message, object->host.actor);
    context.attach(passed_on, Incarnation{message.from, message.from_incarnation});
    passed_on.add_bytes(kBytesOfSender);
    return Verdict::kept;
  }
  const Immigrant* object = immigrant(message.to_object);
  if (object != nullptr && object->stage == Immigrant::Stage::gone) return Verdict::discard;
  return std::nullopt;
}

// ---- a restart is agreed on -------------------------------------------------------------------

/// Its host has restarted since, as all who take part in the restart know. What the object has sent
/// there is no longer logged, so that it must do everything again even if it is home.
bool Fast::is_lost(const Emigrant& emigrant) const {
  return wave().incarnation_of(emigrant.host.actor) > emigrant.host.number;
}

void Fast::on_joined(Context& context, Rank root, RestartReport& report) {
  if (std::ranges::find(deaths_, root, &std::pair<Rank, double>::first) == deaths_.end())
    deaths_.emplace_back(root, wave().death_s());
  for (const Immigrant& object : immigrants_)
    if (object.stage != Immigrant::Stage::gone)
      report.moved.push_back({object.object, object.home, {self(), context.incarnation()}});
  report.lost = lost_;  // somebody may have missed the agreement after which they were sent again
  for (const Emigrant& object : emigrants_)
    if (is_lost(object)) report.lost.push_back({object.object, self(), object.host});
  for (const Peer& to : peers())
    if (to.sent > 0 && wave().incarnation_of(to.rank) > 0) report.addressed.push_back(to.rank);
}

void Fast::on_agreed(Context& context) {
  await_again(context);
  replace_lost(context);
  resend_lost(context);
  deaths_.clear();
  LoggedLayer::on_agreed(context);
}

// def Restart(A), for all objects that were there
void Fast::serve(Context& context, Peer& to) {
  for_each_logged(to, [&](const Message& logged, std::uint64_t, std::uint32_t noted) {
    resend(context, logged, noted, 0);
  });
}

/// The same for objects that were lost away from home. Home has restarted before, and is there.
void Fast::resend_lost(Context& context) {
  std::vector<MovedObject> lost = wave().agreement().lost;
  std::erase_if(lost, [this](const MovedObject& object) {
    return std::find(resent_.begin(), resent_.end(), object) != resent_.end();
  });
  if (lost.empty()) return;
  resent_.insert(resent_.end(), lost.begin(), lost.end());
  for (const Peer& to : peers())
    if (to.rank == self() || wave().incarnation_of(to.rank) <= to.served)  // else it gets it all
      resend_to(context, to, lost);
}

void Fast::resend_to(Context& context, const Peer& to, const std::vector<MovedObject>& lost) {
  for_each_logged(to, [&](const Message& logged, std::uint64_t, std::uint32_t noted) {
    if (has(lost, to.rank, logged.to_object)) resend(context, logged, noted, 0);
  });
}

/// Home sends objects again that were lost elsewhere.
void Fast::replace_lost(Context& context) {
  std::uint32_t place = 0;
  for (const Emigrant& emigrant : emigrants_) {
    if (!is_lost(emigrant)) continue;
    if (emigrant.stage == Emigrant::Stage::back) {
      context.remove_object(emigrant.object);
      ++moving_;
    }
    lost_.push_back({emigrant.object, self(), emigrant.host});
    distribute(context, emigrant.object, emigrant.host.actor, place++);
  }
}

// ---- how far the others are -------------------------------------------------------------------

/// As far as this rank knows: a wave that is cut does not reach everybody.
double Fast::death_s_of(Rank rank) const {
  const auto known = std::ranges::find(deaths_, rank, &std::pair<Rank, double>::first);
  return known == deaths_.end() ? wave().death_s() : known->second;
}

/// What a dead rank has sent comes again, as far as this rank has had it. Then the objects that
/// were lost are where they were.
void Fast::await_again(Context&) {
  wave().for_each_restarted([&](Incarnation begun) {
    if (!come_.expect_again(begun)) return;
    const double death_s = death_s_of(begun.actor);
    behind_since_s_ = std::min(behind_since_s_.value_or(death_s), death_s);
  });
}

/// The object is not here any more, or begins anew. Nothing is awaited for it.
void Fast::forget_received_by(Context& context, ObjectId object) {
  come_.forget({.object = object});
  if (behind_since_s_ && come_.behind() == 0) catch_up(context);
}

void Fast::catch_up(Context& context) {
  recovered(context, *std::exchange(behind_since_s_, std::nullopt));
}

// ---- a restarted rank -------------------------------------------------------------------------

/// At the start of the program there is nothing to recover.
void Fast::on_up(Context& context) {
  if (epoch() > 0) return;
  came_up_ = true;
  recovered(context, context.death_s());
}

// def Recovery. If nobody has sent this rank anything, there is nothing to replay, and the objects
// stay at home. So it is after the last checkpoint, from which nobody would bring them home.
bool Fast::goes_on_at_once(Context& context) {
  host_waiting(context);
  if (helpers_ == 0) return true;
  const std::vector<Rank>& addressed = wave().agreement().addressed;
  const bool replays = std::find(addressed.begin(), addressed.end(), self()) != addressed.end();
  const std::vector<MovedObject>& moved = wave().agreement().moved;
  std::uint32_t place = 0;
  for (const ObjectId object : context.objects()) {
    const auto living = std::find_if(moved.begin(), moved.end(), [&](const MovedObject& other) {
      return other.home == self() && other.object == object &&
             context.known(other.host.actor) == other.host;
    });
    if (living == moved.end() && !replays) continue;
    context.remove_object(object);
    ++moving_;
    if (living == moved.end()) {
      distribute(context, object, self(), place++);
      continue;
    }
    Emigrant& there = put_in(emigrants_, object);
    there.host = living->host;
    there.stage = Emigrant::Stage::away;
  }
  awaits_helpers_ = moving_ > 0;
  return !awaits_helpers_;
}

/// Lets an object of this rank go on elsewhere, from the last checkpoint: the `place`-th of those
/// that were lost with `dead`. Those that were lost on a helper do not come home before the next
/// checkpoint: what they have contributed to a reduction at home came as messages, which only
/// messages repeat.
void Fast::distribute(Context& context, ObjectId object, Rank dead, std::uint32_t place) {
  const PackedObject packed = kept().image.pack(object);
  auto helper = static_cast<Rank>((std::uint64_t{dead} + 1 + place % helpers_) % job().processes);
  if (helper == self()) helper = dead;
  Emigrant& there = put_in(emigrants_, object);
  there.host = context.known(helper);
  there.stage = Emigrant::Stage::leaving;
  there.level = level();
  const double death_s = dead == self() ? context.death_s() : death_s_of(dead);
  Message& message = context.send(helper, kObject, packed.bytes + control_bytes());
  message.payload.put(ObjectWords{.epoch = epoch(), .object = object, .death_s = death_s});
  context.attach(message, packed);
}

/// The program goes on when all of its objects do.
void Fast::try_resume(Context& context) {
  const bool all_hosted =
      std::none_of(emigrants_.begin(), emigrants_.end(),
                   [](const Emigrant& object) { return object.stage == Emigrant::Stage::leaving; });
  if (!awaits_helpers_ || moving_ > 0 || !all_hosted) return;
  awaits_helpers_ = false;
  resume(context);
}

void Fast::on_resumed(Context& context) {
  host_waiting(context);
  LoggedLayer::on_resumed(context);
  for (const Message& message : std::exchange(homecomings_, {})) take_home(context, message);
  if (context.incarnation() == 0 || came_up_) return;
  came_up_ = true;
  recovered(context, context.death_s());
}

// ---- objects come and go ----------------------------------------------------------------------

void Fast::on_log_message(Context& context, const Message& message) {
  if (message.kind == kObject) return take_object(context, message);
  if (message.kind == kHomecoming) return take_home(context, message);
  const auto words = message.payload.get<ObjectWords>();
  Emigrant* object = emigrant(static_cast<ObjectId>(words.object));
  if (object == nullptr || object->stage != Emigrant::Stage::leaving ||
      object->host != Incarnation{message.from, message.from_incarnation})
    return;
  object->stage = Emigrant::Stage::away;
  release_held(context);
  try_resume(context);
}

void Fast::take_object(Context& context, const Message& message) {
  const auto words = message.payload.get<ObjectWords>();
  Immigrant& object = put_in(immigrants_, static_cast<ObjectId>(words.object));
  object.home = message.from;
  object.stage = Immigrant::Stage::waiting;
  object.epoch = words.epoch;
  object.death_s = words.death_s;
  object.state = *context.attached<PackedObject>(message);
  host_waiting(context);
}

/// This rank must have come as far as the rank that has packed them. An object that was here before
/// has got and sent nothing yet.
void Fast::host_waiting(Context& context) {
  if (!is_up()) return;
  for (Immigrant& object : immigrants_) {
    if (object.stage != Immigrant::Stage::waiting || object.epoch != epoch()) continue;
    object.stage = Immigrant::Stage::settling;
    forget_received_by(context, object.object);
    forget_sent_by(object.object);
    program_waits_ = false;
    context.host_object(std::exchange(object.state, {}));
    ++moving_;
  }
}

void Fast::on_object_moved(Context& context, ObjectId object) {
  --moving_;
  if (Immigrant* here = immigrant(object); here && here->stage == Immigrant::Stage::settling) {
    here->stage = Immigrant::Stage::here;
    recovered(context, here->death_s);
    context.send(here->home, kHosted, control_bytes())
        .payload.put(ObjectWords{.epoch = here->epoch, .object = object});
  }
  if (moving_ > 0) return;
  release_held(context);
  try_resume(context);
  ask_if_ready(context);
}

// ---- the next checkpoint ----------------------------------------------------------------------

// def Checkpoint, lines 25 and 26
void Fast::on_asked(Context& context) {
  program_waits_ = true;
  send_home(context);
}

bool Fast::is_ready() const {
  return program_waits_ && moving_ == 0 &&
         std::all_of(
             immigrants_.begin(), immigrants_.end(),
             [](const Immigrant& object) { return object.stage == Immigrant::Stage::gone; }) &&
         std::all_of(emigrants_.begin(), emigrants_.end(),
                     [](const Emigrant& object) { return object.stage == Emigrant::Stage::back; });
}

void Fast::send_home(Context& context) {
  if (!program_waits_) return;
  for (Immigrant& object : immigrants_) {
    if (object.stage != Immigrant::Stage::here) continue;
    const std::optional<PackedObject> packed = context.pack(object.object);
    if (!packed) return context.set_timer(kSendHome, kTryAgain_s);
    Message& message = context.send(object.home, kHomecoming, packed->bytes + control_bytes());
    message.payload.put(
        ObjectWords{.epoch = object.epoch, .object = object.object, .level = wave().joined()});
    context.attach(message, *packed);
    object.stage = Immigrant::Stage::gone;
    forget_received_by(context, object.object);
    context.remove_object(object.object);
    ++moving_;
  }
}

void Fast::on_timer(Context& context, std::uint64_t key) {
  if (key == kSendHome) return send_home(context);
  LoggedLayer::on_timer(context, key);
}

/// An object that waits at the next checkpoint waits at home, too, if home has gone on from the
/// last.
void Fast::take_home(Context& context, const Message& message) {
  if (!is_up() || is_resuming()) {
    homecomings_.push_back(message);
    return;
  }
  const auto words = message.payload.get<ObjectWords>();
  Emigrant* object = emigrant(static_cast<ObjectId>(words.object));
  if (words.epoch != epoch() || object == nullptr || object->stage == Emigrant::Stage::back ||
      object->host != Incarnation{message.from, message.from_incarnation} ||
      is_outdated(*object, words.level))
    return;  // it was taken for lost
  object->stage = Emigrant::Stage::back;
  context.host_object(*context.attached<PackedObject>(message));
  ++moving_;
}

// ---- seen from outside ------------------------------------------------------------------------

std::string Fast::waiting_for() const {
  std::string what = LoggedLayer::waiting_for();
  if (awaits_helpers_) return "helpers to host its objects";
  const auto away = std::find_if(emigrants_.begin(), emigrants_.end(), [](const Emigrant& object) {
    return object.stage != Emigrant::Stage::back;
  });
  if (away != emigrants_.end())
    what += (what.empty() ? "" : " and ") + ("object " + std::to_string(away->object)) + " on " +
            std::to_string(away->host.actor);
  return what;
}

}  // namespace faultline
