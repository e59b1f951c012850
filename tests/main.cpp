// SPDX-License-Identifier: Apache-2.0

// Catch2 2 is a single header that compiles its runner where this macro is defined: once, here.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
