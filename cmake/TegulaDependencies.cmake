# Finds what the tree builds on. MLIR and LLVM are linked as their two dylibs,
# never as component libraries: a second copy of MLIR in the process breaks
# type identities without any message.

set(llvm_root "/usr/lib/llvm-${TEGULA_LLVM_MAJOR}")
# MLIR's version file refuses a partial version, so the version is checked here.
find_package(MLIR CONFIG REQUIRED PATHS "${llvm_root}/lib/cmake/mlir" NO_DEFAULT_PATH)
if(NOT LLVM_PACKAGE_VERSION MATCHES "^${TEGULA_LLVM_VERSION}\\.")
  message(FATAL_ERROR "expected LLVM ${TEGULA_LLVM_VERSION}, found ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")
endif()
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
# AddLLVM turns this on for targets it creates; ours choose for themselves.
set(TEGULA_LLVM_TOOLS "${LLVM_TOOLS_BINARY_DIR}")

find_package(yaml-cpp REQUIRED)
find_package(TBB REQUIRED)
find_package(GTest REQUIRED)
find_package(Threads REQUIRED)
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter OPTIONAL_COMPONENTS Development.Module)
