#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "sim/core/large_pages.hpp"

namespace faultline {

/// Storage of objects that come and go. Addresses are stable, and the object freed last is taken
/// first. Nothing is allocated once the largest number in use has been reached. `T::next` links the
/// free ones. The storage grows by chunks, each twice as large as the last, up to `LargestChunk`
/// objects.
///
/// The free objects are one stack, in kLists lists: object i of the stack, from the bottom, is in
/// list i modulo kLists. So the next kLists objects to be taken are known without a look at any of
/// them, and those that have left the cache can be fetched in time.
template <class T, std::size_t LargestChunk>
class GrowingPool {
 public:
  GrowingPool() = default;
  GrowingPool(GrowingPool&&) noexcept = default;
  GrowingPool& operator=(GrowingPool&&) noexcept = default;
  GrowingPool& operator=(const GrowingPool&) = delete;
  ~GrowingPool() = default;
  /// Copies all objects. Those that are free are taken from the copy in the same order.
  GrowingPool(const GrowingPool& other) : chunks_(other.chunks_), free_(other.free_) {
    for_each([&](T& object) { object.next = counterpart(object.next, other); });
    for (std::size_t i = 0; i < kLists; ++i) tops_[i] = counterpart(other.tops_[i], other);
  }

  T* take() {
    if (free_ == 0) grow();
    T*& top = tops_[--free_ % kLists];
    T* object = std::exchange(top, top->next);
    prefetch_free(top);
    return object;
  }
  void give_back(T* object) { object->next = std::exchange(tops_[free_++ % kLists], object); }

  template <class Visit>
  void for_each(Visit visit) {
    for (auto& chunk : chunks_)
      for (T& object : chunk) visit(object);
  }
  /// How many objects there is storage for.
  [[nodiscard]] std::size_t places() const {
    std::size_t places = 0;
    for (const auto& chunk : chunks_) places += chunk.size();
    return places;
  }
  /// The object of this pool, which is a copy of `other`, at the place that `object` has there.
  [[nodiscard]] T* counterpart(const T* object, const GrowingPool& other) {
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      const Place* const first = other.chunks_[i].data();
      const Place* const end = first + chunks_[i].size();
      const auto* const place = static_cast<const Place*>(object);
      if (!std::less<>{}(place, first) && std::less<>{}(place, end))
        return &chunks_[i][static_cast<std::size_t>(place - first)];
    }
    return nullptr;  // it is null itself
  }

 private:
  static constexpr std::size_t kFirstChunk = 16;
  static constexpr std::size_t kLists = 16;
  /// Whole cache lines belong to one object.
  struct alignas(sizeof(T) % kCacheLine == 0 ? kCacheLine : alignof(T)) Place : T {};

  /// What will be taken soon may have been free for long. It can be null.
  static void prefetch_free(const T* object) {
    const auto* first = reinterpret_cast<const std::byte*>(object);
    __builtin_prefetch(first, 1);
    if constexpr (sizeof(T) == 2 * kCacheLine)
      if (object != nullptr) __builtin_prefetch(first + kCacheLine, 1);
  }
  void grow() {
    const std::size_t size =
        chunks_.empty() ? kFirstChunk : std::min(LargestChunk, 2 * chunks_.back().size());
    LargeVector<Place>& chunk = chunks_.emplace_back(size);
    for (std::size_t i = size; i-- > 0;) give_back(&chunk[i]);
  }

  std::vector<LargeVector<Place>> chunks_;
  std::array<T*, kLists> tops_{};
  std::size_t free_ = 0;  ///< how many objects are free
};

}  // namespace faultline
