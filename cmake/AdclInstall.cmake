# Installs the library, headers, CMake package and pkg-config files.
include(CMakePackageConfigHelpers)
set(adcl_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/adcl)

install(TARGETS adcl EXPORT adclTargets)
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(FILES "${adcl_generated_includes}/ADCL_sets.h" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT adclTargets NAMESPACE adcl:: DESTINATION ${adcl_package_dir})
configure_package_config_file(cmake/adclConfig.cmake.in adclConfig.cmake INSTALL_DESTINATION ${adcl_package_dir})
write_basic_package_version_file(adclConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/adclConfig.cmake" "${PROJECT_BINARY_DIR}/adclConfigVersion.cmake"
        DESTINATION ${adcl_package_dir})

# Paths in the pkg-config file are relative to the file, so that an installed tree can be moved.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(PREPEND pc_prefix "\${pcfiledir}/")
endif()
cmake_path(APPEND pc_includedir "\${prefix}" "${CMAKE_INSTALL_INCLUDEDIR}")
cmake_path(APPEND pc_libdir "\${prefix}" "${CMAKE_INSTALL_LIBDIR}")
# Programs that link the static library must link the C++ library, too.
set(pc_libs "-ladcl")
if(NOT ADCL_SHARED)
  foreach(library IN LISTS CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
    if(library MATCHES "^(stdc\\+\\+|c\\+\\+|m)$")
      string(APPEND pc_libs " -l${library}")
    endif()
  endforeach()
endif()
configure_file(cmake/adcl.pc.in adcl.pc @ONLY)
# bindings/fortran installs this file if the interface is built.
configure_file(cmake/adcl_fortran.pc.in adcl_fortran.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/adcl.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Man pages and completions of the adcl command, which tools/man_pages.py writes.
install(DIRECTORY packaging/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES packaging/completion/bash/adcl DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES packaging/completion/zsh/_adcl DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES packaging/completion/fish/adcl.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
