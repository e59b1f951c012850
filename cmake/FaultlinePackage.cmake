# SPDX-License-Identifier: Apache-2.0

# cpack --config build/release/CPackConfig.cmake makes a Debian package of what cmake --install puts
# in place, in build/release/package.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/package")
set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_SOURCE_DIR}/cmake/FaultlinePackageTools.cmake")
set(CPACK_PACKAGE_NAME faultline)
set(CPACK_PACKAGE_CONTACT "The Faultline developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Draws the figures of reproduce and report; without it they are tables.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS gnuplot-nox)
include(CPack)
