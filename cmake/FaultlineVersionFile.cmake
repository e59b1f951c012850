# SPDX-License-Identifier: Apache-2.0

# cmake -DGIT=... -DSOURCE=... -DRELEASE=0.1.0 -DFILE=... -P: writes FILE, which holds the version,
# unless it is there and says the same. The version is RELEASE where SOURCE is no checkout, where
# git is missing, and where git refuses to answer.

# What is compiled. Results and documents that lie in the checkout do not make it another program.
set(COMPILED CMakeLists.txt cmake cli sim protocols workloads analysis)

# A hook of another repository that builds this one has its own in the environment.
foreach(variable GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX)
  unset(ENV{${variable}})
endforeach()

set(FAULTLINE_VERSION "${RELEASE}")
set(commit "")
if(GIT)
  execute_process(
    COMMAND "${GIT}" -C "${SOURCE}" rev-parse --show-prefix HEAD
    OUTPUT_VARIABLE said ERROR_QUIET RESULT_VARIABLE failed)
  # In a folder of somebody else's checkout, such as a tarball that was unpacked there, the first
  # line is the path to it.
  if(failed EQUAL 0 AND said MATCHES "^\n([0-9a-f]+)\n$")
    string(SUBSTRING "${CMAKE_MATCH_1}" 0 10 commit)
  endif()
endif()
if(commit)
  string(APPEND FAULTLINE_VERSION "+g${commit}")
  execute_process(
    COMMAND "${GIT}" --no-optional-locks -C "${SOURCE}" status --porcelain -- ${COMPILED}
    OUTPUT_VARIABLE changes ERROR_QUIET RESULT_VARIABLE failed)
  # What git cannot compare may have changes.
  if(NOT failed EQUAL 0 OR NOT changes STREQUAL "")
    string(APPEND FAULTLINE_VERSION "-dirty")
  endif()
endif()
# Leaves the file alone where it would say the same.
configure_file("${SOURCE}/sim/core/version.cpp.in" "${FILE}" @ONLY)
