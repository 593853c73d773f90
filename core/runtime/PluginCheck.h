//===- PluginCheck.h - Does a plugin fit this host --------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_RUNTIME_PLUGINCHECK_H
#define TEGULA_RUNTIME_PLUGINCHECK_H

#include "tegula/Runtime/PluginHost.h"

namespace tegula::runtime {

/// Checks on the file alone, before any of its code runs: E110, E111, E112, E131,
/// E142. `note` has been read from it.
tg_status *checkPluginFile(const PluginNote &note);

/// Checks on the table that the query function returned: E130, E131, E140, E143.
tg_status *checkPluginTable(const PluginNote &note, const tegula_plugin *plugin);

} // namespace tegula::runtime

#endif // TEGULA_RUNTIME_PLUGINCHECK_H
