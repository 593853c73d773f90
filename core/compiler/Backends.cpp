//===- Backends.cpp - Compiler halves of backend plugins --------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Compiler/Backends.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tegula/Runtime/PluginHost.h"
#include "llvm/ADT/StringMap.h"
#include <mutex>

using namespace mlir;

namespace tegula::compiler {

/// Backends handed out so far, by plugin id; registration happens once each.
static std::mutex backendLock;
static llvm::StringMap<const BackendCompiler *> &loadedBackends() {
  static llvm::StringMap<const BackendCompiler *> map;
  return map;
}

/// The plugin must agree with this library on what an op, an interface and a trait
/// are, otherwise its passes silently test for the wrong things. Returns what
/// differs, or null.
static const char *otherIdentity(const tegula_compiler_v1 &table) {
  const void *theirs[4] = {};
  table.identity(theirs);
  if (theirs[0] != TypeID::get<ModuleOp>().getAsOpaquePointer()) {
    return "op";
  }
  if (theirs[1] != TypeID::get<FunctionOpInterface>().getAsOpaquePointer()) {
    return "interface";
  }
  // The trait is asked of an op that libMLIR itself defines: two libraries built
  // alike, yet unlike libMLIR, would agree with each other and both be wrong.
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<func::FuncDialect>();
  std::optional<RegisteredOperationName> op =
      RegisteredOperationName::lookup("func.return", &context);
  return op && op->hasTrait(TypeID::getFromOpaquePointer(theirs[2])) ? nullptr : "trait";
}

/// Registers a backend whose table passed the runtime's checks. Lock held. `where`
/// is the plugin's path, or its name.
static tg_status *adopt(const tegula_plugin &plugin, const std::string &where,
                        const BackendCompiler *&backend) {
  backend = loadedBackends().lookup(plugin.id);
  if (backend) {
    return nullptr;
  }
  if (!plugin.compiler || !plugin.compiler->backend || !plugin.compiler->identity) {
    return runtime::makeStatus(TG_INCOMPATIBLE, runtime::status::NoCompilerHalf,
                               where + ": has no compiler half",
                               "install the plugin's compiler library");
  }
  if (const char *what = otherIdentity(*plugin.compiler)) {
    return runtime::makeStatus(
        TG_INCOMPATIBLE, runtime::status::OtherIdentity,
        where + ": sees another " + what +
            " identity than this process, so it carries an MLIR of its own or was "
            "built by another compiler",
        "link the MLIR and LLVM libraries that Tegula uses, and build with the "
        "compiler that built Tegula");
  }
  const auto *made = static_cast<const BackendCompiler *>(plugin.compiler->backend());
  if (!made) {
    return runtime::makeStatus(TG_INCOMPATIBLE, runtime::status::NoCompiler,
                               where + ": made no compiler", "report it to the plugin's author");
  }
  made->registerPasses();
  loadedBackends()[plugin.id] = made;
  backend = made;
  return nullptr;
}

tg_status *loadBackend(llvm::StringRef id, llvm::StringRef path, const BackendCompiler *&backend) {
  std::lock_guard<std::mutex> guard(backendLock);
  backend = loadedBackends().lookup(id);
  if (backend) {
    return nullptr;
  }
  const tegula_plugin *plugin = nullptr;
  tg_status *status = path.empty() ? runtime::loadPlugin(id.str(), TEGULA_COMPILER, &plugin)
                                   : runtime::loadPluginFile(path.str(), &plugin);
  if (status) {
    return status;
  }
  if (id != plugin->id) {
    return runtime::makeStatus(TG_INCOMPATIBLE, runtime::status::PluginNotFound,
                               path.str() + ": expected the plugin '" + id.str() + "', got '" +
                                   plugin->id + "'",
                               "correct 'plugin' or 'backend' in the descriptor");
  }
  return adopt(*plugin, path.empty() ? "plugin '" + id.str() + "'" : path.str(), backend);
}

std::vector<const BackendCompiler *> loadAllBackends(llvm::ArrayRef<std::string> paths,
                                                     std::vector<std::string> &problems) {
  std::lock_guard<std::mutex> guard(backendLock);
  std::vector<const BackendCompiler *> backends;
  auto add = [&](const std::string &path) {
    const tegula_plugin *plugin = nullptr;
    const BackendCompiler *backend = nullptr;
    tg_status *status = runtime::loadPluginFile(path, &plugin);
    if (!status) {
      status = adopt(*plugin, path, backend);
    }
    if (status) {
      problems.push_back(runtime::shownMessage(*status));
      tg_status_free(status);
    } else if (!llvm::is_contained(backends, backend)) {
      backends.push_back(backend);
    }
  };
  for (const std::string &path : paths) {
    add(path);
  }
  for (const runtime::PluginNote &note : runtime::discoverPlugins(&problems)) {
    if (note.components & TEGULA_COMPILER) {
      add(note.path);
    }
  }
  return backends;
}

} // namespace tegula::compiler
