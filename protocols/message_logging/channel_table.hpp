// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sim/core/digest.hpp"

namespace faultline::message_logging {

/// A value for each channel that has been used: a hash table without pointers, because each message
/// is looked up. What is looked up begins at the place that its hash names, and goes on to the next
/// one while another channel has it. A channel that has not been used since `reset` is as one that
/// has never been.
template <class Channel, class Value>
class ChannelTable {
 public:
  /// The value of a channel, fresh at first. Valid until another one is asked for.
  Value& operator[](const Channel& channel) {
    if (places_.empty()) places_.resize(kFirstPlaces);
    std::size_t at = place_of(channel);
    if (!places_[at].is_used) {
      if (kOfPlaces * used_ >= kMostUsed * places_.size()) at = grow_for(channel);
      places_[at].is_used = true;
      places_[at].channel = channel;
      ++used_;
    }
    return places_[at].value;
  }
  /// Visits all values, also fresh ones: visit(channel, value). Their order means nothing, and no
  /// result may depend on it.
  template <class Visit>
  void for_each(Visit visit) {
    for (Place& place : places_)
      if (place.is_used) visit(std::as_const(place.channel), place.value);
  }
  /// All values are fresh again. Their memory stays, for the same channels.
  void reset() {
    for (Place& place : places_) place.value = Value{};
  }
  /// Adds the values by their channels. A fresh value is none.
  void digest(Digest& into) const {
    std::vector<std::pair<Channel, Value>> used;
    for (const Place& place : places_)
      if (!(place.value == Value{})) used.emplace_back(place.channel, place.value);
    into.add_sorted(used, &std::pair<Channel, Value>::first);
  }

 private:
  struct Place {
    Channel channel = {};
    bool is_used = false;
    Value value = {};
  };
  static constexpr std::size_t kFirstPlaces = 16;
  // At most three of four places are used, so that a free one is near.
  static constexpr std::size_t kMostUsed = 3;
  static constexpr std::size_t kOfPlaces = 4;

  /// Where the channel is, or would be.
  [[nodiscard]] std::size_t place_of(const Channel& channel) const {
    const std::size_t last = places_.size() - 1;
    std::size_t at = channel.hash() & last;
    while (places_[at].is_used && places_[at].channel != channel) at = (at + 1) & last;
    return at;
  }
  std::size_t grow_for(const Channel& channel) {
    std::vector<Place> before(2 * places_.size());
    before.swap(places_);
    for (Place& place : before)
      if (place.is_used) places_[place_of(place.channel)] = std::move(place);
    return place_of(channel);
  }

  std::vector<Place> places_;  ///< a power of two of them, or none
  std::size_t used_ = 0;
};

}  // namespace faultline::message_logging
