# The Python package `weft`, for Debian's Python: build/python/weft holds the extension module, which links libweft.so,
# and what is written in Python or generated (generate.py). Without pybind11 it is left out.
option(WEFT_PYTHON "Build the Python package, if pybind11 is installed" ON)
if(NOT WEFT_PYTHON OR WEFT_FUZZ)
  return()
endif()
set(Python3_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "The Python that the package is for")
set(Python3_FIND_VIRTUALENV STANDARD)
find_package(Python3 COMPONENTS Interpreter Development.Module QUIET)
find_package(pybind11 2.10 CONFIG QUIET)
if(NOT Python3_Development.Module_FOUND OR NOT pybind11_FOUND)
  message(STATUS "No Python package: pybind11 or the headers of Python are missing")
  return()
endif()

# Python has no sanitizer in it: it loads their library first, and that of C++, whose throwing they watch. What Python
# itself leaks is not looked at here.
set(weft_python_environment)
if(WEFT_SANITIZE)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    message(STATUS "No Python package: its host loads the sanitizers of GCC alone")
    return()
  endif()
  set(runtime libasan.so)
  if(WEFT_SANITIZE STREQUAL thread)
    set(runtime libtsan.so)
  endif()
  foreach(library ${runtime} libstdc++.so)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${library}
      OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE)
    file(REAL_PATH ${path} path)
    list(APPEND preloaded ${path})
  endforeach()
  list(JOIN preloaded ":" preloaded)
  set(weft_python_environment LD_PRELOAD=${preloaded} ASAN_OPTIONS=detect_leaks=0)
endif()

set(weft_package ${PROJECT_BINARY_DIR}/python/weft)
set(weft_package_source ${PROJECT_SOURCE_DIR}/tools/python/weft)
execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))"
  OUTPUT_VARIABLE weft_module_suffix OUTPUT_STRIP_TRAILING_WHITESPACE)
add_library(weft_python_module MODULE ${PROJECT_SOURCE_DIR}/tools/python/module.cpp)
target_link_libraries(weft_python_module PRIVATE weft_options weft_shared)
target_include_directories(weft_python_module SYSTEM PRIVATE ${pybind11_INCLUDE_DIR} ${Python3_INCLUDE_DIRS})
target_compile_options(weft_python_module PRIVATE ${cold_optimisation} -Wno-pedantic)
# Beside it in a wheel, and where CMake installs it: lib/python3*/site-packages.
set_target_properties(weft_python_module PROPERTIES
  OUTPUT_NAME _weft PREFIX "" SUFFIX "${weft_module_suffix}" LIBRARY_OUTPUT_DIRECTORY ${weft_package}
  INSTALL_RPATH "$ORIGIN/lib:$ORIGIN/../../..")

file(GLOB weft_package_files CONFIGURE_DEPENDS
  ${weft_package_source}/*.py ${weft_package_source}/*.pyi ${weft_package_source}/py.typed)
add_custom_command(
  OUTPUT ${weft_package}/keys.py ${weft_package}/tables.pyi
  COMMAND ${CMAKE_COMMAND} -E copy_if_different ${weft_package_files} ${weft_package}
  COMMAND ${CMAKE_COMMAND} -E env ${weft_python_environment}
    ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tools/python/generate.py ${weft_package}
  DEPENDS weft_python_module ${weft_package_files} ${PROJECT_SOURCE_DIR}/tools/python/generate.py
  VERBATIM)
add_custom_target(weft_python ALL DEPENDS ${weft_package}/keys.py ${weft_package}/tables.pyi)
add_dependencies(weft_installed weft_python)
# Runs of the fluid engine are a program beside libweft.so.
add_dependencies(weft_python weft_fluid_program)

set(WEFT_PYTHON_FOLDER lib/python3/dist-packages CACHE STRING "Where the Python package is installed, below the prefix")
install(DIRECTORY ${weft_package} DESTINATION ${WEFT_PYTHON_FOLDER} COMPONENT python
  PATTERN "__pycache__" EXCLUDE PATTERN "_weft.*.so" EXCLUDE)
install(TARGETS weft_python_module LIBRARY DESTINATION ${WEFT_PYTHON_FOLDER}/weft COMPONENT python)
