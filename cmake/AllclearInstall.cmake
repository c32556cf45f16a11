# Install and export: find_package(allclear) gives allclear::allclear and one target per folder.
# Component `runtime`: what the command needs; `dev`: what a C++ program needs.
include(CMakePackageConfigHelpers)
get_property(libraries GLOBAL PROPERTY ALLCLEAR_LIBRARIES)
add_library(allclear INTERFACE)
add_library(allclear::allclear ALIAS allclear)
target_link_libraries(allclear INTERFACE ${libraries})
install(TARGETS allclear ${libraries} EXPORT allclear_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev)
install(FILES ${PROJECT_BINARY_DIR}/include/allclear/allclear.h
  ${PROJECT_BINARY_DIR}/include/allclear/version.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/allclear COMPONENT dev)
install(TARGETS allclear_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/docs/man/allclear.1
  DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/completion/allclear.bash RENAME allclear
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/completion/_allclear
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT runtime)
# The bridge of `allclear batch --scheduler`, which needs nothing else of the Python package.
install(FILES ${PROJECT_SOURCE_DIR}/python/allclear/batch.py
  DESTINATION ${CMAKE_INSTALL_DATADIR}/allclear COMPONENT runtime)
foreach(example shelf two_arms moving_obstacle upright humanoid)
  list(APPEND examples ${PROJECT_SOURCE_DIR}/examples/${example})
endforeach()
install(DIRECTORY ${examples}
  DESTINATION ${CMAKE_INSTALL_DATADIR}/allclear/examples COMPONENT runtime
  PATTERN __pycache__ EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/docs/task.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR}
  COMPONENT runtime)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/allclear)
install(EXPORT allclear_targets NAMESPACE allclear:: FILE allclear-targets.cmake
  DESTINATION ${config_dir} COMPONENT dev)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/allclear-config.cmake.in
  ${PROJECT_BINARY_DIR}/allclear-config.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/allclear-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/allclear-config.cmake
  ${PROJECT_BINARY_DIR}/allclear-config-version.cmake DESTINATION ${config_dir} COMPONENT dev)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/copyright
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/allclear-dev COMPONENT dev)
