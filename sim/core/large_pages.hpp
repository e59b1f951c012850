// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory_resource>
#include <new>
#include <vector>

namespace faultline {

inline constexpr std::size_t kCacheLine = 64;

/// Memory for the state of large jobs. What a run of a million processes touches is spread over
/// hundreds of megabytes, and with pages of 4 KiB most of its time would go into finding the pages.
/// So blocks from 2 MiB on are aligned and advised to use large pages; a system that has none
/// ignores the advice. Smaller blocks come from the heap.
std::pmr::memory_resource& large_pages();

/// For containers that grow with the job.
template <class T>
struct LargePageAllocator {
  using value_type = T;
  LargePageAllocator() = default;
  template <class U>
  explicit(false) LargePageAllocator(const LargePageAllocator<U>&) {}

  T* allocate(std::size_t count) {
    return static_cast<T*>(large_pages().allocate(count * sizeof(T), alignof(T)));
  }
  void deallocate(T* first, std::size_t count) {
    large_pages().deallocate(first, count * sizeof(T), alignof(T));
  }
  friend bool operator==(const LargePageAllocator&, const LargePageAllocator&) { return true; }
};

template <class T>
using LargeVector = std::vector<T, LargePageAllocator<T>>;

/// Storage of the components of all actors, in large blocks of objects of one size. Returned
/// storage serves the next object of that size. Every thread has its own, for its own objects.
std::pmr::memory_resource& component_storage();
/// What is larger comes from the heap.
inline constexpr std::size_t kLargestPiece = std::size_t{16} << 10;

/// A component, or what lies apart from one: it comes from their storage. As with all that does,
/// the thread that makes it destroys it.
struct InComponentStorage {
  static void* operator new(std::size_t bytes) { return component_storage().allocate(bytes); }
  static void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return component_storage().allocate(bytes, static_cast<std::size_t>(alignment));
  }
  static void operator delete(void* storage, std::size_t bytes) {
    component_storage().deallocate(storage, bytes);
  }
  static void operator delete(void* storage, std::size_t bytes, std::align_val_t alignment) {
    component_storage().deallocate(storage, bytes, static_cast<std::size_t>(alignment));
  }
};

}  // namespace faultline
