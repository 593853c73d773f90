//===- PluginHost.h - Finding and loading backend plugins -------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_PLUGINHOST_H
#define TEGULA_RUNTIME_PLUGINHOST_H

#include "tegula/Runtime/Status.h"
#include "tegula/plugin.h"

#include <string>
#include <vector>

namespace tegula::runtime {

/// What the ELF note of a library says, read without running its code.
struct PluginNote {
  std::string path, id, llvm, headers;
  unsigned apiMajor = 0, apiMinor = 0, components = 0;
};

/// Reads the note of one file. A status with id E110 when the file is no plugin.
TG_CXX_API tg_status *readPluginNote(const std::string &path, PluginNote &note);

/// Folders searched: the install folder beside this library, then those of
/// TEGULA_PLUGIN_PATH.
TG_CXX_API std::vector<std::string> pluginFolders();

/// Every libtegula-*.so in these folders that has a note; `problems` receives a
/// line for each file that looks like a plugin but is none.
TG_CXX_API std::vector<PluginNote> discoverPlugins(std::vector<std::string> *problems = nullptr);

/// Loads the half `component` (TEGULA_COMPILER or TEGULA_RUNTIME) of backend
/// `id`, or returns it if it is loaded. E100: not found, with every place tried;
/// E111..E143: found, but it does not fit. Threads: safe, one lock.
TG_CXX_API tg_status *loadPlugin(const std::string &id, unsigned component,
                                 const tegula_plugin **plugin);

/// Loads a plugin from a file.
TG_CXX_API tg_status *loadPluginFile(const std::string &path, const tegula_plugin **plugin);

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_PLUGINHOST_H
