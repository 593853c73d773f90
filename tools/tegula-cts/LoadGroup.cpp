//===- LoadGroup.cpp - Group load -----------------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Suite.h"

#include <dlfcn.h>
#include <filesystem>
#include <set>
#include <thread>

using namespace tegula;
using namespace tegula::cts;
using runtime::CheckState;
using runtime::PluginCheck;
using runtime::PluginReport;

/// What the load sequence found at one step.
static Verdict judge(const PluginCheck &check) {
  const std::string text = check.detail + (check.id.empty() ? "" : " [" + check.id + "]");
  switch (check.state) {
  case CheckState::Passed:
  case CheckState::Warned:
    return {};
  case CheckState::NotRun:
    return Verdict::skip(check.detail.empty() ? "does not apply" : check.detail);
  case CheckState::Failed:
    break;
  }
  return Verdict::failed(text);
}

/// The entry of the library itself, without the host in between.
static tegula_plugin_query_fn entryOf(const PluginReport &report) {
  void *const library = dlopen(report.note.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  return library ? reinterpret_cast<tegula_plugin_query_fn>(dlsym(library, TEGULA_PLUGIN_QUERY))
                 : nullptr;
}

/// Same answer each time, for hosts of any minor version.
static Verdict askEntry(const PluginReport &report) {
  const tegula_plugin_query_fn query = entryOf(report);
  if (!query) {
    return Verdict::failed("no " TEGULA_PLUGIN_QUERY " in the library");
  }
  const tegula_plugin *const first = query(TEGULA_API_MAJOR, TEGULA_API_MINOR);
  if (!first || first != query(TEGULA_API_MAJOR, TEGULA_API_MINOR)) {
    return Verdict::failed("expected the same table at each call");
  }
  for (const uint32_t minor : {0u, TEGULA_API_MINOR + 1, 1000u}) {
    const tegula_plugin *const table = query(TEGULA_API_MAJOR, minor);
    if (!table || table->api_major != TEGULA_API_MAJOR) {
      return Verdict::failed("expected a table of major version " +
                             std::to_string(TEGULA_API_MAJOR) + " for a host of minor version " +
                             std::to_string(minor));
    }
  }
  const tegula_plugin *const future = query(TEGULA_API_MAJOR + 1, 0);
  if (future && future->api_major > TEGULA_API_MAJOR + 1) {
    return Verdict::failed("the table for a host of the next major version is of none that exists");
  }
  return {};
}

static Verdict checkTable(const PluginReport &report) {
  const tegula_plugin &table = *report.plugin;
  const auto isThere = [](const char *text) { return text && *text; };
  if (!isThere(table.id) || report.note.id != table.id) {
    return Verdict::failed("expected the id of the note, '" + report.note.id + "', in the table");
  }
  if (table.components != report.note.components) {
    return Verdict::failed("note and table differ in the components");
  }
  for (const auto &[name, text] :
       {std::pair("version", table.version), std::pair("vendor", table.vendor),
        std::pair("license", table.license)}) {
    if (!isThere(text)) {
      return Verdict::failed(std::string("expected text as ") + name);
    }
  }
  if (!std::isdigit(static_cast<unsigned char>(table.version[0]))) {
    return Verdict::failed("expected a version such as 0.1.0, got '" + std::string(table.version) +
                           "'");
  }
  return {};
}

/// Many threads get the same table.
static Verdict loadAgain(const PluginReport &report) {
  constexpr int numThreads = 8;
  std::vector<std::string> problems(numThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < numThreads; ++t) {
    threads.emplace_back([&, t] {
      const tegula_plugin *plugin = nullptr;
      const Status status(runtime::loadPluginFile(report.note.path, &plugin));
      problems[t] = status                    ? firstLine(*status)
                    : plugin != report.plugin ? "loading again gives another table"
                                              : "";
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  for (const std::string &problem : problems) {
    if (!problem.empty()) {
      return Verdict::failed(problem);
    }
  }
  return {};
}

/// Names of all kinds that a plugin declares.
static std::vector<std::string> declaredNames(const tegula_plugin &plugin) {
  std::vector<std::string> names;
  if (const tegula_compiler_v1 *compiler = plugin.compiler) {
    for (const char *const *list : {compiler->dialects, compiler->passes, compiler->pipelines}) {
      for (; list && *list; ++list) {
        names.emplace_back(*list);
      }
    }
  }
  return names;
}

/// The first-party backend works beside this one.
static Verdict loadWithCpu(const Subject &subject) {
  std::set<std::string> taken;
  for (const unsigned half : {unsigned(TEGULA_COMPILER), unsigned(TEGULA_RUNTIME)}) {
    const tegula_plugin *plugin = nullptr;
    const Status status(runtime::loadPlugin("cpu", half, &plugin));
    if (status) {
      return Verdict::failed("the backend 'cpu' does not load beside it: " + firstLine(*status));
    }
    for (const std::string &name : declaredNames(*plugin)) {
      taken.insert(name);
    }
  }
  for (const PluginReport &report : subject.loaded) {
    for (const std::string &name : declaredNames(*report.plugin)) {
      if (report.note.id != "cpu" && taken.contains(name)) {
        return Verdict::failed("the backend 'cpu' declares '" + name + "' too");
      }
    }
  }
  return {};
}

/// Whether the library that is found by the id is the one under test.
static Verdict findById(const PluginReport &report) {
  for (const unsigned half : {unsigned(TEGULA_COMPILER), unsigned(TEGULA_RUNTIME)}) {
    if (!(report.note.components & half)) {
      continue;
    }
    const tegula_plugin *plugin = nullptr;
    const Status status(runtime::loadPlugin(report.note.id, half, &plugin));
    if (status) {
      return Verdict::failed(firstLine(*status));
    }
    if (plugin != report.plugin) {
      return Verdict::failed("the id '" + report.note.id + "' leads to " +
                             runtime::pluginPath(plugin));
    }
  }
  return {};
}

void Suite::addLoad() {
  for (const PluginReport &report : subject.loaded) {
    const std::string file = std::filesystem::path(report.note.path).filename();
    for (const PluginCheck &check : report.checks) {
      const bool isCompiler = report.note.components & TEGULA_COMPILER;
      if (check.state == CheckState::NotRun && !isCompiler) {
        continue; // about LLVM, which a runtime half has nothing to do with
      }
      add("load", file + "/" + check.name, [&check] { return judge(check); });
    }
    add("load", file + "/entry-is-pure", [&report] { return askEntry(report); });
    add("load", file + "/texts", [&report] { return checkTable(report); });
    add("load", file + "/twice", [&report] { return loadAgain(report); });
    add("load", file + "/by-id", [&report] { return findById(report); });
  }
  add("load", "beside-cpu", [this] { return loadWithCpu(subject); });
}
