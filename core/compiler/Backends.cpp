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

/// E160: the plugin must agree with this library on what an op, an interface and
/// a trait are, otherwise its passes silently test for the wrong things.
static bool sameIdentity(const tegula_compiler_v1 &table, std::string &error) {
  if (!table.identity) {
    error = "E160: the plugin has no identity probe";
    return false;
  }
  const void *theirs[4] = {};
  table.identity(theirs);
  const void *ours[2] = {TypeID::get<ModuleOp>().getAsOpaquePointer(),
                         TypeID::get<FunctionOpInterface>().getAsOpaquePointer()};
  static const char *const kinds[] = {"op", "interface"};
  for (unsigned i = 0; i < 2; ++i) {
    if (ours[i] != theirs[i]) {
      error = std::string("E160: the plugin sees another ") + kinds[i] +
              " identity than this process; it carries an MLIR of its own";
      return false;
    }
  }
  // The trait is asked of an op that libMLIR itself defines: two libraries built
  // alike, yet unlike libMLIR, would agree with each other and both be wrong.
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<func::FuncDialect>();
  std::optional<RegisteredOperationName> op =
      RegisteredOperationName::lookup("func.return", &context);
  if (!op || !op->hasTrait(TypeID::getFromOpaquePointer(theirs[2]))) {
    error = "E160: the plugin sees another trait identity than this process; build it with the "
            "compiler that built Tegula";
    return false;
  }
  return true;
}

/// Registers a backend whose table passed the runtime's checks. Lock held.
static const BackendCompiler *adopt(const tegula_plugin &plugin, std::string &error) {
  if (const BackendCompiler *known = loadedBackends().lookup(plugin.id)) {
    return known;
  }
  if (!plugin.compiler || !plugin.compiler->backend) {
    error = std::string("E132: plugin '") + plugin.id + "' has no compiler half";
    return nullptr;
  }
  if (!sameIdentity(*plugin.compiler, error)) {
    return nullptr;
  }
  auto *backend = static_cast<const BackendCompiler *>(plugin.compiler->backend());
  if (!backend) {
    error = std::string("E133: plugin '") + plugin.id + "' made no compiler";
    return nullptr;
  }
  backend->registerPasses();
  loadedBackends()[plugin.id] = backend;
  return backend;
}

static std::string takeMessage(tg_status *status) {
  std::string id = tg_status_id(status);
  std::string text = (id.empty() ? "" : id + ": ") + tg_status_message(status);
  tg_status_free(status);
  return text;
}

const BackendCompiler *loadBackend(llvm::StringRef id, std::string &error) {
  std::lock_guard<std::mutex> guard(backendLock);
  if (const BackendCompiler *known = loadedBackends().lookup(id)) {
    return known;
  }
  const tegula_plugin *plugin = nullptr;
  if (tg_status *status = runtime::loadPlugin(id.str(), TEGULA_COMPILER, &plugin)) {
    error = takeMessage(status);
    return nullptr;
  }
  return adopt(*plugin, error);
}

std::vector<const BackendCompiler *> loadAllBackends(llvm::ArrayRef<std::string> paths,
                                                     std::vector<std::string> &problems) {
  std::lock_guard<std::mutex> guard(backendLock);
  std::vector<const BackendCompiler *> backends;
  auto add = [&](const std::string &path) {
    const tegula_plugin *plugin = nullptr;
    std::string error;
    if (tg_status *status = runtime::loadPluginFile(path, &plugin)) {
      problems.push_back(path + ": " + takeMessage(status));
    } else if (const BackendCompiler *backend = adopt(*plugin, error)) {
      if (!llvm::is_contained(backends, backend)) {
        backends.push_back(backend);
      }
    } else {
      problems.push_back(path + ": " + error);
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
