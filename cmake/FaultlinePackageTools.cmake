# SPDX-License-Identifier: Apache-2.0

# Read by cpack before it begins. dpkg-shlibdeps finds the libraries that the package depends on, in
# the programs that file finds; without the one cpack would leave the dependencies out.

set(FAULTLINE_MISSING "")
foreach(tool_and_package dpkg-shlibdeps:dpkg-dev file:file)
  string(REPLACE ":" ";" tool_and_package "${tool_and_package}")
  list(GET tool_and_package 0 tool)
  list(GET tool_and_package 1 package)
  find_program(FAULTLINE_${tool} "${tool}" NO_DEFAULT_PATH PATHS ENV PATH)
  if(NOT FAULTLINE_${tool})
    string(APPEND FAULTLINE_MISSING " ${package}")
  endif()
endforeach()
if(FAULTLINE_MISSING)
  message(FATAL_ERROR "a Debian package needs tools that are not installed; as root:\n"
                      "apt-get install${FAULTLINE_MISSING}")
endif()
