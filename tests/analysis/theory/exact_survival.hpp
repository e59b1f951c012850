// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "sim/faults/fault_counts.hpp"

/// The formulas of the paper in exact integers, written from the paper and not from the program.
namespace faultline::theory::exact {

using Integer = boost::multiprecision::cpp_int;

/// numerator / denominator, not reduced: reducing numbers of a million digits takes far too long.
struct Fraction {
  Integer numerator = 0;
  Integer denominator = 1;
};

inline Fraction operator+(const Fraction& a, const Fraction& b) {
  return {a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator};
}

inline Fraction operator*(const Fraction& a, const Fraction& b) {
  return {a.numerator * b.numerator, a.denominator * b.denominator};
}

inline Fraction one_minus(const Fraction& a) {
  return {a.denominator - a.numerator, a.denominator};
}

inline Fraction power(const Fraction& a, std::int64_t exponent) {
  const auto e = static_cast<unsigned>(exponent);
  return {boost::multiprecision::pow(a.numerator, e), boost::multiprecision::pow(a.denominator, e)};
}

inline Fraction share(std::int64_t part, std::int64_t whole) { return {part, whole}; }

/// The exact value of a finite double >= 0.
inline Fraction of_double(double value) {
  int exponent = 0;
  const double scaled = std::frexp(value, &exponent);
  const auto mantissa = static_cast<std::int64_t>(std::ldexp(scaled, 53));
  exponent -= 53;
  if (exponent >= 0) return {Integer(mantissa) << static_cast<unsigned>(exponent), 1};
  return {mantissa, Integer(1) << static_cast<unsigned>(-exponent)};
}

/// [C(n-k,f) / C(n-1,f)]^k, both binomials written out as falling factorials (the f! cancel).
inline Fraction indep_survival(std::int64_t n, std::int64_t k, std::int64_t f) {
  if (k >= n) return {0, 1};
  Fraction ratio{1, 1};
  if (f < k) {
    for (std::int64_t i = 0; i < f; ++i)
      ratio = ratio * share(std::max<std::int64_t>(n - k - i, 0), n - 1 - i);
  } else {
    // C(n-k,f)/C(n-1,f) = (n-k)! (n-1-f)! / ((n-1)! (n-k-f)!)
    for (std::int64_t i = 0; i < k - 1; ++i)
      ratio = ratio * share(std::max<std::int64_t>(n - 1 - f - i, 0), n - 1 - i);
  }
  return power(ratio, k);
}

/// (1 - (k-1)/(n-1))^k
inline Fraction rel_survival(std::int64_t n, std::int64_t k) {
  if (k >= n) return {0, 1};
  return power(one_minus(share(k - 1, n - 1)), k);
}

/// |got - expected| <= 1e-12 expected, decided in integers. Below the smallest normal double a
/// double has fewer digits by its nature; there the two need only agree that it is so.
inline bool agrees_to_1e12(double got, const Fraction& expected) {
  if (!(got >= 0.0) || std::isinf(got)) return false;
  if ((expected.numerator << 1022U) < expected.denominator) {
    return got <= std::numeric_limits<double>::min();
  }
  const Fraction value = of_double(got);
  const Integer left = value.numerator * expected.denominator;
  const Integer right = expected.numerator * value.denominator;
  const Integer difference = left > right ? left - right : right - left;
  return difference * Integer(1'000'000'000'000) <= right;
}

/// Whether `value`, rounded half up to the digits of `printed` ("1.4e-4", "99.315"), gives
/// `printed`.
inline bool rounds_to(const Fraction& value, const std::string& printed) {
  const std::size_t e = printed.find('e');
  std::string digits = printed.substr(0, e);
  int exponent = e == std::string::npos ? 0 : std::stoi(printed.substr(e + 1));
  if (const std::size_t point = digits.find('.'); point != std::string::npos) {
    exponent -= static_cast<int>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  const Integer scale = boost::multiprecision::pow(Integer(10), static_cast<unsigned>(-exponent));
  const Integer doubled = 2 * value.denominator;
  const Integer rounded = (2 * value.numerator * scale + value.denominator) / doubled;
  return rounded == Integer(std::stoll(digits));
}

}  // namespace faultline::theory::exact
