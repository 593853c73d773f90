# The one place that names the LLVM release Tegula builds against. CMake, the
# plugin note, the set-up script and the docs read it from here.
set(TEGULA_LLVM_VERSION "22.1")
set(TEGULA_LLVM_MAJOR "22")
