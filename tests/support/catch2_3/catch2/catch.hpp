// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tests include Catch2 by the name of its one header, as it was until version 2. With version 3
// they find this file, which has what they use, under the names of version 2.

#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_all.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <catch2/matchers/catch_matchers_vector.hpp>
#include <string>

#ifdef CATCH_CONFIG_RUNNER
#include <catch2/catch_session.hpp>
#endif

namespace Catch {

namespace Matchers {

/// Matches a text that has this part.
inline StringContainsMatcher Contains(const std::string& part) { return ContainsSubstring(part); }

}  // namespace Matchers

using Matchers::Contains;

}  // namespace Catch

using Catch::Approx;
