# SPDX-License-Identifier: Apache-2.0

# cmake --install puts the program, its data and its documents in place. The program finds its data
# at ../share/faultline/scenarios from where it lies, so a prefix can be moved as a whole.

install(TARGETS faultline RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")

# The manual and the completion of shells are written by the program, from what it parses.
set(FAULTLINE_WRITTEN "${PROJECT_BINARY_DIR}/written")
file(MAKE_DIRECTORY "${FAULTLINE_WRITTEN}")
add_custom_command(
  OUTPUT "${FAULTLINE_WRITTEN}/faultline.1" "${FAULTLINE_WRITTEN}/faultline"
         "${FAULTLINE_WRITTEN}/_faultline"
  COMMAND "${CMAKE_COMMAND}" -E env "FAULTLINE_DATA=${PROJECT_SOURCE_DIR}/scenarios"
          sh -c "./faultline man > written/faultline.1 && \
                 ./faultline completion bash > written/faultline && \
                 ./faultline completion zsh > written/_faultline"
  DEPENDS faultline
  WORKING_DIRECTORY "${PROJECT_BINARY_DIR}"
  VERBATIM)
add_custom_target(faultline_written ALL DEPENDS "${FAULTLINE_WRITTEN}/faultline.1")
install(FILES "${FAULTLINE_WRITTEN}/faultline.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
install(FILES "${FAULTLINE_WRITTEN}/faultline"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
# The first is where zsh looks below its own prefix, the second where it does in Debian's /usr.
foreach(place site-functions vendor-completions)
  install(FILES "${FAULTLINE_WRITTEN}/_faultline"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/${place}")
endforeach()

install(DIRECTORY scenarios/ DESTINATION "${CMAKE_INSTALL_DATADIR}/faultline/scenarios"
        PATTERN ".*" EXCLUDE)
foreach(document README.md CHANGELOG.md LICENSE)
  if(EXISTS "${PROJECT_SOURCE_DIR}/${document}")
    install(FILES ${document} DESTINATION "${CMAKE_INSTALL_DOCDIR}")
  endif()
endforeach()
if(EXISTS "${PROJECT_SOURCE_DIR}/docs")
  install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}/docs" PATTERN ".*" EXCLUDE)
endif()
