# Target docs_api: the API reference by Doxygen, from the public headers, into build/<preset>/docs/api.
# A warning of Doxygen fails the target.
find_program(ALLCLEAR_DOXYGEN doxygen)
if(NOT ALLCLEAR_DOXYGEN)
  message(STATUS "No doxygen: no target docs_api (the API reference)")
  return()
endif()
set(ALLCLEAR_REFERENCE_DIR ${PROJECT_BINARY_DIR}/docs/api)
set(ALLCLEAR_REFERENCE_INPUT ${PROJECT_SOURCE_DIR}/docs/api/main.md
  ${PROJECT_BINARY_DIR}/include/allclear/version.h)
list(TRANSFORM public_headers PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE headers)
list(APPEND ALLCLEAR_REFERENCE_INPUT ${headers})
list(JOIN ALLCLEAR_REFERENCE_INPUT " " ALLCLEAR_REFERENCE_INPUT)
configure_file(${PROJECT_SOURCE_DIR}/docs/api/Doxyfile.in ${PROJECT_BINARY_DIR}/Doxyfile @ONLY)
add_custom_target(docs_api
  COMMAND ${CMAKE_COMMAND} -E make_directory ${ALLCLEAR_REFERENCE_DIR}
  COMMAND ${ALLCLEAR_DOXYGEN} ${PROJECT_BINARY_DIR}/Doxyfile
  COMMENT "API reference: ${PROJECT_BINARY_DIR}/docs/api/html/index.html" VERBATIM)
