# Compiler flags and build options that hold for the whole tree.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# The compiler family is part of the plugin contract: with another one, trait
# identities silently differ from those of the LLVM dylibs.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR
   NOT CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL ${TEGULA_LLVM_MAJOR})
  message(FATAL_ERROR "expected clang++-${TEGULA_LLVM_MAJOR} as the C++ compiler, got "
    "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}; configure with "
    "'cmake --preset release'")
endif()

option(TEGULA_ASSERTIONS "Keep assertions of Tegula's own code" OFF)
option(TEGULA_ASAN "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(TEGULA_FUZZ "Build the libFuzzer programs of test/fuzz" OFF)
option(TEGULA_COVERAGE "Count the lines that run, for llvm-cov" OFF)

set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(TEGULA_PLUGIN_DIR "${CMAKE_BINARY_DIR}/lib/tegula/plugins")

# Everything may end in a shared library, and one code model lets all targets
# share the same precompiled headers.
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
add_compile_options(-fPIC -Wall -Wextra -Wno-unused-parameter -Werror=return-type
  -Werror=unused-result -fdiagnostics-color)
if(TEGULA_ASSERTIONS)
  add_compile_options(-UNDEBUG)
endif()
if(TEGULA_ASAN)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=vptr,function
    -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  # Shared, since plugins are opened at run time; found through an rpath.
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-resource-dir
    OUTPUT_VARIABLE resource_dir OUTPUT_STRIP_TRAILING_WHITESPACE)
  file(GLOB sanitizer_dirs ${resource_dir}/lib/*linux*)
  add_link_options(-fsanitize=address,undefined -shared-libsan)
  foreach(dir IN LISTS sanitizer_dirs)
    add_link_options(-Wl,-rpath,${dir})
  endforeach()
endif()
if(TEGULA_FUZZ)
  # Checks that are cheap enough for many runs; all of our libraries tell libFuzzer
  # what they execute. Shared libraries find the runtime in the program.
  add_compile_options(-fsanitize=fuzzer-no-link,address,signed-integer-overflow,shift
    -fsanitize=integer-divide-by-zero,float-cast-overflow,bounds,bool,enum
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()
if(TEGULA_COVERAGE)
  add_compile_options(-fprofile-instr-generate -fcoverage-mapping)
  add_link_options(-fprofile-instr-generate)
endif()
# Libraries of a sanitizer build leave the runtime's symbols open.
if(TEGULA_ASAN OR TEGULA_FUZZ)
  set(TEGULA_OPEN_SYMBOLS ON)
endif()

find_program(TEGULA_CCACHE ccache)
if(TEGULA_CCACHE)
  set(launcher ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} ${TEGULA_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()
# lld is needed for its library anyway, so its linker is there.
# The build id tells the cache which build made an entry.
add_link_options(-fuse-ld=lld -Wl,--build-id=sha1)
