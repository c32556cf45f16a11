# Headers are found as <allclear/FOLDER/NAME.h>, in the tree as in an installation. In the tree,
# include/allclear holds one link per folder, so that nothing of tests/ or bench/ is found there.
#
# Public are the headers that stand directly in a folder, but for those of core/ that only the other
# folders' sources use; all in rooms are internal.
#
# Makes two headers: <allclear/version.h>, and <allclear/allclear.h>, which includes all public ones.
set(include_dir ${PROJECT_BINARY_DIR}/include/allclear)
if(IS_SYMLINK ${include_dir})  # as older build folders have it: a link to the source folder
  file(REMOVE ${include_dir})
endif()
file(MAKE_DIRECTORY ${include_dir})
set(public_headers "")
foreach(folder ${ALLCLEAR_FOLDERS} apps python)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${include_dir}/${folder} SYMBOLIC)
endforeach()
set(ALLCLEAR_INTERNAL_HEADERS core/assert.h core/extremes.h core/file.h core/formatted.h core/parallel.h core/readable.h core/sha256.h core/simd.h
  core/sincos.h core/stop_scope.h)
foreach(folder ${ALLCLEAR_FOLDERS})
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/${folder}/*.h)
  list(REMOVE_ITEM headers ${ALLCLEAR_INTERNAL_HEADERS})
  list(APPEND public_headers ${headers})
endforeach()
set_property(GLOBAL PROPERTY ALLCLEAR_PUBLIC_HEADERS ${public_headers})
list(TRANSFORM public_headers REPLACE "(.+)" "#include \"allclear/\\1\"" OUTPUT_VARIABLE includes)
list(JOIN includes "\n" ALLCLEAR_INCLUDES)
configure_file(${CMAKE_CURRENT_LIST_DIR}/allclear.h.in ${include_dir}/allclear.h @ONLY)
configure_file(${CMAKE_CURRENT_LIST_DIR}/version.h.in ${include_dir}/version.h @ONLY)
