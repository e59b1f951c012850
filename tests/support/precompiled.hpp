// SPDX-License-Identifier: Apache-2.0
#pragma once

// What most tests read, for the compiler to read once (cmake/FaultlineLayers.cmake). Nobody
// includes this file, and a test includes what it uses. No header of an engine is here: tests of
// what is below it have names of their own that are also the engine's.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "sim/core/precompiled.hpp"
