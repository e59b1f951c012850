// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/core/split_mix.hpp"
#include "sim/core/types.hpp"

namespace faultline {

class Digest;

/// The digest of a state. Equal states have equal digests. Among n different states two digests are
/// equal with a probability of some n^2 / 2^129, so that equal digests can be taken for equal
/// states. Each half is a digest of 64 bits by itself, for a table that must be small: there the
/// probability is n^2 / 2^65, which is 3e-4 for 1e8 states.
struct StateDigest {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  friend auto operator<=>(const StateDigest&, const StateDigest&) = default;  // NOLINT(*-nullptr)
};

namespace detail {

/// A type that adds its values itself: `void digest(Digest& into) const`.
template <class T>
concept AddsItself = requires(const T& value, Digest& into) {
  value.digest(into);
};

/// A list, array, set or map whose elements have an order of their own. Those of an unordered
/// container have none.
template <class T>
concept Ordered = requires(const T& values) {
  std::size(values);
  std::begin(values);
  std::end(values);
}
&&!requires { typename T::hasher; };

}  // namespace detail

/// Accumulates the digest of a state from its values, word by word. What is added must be the same
/// for the same state, whatever path led to it: values and never addresses, lists whose order means
/// nothing in a fixed order (add_sorted). And it must tell what follows: a list begins with its
/// length, an optional value with whether it is there, so that two lists of values never run
/// together to the same words.
///
/// Two lanes of 64 bits take in each word. A step is invertible in the lane and in the word, so
/// that no step loses what earlier words made different. It takes some 5 ns.
class Digest {
 public:
  /// Adds numbers, enumerators, texts, Incarnations, optional values, pairs, what a smart pointer
  /// points to, ordered containers of these, and types that add themselves by
  /// `void digest(Digest& into) const`. 0.0 and -0.0 are the same. Throws std::logic_error for NaN,
  /// which does not equal itself.
  template <class... Values>
  void add(const Values&... values) {
    (add_one(values), ...);
  }

  /// Adds values whose order means nothing: by ascending key. Those with equal keys keep their
  /// order. `key` is a function of a value, or a pointer to its member.
  template <class T, class Key = std::identity>
  void add_sorted(const std::vector<T>& values, const Key& key = {}) {
    std::vector<const T*> order;
    order.reserve(values.size());
    for (const T& value : values) order.push_back(&value);
    std::stable_sort(order.begin(), order.end(), [&key](const T* a, const T* b) {
      return std::invoke(key, *a) < std::invoke(key, *b);
    });
    add_word(order.size());
    for (const T* value : order) add_one(*value);
  }

  [[nodiscard]] StateDigest value() const { return {first_, second_}; }

 private:
  template <class T>
  void add_one(const T& value) {
    if constexpr (detail::AddsItself<T>)
      value.digest(*this);
    else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
      add_word(static_cast<std::uint64_t>(value));
    else if constexpr (std::is_floating_point_v<T>)
      add_number(value);
    else if constexpr (std::is_convertible_v<const T&, std::string_view>)
      add_text(value);
    else if constexpr (detail::Ordered<T>)
      add_all(value);
    else
      add_parts(value);
  }

  void add_word(std::uint64_t word) {
    first_ = split_mix(first_ ^ word);
    second_ = split_mix(second_ + word);
  }

  void add_number(double number) {
    if (std::isnan(number)) throw std::logic_error("NaN is no part of a state");
    add_word(std::bit_cast<std::uint64_t>(number == 0.0 ? 0.0 : number));
  }

  void add_text(std::string_view text) {
    constexpr std::size_t kLettersInWord = 8;
    add_word(text.size());
    for (std::size_t begin = 0; begin < text.size(); begin += kLettersInWord) {
      std::uint64_t word = 0;
      for (const char letter : text.substr(begin, kLettersInWord))
        word = word << 8U | static_cast<unsigned char>(letter);
      add_word(word);
    }
  }

  template <class List>
  void add_all(const List& list) {
    add_word(static_cast<std::uint64_t>(std::size(list)));
    for (const auto& value : list) add_one(value);
  }

  void add_parts(const Incarnation& life) { add(life.actor, life.number); }
  template <class First, class Second>
  void add_parts(const std::pair<First, Second>& both) {
    add(both.first, both.second);
  }
  template <class T>
  void add_parts(const std::optional<T>& value) {
    add_if(value.has_value(), value);
  }
  template <class T>
  void add_parts(const std::shared_ptr<T>& value) {
    add_if(value != nullptr, value);
  }
  template <class T>
  void add_parts(const std::unique_ptr<T>& value) {
    add_if(value != nullptr, value);
  }
  template <class Pointer>
  void add_if(bool is_there, const Pointer& value) {
    add_one(is_there);
    if (is_there) add_one(*value);
  }

  // The lanes begin with the fraction of pi.
  std::uint64_t first_ = 0x243f6a8885a308d3;
  std::uint64_t second_ = 0x13198a2e03707344;
};

}  // namespace faultline
