//===- Backends.cpp - Compiler halves of backend plugins --------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Compiler/Backends.h"

#include "PluginNames.h"
#include "llvm/ADT/StringMap.h"
#include <mutex>

using namespace tegula::runtime;

namespace tegula::compiler {

namespace {
/// A plugin whose table has passed the runtime's checks.
struct Known {
  const tegula_plugin *plugin;
  std::string path;
  const BackendCompiler *backend = nullptr; ///< null until it is registered, or refused
  /// Outcomes of the steps from Identity on, kept since none can be repeated: what a
  /// plugin has registered would clash with itself.
  PluginReport report;
  bool wasRegistered = false; ///< whether registration has been tried
};
} // namespace

static std::mutex backendLock;
static std::vector<Known> &knownPlugins() {
  static std::vector<Known> known;
  return known;
}

static Known *findPlugin(const tegula_plugin *plugin) {
  for (Known &known : knownPlugins()) {
    if (known.plugin == plugin) {
      return &known;
    }
  }
  return nullptr;
}

static const Known *findBackend(llvm::StringRef id) {
  for (const Known &known : knownPlugins()) {
    if (known.backend && id == known.plugin->id) {
      return &known;
    }
  }
  return nullptr;
}

static void copySteps(const PluginReport &from, PluginReport &to) {
  for (PluginStep step : {PluginStep::Identity, PluginStep::Names, PluginStep::Registration}) {
    to.at(step) = from.at(step);
  }
}

/// Identity ... Registration. With the lock held.
static const BackendCompiler *check(const tegula_plugin &plugin, bool registerIt, bool isThorough,
                                    PluginReport &report) {
  if (Known *known = findPlugin(&plugin); known && known->wasRegistered) {
    copySteps(known->report, report);
    return known->backend;
  }
  if (!plugin.compiler) {
    report.refuse(PluginStep::Identity, status::NoCompilerHalf, "has no compiler half",
                  "install the plugin's compiler library");
    return nullptr;
  }
  Known known{&plugin, report.note.path, nullptr, report};
  bool fits = checkIdentity(plugin, report);
  if (const Known *first = findBackend(plugin.id); fits && first) {
    fits = report.refuse(PluginStep::Names, status::NameClash,
                         "is plugin '" + std::string(plugin.id) + "', as is " + first->path +
                             ", which this process uses already",
                         "load one of them, or give one another id");
  }
  fits = fits && checkNames(plugin, report);
  if (!registerIt && fits) {
    report.skip(PluginStep::Registration, "not asked for");
    return nullptr;
  }
  if (fits) {
    known.backend = registerBackend(plugin, isThorough, report);
    known.wasRegistered = true;
    known.report = report;
    knownPlugins().push_back(known);
  }
  return known.backend;
}

void checkBackend(const tegula_plugin *plugin, bool registerIt, PluginReport &report) {
  std::lock_guard<std::mutex> guard(backendLock);
  check(*plugin, registerIt, /*isThorough=*/true, report);
}

tg_status *loadBackend(llvm::StringRef id, llvm::StringRef path, const BackendCompiler *&backend) {
  std::lock_guard<std::mutex> guard(backendLock);
  if (const Known *known = path.empty() ? findBackend(id) : nullptr) {
    backend = known->backend;
    return nullptr;
  }
  backend = nullptr;
  const tegula_plugin *plugin = nullptr;
  tg_status *status = path.empty() ? loadPlugin(id.str(), TEGULA_COMPILER, &plugin)
                                   : loadPluginFile(path.str(), &plugin);
  if (status) {
    return status;
  }
  PluginReport report(path.empty() ? pluginPath(plugin) : path.str());
  if (id != plugin->id) {
    return makeStatus(TG_INCOMPATIBLE, status::PluginNotFound,
                      report.note.path + ": expected the plugin '" + id.str() + "', got '" +
                          plugin->id + "'",
                      "correct 'plugin' or 'backend' in the descriptor");
  }
  backend = check(*plugin, /*registerIt=*/true, /*isThorough=*/false, report);
  return report.makeFailure();
}

/// Adds what the list does not have yet.
static void addLine(std::vector<std::string> &lines, const std::string &line) {
  if (!llvm::is_contained(lines, line)) {
    lines.push_back(line);
  }
}

std::vector<const BackendCompiler *> loadAllBackends(llvm::ArrayRef<std::string> paths,
                                                     std::vector<std::string> &problems,
                                                     bool discover) {
  std::lock_guard<std::mutex> guard(backendLock);
  std::vector<const BackendCompiler *> backends;
  auto add = [&](const std::string &path, bool wasNamed) {
    const tegula_plugin *plugin = nullptr;
    const BackendCompiler *backend = nullptr;
    tg_status *status = loadPluginFile(path, &plugin);
    if (!status) {
      const Known *first = findBackend(plugin->id);
      if (first && first->plugin != plugin && !wasNamed) {
        addLine(problems, withId(path + ": is not used: " + first->path + " serves as plugin '" +
                                     plugin->id + "' already",
                                 status::HiddenPlugin.name));
        return;
      }
      PluginReport report(path);
      backend = check(*plugin, /*registerIt=*/true, /*isThorough=*/false, report);
      status = report.makeFailure();
    }
    if (status) {
      problems.push_back(shownMessage(*status));
      tg_status_free(status);
    } else if (!llvm::is_contained(backends, backend)) {
      backends.push_back(backend);
    }
  };
  for (const std::string &path : paths) {
    add(path, /*wasNamed=*/true);
  }
  for (const PluginNote &note : discover ? discoverPlugins(&problems) : std::vector<PluginNote>()) {
    if (note.components & TEGULA_COMPILER) {
      add(note.path, /*wasNamed=*/false);
    }
  }
  for (const std::string &line : pluginWarnings()) {
    addLine(problems, line);
  }
  return backends;
}

} // namespace tegula::compiler
