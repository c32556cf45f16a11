# allclear_library(NAME [INTERNAL] [DEPENDS name...] [PRIVATE_LINK target...] [ROOMS room...]
#                  [WITHOUT room...] [SOURCES file...])
# One static or shared library with the alias allclear::NAME. Its sources are every .cpp in the
# current folder and its rooms; WITHOUT leaves out rooms or single sources (without .cpp), ROOMS
# takes the .cpp of these rooms and SOURCES alone. Installs the library and the public headers of
# the folder; an INTERNAL library and its headers stay in the tree, for tests and benches.

# Interface target with the flags of this project's own code (never imposed on consumers).
add_library(allclear_flags INTERFACE)
target_compile_options(allclear_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -ffp-contract=off
  -fno-math-errno -fno-trapping-math  # square roots and choices in loops become vector code
  -fPIC  # in executables too: they share the precompiled headers
  # False alarms of GCC 12 and 13 about std::string (its bugs 105329, 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread
    -Wno-array-bounds>
  -Wno-missing-field-initializers)  # a designated initialiser leaves the defaults alone
if(ALLCLEAR_WERROR)
  target_compile_options(allclear_flags INTERFACE -Werror)
endif()
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  # Tables of functions are read-only once a program has started (RELRO).
  target_link_options(allclear_flags INTERFACE -Wl,-z,relro,-z,now)
endif()
if(ALLCLEAR_NATIVE)
  # False alarms of GCC 12 about the AVX-512 intrinsics (its bug 105593). Clones for other
  # machines would replace the code made for this one.
  target_compile_options(allclear_flags INTERFACE -march=native
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized -Wno-uninitialized>)
  target_compile_definitions(allclear_flags INTERFACE ALLCLEAR_NO_CLONES)
endif()
if(ALLCLEAR_SANITIZE)
  target_compile_options(allclear_flags INTERFACE -fsanitize=${ALLCLEAR_SANITIZE}
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(allclear_flags INTERFACE -fsanitize=${ALLCLEAR_SANITIZE})
  # Function multiversioning resolves before the sanitizer's runtime is up.
  target_compile_definitions(allclear_flags INTERFACE ALLCLEAR_NO_CLONES)
endif()

if(ALLCLEAR_HARDEN)
  # One set for all sources: precompiled headers are shared.
  # (Some distributions' compilers define _FORTIFY_SOURCE themselves.)
  target_compile_options(allclear_flags INTERFACE -fstack-protector-strong -U_FORTIFY_SOURCE
    -D_FORTIFY_SOURCE=2)
  target_compile_definitions(allclear_flags INTERFACE _GLIBCXX_ASSERTIONS)
endif()

if(ALLCLEAR_FUZZ)
  # The fuzzer sees which branches an input reaches; its main program is linked to fuzz_all alone.
  target_compile_options(allclear_flags INTERFACE -fsanitize=fuzzer-no-link)
  target_compile_definitions(allclear_flags INTERFACE _GLIBCXX_ASSERTIONS)
endif()

# Precompiled Eigen and standard headers, built once and shared by every target of the tree.
function(allclear_precompile target)
  if(TARGET allclear_pch)
    target_precompile_headers(${target} REUSE_FROM allclear_pch)
  endif()
endfunction()

function(allclear_library name)
  cmake_parse_arguments(ARG "INTERNAL" "" "DEPENDS;PRIVATE_LINK;ROOMS;WITHOUT;SOURCES" ${ARGN})
  set(here ${CMAKE_CURRENT_SOURCE_DIR})
  if(ARG_ROOMS)
    list(TRANSFORM ARG_ROOMS REPLACE "(.+)" "${here}/\\1/*.cpp" OUTPUT_VARIABLE patterns)
    file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  else()
    file(GLOB sources CONFIGURE_DEPENDS ${here}/*.cpp ${here}/*/*.cpp ${here}/*/*/*.cpp)
  endif()
  foreach(room ${ARG_WITHOUT})
    list(FILTER sources EXCLUDE REGEX "^${here}/${room}(/|\\.cpp$)")
  endforeach()
  list(TRANSFORM ARG_SOURCES PREPEND ${here}/)
  set(target allclear_${name})
  add_library(${target} ${sources} ${ARG_SOURCES})
  add_library(allclear::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include> $<INSTALL_INTERFACE:include>)
  list(TRANSFORM ARG_DEPENDS PREPEND allclear::)
  target_link_libraries(${target} PUBLIC ${ARG_DEPENDS}
    PRIVATE $<BUILD_INTERFACE:allclear_flags> ${ARG_PRIVATE_LINK})
  allclear_precompile(${target})
  if(ARG_INTERNAL)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY ALLCLEAR_LIBRARIES ${target})
  get_filename_component(folder ${here} NAME)
  file(GLOB headers CONFIGURE_DEPENDS ${here}/*.h)
  foreach(header ${ALLCLEAR_INTERNAL_HEADERS})
    list(REMOVE_ITEM headers ${PROJECT_SOURCE_DIR}/${header})
  endforeach()
  install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/allclear/${folder} COMPONENT dev)
endfunction()

add_library(allclear_pch OBJECT ${CMAKE_CURRENT_LIST_DIR}/pch.cpp)
target_compile_features(allclear_pch PUBLIC cxx_std_20)
target_link_libraries(allclear_pch PRIVATE allclear_flags Eigen3::Eigen)
target_precompile_headers(allclear_pch PRIVATE
  <Eigen/Dense> <algorithm> <array> <cmath> <functional> <map> <memory> <optional> <span>
  <string> <unordered_map> <variant> <vector>)
