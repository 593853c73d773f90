//===- Backends.h - Compiler halves of backend plugins --------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_COMPILER_BACKENDS_H
#define TEGULA_COMPILER_BACKENDS_H

#include "tegula/Compiler/BackendCompiler.h"
#include "tegula/Runtime/PluginHost.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace tegula::compiler {

/// The compiler half of the plugin `id`, loaded on first use, never unloaded; from
/// the file `path` unless that is empty.
/// A status, with every place tried, when there is none that fits. Its passes are
/// registered. Threads: safe, serialised by one lock.
tg_status *loadBackend(llvm::StringRef id, llvm::StringRef path, const BackendCompiler *&backend);

/// Every compiler half that discovery finds, plus the libraries in `paths`, which
/// come first. Plugins that do not load add a message, which starts with their
/// path, to `problems` and stop nothing else; so do those that an earlier one of the
/// same id hides (E101), and warnings about other builds of LLVM (E150). Without
/// `discover` only those in `paths`.
std::vector<const BackendCompiler *> loadAllBackends(llvm::ArrayRef<std::string> paths,
                                                     std::vector<std::string> &problems,
                                                     bool discover = true);

/// The checks of a compiler half that need MLIR: identity, names and, when
/// `registerIt`, registration. `report` receives the outcomes; `plugin` has passed
/// all checks before these. Threads: safe.
void checkBackend(const tegula_plugin *plugin, bool registerIt, runtime::PluginReport &report);

/// What tegula_compiler_v1.identity has to answer in this process, asked of libMLIR.
/// Null, or the kind of thing that `ids` sees otherwise: "op", "interface", "trait",
/// "LLVM object".
const char *otherIdentity(const void *const ids[4]);

} // namespace tegula::compiler

#endif // TEGULA_COMPILER_BACKENDS_H
