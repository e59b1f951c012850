// SPDX-License-Identifier: Apache-2.0
#include "analysis/calibration/nonnegative_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

namespace faultline::calibration {

namespace {

using Numbers = std::vector<double>;
using Matrix = std::vector<Numbers>;

/// Solves a small system of equations by elimination with pivots.
Numbers solved(Matrix matrix, Numbers values) {
  const std::size_t size = values.size();
  for (std::size_t i = 0; i < size; ++i) {
    std::size_t pivot = i;
    for (std::size_t row = i + 1; row < size; ++row)
      if (std::fabs(matrix[row][i]) > std::fabs(matrix[pivot][i])) pivot = row;
    std::swap(matrix[i], matrix[pivot]);
    std::swap(values[i], values[pivot]);
    if (matrix[i][i] == 0) continue;
    for (std::size_t row = i + 1; row < size; ++row) {
      const double factor = matrix[row][i] / matrix[i][i];
      for (std::size_t column = i; column < size; ++column)
        matrix[row][column] -= factor * matrix[i][column];
      values[row] -= factor * values[i];
    }
  }
  Numbers unknowns(size);
  for (std::size_t i = size; i-- > 0;) {
    double rest = values[i];
    for (std::size_t column = i + 1; column < size; ++column)
      rest -= matrix[i][column] * unknowns[column];
    unknowns[i] = matrix[i][i] == 0 ? 0 : rest / matrix[i][i];
  }
  return unknowns;
}

/// The fit in its normal equations, with unknowns in units in which each weighs alike.
class Fit {
 public:
  explicit Fit(const std::vector<Equation>& equations)
      : size_(equations.front().coefficients.size()),
        scale_(size_),
        products_(size_, Numbers(size_)),
        goal_(size_),
        unknowns_(size_),
        is_free_(size_) {
    for (const Equation& equation : equations)
      for (std::size_t i = 0; i < size_; ++i)
        scale_[i] += equation.coefficients[i] * equation.coefficients[i];
    for (double& scale : scale_) scale = scale > 0 ? 1 / std::sqrt(scale) : 0;
    for (const Equation& equation : equations)
      for (std::size_t i = 0; i < size_; ++i) {
        const double own = equation.coefficients[i] * scale_[i];
        goal_[i] += own * equation.value;
        for (std::size_t j = 0; j < size_; ++j)
          products_[i][j] += own * equation.coefficients[j] * scale_[j];
      }
  }

  Numbers run() {
    // Each unknown becomes free at most a few times; rounding could let one come and go for ever.
    for (std::size_t tries = 0; tries < 10 * size_; ++tries) {
      const auto next = steepest();
      if (!next) break;
      is_free_[*next] = true;
      settle();
    }
    for (std::size_t i = 0; i < size_; ++i) unknowns_[i] *= scale_[i];
    return unknowns_;
  }

 private:
  /// The unknown that is 0 and whose growth would improve the fit most.
  [[nodiscard]] std::optional<std::size_t> steepest() const {
    constexpr double kFlat = 1e-12;
    std::optional<std::size_t> best;
    double most = kFlat;
    for (std::size_t i = 0; i < size_; ++i) {
      if (is_free_[i]) continue;
      double slope = goal_[i];
      for (std::size_t j = 0; j < size_; ++j) slope -= products_[i][j] * unknowns_[j];
      if (slope <= most) continue;
      most = slope;
      best = i;
    }
    return best;
  }

  /// Goes to the best fit of the free unknowns, and no farther than to where one becomes negative,
  /// which is then no longer free.
  void settle() {
    for (;;) {
      const Numbers best = best_of_free();
      double part = 1;
      for (std::size_t i = 0; i < size_; ++i)
        if (is_free_[i] && best[i] <= 0)
          part = std::min(part, unknowns_[i] / (unknowns_[i] - best[i]));
      if (!(part < 1)) {
        unknowns_ = best;
        return;
      }
      for (std::size_t i = 0; i < size_; ++i) {
        if (!is_free_[i]) continue;
        unknowns_[i] += part * (best[i] - unknowns_[i]);
        if (best[i] > 0 || unknowns_[i] > std::numeric_limits<double>::epsilon()) continue;
        unknowns_[i] = 0;
        is_free_[i] = false;
      }
    }
  }

  [[nodiscard]] Numbers best_of_free() const {
    std::vector<std::size_t> free;
    for (std::size_t i = 0; i < size_; ++i)
      if (is_free_[i]) free.push_back(i);
    Matrix matrix;
    Numbers values;
    for (const std::size_t i : free) {
      Numbers& row = matrix.emplace_back();
      for (const std::size_t j : free) row.push_back(products_[i][j]);
      values.push_back(goal_[i]);
    }
    const Numbers some = solved(std::move(matrix), std::move(values));
    Numbers all(size_);
    for (std::size_t i = 0; i < free.size(); ++i) all[free[i]] = some[i];
    return all;
  }

  std::size_t size_;
  Numbers scale_;
  Matrix products_;
  Numbers goal_;
  Numbers unknowns_;
  std::vector<bool> is_free_;
};

}  // namespace

std::vector<double> nonnegative_fit(const std::vector<Equation>& equations) {
  if (equations.empty()) return {};
  return Fit(equations).run();
}

}  // namespace faultline::calibration
