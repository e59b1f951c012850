// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "sim/core/boxed.hpp"
#include "sim/core/digest.hpp"

namespace faultline {

/// A T that is what it was at first in most of its owners, most of the time. It lies apart, and
/// takes memory of its own only from when it is changed until it is reset. It is copied together
/// with its owner.
template <class T>
class Seldom {
 public:
  const T& operator*() const {
    static const T initial;
    return content_ ? *content_ : initial;
  }
  const T* operator->() const { return &**this; }
  /// To be changed.
  T& change() {
    if (!content_) content_ = std::make_unique<T>();
    return *content_;
  }
  /// To be changed where it has been before; else null.
  [[nodiscard]] T* changed() { return content_.get(); }
  /// It is as at first again.
  void reset() { content_.reset(); }
  void digest(Digest& into) const { into.add(**this); }

 private:
  Boxed<T> content_;
};

}  // namespace faultline
