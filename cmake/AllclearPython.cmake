# Decides whether the Python package is built: sets ALLCLEAR_PYTHON to TRUE or FALSE. Also finds the
# Python that runs the tests.
#
# Modules are for one Python alone. On Debian pybind11, NumPy and the headers belong to the system's
# Python, which another one on the PATH may hide: so /usr/bin/python3 is asked first. Another Python
# is named by -DPython3_EXECUTABLE=..., as `pip install` does.
if(NOT DEFINED Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python3 QUIET COMPONENTS Interpreter OPTIONAL_COMPONENTS Development.Module)

set(ALLCLEAR_PYTHON FALSE)
if(ALLCLEAR_SANITIZE AND NOT ALLCLEAR_WITH_PYTHON STREQUAL "ON")
  set(without " (not under sanitizers, which the interpreter lacks)")
elseif(NOT ALLCLEAR_WITH_PYTHON STREQUAL "OFF")
  if(ALLCLEAR_WITH_PYTHON STREQUAL "ON")
    set(required REQUIRED)
  endif()
  find_package(pybind11 2.10 ${required} QUIET CONFIG)
  if(NOT Python3_Development.Module_FOUND AND required)
    message(FATAL_ERROR "ALLCLEAR_WITH_PYTHON=ON needs the headers of ${Python3_EXECUTABLE}")
  endif()
  if(Python3_FOUND AND Python3_Development.Module_FOUND AND pybind11_FOUND
     AND Python3_VERSION VERSION_GREATER_EQUAL 3.9)
    execute_process(COMMAND ${Python3_EXECUTABLE} -c "import numpy" RESULT_VARIABLE no_numpy
      OUTPUT_QUIET ERROR_QUIET)
    if(no_numpy EQUAL 0)
      set(ALLCLEAR_PYTHON TRUE)
    elseif(required)
      message(FATAL_ERROR "ALLCLEAR_WITH_PYTHON=ON needs NumPy for ${Python3_EXECUTABLE}")
    endif()
  endif()
endif()
message(STATUS "Python package: ${ALLCLEAR_PYTHON}${without}")
