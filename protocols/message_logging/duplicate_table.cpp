// SPDX-License-Identifier: Apache-2.0
#include "protocols/message_logging/duplicate_table.hpp"

#include <utility>

namespace faultline::message_logging {

bool DuplicateTable::insert(const KindChannel& channel, std::uint64_t number, Incarnation sender) {
  Come& come = come_[channel];
  const bool is_latest = number >= come.numbers.last();
  const bool is_first = come.numbers.insert(number);
  if (!is_latest) return is_first;
  come.sender = sender;
  if (std::exchange(come.behind, false)) --behind_;
  return is_first;
}

bool DuplicateTable::expect_again(Incarnation begun) {
  bool any = false;
  come_.for_each([&](const KindChannel&, Come& come) {
    if (come.sender.actor != begun.actor || come.sender.number >= begun.number) return;
    any = true;
    if (!std::exchange(come.behind, true)) ++behind_;
  });
  return any;
}

void DuplicateTable::forget(const Endpoint& to) {
  come_.for_each([&](const KindChannel& channel, Come& come) {
    if (channel.ends.to != to) return;
    if (come.behind) --behind_;
    come = {};
  });
}

void DuplicateTable::clear() {
  come_.reset();
  behind_ = 0;
}

}  // namespace faultline::message_logging
