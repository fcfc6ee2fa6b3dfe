# `cmake --install` has three parts; package.cmake makes a package of each: `runtime`, the program with its manual,
# completions and recipes; `mpi`, the module for several processes; `development`, the libraries.
install(TARGETS glossa RUNTIME COMPONENT runtime)
if(NOT GLOSSA_NATIVE)
  glossa_install_levels(${CMAKE_INSTALL_LIBDIR}/glossa COMPONENT runtime)
  set_target_properties(glossa PROPERTIES INSTALL_RPATH $ORIGIN/${modules})
endif()
install(DIRECTORY recipes DESTINATION ${CMAKE_INSTALL_DATADIR}/glossa COMPONENT runtime)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime
        PATTERN examples EXCLUDE PATTERN CMakeLists.txt EXCLUDE)
if(TARGET glossa_mpi)
  install(TARGETS glossa_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/glossa COMPONENT mpi)
  set_target_properties(glossa_mpi PROPERTIES INSTALL_RPATH $ORIGIN)
endif()

# The manual and the shell completions, as printed by the program.
set(GLOSSA_ZSH_FOLDER ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Where zsh finds completions")
if(NOT CMAKE_CROSSCOMPILING)
  set(texts ${PROJECT_BINARY_DIR}/texts)
  add_custom_command(OUTPUT ${texts}/glossa.1.gz ${texts}/glossa ${texts}/_glossa DEPENDS glossa VERBATIM
                     COMMAND ${CMAKE_COMMAND} -E make_directory ${texts}
                     COMMAND glossa manual > ${texts}/glossa.1
                     COMMAND gzip -9nkf ${texts}/glossa.1
                     COMMAND glossa completion bash > ${texts}/glossa
                     COMMAND glossa completion zsh > ${texts}/_glossa)
  add_custom_target(glossa_texts ALL DEPENDS ${texts}/glossa.1.gz ${texts}/glossa ${texts}/_glossa)
  install(FILES ${texts}/glossa.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime)
  install(FILES ${texts}/glossa DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT runtime)
  install(FILES ${texts}/_glossa DESTINATION ${GLOSSA_ZSH_FOLDER} COMPONENT runtime)
endif()

# The headers of the libraries; cereal's archive and the tables of cases (cases/) stay private.
install(DIRECTORY base autograd layers optim data decoding config train exchange evaluation pages report
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/glossa COMPONENT development FILES_MATCHING PATTERN *.h
        PATTERN cases EXCLUDE PATTERN measure EXCLUDE PATTERN mpi EXCLUDE PATTERN bounded_archive.h EXCLUDE)
install(DIRECTORY docs/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)

# find_package(glossa): the targets, with the flags that their headers need.
set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/glossa)
install(TARGETS glossa_flags glossa_base glossa_formats glossa_autograd glossa_layers glossa_optim glossa_data
                glossa_decoding glossa_config glossa_train glossa_exchange glossa_evaluation glossa_pages
                glossa_report
        EXPORT glossa ARCHIVE COMPONENT development INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/glossa)
install(EXPORT glossa FILE glossaTargets.cmake NAMESPACE glossa:: DESTINATION ${folder} COMPONENT development)
include(CMakePackageConfigHelpers)
configure_package_config_file(cmake/glossaConfig.cmake.in ${PROJECT_BINARY_DIR}/glossaConfig.cmake
                              INSTALL_DESTINATION ${folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/glossaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/glossaConfig.cmake ${PROJECT_BINARY_DIR}/glossaConfigVersion.cmake
        DESTINATION ${folder} COMPONENT development)

include(cmake/package.cmake)
