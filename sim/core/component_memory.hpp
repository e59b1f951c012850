// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

#include "sim/core/boxed.hpp"
#include "sim/core/large_pages.hpp"
#include "sim/core/prefetch.hpp"

namespace faultline {

/// For arrays that lie apart from a component, and that messages look at. Those that the storage of
/// the components divides lie with them on large pages. Others come from the heap.
template <class T>
struct ComponentAllocator {
  using value_type = T;
  ComponentAllocator() = default;
  template <class U>
  explicit(false) ComponentAllocator(const ComponentAllocator<U>&) {}

  T* allocate(std::size_t count) {
    if (count > kMost) return std::allocator<T>().allocate(count);
    return static_cast<T*>(component_storage().allocate(count * kEach, alignof(T)));
  }
  void deallocate(T* first, std::size_t count) {
    if (count > kMost) return std::allocator<T>().deallocate(first, count);
    component_storage().deallocate(first, count * kEach, alignof(T));
  }
  friend bool operator==(const ComponentAllocator&, const ComponentAllocator&) { return true; }

 private:
  static constexpr std::size_t kEach = sizeof(T);  // NOLINT(*-sizeof-expression): also of pointers
  static constexpr std::size_t kMost = kLargestPiece / kEach;
};

/// As with a component, the thread that makes it destroys it.
template <class T>
using ComponentVector = std::vector<T, ComponentAllocator<T>>;

/// Storage of a T to which nothing is written before somebody sets it. To clear memory that is used
/// later would bring it into the cache twice.
template <class T>
union Unset {
  static_assert(std::is_trivially_copyable_v<T>);
  Unset() {}  // NOLINT(*-use-equals-default): a T may have a constructor
  T value;
};

/// Where something lies that belongs to the owner of this, or null. A copy of the owner has its
/// own, so a copy of this is null.
template <class T>
struct OwnPlace {
  OwnPlace() = default;
  OwnPlace(const OwnPlace&) {}
  OwnPlace& operator=(const OwnPlace& other) {
    if (this != &other) at = nullptr;
    return *this;
  }
  ~OwnPlace() = default;
  T* at = nullptr;
};

/// A list that grows by blocks of up to 1 KiB. An array would be copied to one of twice its length
/// each time, and with many ranks the empty halves are a large part of the memory.
template <class T>
class ComponentBlocks {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }
  T& operator[](std::size_t place) { return (*blocks_[place / kEach])[place % kEach]; }
  const T& operator[](std::size_t place) const { return (*blocks_[place / kEach])[place % kEach]; }
  /// The entry at a place, found from another entry. If both are in one block, the list of blocks
  /// is not read.
  T* from(T* known, std::size_t known_place, std::size_t place) {
    if (place / kEach != known_place / kEach) return &(*this)[place];
    return known + (static_cast<std::ptrdiff_t>(place) - static_cast<std::ptrdiff_t>(known_place));
  }
  /// Fetches the next place ahead of time, if there is one without more memory.
  void prefetch_next() const {
    if (tail_.at != nullptr) prefetch(&tail_.at->places[size_ % kEach], sizeof(T));
  }
  /// Fetches the first of what leads to entries ahead of time.
  void prefetch_list() const { __builtin_prefetch(blocks_.data()); }
  /// The place behind the last one. It holds anything, such as an old value. A caller that adds one
  /// often adds several, so the next cache line is fetched ahead.
  T& add() {
    const std::size_t place = size_++ % kEach;
    if (place == 0 || tail_.at == nullptr) find_tail();
    Block& block = *tail_.at;
    __builtin_prefetch(&block[std::min(place + kInCacheLine, kEach - 1)], 1);
    return block[place];
  }
  /// The blocks stay, for what comes next.
  void clear() { size_ = 0; }

 private:
  static constexpr std::size_t kEach = std::bit_floor(std::size_t{1024} / sizeof(T));
  static constexpr std::size_t kInCacheLine = std::max<std::size_t>(kCacheLine / sizeof(T), 1);
  struct Block : InComponentStorage {
    using Place = std::conditional_t<std::is_trivially_copyable_v<T>, Unset<T>, T>;
    std::array<Place, kEach> places;

    T& operator[](std::size_t place) {
      if constexpr (std::is_same_v<Place, T>)
        return places[place];
      else
        return places[place].value;
    }
  };

  void find_tail() {
    const std::size_t last = (size_ - 1) / kEach;
    if (last == blocks_.size()) blocks_.emplace_back(std::make_unique_for_overwrite<Block>());
    tail_.at = blocks_[last].get();
  }

  OwnPlace<Block> tail_;  ///< the last one, known without a look at the list of blocks
  std::size_t size_ = 0;
  ComponentVector<Boxed<Block>> blocks_;  ///< the last ones can be empty
};

}  // namespace faultline
