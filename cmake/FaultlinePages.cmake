# SPDX-License-Identifier: Apache-2.0

# What the program writes in other languages is kept in files of those languages, and compiled in.

# faultline_read(VARIABLE FILE): its text; the build is configured again when it changes.
function(faultline_read variable file)
  file(READ "${PROJECT_SOURCE_DIR}/${file}" text)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${file}")
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

function(faultline_space_time_page)
  faultline_read(html analysis/traces/space_time/page.html)
  faultline_read(css analysis/traces/space_time/page.css)
  set(js "")
  foreach(part run view drawing going table)
    faultline_read(text analysis/traces/space_time/${part}.js)
    string(APPEND js "${text}\n")
  endforeach()
  string(REPLACE "/*STYLE*/" "${css}" page "${html}")
  string(REPLACE "/*SCRIPT*/" "${js}" FAULTLINE_SPACE_TIME_PAGE "${page}")
  configure_file(analysis/traces/space_time_template.hpp.in
                 generated/analysis/traces/space_time_template.hpp @ONLY)
endfunction()

function(faultline_completions)
  faultline_read(FAULTLINE_BASH_COMPLETION cli/completion/completion.bash)
  faultline_read(FAULTLINE_ZSH_COMPLETION cli/completion/completion.zsh)
  configure_file(cli/completion_templates.hpp.in
                 generated/cli/completion_templates.hpp @ONLY)
endfunction()

faultline_space_time_page()
faultline_completions()
