# OMPL, for an example and for the rival of a bench: ompl_FOUND, OMPL_INCLUDE_DIRS, OMPL_LIBRARIES.
set(ALLCLEAR_WITH_OMPL AUTO CACHE STRING "The example and the bench with OMPL: AUTO, ON or OFF")
set_property(CACHE ALLCLEAR_WITH_OMPL PROPERTY STRINGS AUTO ON OFF)
if(ALLCLEAR_WITH_OMPL STREQUAL "ON")
  find_package(ompl REQUIRED)
elseif(ALLCLEAR_WITH_OMPL STREQUAL "AUTO")
  # OMPL and this project allocate Eigen's matrices for each other. The address sanitizer and
  # -march=native change how Eigen aligns them, and Debian's OMPL is built with neither: what one side
  # allocates the other cannot free.
  if(ALLCLEAR_SANITIZE OR ALLCLEAR_NATIVE)
    message(STATUS "OMPL is left out: built without the sanitizers and -march=native of this build")
  else()
    find_package(ompl QUIET)
  endif()
endif()
# Debian's libompl-dev names files of boost packages that it does not depend on: where they are not
# installed, OMPL cannot be linked.
if(ompl_FOUND)
  foreach(library IN LISTS OMPL_LIBRARIES)
    if(IS_ABSOLUTE "${library}" AND NOT EXISTS "${library}")
      if(ALLCLEAR_WITH_OMPL STREQUAL "ON")
        message(FATAL_ERROR "OMPL needs ${library}, which is not installed")
      endif()
      message(STATUS "OMPL is left out: it needs ${library}, which is not installed")
      set(ompl_FOUND FALSE)
      break()
    endif()
  endforeach()
endif()
