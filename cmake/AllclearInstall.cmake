# Install and export: find_package(allclear) gives allclear::allclear and one target per folder.
include(CMakePackageConfigHelpers)
get_property(libraries GLOBAL PROPERTY ALLCLEAR_LIBRARIES)
add_library(allclear INTERFACE)
add_library(allclear::allclear ALIAS allclear)
target_link_libraries(allclear INTERFACE ${libraries})
install(TARGETS allclear ${libraries} EXPORT allclear_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS allclear_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/allclear)
install(EXPORT allclear_targets NAMESPACE allclear:: FILE allclear-targets.cmake
  DESTINATION ${config_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/allclear-config.cmake.in
  ${PROJECT_BINARY_DIR}/allclear-config.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/allclear-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/allclear-config.cmake
  ${PROJECT_BINARY_DIR}/allclear-config-version.cmake DESTINATION ${config_dir})
