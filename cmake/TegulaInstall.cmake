# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What `cmake --install build --prefix X` puts where. Everything finds everything else
# by relative paths, so X may be moved as a whole.
#
#   X/bin                  tools
#   X/lib                  libTegulaRuntime.so, libTegulaCompiler.so
#   X/lib/tegula/plugins   first-party plugins, both halves
#   X/lib/cmake/Tegula     find_package(Tegula), tegula_add_backend_plugin
#   X/include/tegula       headers: C API, plugin contract, C++ of core and dialects
#   X/python/tegula        the Python package
#   X/share/tegula         an example backend and sample programs to start from
#   X/share/doc/tegula     licence and documents
#
# Components, for packages that need a part: runtime, compiler, tools, python, sdk, doc.

include(CMakePackageConfigHelpers)

# The build tree has the same layout, so files need no other rpath when they move.
function(tegula_keep_rpath)
  set_target_properties(${ARGN} PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
endfunction()

tegula_keep_rpath(TegulaRuntime TegulaCompiler)
install(TARGETS TegulaRuntime LIBRARY DESTINATION lib COMPONENT runtime)
install(TARGETS TegulaCompiler LIBRARY DESTINATION lib COMPONENT compiler)

# Plugins that tests build for themselves lie elsewhere and stay there.
get_property(plugins GLOBAL PROPERTY TEGULA_PLUGINS)
foreach(plugin IN LISTS plugins)
  get_target_property(folder ${plugin} LIBRARY_OUTPUT_DIRECTORY)
  if(folder STREQUAL TEGULA_PLUGIN_DIR)
    set(component compiler)
    if(plugin MATCHES "-rt$")
      set(component runtime)
    endif()
    tegula_keep_rpath(${plugin})
    install(TARGETS ${plugin} LIBRARY DESTINATION lib/tegula/plugins COMPONENT ${component})
  endif()
endforeach()

get_property(tools GLOBAL PROPERTY TEGULA_TOOLS)
# Not tegula-bench, which measures against what only a checkout has.
tegula_keep_rpath(${tools})
install(TARGETS ${tools} RUNTIME DESTINATION bin COMPONENT tools)

# The sources themselves: the build tree has links to them.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/frontend/python/tegula DESTINATION python
  COMPONENT python FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
set_target_properties(tegula_python PROPERTIES INSTALL_RPATH "$ORIGIN/../../lib")
tegula_keep_rpath(tegula_python)
install(TARGETS tegula_python LIBRARY DESTINATION python/tegula COMPONENT python)

foreach(folder IN ITEMS core dialects frontend plugins)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/include/ DESTINATION include COMPONENT sdk
    FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "*.def" PATTERN "*.td")
endforeach()
# What TableGen made of them.
install(DIRECTORY ${PROJECT_BINARY_DIR}/dialects/include/ DESTINATION include COMPONENT sdk
  FILES_MATCHING PATTERN "*.inc" PATTERN "CMakeFiles" EXCLUDE)

set(package ${PROJECT_BINARY_DIR}/package)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/TegulaConfig.cmake.in
  ${package}/TegulaConfig.cmake INSTALL_DESTINATION lib/cmake/Tegula)
# Plugins see C++ of ours, which no two minor versions share.
write_basic_package_version_file(${package}/TegulaConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${package}/TegulaConfig.cmake ${package}/TegulaConfigVersion.cmake
  ${TEGULA_GENERATED_DIR}/TegulaHeaderHash.h ${TEGULA_GENERATED_DIR}/installed-headers.txt
  cmake/HashHeaders.cmake cmake/PluginNote.c.in cmake/TegulaBackendPlugin.cmake
  cmake/TegulaPluginLibrary.cmake
  DESTINATION lib/cmake/Tegula COMPONENT sdk)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/plugins/example DESTINATION share/tegula COMPONENT sdk
  PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/samples/c-bundle ${PROJECT_SOURCE_DIR}/samples/cpp-compile
  DESTINATION share/tegula/samples COMPONENT sdk)

install(FILES LICENSE README.md DESTINATION share/doc/tegula COMPONENT doc)
install(DIRECTORY docs/ DESTINATION share/doc/tegula/docs COMPONENT doc
  FILES_MATCHING PATTERN "*.md" PATTERN "*.py")
