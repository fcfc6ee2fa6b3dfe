# `cpack` in a build folder: Debian packages, one for each part of install.cmake. Configure with the preset `package`.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The glossa authors")
set(CPACK_PACKAGE_CONTACT "The glossa authors <authors@glossa.invalid>" CACHE STRING "Maintainer of the packages")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime development)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# The program's dependencies are read from its linked libraries.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME glossa)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION science)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
    "glossa trains encoder-decoder Transformers for translation on the processor\n\
of an ordinary computer, from two files of sentences, and translates with\n\
them. This package contains the program, its manual and recipes.")

if(TARGET glossa_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS glossa-mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_NAME glossa-mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "glossa (= ${PROJECT_VERSION}), openmpi-bin")
  set(CPACK_COMPONENT_MPI_DESCRIPTION
      "With this module, several processes started by mpirun train one model, bit for\n\
bit like a single process.")
endif()

# Each Debian package's copyright and changelog, in the folder of its name.
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # or the time in SOURCE_DATE_EPOCH
  set(changelog ${PROJECT_BINARY_DIR}/texts/changelog)
  file(WRITE ${changelog} "glossa (${PROJECT_VERSION}) stable; urgency=low\n\n  * See /usr/share/doc/glossa/CHANGELOG.md.\n\n"
                          " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  execute_process(COMMAND gzip -9nf ${changelog} COMMAND_ERROR_IS_FATAL ANY)
  foreach(package runtime:glossa mpi:glossa-mpi development:libglossa-dev)
    string(REPLACE ":" ";" package ${package})
    list(GET package 0 part)
    list(GET package 1 name)
    install(FILES LICENSE RENAME copyright DESTINATION share/doc/${name} COMPONENT ${part})
    install(FILES ${changelog}.gz DESTINATION share/doc/${name} COMPONENT ${part})
  endforeach()
endif()

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libglossa-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS  # those of glossaConfig.cmake.in
    "libexpat1-dev, libfmt-dev, libsentencepiece-dev, libutf8proc-dev, libxxhash-dev, libyaml-cpp-dev, libzstd-dev, pkg-config, "
    "zlib1g-dev")
if(GLOSSA_ONEDNN AND DNNL_LIBRARY)
  string(PREPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libdnnl-dev, ")
endif()
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "cmake, g++")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS glossa)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "The static libraries, headers and examples: tensors with a tape, the layers\n\
of the Transformer, optimizers, batching of text, training and search.\n\
CMake finds them with find_package(glossa).")

include(CPack)
