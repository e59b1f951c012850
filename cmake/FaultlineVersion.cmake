# SPDX-License-Identifier: Apache-2.0

# The version names the commit that was built. One generated file alone holds it: a new commit
# compiles that file and links again, nothing else.

find_program(FAULTLINE_GIT git)
mark_as_advanced(FAULTLINE_GIT)

set(FAULTLINE_VERSION_FILE "${PROJECT_BINARY_DIR}/generated/sim/core/version.cpp")
# Neither commits nor changes of the tree are files that a build could depend on, so every build
# asks.
add_custom_target(faultline_version_file
  COMMAND "${CMAKE_COMMAND}" "-DGIT=${FAULTLINE_GIT}" "-DSOURCE=${PROJECT_SOURCE_DIR}"
          "-DRELEASE=${PROJECT_VERSION}" "-DFILE=${FAULTLINE_VERSION_FILE}"
          -P "${PROJECT_SOURCE_DIR}/cmake/FaultlineVersionFile.cmake"
  BYPRODUCTS "${FAULTLINE_VERSION_FILE}"
  COMMENT "Asking git for the commit"
  VERBATIM)
add_library(faultline_version OBJECT "${FAULTLINE_VERSION_FILE}")
add_dependencies(faultline_version faultline_version_file)
target_link_libraries(faultline_version PRIVATE faultline_flags)
target_sources(faultline_everything INTERFACE $<TARGET_OBJECTS:faultline_version>)
