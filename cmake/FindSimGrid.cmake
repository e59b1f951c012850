# SPDX-License-Identifier: Apache-2.0

# Finds SimGrid, which Debian packages without a CMake configuration file.
#
# Gives the target SimGrid::SimGrid and SimGrid_VERSION, the version of the headers.

find_path(SimGrid_INCLUDE_DIR simgrid/s4u.hpp)
find_library(SimGrid_LIBRARY simgrid)

if(SimGrid_INCLUDE_DIR AND EXISTS "${SimGrid_INCLUDE_DIR}/simgrid/version.h")
  file(STRINGS "${SimGrid_INCLUDE_DIR}/simgrid/version.h" SimGrid_VERSION_LINES
       REGEX "^#define SIMGRID_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX MATCHALL "[0-9]+" SimGrid_VERSION_PARTS "${SimGrid_VERSION_LINES}")
  list(JOIN SimGrid_VERSION_PARTS "." SimGrid_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  SimGrid
  REQUIRED_VARS SimGrid_LIBRARY SimGrid_INCLUDE_DIR
  VERSION_VAR SimGrid_VERSION
  REASON_FAILURE_MESSAGE
    "install SimGrid (Debian: libsimgrid-dev), name its prefix with -DCMAKE_PREFIX_PATH=DIR, or \
leave the simgrid engine out with -DFAULTLINE_SIMGRID=OFF")

if(SimGrid_FOUND AND NOT TARGET SimGrid::SimGrid)
  add_library(SimGrid::SimGrid UNKNOWN IMPORTED)
  set_target_properties(
    SimGrid::SimGrid PROPERTIES IMPORTED_LOCATION "${SimGrid_LIBRARY}"
                                INTERFACE_INCLUDE_DIRECTORIES "${SimGrid_INCLUDE_DIR}")
endif()
mark_as_advanced(SimGrid_INCLUDE_DIR SimGrid_LIBRARY)
