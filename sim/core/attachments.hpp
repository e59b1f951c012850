// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "sim/core/digest.hpp"
#include "sim/core/large_pages.hpp"
#include "sim/core/stack.hpp"

namespace faultline {

/// Numbers that are too many for a message itself. They are shared by the copies of a message, and
/// do not change.
using AttachedWords = std::shared_ptr<const std::vector<std::uint64_t>>;

/// Storage of attachments, which come and go with messages. The place that was freed last is used
/// next, by the same thread. Nothing is allocated once the largest number in use has been reached.
class AttachmentPlaces {
 public:
  static void* take(std::size_t bytes) {
    if (bytes > kPlace) return ::operator new(bytes);
    if (free_ == nullptr) return component_storage().allocate(kPlace, kPlace);
    return std::exchange(free_, free_->next);
  }
  static void give_back(void* place, std::size_t bytes) {
    if (bytes > kPlace) return ::operator delete(place);
    free_ = new (place) Free{free_};
  }

 private:
  struct Free {
    Free* next;
  };
  static constexpr std::size_t kPlace = kCacheLine;
  static inline thread_local constinit Free* free_ = nullptr;
};

/// Data of any size that components attach to a message: at most one value for each component of
/// the stack. Copies of a message share them. A message without attachments costs one null pointer.
/// The bytes that an attachment takes on the wire are the sender's to add to Message::bytes.
class Attachments {
 public:
  Attachments() = default;
  Attachments(const Attachments& other) : first_(other.first_) {
    if (first_ != nullptr) ++first_->users;
  }
  Attachments(Attachments&& other) noexcept : first_(std::exchange(other.first_, nullptr)) {}
  Attachments& operator=(const Attachments& other) {
    Attachments copy(other);
    std::swap(first_, copy.first_);
    return *this;
  }
  Attachments& operator=(Attachments&& other) noexcept {
    std::swap(first_, other.first_);
    return *this;
  }
  ~Attachments() { clear(); }

  [[nodiscard]] bool empty() const { return first_ == nullptr; }
  void clear() {
    while (first_ != nullptr && --first_->users == 0) delete std::exchange(first_, first_->next);
    first_ = nullptr;
  }

  /// Attaches the value of one component. An earlier one of the same component is hidden by it. The
  /// value is of a type that a Digest takes.
  template <class T>
  void put(Family owner, T value) {
    emplace<T>(owner, std::move(value));
  }
  /// Attaches a value that is made where it stays.
  template <class T, class... Parts>
  void emplace(Family owner, Parts&&... parts) {
    first_ = new Holding<T>(owner, std::exchange(first_, nullptr), std::forward<Parts>(parts)...);
  }
  /// The value that the component attached, or null if it attached none of that type.
  template <class T>
  [[nodiscard]] const T* get(Family owner) const {
    const auto* holding = dynamic_cast<const Holding<T>*>(newest_of(owner));
    return holding == nullptr ? nullptr : &holding->value;
  }

  /// Adds what each component finds, by value: not where it is stored, in which order components
  /// have attached, nor what is hidden.
  void digest(Digest& into) const {
    into.add(empty());
    if (empty()) return;
    for (const StackPlace& place : kStack) digest_of(place.family, into);
  }
  /// Adds what one component finds.
  void digest_of(Family owner, Digest& into) const {
    const Attached* attached = newest_of(owner);
    into.add(attached != nullptr);
    if (attached != nullptr) attached->digest(into);
  }

 private:
  struct Attached {
    Attached(Family of, Attached* rest) : owner(of), next(rest) {}
    Attached(const Attached&) = delete;
    Attached& operator=(const Attached&) = delete;
    virtual ~Attached() = default;
    virtual void digest(Digest& into) const = 0;
    static void* operator new(std::size_t bytes) { return AttachmentPlaces::take(bytes); }
    static void operator delete(void* place, std::size_t bytes) {
      AttachmentPlaces::give_back(place, bytes);
    }

    Family owner;
    std::uint32_t users = 1;
    Attached* next;  ///< this attachment is one of its users
  };
  template <class T>
  struct Holding final : Attached {
    template <class... Parts>
    Holding(Family of, Attached* rest, Parts&&... parts)
        : Attached(of, rest), value{std::forward<Parts>(parts)...} {}
    void digest(Digest& into) const override { into.add(value); }
    T value;
  };

  [[nodiscard]] const Attached* newest_of(Family owner) const {
    const Attached* attached = first_;
    while (attached != nullptr && attached->owner != owner) attached = attached->next;
    return attached;
  }

  Attached* first_ = nullptr;
};

}  // namespace faultline
