// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace faultline::store {

/// The SQL that makes the view `units` of a store, with the columns `metric` and `unit`: the unit
/// of each metric that has one, and of the columns of `runs`. It is for other programs; Faultline
/// never reads it.
std::string units_view_sql();

}  // namespace faultline::store
