# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tegula_add_backend_plugin(<id>
#   COMPONENTS compiler|runtime|both
#   SOURCES <file>...
#   [LINK <library>...])
#
# Makes the plugin library of a backend: target tegula-<id>, file libtegula-<id>.so; of
# a runtime half alone tegula-<id>-rt and libtegula-<id>-rt.so. Two libraries are better
# than one for both, since running kernels then loads no LLVM.
#
# The library has hidden symbols, no undefined ones, the ELF note and the build facts
# (tegula_plugin_facts). Tegula's libraries are those of the process that loads it,
# wherever they lie. A compiler half links Tegula::Compiler. After each build `tegula-plugin inspect` must accept it.
# It is a configuration error when a compiler half is not built by clang++, of LLVM's
# own version, or when anything of LLVM is linked that is not one of its dylibs.

function(tegula_add_backend_plugin id)
  cmake_parse_arguments(ARG "" "COMPONENTS" "SOURCES;LINK" ${ARGN})
  if(NOT id MATCHES "^[a-z][a-z0-9-]*$")
    message(FATAL_ERROR "expected a plugin id of the form [a-z][a-z0-9-]*, got '${id}'")
  endif()
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tegula_add_backend_plugin(${id}): unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_SOURCES)
    message(FATAL_ERROR "tegula_add_backend_plugin(${id}): expected SOURCES")
  endif()
  set(name tegula-${id})
  set(role "")
  if(ARG_COMPONENTS STREQUAL "runtime")
    set(name tegula-${id}-rt)
    set(role RUNTIME)
  elseif(ARG_COMPONENTS STREQUAL "both")
    set(role BOTH)
  elseif(NOT ARG_COMPONENTS STREQUAL "compiler")
    message(FATAL_ERROR "tegula_add_backend_plugin(${id}): expected COMPONENTS compiler, runtime "
      "or both, got '${ARG_COMPONENTS}'")
  endif()

  add_library(${name} MODULE ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE Tegula::PluginHeaders)
  if(NOT role STREQUAL RUNTIME)
    tegula_check_plugin_compiler(${id})
    target_link_libraries(${name} PRIVATE Tegula::Compiler)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  tegula_make_plugin(${name} ID ${id} ${role})

  # Nothing of this SDK's folder: the process that loads a plugin has Tegula's libraries,
  # perhaps those of another folder, and must not get a second copy of them.
  set_target_properties(${name} PROPERTIES SKIP_BUILD_RPATH ON INSTALL_RPATH "")
  if(EXISTS ${Tegula_TOOLS_DIR}/tegula-plugin)
    add_custom_command(TARGET ${name} POST_BUILD
      COMMAND ${Tegula_TOOLS_DIR}/tegula-plugin inspect $<TARGET_FILE:${name}>
      COMMENT "Inspecting plugin ${name}" VERBATIM)
  endif()
endfunction()

# Interfaces and traits of MLIR are found by names that compilers spell each in their own
# way: with another compiler a plugin loads and is then quietly wrong.
function(tegula_check_plugin_compiler id)
  if(NOT TARGET Tegula::Compiler)
    message(FATAL_ERROR "plugin ${id} has a compiler half, which needs "
      "find_package(Tegula COMPONENTS Compiler)")
  endif()
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR
     NOT CMAKE_CXX_COMPILER_VERSION MATCHES "^${LLVM_VERSION_MAJOR}\\.")
    message(FATAL_ERROR "plugin ${id} has a compiler half: expected clang++ "
      "${LLVM_VERSION_MAJOR} as the C++ compiler, got ${CMAKE_CXX_COMPILER_ID} "
      "${CMAKE_CXX_COMPILER_VERSION}; configure with -DCMAKE_CXX_COMPILER=clang++-${LLVM_VERSION_MAJOR}")
  endif()
endfunction()
