# The shared library libglossa.so, which contains all of glossa except the programs' own code. Each level of x86-64 has
# one: v2 in FOLDER, v3 (AVX2) and v4 (AVX-512) in FOLDER/glibc-hwcaps/x86-64-vN (man ld.so). The libraries are private:
# they work only with programs of the same build. Parts that do not compute are compiled once, for x86-64-v2. They are
# linked last, because the linker keeps the first copy of an inline function that several parts contain.
set(computing autograd layers optim decoding train)
foreach(level v2 v3 v4)
  set(library glossa_${level})
  add_library(${library} SHARED)
  set_target_properties(${library} PROPERTIES OUTPUT_NAME glossa)
  # Calls within the library stay within it, even if a program contains the same inline function, compiled for
  # x86-64-v2.
  target_link_options(${library} PRIVATE -Wl,-Bsymbolic-functions,--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map)
  target_link_libraries(${library} PUBLIC glossa_flags)
  foreach(part ${computing} base formats data config exchange evaluation pages report)
    set(objects glossa_${part})
    if(NOT level STREQUAL "v2" AND part IN_LIST computing)
      set(objects glossa_${part}_${level})
      get_target_property(sources glossa_${part} SOURCES)
      add_library(${objects} OBJECT ${sources})
      target_compile_features(${objects} PRIVATE cxx_std_20)
      # SYSTEM suppresses warnings about headers. The build for x86-64-v2 still shows those about glossa's headers.
      target_include_directories(${objects} SYSTEM PRIVATE $<TARGET_PROPERTY:glossa_${part},INCLUDE_DIRECTORIES>)
      target_compile_definitions(${objects} PRIVATE $<TARGET_PROPERTY:glossa_${part},COMPILE_DEFINITIONS>)
      target_compile_options(${objects} PRIVATE $<TARGET_PROPERTY:glossa_${part},COMPILE_OPTIONS> -march=x86-64-${level})
    endif()
    target_sources(${library} PRIVATE $<TARGET_OBJECTS:${objects}>)
    get_target_property(packages glossa_${part} LINK_LIBRARIES)
    list(FILTER packages EXCLUDE REGEX "^glossa_")
    target_link_libraries(${library} PRIVATE ${packages})
  endforeach()
  if(NOT level STREQUAL "v2")
    set_target_properties(${library} PROPERTIES LIBRARY_OUTPUT_DIRECTORY
                          ${PROJECT_BINARY_DIR}/glibc-hwcaps/x86-64-${level})
    add_dependencies(glossa_v2 ${library})
  endif()
endforeach()

# Installs the libraries for a program whose run path is `folder`; further arguments are those of install(TARGETS).
function(glossa_install_levels folder)
  install(TARGETS glossa_v2 LIBRARY DESTINATION ${folder} ${ARGN})
  foreach(level v3 v4)
    install(TARGETS glossa_${level} LIBRARY DESTINATION ${folder}/glibc-hwcaps/x86-64-${level} ${ARGN})
  endforeach()
endfunction()
