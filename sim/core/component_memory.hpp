// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "sim/core/large_pages.hpp"

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

}  // namespace faultline
