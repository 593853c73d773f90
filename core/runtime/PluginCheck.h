//===- PluginCheck.h - Does a plugin fit this host --------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_PLUGINCHECK_H
#define TEGULA_RUNTIME_PLUGINCHECK_H

#include "tegula/Runtime/PluginHost.h"

struct tegula_compiler_entry_table;

namespace tegula::runtime {

/// Whether `id` may name a plugin.
bool isPluginId(const std::string &id);

/// Reads the note of `report.note.path`: steps File and Note, as far as the note
/// alone tells.
bool checkNote(PluginReport &report);

/// Checks on the file alone, before any of its code runs: File ... Headers.
bool checkPluginFile(PluginReport &report);

/// Checks on the table that the query function returned: Table and Facts. Sets
/// `report.plugin`.
bool checkPluginTable(PluginReport &report, const tegula_plugin *plugin);

/// A copy of LLVM or MLIR in this process.
struct MappedLLVM {
  std::string path, buildId; ///< no build id: ""
  bool isMLIR = false;
};

/// Every libLLVM and libMLIR in this process.
std::vector<MappedLLVM> mappedLLVM();

/// Of what is mapped now and was not in `before`: the copy that must not be there,
/// in words, or "".
std::string secondLLVM(const std::vector<MappedLLVM> &before);

/// Step BuildIds: compares what the plugin was built with to what is mapped.
bool checkBuildIds(PluginReport &report);

/// libTegulaCompiler's table, which is loaded once.
tg_status *loadCompilerTable(const tegula_compiler_entry_table *&table);

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_PLUGINCHECK_H
