# `cpack` in the build folder makes .deb packages: `allclear` (the command, its man page, completions
# and examples), `allclear-dev` (headers, libraries and CMake files for C++ programs) and, where the
# Python package is built, `python3-allclear`.
file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/packages.txt lines REGEX "^library ")
list(TRANSFORM lines REPLACE "^library +" "")
list(JOIN lines " " dev_depends)
string(REPLACE " " ", " dev_depends "${dev_depends}")
# What this build found of the purpose "worlds".
if(ALLCLEAR_PNG)
  string(APPEND dev_depends ", libpng-dev")
endif()
if(ALLCLEAR_SDFORMAT)
  string(APPEND dev_depends ", libsdformat-dev")
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME allclear)
set(CPACK_PACKAGE_CONTACT "The Allclear authors <allclear@users.noreply.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime dev)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "The command `allclear`, with its man page and examples.")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Headers, libraries and CMake files for C++ programs.")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME allclear)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION science)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "python3, python3-yaml")  # for allclear-verify-model
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "python3-distributed")  # for batch --scheduler
set(CPACK_DEBIAN_DEV_PACKAGE_NAME allclear-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)  # static libraries
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${dev_depends}")
if(BUILD_SHARED_LIBS)  # the shared libraries are in the other package
  string(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ", allclear (= ${PROJECT_VERSION})")
endif()
if(ALLCLEAR_PYTHON)
  # The compiled module serves one minor version of Python.
  set(minor ${Python3_VERSION_MINOR})
  math(EXPR next_minor "${minor} + 1")
  list(APPEND CPACK_COMPONENTS_ALL python)
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION "The Python package `allclear`.")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-allclear)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "python3 (>= 3.${minor}), python3 (<< 3.${next_minor}), python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "allclear")
endif()
include(CPack)
