# SPDX-License-Identifier: Apache-2.0

# What a user can choose, and the compiler flags that follow from it.

option(FAULTLINE_SIMGRID "Build the simgrid engine (needs SimGrid); OFF leaves the loggp engine" ON)
option(FAULTLINE_TESTS "Build the tests, where Catch2 2.13 or later is found" ON)
option(FAULTLINE_WERROR "Treat compiler warnings as errors" OFF)
option(FAULTLINE_LTO "Optimise the program across files at link time (slower to build)" OFF)
option(FAULTLINE_UNITY "Compile several source files at once (faster from nothing)" ON)
option(FAULTLINE_PRECOMPILED "Precompile the headers that most files read (faster from nothing)" ON)
option(FAULTLINE_SANITIZE "Build with the address and undefined-behaviour sanitizers" OFF)
option(FAULTLINE_COVERAGE "Build with gcov instrumentation" OFF)

# Single-configuration generators without a build type would build without optimisation.
get_property(FAULTLINE_MULTI_CONFIG GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT FAULTLINE_MULTI_CONFIG AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(FAULTLINE_CCACHE ccache)
mark_as_advanced(FAULTLINE_CCACHE)
if(FAULTLINE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${FAULTLINE_CCACHE}")
  if(FAULTLINE_PRECOMPILED)
    # Without these, ccache compiles whatever reads a precompiled header: it cannot see whether that
    # asks for the time, or for a macro. Ours do not.
    set(CMAKE_CXX_COMPILER_LAUNCHER /usr/bin/env
        CCACHE_SLOPPINESS=pch_defines,time_macros "${FAULTLINE_CCACHE}")
    # ccache must look at the files of a precompiled header, not at what the preprocessor makes of
    # them. To `#pragma once`, a header in which only a comment has changed is another file.
    set(FAULTLINE_PRECOMPILED_LAUNCHER /usr/bin/env CCACHE_DEPEND=1
        CCACHE_SLOPPINESS=pch_defines,time_macros "${FAULTLINE_CCACHE}")
  endif()
endif()

# Every target of ours links this one; it carries flags, not code.
add_library(faultline_flags INTERFACE)
target_include_directories(faultline_flags INTERFACE "${PROJECT_SOURCE_DIR}"
                                                     "${PROJECT_BINARY_DIR}/generated")
target_compile_definitions(faultline_flags INTERFACE FAULTLINE_SIMGRID=$<BOOL:${FAULTLINE_SIMGRID}>)
target_compile_options(faultline_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC notes how an ABI changed years ago. All that is linked here is compiled by one compiler.
  target_compile_options(faultline_flags INTERFACE -Wno-psabi)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees both in its own std::string (bug 105651) and std::variant (bug 105562) when it
  # inlines them; later versions do not.
  target_compile_options(faultline_flags INTERFACE -Wno-restrict -Wno-maybe-uninitialized)
endif()
if(FAULTLINE_PRECOMPILED AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Lets ccache see which precompiled header a file reads.
  target_compile_options(faultline_flags INTERFACE -fpch-preprocess)
endif()
if(FAULTLINE_WERROR)
  target_compile_options(faultline_flags INTERFACE -Werror)
endif()

if(FAULTLINE_SANITIZE)
  # Diagnostics that depend on optimisation are unreliable under the sanitizers, and the release
  # build has them all already.
  target_compile_options(
    faultline_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                              -fno-omit-frame-pointer -Wno-maybe-uninitialized)
  target_link_options(faultline_flags INTERFACE -fsanitize=address,undefined)
  target_compile_definitions(faultline_flags INTERFACE _GLIBCXX_ASSERTIONS FAULTLINE_SANITIZE=1)
endif()

if(FAULTLINE_COVERAGE)
  target_compile_options(faultline_flags INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(faultline_flags INTERFACE --coverage)
endif()

if(FAULTLINE_LTO)
  # Fat objects, so that the tests link the same objects without paying for LTO once each.
  target_compile_options(faultline_flags INTERFACE -flto=auto -ffat-lto-objects)
endif()
