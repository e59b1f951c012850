# Pages that the program writes are kept as HTML, CSS and JavaScript, and compiled in as one text.

function(faultline_space_time_page)
  set(parts "${PROJECT_SOURCE_DIR}/analysis/space_time")
  foreach(part html css js)
    file(READ "${parts}/page.${part}" ${part})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${parts}/page.${part}")
  endforeach()
  string(REPLACE "/*STYLE*/" "${css}" page "${html}")
  string(REPLACE "/*SCRIPT*/" "${js}" FAULTLINE_SPACE_TIME_PAGE "${page}")
  configure_file(analysis/space_time_template.hpp.in
                 generated/analysis/space_time_template.hpp @ONLY)
endfunction()

faultline_space_time_page()
