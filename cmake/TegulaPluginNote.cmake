# Build facts that plugins and their host compare: one hash over the public
# headers that cross the C++ boundary, the build ids of the LLVM dylibs, and the
# C++ ABI; and the ELF note that carries them.

set(TEGULA_GENERATED_DIR ${PROJECT_BINARY_DIR}/generated)

# The headers are looked up rather than listed: a forgotten one would let two
# libraries that differ pass as equal.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/core/include/*.h ${PROJECT_SOURCE_DIR}/dialects/include/*.h
  ${PROJECT_SOURCE_DIR}/dialects/include/*.td ${PROJECT_SOURCE_DIR}/plugins/include/*.h)
list(SORT headers)
list(JOIN headers "\n" lines)
file(CONFIGURE OUTPUT ${TEGULA_GENERATED_DIR}/headers.txt CONTENT "${lines}\n" @ONLY)
add_custom_command(OUTPUT ${TEGULA_GENERATED_DIR}/headers.stamp
  BYPRODUCTS ${TEGULA_GENERATED_DIR}/TegulaHeaderHash.h
  COMMAND ${CMAKE_COMMAND} -DLIST=${TEGULA_GENERATED_DIR}/headers.txt
    -DOUTPUT=${TEGULA_GENERATED_DIR}/TegulaHeaderHash.h -P ${PROJECT_SOURCE_DIR}/cmake/HashHeaders.cmake
  COMMAND ${CMAKE_COMMAND} -E touch ${TEGULA_GENERATED_DIR}/headers.stamp
  DEPENDS ${headers} ${TEGULA_GENERATED_DIR}/headers.txt ${PROJECT_SOURCE_DIR}/cmake/HashHeaders.cmake
  COMMENT "Hashing public headers")
add_custom_target(TegulaBuildFacts DEPENDS ${TEGULA_GENERATED_DIR}/headers.stamp)

function(tegula_read_build_id variable library)
  execute_process(COMMAND ${TEGULA_LLVM_TOOLS}/llvm-readelf -n ${library}
    OUTPUT_VARIABLE notes ERROR_QUIET)
  set(id "")
  if(notes MATCHES "Build ID: ([0-9a-f]+)")
    set(id ${CMAKE_MATCH_1})
  endif()
  set(${variable} "${id}" PARENT_SCOPE)
endfunction()
tegula_read_build_id(TEGULA_MLIR_BUILD_ID ${LLVM_LIBRARY_DIR}/libMLIR.so)
tegula_read_build_id(TEGULA_LLVM_BUILD_ID ${LLVM_LIBRARY_DIR}/libLLVM.so)
set(TEGULA_CXX_ABI "clang/libstdc++/cxx11/rtti=1/eh=0/abi_checks=0")

# Adds the note of the plugin `tegula-<id>` or `tegula-<id>-rt` to its target.
function(tegula_add_plugin_note name)
  cmake_parse_arguments(ARG "RUNTIME" "" "" ${ARGN})
  string(REGEX REPLACE "^tegula-" "" id ${name})
  if(ARG_RUNTIME)
    string(REGEX REPLACE "-rt$" "" id ${id})
    set(components runtime)
    set(is_compiler 0)
  else()
    set(components compiler)
    set(is_compiler 1)
  endif()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}-note.c)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/PluginNote.c.in ${source} @ONLY)
  target_sources(${name} PRIVATE ${source})
  set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON
    INCLUDE_DIRECTORIES "${TEGULA_GENERATED_DIR};${PROJECT_SOURCE_DIR}/plugins/include")
  add_dependencies(${name} TegulaBuildFacts)
endfunction()
