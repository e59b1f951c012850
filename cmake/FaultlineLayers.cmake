# faultline_add_layer(NAME DIRECTORY) compiles every .cpp under DIRECTORY into one object library.
#
# Adding a protocol or a workload is adding its file pair: the glob is checked again at every build.
# Object libraries, because protocols and workloads register themselves by static objects that
# nothing refers to, and a linker drops such members of an archive.

# Carries the objects of every layer, for the program and the tests to link.
add_library(faultline_everything INTERFACE)
target_link_libraries(faultline_everything INTERFACE faultline_flags)

add_library(faultline_libraries INTERFACE)
target_link_libraries(faultline_libraries INTERFACE Boost::headers Boost::program_options
                                                    nlohmann_json::nlohmann_json SQLite::SQLite3
                                                    Threads::Threads)
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

function(faultline_add_layer name directory)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${directory}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "/sim/cli/main\\.cpp$")
  faultline_without_simgrid(sources)
  if(NOT sources)
    return()
  endif()
  add_library(faultline_${name} OBJECT ${sources})
  target_link_libraries(faultline_${name} PRIVATE faultline_flags faultline_libraries)
  target_sources(faultline_everything INTERFACE $<TARGET_OBJECTS:faultline_${name}>)
  set_property(GLOBAL PROPERTY FAULTLINE_SOURCES_${name} ${sources})
endfunction()

# Where a program that is not installed finds scenarios/.
set_source_files_properties("${PROJECT_SOURCE_DIR}/sim/core/data_directory.cpp" PROPERTIES
  COMPILE_DEFINITIONS "FAULTLINE_DATA_DIR=\"${PROJECT_SOURCE_DIR}/scenarios\"")

# The path that every event takes, where -O3 pays. Not runtime.cpp: with -O3, GCC 12.2 destroys what
# is not there when memory runs out in its constructor.
foreach(hot event_queue loggp_engine look_ahead runtime_turn runtime_wire)
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
