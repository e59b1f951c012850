// SPDX-License-Identifier: Apache-2.0
#include "sim/core/large_pages.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "sim/core/ending_thread.hpp"

namespace faultline {

namespace {

constexpr std::size_t kPage = std::size_t{2} << 20;

class LargePages final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes < kPage) return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    const std::size_t whole = (bytes + kPage - 1) / kPage * kPage;
    void* memory = std::aligned_alloc(kPage, whole);
    if (memory == nullptr) throw std::bad_alloc();
    madvise(memory, whole, MADV_HUGEPAGE);
    return memory;
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    if (bytes < kPage)
      std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
    else
      std::free(memory);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }
};

/// Gives a pool its memory. A pool asks for at most 1 MiB at a time, so that several requests share
/// large pages. What a pool has it keeps, as long as it lives.
class PoolBuffer final : public std::pmr::memory_resource {
 public:
  PoolBuffer() = default;
  PoolBuffer(const PoolBuffer&) = delete;
  PoolBuffer& operator=(const PoolBuffer&) = delete;
  ~PoolBuffer() override {
    for (void* region : regions_) large_pages().deallocate(region, kRegion);
  }

 private:
  static constexpr std::size_t kSmall = std::size_t{256} << 10;  ///< as small jobs need
  static constexpr std::size_t kRegion = 16 * kPage;

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes < kSmall || bytes > kRegion) return large_pages().allocate(bytes, alignment);
    if (std::align(alignment, bytes, next_, left_) == nullptr) {
      next_ = regions_.emplace_back(large_pages().allocate(kRegion));
      left_ = kRegion;
    }
    left_ -= bytes;
    return std::exchange(next_, static_cast<std::byte*>(next_) + bytes);
  }
  /// A pool never gives back the memory that it divides. It gives back only what is too large to be
  /// divided.
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    if (bytes < kSmall || bytes > kRegion) large_pages().deallocate(memory, bytes, alignment);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }

  void* next_ = nullptr;
  std::size_t left_ = 0;
  std::vector<void*> regions_;
};

struct ComponentStorage {
  PoolBuffer buffer;
  std::pmr::unsynchronized_pool_resource pool{
      std::pmr::pool_options{.max_blocks_per_chunk = 0,
                             .largest_required_pool_block = kLargestPiece},
      &buffer};
};

/// Components may outlive every static object, so the first thread never destroys its own.
thread_local ComponentStorage* storage_of_thread = nullptr;

}  // namespace

std::pmr::memory_resource& large_pages() {
  static LargePages pages;
  return pages;
}

std::pmr::memory_resource& component_storage() {
  if (storage_of_thread == nullptr) storage_of_thread = new ComponentStorage;
  return storage_of_thread->pool;
}

EndingThread::~EndingThread() { delete std::exchange(storage_of_thread, nullptr); }

}  // namespace faultline
