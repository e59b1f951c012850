# SPDX-License-Identifier: Apache-2.0

# The libraries Faultline builds on. CMAKE_PREFIX_PATH is where to look for those that are not
# installed system-wide.

find_package(Boost 1.74 REQUIRED COMPONENTS program_options iostreams)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(SQLite3 3.34 REQUIRED)
find_package(Threads REQUIRED)
if(FAULTLINE_SIMGRID)
  find_package(SimGrid 3.32 REQUIRED)
  # Reads platform files before SimGrid does.
  find_package(EXPAT 2.4 REQUIRED)
endif()
if(FAULTLINE_TESTS)
  # Catch2 2 or 3. Building the program must not need the packages of its tests.
  find_package(Catch2 QUIET)
  if(NOT Catch2_FOUND OR Catch2_VERSION VERSION_LESS 2.13)
    message(STATUS "Catch2 2.13 or later was not found (Debian: catch2): the tests are left out")
    set(FAULTLINE_TESTS OFF)
  endif()
endif()
