# The HTML reports: finds three.js and says how their page is built into exports/.
#
# three.js is inlined from the system's package (Debian, Ubuntu: libjs-three) and not part of this
# project. Reports are what people look at first, so a build without it has to be asked for.
option(ALLCLEAR_WITH_REPORT "HTML reports; needs three.js (Debian: libjs-three)" ON)
if(ALLCLEAR_WITH_REPORT)
  find_file(ALLCLEAR_THREE_JS NAMES three.min.js
    HINTS /usr/share/javascript/three /usr/share/javascript/three/build
          /usr/share/nodejs/three/build /usr/share/nodejs/three
    DOC "three.js, minified, as a classic script")
  if(NOT ALLCLEAR_THREE_JS OR NOT EXISTS "${ALLCLEAR_THREE_JS}")
    message(FATAL_ERROR "three.js was not found (${ALLCLEAR_THREE_JS}). Install it (Debian, Ubuntu: apt-get install "
      "libjs-three), say where three.min.js is with -DALLCLEAR_THREE_JS=FILE, or build without HTML "
      "reports with -DALLCLEAR_WITH_REPORT=OFF.")
  endif()
endif()

# allclear_report_assets(TARGET): adds the page's parts to a library, as a source made of them.
function(allclear_report_assets target)
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/report)
  set(scripts ${folder}/data.js ${folder}/pointer.js ${folder}/viewer.js ${folder}/plots.js
    ${folder}/contacts.js ${folder}/impacts.js ${folder}/cables.js ${folder}/clearance.js
    ${folder}/main.js)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/report_assets.cpp)
  set(three "")
  if(ALLCLEAR_WITH_REPORT)
    set(three ${ALLCLEAR_THREE_JS})
  endif()
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DPAGE=${folder}/page.html -DSTYLE=${folder}/style.css
            "-DSCRIPTS=${scripts}" -DTHREE=${three} -P ${PROJECT_SOURCE_DIR}/cmake/embed_report.cmake
    DEPENDS ${scripts} ${folder}/page.html ${folder}/style.css ${three}
            ${PROJECT_SOURCE_DIR}/cmake/embed_report.cmake
    VERBATIM)
  # One string per file, longer than the standard asks compilers to take.
  set_source_files_properties(${out} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
  target_sources(${target} PRIVATE ${out})
endfunction()
