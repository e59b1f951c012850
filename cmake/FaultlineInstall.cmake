# cmake --install puts the program, its data and its documents in place. The program finds its data
# at ../share/faultline/scenarios from where it lies, so a prefix can be moved as a whole.

install(TARGETS faultline RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
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
