#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "sim/core/growing_pool.hpp"
#include "sim/engine/event.hpp"

namespace faultline {

/// A few events in a row. Not a round number of bytes, so that the first events of many blocks do
/// not compete for the same places in a cache.
struct EventBlock {
  static constexpr std::size_t kEvents = 20;
  EventBlock* next;
  std::size_t count;
  std::array<Event, kEvents> events;
};

/// Storage of blocks.
class EventBlocks {
 public:
  EventBlock* take() {
    EventBlock* block = blocks_.take();
    block->next = nullptr;
    block->count = 0;
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

  [[nodiscard]] bool empty() const { return first == nullptr; }
  void push(const Event& event, EventBlocks& blocks) {
    if (last == nullptr || last->count == EventBlock::kEvents) {
      EventBlock* block = blocks.take();
      (last != nullptr ? last->next : first) = block;
      last = block;
    }
    last->events[last->count++] = event;
  }
  /// Adds all events of another list, which is empty then.
  void append(EventList& other) {
    if (other.empty()) return;
    (last != nullptr ? last->next : first) = other.first;
    last = other.last;
    other = {};
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const EventBlock* block = first; block != nullptr; block = block->next)
      for (std::size_t i = 0; i < block->count; ++i) visit(block->events[i]);
  }
  /// Visits all events and gives their blocks back. The list is empty already, so that the visit
  /// may add to it.
  template <class Visit>
  void take_all(EventBlocks& blocks, Visit visit) {
    EventBlock* block = std::exchange(*this, {}).first;
    while (block != nullptr) {
      for (std::size_t i = 0; i < block->count; ++i) visit(block->events[i]);
      blocks.give_back(std::exchange(block, block->next));
    }
  }
};

}  // namespace faultline
