// SPDX-License-Identifier: Apache-2.0

// The objects of a stencil: which are here, and how they come and go.

#include <algorithm>
#include <utility>

#include "sim/core/invariant.hpp"
#include "sim/core/prefetch.hpp"
#include "workloads/stencil.hpp"

namespace faultline::workloads {

namespace {

/// A packed object: these words, and three for each message that it cannot take yet.
enum Word : std::uint8_t {
  kState,
  kExchange,
  kConsumed,
  kConsumedNext,
  kArrivedSides,
  kMissing,
  kReductions,
  kHaloBytes,
  kPhase,
  kWords
};

}  // namespace

/// The place of the object in objects_, or where it would be. Usually exactly the objects with
/// their home here are here.
std::size_t Stencil::place_of(ObjectId number) const {
  const std::size_t at_home = number - first_at_home();
  if (hosts_at(at_home, number)) return at_home;
  return static_cast<std::size_t>(std::lower_bound(objects_.begin(), objects_.end(), number,
                                                   [](const Object& object, ObjectId wanted) {
                                                     return object.number < wanted;
                                                   }) -
                                  objects_.begin());
}

void Stencil::fetch_ahead(const Message& message) const {
  const std::size_t place = message.to_object - first_at_home();
  if (place < objects_.size()) prefetch(&objects_[place], sizeof(Object));
}

Stencil::Object& Stencil::hosted(ObjectId number) {
  const std::size_t place = place_of(number);
  invariant(hosts_at(place, number), "a message for an object that is not here");
  return objects_[place];
}

std::vector<ObjectId> Stencil::objects() const {
  std::vector<ObjectId> numbers;
  numbers.reserve(objects_.size());
  for (const Object& object : objects_) numbers.push_back(object.number);
  return numbers;
}

PackedObject Stencil::pack(ObjectId number) const {
  const std::size_t place = place_of(number);
  invariant(hosts_at(place, number), "an object that is not here is to be packed");
  const Object& object = objects_[place];
  std::vector<std::uint64_t> words(kWords);
  words[kState] = object.state;
  words[kExchange] = object.exchange;
  words[kConsumed] = object.consumed[0];
  words[kConsumedNext] = object.consumed[1];
  words[kArrivedSides] = std::uint64_t{object.arrived[1]} << 32U | object.arrived[0];
  words[kMissing] = object.missing;
  words[kReductions] = object.reductions;
  words[kHaloBytes] = static_cast<std::uint64_t>(object.halo_bytes);
  words[kPhase] = static_cast<std::uint64_t>(object.phase);
  for (const Early& early : early_)
    if (early.object == number) words.insert(words.end(), {early.number, early.side, early.value});
  return {number, plan().options().object_bytes,
          std::make_shared<const std::vector<std::uint64_t>>(std::move(words))};
}

void Stencil::remove(ObjectId number) {
  const std::size_t place = place_of(number);
  invariant(hosts_at(place, number), "an object that is not here is to be removed");
  if (objects_[place].phase == Phase::synchronizing) --waiting_;
  if (objects_[place].phase == Phase::done) --done_;
  objects_.erase(objects_.begin() + static_cast<std::ptrdiff_t>(place));
  std::erase_if(early_, [number](const Early& early) { return early.object == number; });
}

void Stencil::unpack(WorkloadContext& context, const PackedObject& packed) {
  const std::vector<std::uint64_t>& words = *packed.words;
  const std::size_t place = place_of(packed.object);
  invariant(!hosts_at(place, packed.object), "an unpacked object is here already");
  Object& object =
      *objects_.insert(objects_.begin() + static_cast<std::ptrdiff_t>(place),
                       Object{.state = words[kState],
                              .exchange = words[kExchange],
                              .consumed = {words[kConsumed], words[kConsumedNext]},
                              .arrived = {static_cast<std::uint32_t>(words[kArrivedSides]),
                                          static_cast<std::uint32_t>(words[kArrivedSides] >> 32U)},
                              .missing = static_cast<std::uint32_t>(words[kMissing]),
                              .reductions = static_cast<std::uint32_t>(words[kReductions]),
                              .halo_bytes = static_cast<float>(words[kHaloBytes]),
                              .number = packed.object,
                              .phase = static_cast<Phase>(words[kPhase])});
  for (std::size_t i = kWords; i + 2 < words.size(); i += 3)
    early_.push_back({packed.object, words[i], words[i + 1], words[i + 2]});
  if (object.phase == Phase::done) {
    ++done_;
  } else if (object.phase == Phase::synchronizing &&
             plan().synchronization_after(iteration_of(object)) == synchronization_) {
    ++waiting_;
  } else {
    asked_ = false;
    if (object.phase == Phase::synchronizing) go_on(context, object);
  }
}

}  // namespace faultline::workloads
