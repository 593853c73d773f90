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
# The same list as the installed SDK has it, in this order.
list(TRANSFORM headers REPLACE "^.*/include/" "include/" OUTPUT_VARIABLE names)
list(JOIN names "\n" lines)
file(CONFIGURE OUTPUT ${TEGULA_GENERATED_DIR}/installed-headers.txt CONTENT "${lines}\n" @ONLY)
add_custom_command(OUTPUT ${TEGULA_GENERATED_DIR}/headers.stamp
  BYPRODUCTS ${TEGULA_GENERATED_DIR}/TegulaHeaderHash.h
  COMMAND ${CMAKE_COMMAND} -DLIST=${TEGULA_GENERATED_DIR}/headers.txt
    -DOUTPUT=${TEGULA_GENERATED_DIR}/TegulaHeaderHash.h -P ${PROJECT_SOURCE_DIR}/cmake/HashHeaders.cmake
  COMMAND ${CMAKE_COMMAND} -E touch ${TEGULA_GENERATED_DIR}/headers.stamp
  DEPENDS ${headers} ${TEGULA_GENERATED_DIR}/headers.txt ${PROJECT_SOURCE_DIR}/cmake/HashHeaders.cmake
  COMMENT "Hashing public headers")
add_custom_target(TegulaBuildFacts DEPENDS ${TEGULA_GENERATED_DIR}/headers.stamp)

set(TEGULA_HEADER_HASH_DIR ${TEGULA_GENERATED_DIR})
set(TEGULA_PLUGIN_INCLUDES ${PROJECT_SOURCE_DIR}/plugins/include)
include(TegulaPluginLibrary)
