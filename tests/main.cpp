// SPDX-License-Identifier: Apache-2.0

// Catch2 is a single header that compiles its runner where this macro is defined: once, here.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
