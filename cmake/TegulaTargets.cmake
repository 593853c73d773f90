# Thin helpers that say what kind of thing a target is. Source lists are
# explicit and sorted; nothing is globbed.
#
#   tegula_add_pch(NAME HEADER)               a shared precompiled header
#   tegula_add_mlir_library(NAME SOURCES...)  objects of libTegulaCompiler
#   tegula_add_plugin(NAME SOURCES...)        a backend plugin library
#   tegula_add_tool(NAME SOURCES...)          a command in build/bin
#   tegula_add_unittest(NAME SOURCES...)      a GoogleTest program in build/test

include(TegulaPluginNote)

set(TEGULA_INCLUDE_DIRS
  ${PROJECT_SOURCE_DIR}/core/include
  ${PROJECT_SOURCE_DIR}/dialects/include
  ${PROJECT_SOURCE_DIR}/frontend/include
  ${PROJECT_SOURCE_DIR}/plugins/include
  ${PROJECT_BINARY_DIR}/dialects/include)

# Flags for every file that sees MLIR headers.
function(tegula_use_mlir target)
  target_include_directories(${target} PRIVATE ${TEGULA_INCLUDE_DIRS})
  target_include_directories(${target} SYSTEM PRIVATE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
  target_compile_definitions(${target} PRIVATE ${LLVM_DEFINITIONS_LIST})
endfunction()

# One PCH per visibility, since clang compares that flag: `TegulaPch` (default)
# and `TegulaHiddenPch` (plugins). Timestamps are kept out for ccache's sake.
function(tegula_add_pch name header)
  cmake_parse_arguments(ARG "HIDDEN" "" "" ${ARGN})
  file(WRITE ${CMAKE_BINARY_DIR}/pch/${name}.cpp "// Instantiates the precompiled header.\n")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/pch/${name}.cpp)
  tegula_use_mlir(${name})
  target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  if(ARG_HIDDEN)
    target_compile_options(${name} PRIVATE -fvisibility=hidden -fvisibility-inlines-hidden)
  endif()
  target_precompile_headers(${name} PRIVATE ${header})
endfunction()

separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND "${LLVM_DEFINITIONS}")
list(TRANSFORM LLVM_DEFINITIONS_LIST REPLACE "^-D" "")
tegula_add_pch(TegulaPch ${PROJECT_SOURCE_DIR}/cmake/TegulaPch.h)
tegula_add_pch(TegulaHiddenPch ${PROJECT_SOURCE_DIR}/cmake/TegulaPch.h HIDDEN)

# Objects that become part of libTegulaCompiler (default visibility, so that
# plugins share our dialects' type ids).
function(tegula_add_mlir_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} OBJECT ${ARG_SOURCES})
  tegula_use_mlir(${name})
  target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  target_precompile_headers(${name} REUSE_FROM TegulaPch)
  add_dependencies(${name} TegulaTableGen ${ARG_DEPENDS})
  set_property(GLOBAL APPEND PROPERTY TEGULA_COMPILER_OBJECTS ${name})
endfunction()

# A plugin: hidden visibility, no undefined symbols, libraries found beside it.
function(tegula_add_plugin name)
  cmake_parse_arguments(ARG "RUNTIME" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} MODULE ${ARG_SOURCES})
  if(ARG_RUNTIME)
    target_include_directories(${name} PRIVATE
      ${PROJECT_SOURCE_DIR}/plugins/include ${PROJECT_SOURCE_DIR}/core/include)
  else()
    tegula_use_mlir(${name})
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    target_precompile_headers(${name} REUSE_FROM TegulaHiddenPch)
    add_dependencies(${name} TegulaTableGen)
    target_link_libraries(${name} PRIVATE TegulaCompiler MLIR LLVM)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  if(ARG_RUNTIME)
    tegula_make_plugin(${name} RUNTIME)
  else()
    tegula_make_plugin(${name})
  endif()
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${TEGULA_PLUGIN_DIR}
    BUILD_RPATH "$ORIGIN/../..;${LLVM_LIBRARY_DIR}"
    INSTALL_RPATH "$ORIGIN/../..;${LLVM_LIBRARY_DIR}")
  set_property(GLOBAL APPEND PROPERTY TEGULA_PLUGINS ${name})
endfunction()

# What tools and tests have in common. `mlir`: whether the sources see MLIR.
function(tegula_setup_program name mlir)
  if(mlir)
    tegula_use_mlir(${name})
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    target_precompile_headers(${name} REUSE_FROM TegulaPch)
    add_dependencies(${name} TegulaTableGen)
    target_link_libraries(${name} PRIVATE TegulaCompiler MLIR LLVM)
  else()
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/core/include
      ${PROJECT_SOURCE_DIR}/plugins/include)
  endif()
  target_link_libraries(${name} PRIVATE TegulaRuntime)
endfunction()

# A command. MLIR says that the sources see MLIR headers.
function(tegula_add_tool name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  tegula_setup_program(${name} ${ARG_MLIR})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  set_target_properties(${name} PROPERTIES BUILD_RPATH "$ORIGIN/../lib;${LLVM_LIBRARY_DIR}"
    INSTALL_RPATH "$ORIGIN/../lib;${LLVM_LIBRARY_DIR}")
  set_property(GLOBAL APPEND PROPERTY TEGULA_TOOLS ${name})
endfunction()

# Tests leave the user's cache alone.
add_library(TegulaPrivateCache OBJECT ${PROJECT_SOURCE_DIR}/test/common/PrivateCache.cpp)

# A GoogleTest program. MLIR as above.
function(tegula_add_unittest name)
  cmake_parse_arguments(ARG "MLIR" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} $<TARGET_OBJECTS:TegulaPrivateCache>)
  tegula_setup_program(${name} ${ARG_MLIR})
  target_link_libraries(${name} PRIVATE GTest::gtest_main GTest::gmock Threads::Threads ${ARG_LINK})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test/unit
    BUILD_RPATH "${CMAKE_BINARY_DIR}/lib;${LLVM_LIBRARY_DIR}")
  set_property(GLOBAL APPEND PROPERTY TEGULA_UNITTESTS ${name})
endfunction()
