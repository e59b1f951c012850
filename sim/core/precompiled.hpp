// SPDX-License-Identifier: Apache-2.0
#pragma once

// What most files of all layers read, for the compiler to read once (cmake/FaultlineLayers.cmake).
// Nobody includes this file, and a file that relies on it does not build where headers are not
// precompiled (scripts/tidy, the presets but release): it includes what it uses.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "sim/core/component.hpp"
#include "sim/core/digest.hpp"
#include "sim/core/error.hpp"
#include "sim/core/invariant.hpp"
#include "sim/core/options.hpp"
#include "sim/core/random.hpp"
#include "sim/core/registry.hpp"
#include "sim/core/types.hpp"
