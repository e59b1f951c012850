// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/scenario/run_spec.hpp"

namespace faultline::theory {

/// How a measured mean relates to a value from theory.
enum class Relation { equal, at_least, at_most, about };

/// The sign of a relation in reports: "=", ">=", "<=", "~".
const char* relation_sign(Relation relation);

/// A value that theory or a paper gives for the mean of a metric.
struct ClosedForm {
  std::string metric;
  std::string name;
  Relation relation = Relation::equal;
  double value = 0.0;
  std::string source;
};

/// Returns the known values of the metrics whose means a run of `spec` estimates; empty if none is
/// known.
std::vector<ClosedForm> closed_forms(const scenario::RunSpec& spec);

}  // namespace faultline::theory
