// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "sim/core/growing_pool.hpp"
#include "sim/core/prefetch.hpp"
#include "sim/engine/events/event.hpp"

namespace faultline::engine {

/// Some events in a row, so many that the processor sees that they are read one after the other.
/// Not a round number of bytes, so that the first events of many blocks do not compete for the same
/// places in a cache.
struct EventBlock {
  static constexpr std::size_t kEvents = 84;
  EventBlock* next;
  std::size_t count;  ///< of a list's last block, the list knows
  std::array<Event, kEvents> events;
};

/// Storage of blocks.
class EventBlocks {
 public:
  EventBlock* take() {
    EventBlock* block = blocks_.take();
    block->next = nullptr;
    return block;
  }
  void give_back(EventBlock* block) { blocks_.give_back(block); }

 private:
  static constexpr std::size_t kLargestChunk = (std::size_t{4} << 20) / sizeof(EventBlock);
  GrowingPool<EventBlock, kLargestChunk> blocks_;
};

/// Events in the order in which they were added, in blocks. It needs no memory beyond its events,
/// and does not move them when it grows. Whoever has the list clears it or takes all of it.
struct EventList {
  EventBlock* first = nullptr;
  EventBlock* last = nullptr;
  /// How many events its last block has. An event is added without a look at that block, which is
  /// often not in cache.
  std::size_t in_last = EventBlock::kEvents;

  [[nodiscard]] bool empty() const { return first == nullptr; }
  // Inlined and in parts: an event that has just been made is in registers. A copy of one that has
  // just been written to memory waits until the cache has it.
  [[gnu::always_inline]] void push(const Event& event, EventBlocks& blocks) {
    if (in_last == EventBlock::kEvents) begin_block(blocks);
    Event& place = last->events[in_last++];
    place.time_s = event.time_s;
    place.order = event.order;
    place.message = event.message;
  }
  /// Adds all events of another list, which is empty then.
  void append(EventList& other) {
    if (other.empty()) return;
    chain(other.first);
    last = other.last;
    in_last = other.in_last;
    other = {};
  }
  /// How many events one of its blocks has.
  [[nodiscard]] std::size_t count_in(const EventBlock* block) const {
    return block == last ? in_last : block->count;
  }
  [[nodiscard]] std::size_t size() const {
    std::size_t events = 0;
    for (const EventBlock* block = first; block != nullptr; block = block->next)
      events += count_in(block);
    return events;
  }
  void clear(EventBlocks& blocks) {
    for (EventBlock* block = std::exchange(*this, {}).first; block != nullptr;)
      blocks.give_back(std::exchange(block, block->next));
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const EventBlock* block = first; block != nullptr; block = block->next) {
      prefetch_lines(block->next, kLinesAhead);
      for (std::size_t i = 0; i < count_in(block); ++i) visit(block->events[i]);
    }
  }
  /// Visits all events and gives their blocks back. The list is empty already, so that the visit
  /// may add to it.
  template <class Visit>
  void take_all(EventBlocks& blocks, Visit visit) {
    const EventList taken = std::exchange(*this, {});
    for (EventBlock* block = taken.first; block != nullptr;) {
      const std::size_t count = taken.count_in(block);
      for (std::size_t i = 0; i < count; ++i) visit(block->events[i]);
      blocks.give_back(std::exchange(block, block->next));
    }
  }

 private:
  /// After so many lines of a block, the processor expects the others.
  static constexpr std::size_t kLinesAhead = 4;

  [[gnu::noinline]] void begin_block(EventBlocks& blocks) {
    EventBlock* block = blocks.take();
    chain(block);
    last = block;
    in_last = 0;
  }
  void chain(EventBlock* block) {
    if (last != nullptr) last->count = in_last;
    (last != nullptr ? last->next : first) = block;
  }
};

}  // namespace faultline::engine
