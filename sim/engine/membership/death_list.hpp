// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/types.hpp"

namespace faultline::engine {

/// A death that has happened.
struct Death {
  Incarnation dead;
  /// The daemon that hosted this rank when that daemon died; nobody if it has not died since.
  Incarnation daemon;
  double time_s;
  bool silent;             ///< nobody was left to close its connections
  bool earlier = false;    ///< it has died before that daemon, and not with it
  double back_s = kNever;  ///< when the actor was started again
};

/// The deaths of ranks and daemons, in order. Events and actors name one by its number, which is
/// its place.
class DeathList {
 public:
  /// Adds the death of an actor that has none here. Returns the number of the death.
  std::uint32_t add(const Death& death);
  /// The death of a rank that has died earlier is also part of the death of the daemon of its node,
  /// unless an earlier daemon hosted it.
  void cover(Incarnation rank, Incarnation daemon);

  /// An actor that has died starts again.
  void end(Incarnation dead, double back_s);

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(list_.size()); }
  [[nodiscard]] const Death& operator[](std::uint32_t number) const { return list_[number]; }
  /// Nothing if that incarnation has not died.
  [[nodiscard]] std::optional<std::uint32_t> number_of(Incarnation dead) const;
  /// The death of an incarnation that has died.
  [[nodiscard]] const Death& of(Incarnation dead) const { return list_[numbers_.at(dead)]; }
  /// The deaths of the ranks that a daemon hosted when it died: first those that had died before it
  /// and not restarted, then those that died with it. None of one that lives.
  [[nodiscard]] const std::vector<std::uint32_t>& hosted_by(Incarnation daemon) const;
  /// Has somebody died under that daemon, and not under an earlier one of the node?
  [[nodiscard]] bool is_under(std::uint32_t death, Incarnation daemon) const;

  /// Numbers and times are no part of it.
  void digest(Digest& into) const;

 private:
  std::vector<Death> list_;
  std::map<Incarnation, std::uint32_t> numbers_;
  std::map<Incarnation, std::vector<std::uint32_t>> hosted_;  ///< by daemon
};

}  // namespace faultline::engine
