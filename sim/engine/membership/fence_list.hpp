// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/types.hpp"

namespace faultline::engine {

/// The resource manager has been told that a process is dead, which lives.
struct Accusation {
  Incarnation accused;
  Incarnation accuser;
  double heard_s;  ///< when the manager hears of it; kNever if it never does
};

/// The processes that the resource manager has to end, and their accusers. Events name an
/// accusation by its number, which is its place.
///
/// The manager does not believe a process that was accused before: of two that accuse each other
/// it ends one, and not both. Only accusations that are believed count for that.
class FenceList {
 public:
  /// Returns the number of the accusation.
  std::uint32_t add(const Accusation& accusation);
  [[nodiscard]] const Accusation& operator[](std::uint32_t number) const { return list_[number]; }
  /// Does the manager believe an accusation of this incarnation?
  [[nodiscard]] bool is_accused(Incarnation life) const { return is_accused_by(life, kNever); }
  /// Does it believe one that it has heard by that moment?
  [[nodiscard]] bool is_accused_by(Incarnation life, double time_s) const;
  /// Does the manager believe that accusation? One that it hears late may come after others.
  [[nodiscard]] bool is_believed(std::uint32_t number) const;

  /// Ranks have been ended that lived.
  void count_fenced(std::uint32_t ranks) { fenced_alive_ += ranks; }
  [[nodiscard]] std::uint64_t fenced_alive() const { return fenced_alive_; }

  /// Adds the accused processes that live. The dead accuse nobody, and are not ended again; what
  /// the manager believes is settled when time stands still.
  void digest(Digest& into, const std::function<bool(Incarnation)>& lives) const;

 private:
  std::vector<Accusation> list_;
  std::map<Incarnation, std::vector<std::uint32_t>> against_;  ///< numbers, by accused
  std::uint64_t fenced_alive_ = 0;
};

}  // namespace faultline::engine
