#pragma once

// What most tests read, for the compiler to read once (cmake/FaultlineLayers.cmake). Nobody
// includes this file, and a test includes what it uses.

#include <catch2/catch.hpp>

#include "sim/core/error.hpp"
#include "sim/core/precompiled.hpp"
#include "tests/support/job.hpp"
