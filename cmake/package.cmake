# `cpack --config build/release/CPackConfig.cmake` makes two Debian packages: `arks` with the tool, its manual page and
# completions, the library, its headers and its CMake package; and `arks-sdp` with the program of that name, apart since
# it is under the GPL.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME arks)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL Unspecified)
if(TARGET arks_sdp)
  list(APPEND CPACK_COMPONENTS_ALL sdp)
endif()
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME arks)
set(CPACK_DEBIAN_SDP_PACKAGE_NAME arks-sdp)
set(CPACK_COMPONENT_SDP_DESCRIPTION "solver of semidefinite programs for arks, under the GPL as SDPA is")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "the authors of arks")
set(CPACK_PACKAGE_CONTACT "the authors of arks <arks@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "train models that keep working when the data shift")
set(CPACK_PACKAGE_DESCRIPTION "Adversarially robust kernel smoothing beside other ways of robust training, the
attacks to test the result and the certificates that bound it: a command-line tool and a C++17 library on libtorch.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# shared libraries are found in the programs (dpkg-shlibdeps); what find_package(arks) needs and a BLAS that is not the
# slow reference are not
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_DEPENDS
  "libtorch-dev, zlib1g-dev, libpng-dev, libjpeg-dev, libdnnl-dev, libhwy-dev, libfmt-dev"
  "libopenblas0-pthread | libopenblas0")
list(JOIN CPACK_DEBIAN_UNSPECIFIED_PACKAGE_DEPENDS ", " CPACK_DEBIAN_UNSPECIFIED_PACKAGE_DEPENDS)
# what the tool calls: figures, and the fetching of data
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_RECOMMENDS "gnuplot-nox, fonts-dejavu-core")
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_SUGGESTS "arks-sdp, dataset-fashion-mnist, npm")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
include(CPack)
