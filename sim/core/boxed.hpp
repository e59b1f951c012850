// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <memory>
#include <utility>

namespace faultline {

/// A T that lies apart from its owner, or none. It is copied together with its owner: by clone() if
/// T has that, because the T may be of a derived type, and else by its copy constructor.
template <class T>
class Boxed {
 public:
  Boxed() = default;
  explicit(false) Boxed(std::unique_ptr<T> content) : content_(std::move(content)) {}
  Boxed(const Boxed& other) : content_(copy_of(other.content_.get())) {}
  Boxed(Boxed&& other) noexcept = default;
  Boxed& operator=(const Boxed& other) {
    if (this == &other) return *this;
    if constexpr (!requires { other.content_->clone(); }) {
      if (content_ != nullptr && other.content_ != nullptr) {
        *content_ = *other.content_;  // in the memory that it has
        return *this;
      }
    }
    content_ = copy_of(other.content_.get());
    return *this;
  }
  Boxed& operator=(Boxed&& other) noexcept = default;
  ~Boxed() = default;

  [[nodiscard]] T* get() const { return content_.get(); }
  T& operator*() const { return *content_; }
  T* operator->() const { return content_.get(); }
  explicit operator bool() const { return content_ != nullptr; }
  void reset() { content_.reset(); }

 private:
  static std::unique_ptr<T> copy_of(const T* content) {
    if (content == nullptr) return nullptr;
    if constexpr (requires {
                    { content->clone() } -> std::convertible_to<std::unique_ptr<T>>;
                  })
      return content->clone();
    else
      return std::make_unique<T>(*content);
  }

  std::unique_ptr<T> content_;
};

}  // namespace faultline
