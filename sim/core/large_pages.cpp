#include "sim/core/large_pages.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

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

}  // namespace

std::pmr::memory_resource& large_pages() {
  static LargePages pages;
  return pages;
}

std::pmr::memory_resource& component_storage() {
  // Components may outlive every static object, so their storage is never destroyed.
  static auto& storage = *new std::pmr::unsynchronized_pool_resource(
      std::pmr::pool_options{.max_blocks_per_chunk = 0, .largest_required_pool_block = 1024},
      &large_pages());
  return storage;
}

}  // namespace faultline
