# OMPL, for an example and for the rival of a bench: ompl_FOUND, OMPL_INCLUDE_DIRS, OMPL_LIBRARIES.
set(ALLCLEAR_WITH_OMPL AUTO CACHE STRING "The example and the bench with OMPL: AUTO, ON or OFF")
set_property(CACHE ALLCLEAR_WITH_OMPL PROPERTY STRINGS AUTO ON OFF)
if(ALLCLEAR_WITH_OMPL STREQUAL "ON")
  find_package(ompl REQUIRED)
elseif(NOT ALLCLEAR_WITH_OMPL STREQUAL "OFF")
  find_package(ompl QUIET)
endif()
