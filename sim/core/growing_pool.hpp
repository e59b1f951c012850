// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/core/invariant.hpp"
#include "sim/core/large_pages.hpp"

namespace faultline {

/// Roughly what the last cache of a processor holds.
inline constexpr std::size_t kLastCache = std::size_t{32} << 20;

/// Storage of objects that come and go. Addresses are stable. Nothing is allocated once the largest
/// number in use has been reached. The storage grows by chunks, each twice as large as the last, up
/// to `LargestChunk` objects.
///
/// A pool of up to `LargestReused` objects hands out first what was given back last. That is still
/// in a cache, and places that only a burst needed, such as at the start of a run, leave the cache
/// to other things. In a larger pool, objects that are taken one after the other lie side by side
/// as far as possible, because a caller often looks at such objects together, and a large job's
/// objects lie on more pages than a processor can find quickly. There an object that is given back
/// waits until all that are ready have been taken. Then those that wait become ready, in the order
/// of their places.
///
/// `T::next` links objects that have been taken. It leads to an object of the pool, or is null.
template <class T, std::size_t LargestChunk, std::size_t LargestReused = kLastCache / sizeof(T)>
class GrowingPool {
 public:
  GrowingPool() = default;
  GrowingPool(GrowingPool&&) noexcept = default;
  GrowingPool& operator=(GrowingPool&&) noexcept = default;
  GrowingPool& operator=(const GrowingPool&) = delete;
  ~GrowingPool() = default;
  /// Copies all objects. Links lead to the objects of the copy, and those that are free are taken
  /// from it in the same order.
  GrowingPool(const GrowingPool& other) : chunks_(other.chunks_), free_(other.free_.size()) {
    for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) note_address(chunk);
    for_each([&](T& object) { object.next = counterpart(object.next, other); });
    for (; ready_ < other.ready_; ++ready_) free_[ready_] = counterpart(other.free_[ready_], other);
    for (; waiting_ < other.waiting_; ++waiting_)
      last(waiting_) = counterpart(other.last(waiting_), other);
  }

  T* take() {
    if (ready_ == 0) make_ready();
    T* object = free_[--ready_];
    if (ready_ >= kFetchedAhead) fetch(free_[ready_ - kFetchedAhead]);
    return object;
  }
  void give_back(T* object) {
    (places() <= LargestReused ? free_[ready_++] : last(waiting_++)) = object;
  }

  template <class Visit>
  void for_each(Visit visit) {
    for (Chunk& chunk : chunks_)
      for (T& object : chunk.places) visit(object);
  }
  /// How many objects there is storage for.
  [[nodiscard]] std::size_t places() const { return free_.size(); }
  /// The object of this pool, which is a copy of `other`, at the place that `object` has there;
  /// null for null.
  [[nodiscard]] T* counterpart(const T* object, const GrowingPool& other) {
    if (object == nullptr) return nullptr;
    const Where where = other.where_of(object);
    return &chunks_[where.chunk].places[where.place];
  }

 private:
  static constexpr std::size_t kFirstChunk = 16;
  static constexpr std::size_t kFetchedAhead = 16;
  /// Whole cache lines belong to one object.
  struct alignas(sizeof(T) % kCacheLine == 0 ? kCacheLine : alignof(T)) Place : T {};
  struct Chunk {
    explicit Chunk(std::size_t size) : places(size), marks((size + kMarks - 1) / kMarks) {}
    LargeVector<Place> places;
    /// A bit for each place. None is set but while free objects are sorted.
    std::vector<std::uint64_t> marks;
  };
  static constexpr std::size_t kMarks = 64;  ///< in a word
  /// Where a chunk begins in memory.
  struct Address {
    const Place* first;
    std::size_t chunk;
  };
  struct Where {
    std::size_t chunk;
    std::size_t place;
  };

  /// Steps over halves without a branch that depends on an address: all objects of a large job are
  /// looked up, in an order that no processor can guess.
  [[nodiscard]] Where where_of(const T* object) const {
    const auto* place = static_cast<const Place*>(object);
    std::size_t found = 0;
    for (std::size_t left = addresses_.size(); left > 1; left -= left / 2)
      found += std::size_t{!std::less<>{}(place, addresses_[found + left / 2].first)} * (left / 2);
    const Address& address = addresses_[found];
    const auto number = static_cast<std::size_t>(place - address.first);
    invariant(number < chunks_[address.chunk].places.size(), "a link leads out of its pool");
    return {address.chunk, number};
  }
  T*& last(std::size_t i) { return free_[free_.size() - 1 - i]; }
  T* last(std::size_t i) const { return free_[free_.size() - 1 - i]; }

  void make_ready() {
    if (waiting_ == 0) return grow();
    // So few are not worth a look at all marks.
    if (waiting_ < places() / kMarks) {
      free_[ready_++] = last(--waiting_);
      return;
    }
    for (; waiting_ > 0; --waiting_) {
      const Where where = where_of(last(waiting_ - 1));
      chunks_[where.chunk].marks[where.place / kMarks] |= std::uint64_t{1} << where.place % kMarks;
    }
    // By chunks and not by addresses, which differ from run to run. What is taken first is ready
    // last.
    for (std::size_t chunk = chunks_.size(); chunk-- > 0;) make_marked_ready(chunks_[chunk]);
  }
  void make_marked_ready(Chunk& chunk) {
    for (std::size_t word = chunk.marks.size(); word-- > 0;) {
      for (std::uint64_t& marks = chunk.marks[word]; marks != 0;) {
        const auto highest = static_cast<std::size_t>(std::bit_width(marks)) - 1;
        marks ^= std::uint64_t{1} << highest;
        free_[ready_++] = &chunk.places[word * kMarks + highest];
      }
    }
  }
  void grow() {
    const std::size_t size =
        chunks_.empty() ? kFirstChunk : std::min(LargestChunk, 2 * chunks_.back().places.size());
    Chunk& chunk = chunks_.emplace_back(size);
    note_address(chunks_.size() - 1);
    free_.resize(free_.size() + size);
    for (std::size_t i = size; i-- > 0;) free_[ready_++] = &chunk.places[i];
  }
  void note_address(std::size_t chunk) {
    addresses_.push_back({chunks_[chunk].places.data(), chunk});
    std::ranges::sort(addresses_, std::less<>{}, &Address::first);
  }
  static void fetch(const T* object) {
    const auto* first = reinterpret_cast<const std::byte*>(object);
    __builtin_prefetch(first, 1);
    if constexpr (sizeof(T) == 2 * kCacheLine) __builtin_prefetch(first + kCacheLine, 1);
  }

  std::vector<Chunk> chunks_;
  std::vector<Address> addresses_;  ///< in their order
  /// Free objects, with room for all: first those that are ready, the next one last, and at the end
  /// those that wait, the latest one first.
  std::vector<T*> free_;
  std::size_t ready_ = 0;
  std::size_t waiting_ = 0;
};

}  // namespace faultline
