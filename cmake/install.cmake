# What `cmake --install` puts where, in three parts that are packages of their own (package.cmake): `runtime`, the
# program with all that its user needs; `mpi`, the module by which it works in several processes; `development`, the
# libraries.
set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/glossa)

install(TARGETS glossa RUNTIME COMPONENT runtime)
install(DIRECTORY recipes DESTINATION ${CMAKE_INSTALL_DATADIR}/glossa COMPONENT runtime)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime PATTERN examples EXCLUDE)
if(TARGET glossa_mpi)
  install(TARGETS glossa_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/glossa COMPONENT mpi)
endif()

# The manual and the completion of shells, as the program itself prints them.
set(GLOSSA_ZSH_FOLDER ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Where zsh finds completions")
if(NOT CMAKE_CROSSCOMPILING)
  set(texts)
  function(glossa_text file folder)
    set(text ${PROJECT_BINARY_DIR}/texts/${file})
    add_custom_command(OUTPUT ${text} DEPENDS glossa VERBATIM COMMAND glossa ${ARGN} > ${text})
    if(file MATCHES "[.]1$")  # what a system compresses, and every reader of the manual reads
      add_custom_command(OUTPUT ${text}.gz DEPENDS ${text} VERBATIM COMMAND gzip -9nkf ${text})
      set(text ${text}.gz)
    endif()
    install(FILES ${text} DESTINATION ${folder} COMPONENT runtime)
    set(texts ${texts} ${text} PARENT_SCOPE)
  endfunction()
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/texts)
  glossa_text(glossa.1 ${CMAKE_INSTALL_MANDIR}/man1 manual)
  glossa_text(glossa ${CMAKE_INSTALL_DATADIR}/bash-completion/completions completion bash)
  glossa_text(_glossa ${GLOSSA_ZSH_FOLDER} completion zsh)
  add_custom_target(glossa_texts ALL DEPENDS ${texts})
endif()

# The headers of the libraries. The archive of cereal is for train/ alone.
file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} autograd/*.h autograd/*/*.h layers/*.h layers/*/*.h
     optim/*.h data/*.h data/*/*.h train/*.h train/*/*.h)
list(FILTER headers EXCLUDE REGEX "bounded_archive.h$")
foreach(header ${headers})
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/glossa/${folder} COMPONENT development)
endforeach()
install(DIRECTORY docs/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT development)

# find_package(glossa): the targets, with the flags that their headers need.
set(targets)
foreach(name flags autograd autograd_cases layers layers_cases optim data train)
  set_target_properties(glossa_${name} PROPERTIES EXPORT_NAME ${name})
  list(APPEND targets glossa_${name})
endforeach()
install(TARGETS ${targets} EXPORT glossa ARCHIVE COMPONENT development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/glossa)
install(EXPORT glossa FILE glossaTargets.cmake NAMESPACE glossa:: DESTINATION ${cmake_folder} COMPONENT development)
include(CMakePackageConfigHelpers)
configure_package_config_file(cmake/glossaConfig.cmake.in ${PROJECT_BINARY_DIR}/glossaConfig.cmake
                              INSTALL_DESTINATION ${cmake_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/glossaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/glossaConfig.cmake ${PROJECT_BINARY_DIR}/glossaConfigVersion.cmake
        DESTINATION ${cmake_folder} COMPONENT development)

include(cmake/package.cmake)
