// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace faultline::exploration {

/// A list that grows at its end and never moves what it has, so that growing needs no second copy.
template <class T>
class ChunkedList {
 public:
  void push_back(const T& value) {
    if (size_ % kChunk == 0) chunks_.push_back(std::make_unique<std::array<T, kChunk>>());
    (*chunks_.back())[size_++ % kChunk] = value;
  }
  [[nodiscard]] const T& operator[](std::size_t place) const {
    return (*chunks_[place / kChunk])[place % kChunk];
  }
  T& operator[](std::size_t place) { return (*chunks_[place / kChunk])[place % kChunk]; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t bytes() const { return chunks_.size() * kChunk * sizeof(T); }

 private:
  static constexpr std::size_t kChunk = 4096;
  std::vector<std::unique_ptr<std::array<T, kChunk>>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace faultline::exploration
