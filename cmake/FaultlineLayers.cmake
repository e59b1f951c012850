# SPDX-License-Identifier: Apache-2.0

# faultline_add_layer(NAME DIRECTORY) compiles every .cpp under DIRECTORY into one object library.
#
# Adding a protocol or a workload is adding its file pair: the glob is checked again at every build.
# Object libraries, because protocols and workloads register themselves by static objects that
# nothing refers to, and a linker drops such members of an archive.

# Carries the objects of every layer, for the program and the tests to link.
add_library(faultline_everything INTERFACE)
target_link_libraries(faultline_everything INTERFACE faultline_flags)

# One file includes Boost.Iostreams, so that no other is compiled with its flags.
add_library(faultline_libraries INTERFACE)
target_link_libraries(faultline_libraries INTERFACE Boost::headers Boost::program_options
                                                    nlohmann_json::nlohmann_json SQLite::SQLite3
                                                    Threads::Threads
                                                    $<LINK_ONLY:Boost::iostreams>)
if(FAULTLINE_SIMGRID)
  target_link_libraries(faultline_libraries INTERFACE SimGrid::SimGrid EXPAT::EXPAT)
endif()
target_link_libraries(faultline_everything INTERFACE faultline_libraries)

# Without SimGrid, files named simgrid_* and *_simgrid_test.cpp are left out.
function(faultline_without_simgrid list_name)
  if(NOT FAULTLINE_SIMGRID)
    list(FILTER ${list_name} EXCLUDE REGEX "/simgrid_[^/]*\\.cpp$|_simgrid_test\\.cpp$")
  endif()
  set(${list_name} "${${list_name}}" PARENT_SCOPE)
endfunction()

# faultline_compile_together(TARGET SOURCES...): the compiler reads several sources at once, so that
# it reads the headers and makes what they inline once for all of them. Which ones go together
# depends on their names alone, so that a new file changes one group and no other; their number is a
# power of two, so that more files split groups and never make new ones. Sources with flags of their
# own are compiled alone. -DFAULTLINE_UNITY=OFF compiles each alone.
function(faultline_compile_together target)
  if(NOT FAULTLINE_UNITY)
    return()
  endif()
  list(LENGTH ARGN count)
  set(groups 1)
  math(EXPR wanted "(${count} + 11) / 12")
  while(groups LESS wanted)
    math(EXPR groups "2 * ${groups}")
  endwhile()
  foreach(source IN LISTS ARGN)
    file(RELATIVE_PATH name "${PROJECT_SOURCE_DIR}" "${source}")
    string(MD5 hash "${name}")
    string(SUBSTRING "${hash}" 0 6 hash)
    math(EXPR group "0x${hash} % ${groups}")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${group}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# faultline_add_precompiled(NAME HEADER FLAGS...): reads HEADER, and all that it includes, once for
# the targets that are compiled with these flags and call faultline_use_precompiled(TARGET NAME).
# -DFAULTLINE_PRECOMPILED=OFF leaves each file with what it includes itself.
function(faultline_add_precompiled name header)
  if(NOT FAULTLINE_PRECOMPILED)
    return()
  endif()
  set(nothing "${PROJECT_BINARY_DIR}/generated/nothing.cpp")
  if(NOT EXISTS "${nothing}")
    file(WRITE "${nothing}" "// CMake precompiles headers for a target that has a source.\n")
  endif()
  add_library(${name} OBJECT "${nothing}")
  target_link_libraries(${name} PRIVATE faultline_flags faultline_libraries)
  target_compile_options(${name} PRIVATE ${ARGN})
  if(FAULTLINE_PRECOMPILED_LAUNCHER)
    set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER
                                             "${FAULTLINE_PRECOMPILED_LAUNCHER}")
  endif()
  # In angle brackets: CMake writes any other path down whole, and another checkout's cache misses.
  target_precompile_headers(${name} PRIVATE "<${header}>")
endfunction()

function(faultline_use_precompiled target name)
  if(FAULTLINE_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

faultline_add_precompiled(faultline_precompiled sim/core/precompiled.hpp)

# Every protocol and workload is compiled alone: each defines names such as `options` and
# `registered`, and touching one must not compile others.
set(FAULTLINE_COMPILED_ALONE protocols workloads)

function(faultline_add_layer name directory)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${directory}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "/cli/main\\.cpp$")
  faultline_without_simgrid(sources)
  if(NOT sources)
    return()
  endif()
  add_library(faultline_${name} OBJECT ${sources})
  if(NOT name IN_LIST FAULTLINE_COMPILED_ALONE)
    faultline_compile_together(faultline_${name} ${sources})
  endif()
  target_link_libraries(faultline_${name} PRIVATE faultline_flags faultline_libraries)
  faultline_use_precompiled(faultline_${name} faultline_precompiled)
  target_sources(faultline_everything INTERFACE $<TARGET_OBJECTS:faultline_${name}>)
  set_property(GLOBAL PROPERTY FAULTLINE_SOURCES_${name} ${sources})
endfunction()

# Where a program that is not installed finds scenarios/.
set_source_files_properties("${PROJECT_SOURCE_DIR}/sim/core/data_directory.cpp" PROPERTIES
  COMPILE_DEFINITIONS "FAULTLINE_DATA_DIR=\"${PROJECT_SOURCE_DIR}/scenarios\"")

# The path that every event takes, where -O3 pays. Not runtime.cpp: with -O3, GCC 12.2 destroys what
# is not there when memory runs out in its constructor.
foreach(hot ahead/look_ahead events/event_queue loggp/loggp_engine network/network
            runtime/runtime_arrivals turn/turns)
  if(NOT EXISTS "${PROJECT_SOURCE_DIR}/sim/engine/${hot}.cpp")
    message(FATAL_ERROR "sim/engine/${hot}.cpp, to be compiled with -O3, is not there")
  endif()
  set_source_files_properties("${PROJECT_SOURCE_DIR}/sim/engine/${hot}.cpp" PROPERTIES
    COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>")
endforeach()
# A part of it under message logging: 1 % fewer instructions.
set(logging_directory "${PROJECT_SOURCE_DIR}/protocols/message_logging")
foreach(hot causal checkpointed_layer delivery_list duplicate_table fast logged_layer message_log
            pessimistic send_deterministic)
  set_source_files_properties("${logging_directory}/${hot}.cpp" PROPERTIES
    COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>")
endforeach()
