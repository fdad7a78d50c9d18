# cmake --install: the command, its manual and completion, the libraries and headers, the licences, and
# what find_package and pkg-config look for.
include(CMakePackageConfigHelpers)

# stave_install_page(FILE): a manual page, with the version in it.
function(stave_install_page page)
  get_filename_component(name ${page} NAME)
  configure_file(${page} ${Stave_BINARY_DIR}/man/${name} @ONLY)
  install(FILES ${Stave_BINARY_DIR}/man/${name} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endfunction()

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Stave)
install(TARGETS stave stavetrace EXPORT StaveTargets)
install(DIRECTORY ${Stave_SOURCE_DIR}/include/stave DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(FILES ${Stave_SOURCE_DIR}/LICENSE-APACHE ${Stave_SOURCE_DIR}/LICENSE-MIT
        DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/stave)
if(TARGET stave_cli)
  install(TARGETS stave_cli)
  foreach(name ${STAVE_COMMAND_NAMES})
    install(FILES $<TARGET_FILE_DIR:stave_cli>/${name} DESTINATION ${CMAKE_INSTALL_BINDIR})
  endforeach()

  file(GLOB pages CONFIGURE_DEPENDS ${Stave_SOURCE_DIR}/docs/man/*.1)
  list(FILTER pages EXCLUDE REGEX "/stave-clips\\.1$") # adapters/clips installs it, where it is built
  foreach(page ${pages})
    stave_install_page(${page})
  endforeach()
  # bash-completion looks for a file with the name of the command that is being typed.
  foreach(name stave ${STAVE_COMMAND_NAMES})
    install(FILES ${Stave_SOURCE_DIR}/tools/completion/stave.bash RENAME ${name}
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  endforeach()
  install(FILES ${Stave_SOURCE_DIR}/tools/completion/_stave
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()

# The firmware recorder is source, for any machine; the libraries are for this one.
install(FILES ${Stave_BINARY_DIR}/target/stave_target.c ${Stave_BINARY_DIR}/target/stave_target.h
        DESTINATION ${CMAKE_INSTALL_DATADIR}/stave/target)
install(TARGETS stave_target_source EXPORT StaveFirmware)
install(EXPORT StaveFirmware NAMESPACE Stave:: DESTINATION ${config_dir})

install(EXPORT StaveTargets NAMESPACE Stave:: DESTINATION ${config_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/StaveConfig.cmake.in
  ${Stave_BINARY_DIR}/StaveConfig.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${Stave_BINARY_DIR}/StaveConfigVersion.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${Stave_BINARY_DIR}/StaveConfig.cmake ${Stave_BINARY_DIR}/StaveConfigVersion.cmake
        DESTINATION ${config_dir})

# The .pc files find their prefix from where they stand, so that an installed tree can be moved.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH STAVE_PC_PREFIX /prefix/${pkgconfig_dir} /prefix)
string(REGEX REPLACE "/$" "" STAVE_PC_PREFIX ${STAVE_PC_PREFIX})
foreach(name stave stavetrace)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${Stave_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${Stave_BINARY_DIR}/${name}.pc DESTINATION ${pkgconfig_dir})
endforeach()
