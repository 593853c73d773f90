# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What makes a library a backend plugin: its ELF note and build facts, hidden symbols,
# nothing undefined, and no second copy of LLVM. Used by the tree for its own plugins
# and, installed, by tegula_add_backend_plugin for everybody else's.
#
# Whoever includes this has set
#   TEGULA_HEADER_HASH_DIR   folder of TegulaHeaderHash.h
#   TEGULA_PLUGIN_INCLUDES   folders of tegula/plugin.h
# and, if there are to be compiler halves, has found MLIR.

set(TEGULA_SDK_CMAKE_DIR ${CMAKE_CURRENT_LIST_DIR})
set(TEGULA_CXX_ABI "clang/libstdc++/cxx11/rtti=1/eh=0/abi_checks=0")

function(tegula_read_build_id variable library)
  execute_process(COMMAND ${LLVM_TOOLS_BINARY_DIR}/llvm-readelf -n ${library}
    OUTPUT_VARIABLE notes ERROR_QUIET)
  set(id "")
  if(notes MATCHES "Build ID: ([0-9a-f]+)")
    set(id ${CMAKE_MATCH_1})
  endif()
  set(${variable} "${id}" PARENT_SCOPE)
endfunction()

if(MLIR_FOUND)
  tegula_read_build_id(TEGULA_MLIR_BUILD_ID ${LLVM_LIBRARY_DIR}/libMLIR.so)
  tegula_read_build_id(TEGULA_LLVM_BUILD_ID ${LLVM_LIBRARY_DIR}/libLLVM.so)
endif()

# Adds the note and the facts of a plugin library to its target. The id is that of
# `tegula-<id>` and `tegula-<id>-rt` unless it is given.
#   RUNTIME  a runtime half; BOTH  both halves; without either a compiler half
function(tegula_add_plugin_note name)
  cmake_parse_arguments(ARG "RUNTIME;BOTH" "ID" "" ${ARGN})
  set(id "${ARG_ID}")
  if(NOT id)
    string(REGEX REPLACE "^tegula-" "" id ${name})
    if(ARG_RUNTIME)
      string(REGEX REPLACE "-rt$" "" id ${id})
    endif()
  endif()
  set(components compiler)
  set(is_compiler 1)
  set(llvm_numbers "${LLVM_VERSION_MAJOR}, ${LLVM_VERSION_MINOR}, ${LLVM_VERSION_PATCH}")
  if(ARG_RUNTIME)
    set(components runtime)
    set(is_compiler 0)
    set(llvm_numbers "0, 0, 0")
  elseif(ARG_BOTH)
    set(components "compiler,runtime")
  endif()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}-note.c)
  configure_file(${TEGULA_SDK_CMAKE_DIR}/PluginNote.c.in ${source} @ONLY)
  target_sources(${name} PRIVATE ${source})
  set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON
    INCLUDE_DIRECTORIES "${TEGULA_HEADER_HASH_DIR};${TEGULA_PLUGIN_INCLUDES}")
  if(TARGET TegulaBuildFacts)
    add_dependencies(${name} TegulaBuildFacts)
  endif()
endfunction()

# Visibility, linking and name of a plugin library; RUNTIME, BOTH and ID as above.
function(tegula_make_plugin name)
  set_target_properties(${name} PROPERTIES PREFIX "lib" SUFFIX ".so")
  target_compile_options(${name} PRIVATE -fPIC -fvisibility=hidden
    $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>)
  # Sanitizer builds leave their runtime's symbols open.
  if(NOT TEGULA_OPEN_SYMBOLS)
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
  tegula_add_plugin_note(${name} ${ARGN})
  # Once everything is known that the target links.
  cmake_language(EVAL CODE "cmake_language(DEFER CALL tegula_check_plugin_links [[${name}]])")
endfunction()

# Stops the configuration if a target links, however indirectly, LLVM or MLIR in parts
# instead of the two dylibs: the plugin would hold a second copy of what it links, and
# types and passes of the two copies are not the same.
function(tegula_check_plugin_links name)
  set(queue ${name})
  set(seen "")
  while(queue)
    list(POP_FRONT queue item)
    if(item IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${item})
    if(item MATCHES "(^|/lib|^-l)(MLIR|LLVM|lld|clang)[A-Z][A-Za-z0-9]*(\\.a|\\.so)?$")
      message(FATAL_ERROR "plugin ${name} links ${item}, a part of LLVM or MLIR; expected only "
        "the dylibs MLIR and LLVM, which tegula_add_backend_plugin links")
    endif()
    if(TARGET ${item})
      # What shared libraries hold inside is their own affair.
      set(property INTERFACE_LINK_LIBRARIES)
      if(item STREQUAL name)
        set(property LINK_LIBRARIES)
      endif()
      get_target_property(libraries ${item} ${property})
      if(libraries)
        list(TRANSFORM libraries REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1")
        list(APPEND queue ${libraries})
      endif()
    endif()
  endwhile()
endfunction()

# Generates `output`, in the target's binary folder, from a TableGen file of the target;
# further arguments go to mlir-tblgen. Backends define their dialects, attributes, ops
# and passes with it.
function(tegula_plugin_tablegen name output td)
  set(path ${CMAKE_CURRENT_BINARY_DIR}/${output})
  cmake_path(GET path PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  set(includes ${TEGULA_PLUGIN_INCLUDES} ${MLIR_INCLUDE_DIRS})
  list(TRANSFORM includes PREPEND "-I")
  add_custom_command(OUTPUT ${path}
    COMMAND ${LLVM_TOOLS_BINARY_DIR}/mlir-tblgen ${ARGN} ${includes}
      ${CMAKE_CURRENT_SOURCE_DIR}/${td} -o ${path}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${td} COMMENT "TableGen ${output}" VERBATIM)
  target_sources(${name} PRIVATE ${path})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()
