// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/duplicate_table.hpp"

#include <algorithm>

#include "sim/core/invariant.hpp"

namespace faultline {

namespace {

constexpr std::uint64_t kBits = 64;

}  // namespace

bool DuplicateTable::insert(const KindChannel& channel, std::uint64_t number, Incarnation sender) {
  enter_noted();
  return enter(channel, number, sender);
}

void DuplicateTable::enter_noted() {
  for (const Noted& noted : noted_)
    invariant(enter(noted.channel, noted.number, {noted.sender, 0}),
              "a message that was taken for the first has come before");
  noted_.clear();
}

bool DuplicateTable::enter(const KindChannel& channel, std::uint64_t number, Incarnation sender) {
  Window& window = windows_[channel];
  const bool reaches_latest = number >= window.latest;
  const bool is_first = is_new(channel, window, number);
  if (!reaches_latest) return is_first;
  window.sender = sender;
  if (window.behind) --behind_;
  window.behind = false;
  return is_first;
}

bool DuplicateTable::is_new(const KindChannel& channel, Window& window, std::uint64_t number) {
  if (number > window.latest) {
    advance(channel, window, number);
    return true;
  }
  const std::uint64_t behind = window.latest - number;
  if (behind == 0) return false;
  if (behind <= kBits) {
    const std::uint64_t bit = std::uint64_t{1} << (behind - 1);
    if ((window.before & bit) != 0) return false;
    window.before |= bit;
    if (number < window.first) window.first = number;
    return true;
  }
  if (number < window.first) {
    for (std::uint64_t later = number + 1; later < window.first && later + kBits < window.latest;
         ++later)
      add_missing(channel, later);
    window.first = number;
    return true;
  }
  const Missing wanted{channel, number};
  const auto place = std::lower_bound(missing_.begin(), missing_.end(), wanted);
  if (place == missing_.end() || *place != wanted) return false;
  missing_.erase(place);
  return true;
}

/// A number that is later than all. What the window leaves behind has come, or is missing.
void DuplicateTable::advance(const KindChannel& channel, Window& window, std::uint64_t number) {
  if (window.latest == 0) {
    window.first = window.latest = number;
    return;
  }
  const std::uint64_t ahead = number - window.latest;
  const std::uint64_t oldest = window.latest > kBits ? window.latest - kBits : 1;
  for (std::uint64_t left = std::max(window.first, oldest); left + kBits < number; ++left) {
    const bool has_come = left == window.latest ||
                          (left < window.latest &&
                           (window.before & std::uint64_t{1} << (window.latest - left - 1)) != 0);
    if (!has_come) add_missing(channel, left);
  }
  window.before = ahead >= kBits ? 0 : window.before << ahead;
  if (ahead <= kBits) window.before |= std::uint64_t{1} << (ahead - 1);
  window.latest = number;
}

void DuplicateTable::add_missing(const KindChannel& channel, std::uint64_t number) {
  const Missing missing{channel, number};
  missing_.insert(std::lower_bound(missing_.begin(), missing_.end(), missing), missing);
}

bool DuplicateTable::expect_again(Incarnation begun) {
  enter_noted();
  bool any = false;
  windows_.for_each([&](const KindChannel&, Window& window) {
    if (window.sender.actor != begun.actor || window.sender.number >= begun.number) return;
    any = true;
    behind_ += window.behind ? 0 : 1;
    window.behind = true;
  });
  return any;
}

void DuplicateTable::forget(const Endpoint& to) {
  enter_noted();
  windows_.for_each([&](const KindChannel& channel, Window& window) {
    if (channel.ends.to != to) return;
    behind_ -= window.behind ? 1 : 0;
    window = {};
  });
  std::erase_if(missing_, [&](const Missing& missing) { return missing.channel.ends.to == to; });
}

void DuplicateTable::digest(Digest& into) const {
  DuplicateTable entered = *this;
  entered.enter_noted();
  into.add(entered.windows_, entered.missing_);
}

void DuplicateTable::clear() {
  noted_.clear();
  windows_.reset();
  missing_.clear();
  behind_ = 0;
}

}  // namespace faultline
