# What `cmake --install` puts where. Components: `tool` (the command line), `library` (libweft.so, the modules and
# weft-fluid that belong to it), `development` (header, CMake package, pkg-config), `python` (tools/python).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(weft_private_folder ${CMAKE_INSTALL_LIBDIR}/weft)
set(weft_cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/weft)

# All that is installed, built.
add_custom_target(weft_installed DEPENDS weft weft_shared weft_fluid_program weft_simgrid weft_screen)

install(TARGETS weft RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tool)
# The screen of `--live`, and sweeps over machines, are the command line's.
install(TARGETS weft_screen LIBRARY DESTINATION ${weft_private_folder} COMPONENT tool)
if(TARGET weft_mpi)
  install(TARGETS weft_mpi LIBRARY DESTINATION ${weft_private_folder} COMPONENT tool)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenarios/
  DESTINATION ${CMAKE_INSTALL_DATADIR}/weft/scenarios COMPONENT tool
  FILES_MATCHING PATTERN "*.yaml"
  PATTERN "api" EXCLUDE)

install(TARGETS weft_simgrid LIBRARY DESTINATION ${weft_private_folder} COMPONENT library)
install(TARGETS weft_fluid_program RUNTIME DESTINATION ${weft_private_folder} COMPONENT library)
install(TARGETS weft_shared EXPORT weftTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

install(FILES ${PROJECT_SOURCE_DIR}/scenarios/api/weft.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weft COMPONENT development)
install(EXPORT weftTargets NAMESPACE weft:: DESTINATION ${weft_cmake_folder} COMPONENT development)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/weftConfig.cmake.in
  ${PROJECT_BINARY_DIR}/weftConfig.cmake INSTALL_DESTINATION ${weft_cmake_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/weftConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/weftConfig.cmake ${PROJECT_BINARY_DIR}/weftConfigVersion.cmake
  DESTINATION ${weft_cmake_folder} COMPONENT development)
file(RELATIVE_PATH weft_include_from_pkgconfig
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(${CMAKE_CURRENT_LIST_DIR}/weft.pc.in ${PROJECT_BINARY_DIR}/weft.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/weft.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
