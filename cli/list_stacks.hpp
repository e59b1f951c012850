// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace faultline::cli {

/// What `list stacks` prints as a table, JSON or CSV: what works above what, in the scenario of a
/// file or else in general. Throws UsageError if the file has errors other than combinations that
/// are refused.
std::string stacks_listing(const std::string& format, const std::optional<std::string>& file);

}  // namespace faultline::cli
