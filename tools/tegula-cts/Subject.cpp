//===- Subject.cpp - Opens the backend under test -------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Subject.h"

#include "../common/ErrorReport.h"

#include <algorithm>
#include <filesystem>
#include <unistd.h>

using namespace tegula;
using namespace tegula::cts;
using tools::check;

Subject::~Subject() {
  std::error_code error;
  if (!scratchFolder.empty()) {
    std::filesystem::remove_all(scratchFolder, error);
  }
}

/// A new folder for files of this run.
static std::string makeFolder() {
  std::error_code error;
  std::string pattern =
      std::filesystem::temp_directory_path(error) / ("tegula-cts-" + std::string("XXXXXX"));
  if (error || !mkdtemp(pattern.data())) {
    tools::fail(runtime::status::FileAccess, "cannot make a folder for temporary files",
                "TMPDIR names the folder that it goes into");
  }
  return pattern;
}

/// The folder of this program.
static std::filesystem::path programFolder() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

/// Plugins are found by their folders, so that each half finds the other.
static void addFolders(const std::vector<std::string> &plugins) {
  std::string folders;
  for (const std::string &plugin : plugins) {
    if (plugin.find('/') != std::string::npos || plugin.ends_with(".so")) {
      std::error_code error;
      const std::string folder = std::filesystem::absolute(plugin, error).parent_path();
      folders += (folders.empty() ? "" : ":") + folder;
    }
  }
  const char *const before = std::getenv("TEGULA_PLUGIN_PATH");
  if (before && *before) {
    folders += (folders.empty() ? "" : ":") + std::string(before);
  }
  setenv("TEGULA_PLUGIN_PATH", folders.c_str(), 1);
}

/// Files of what --plugin names.
static std::vector<std::string> filesOf(const std::string &plugin) {
  if (plugin.find('/') != std::string::npos || plugin.ends_with(".so")) {
    return {plugin};
  }
  std::vector<std::string> paths;
  std::string known;
  for (const runtime::PluginNote &note : runtime::discoverPlugins()) {
    if (note.id == plugin) {
      paths.push_back(note.path);
    }
    known += (known.empty() ? "" : ", ") + note.id;
  }
  if (paths.empty()) {
    tools::fail(runtime::status::PluginNotFound,
                "no plugin '" + plugin +
                    "' in the plugin folders; found: " + (known.empty() ? "none" : known),
                "give the file: --plugin path/to/libtegula-" + plugin + ".so");
  }
  return paths;
}

static void loadPlugins(const SubjectOptions &options, Subject &subject) {
  for (const std::string &plugin : options.plugins) {
    for (const std::string &path : filesOf(plugin)) {
      subject.paths.push_back(path);
    }
  }
  for (const std::string &path : subject.paths) {
    runtime::PluginReport report = runtime::inspectPlugin(path, runtime::PluginDepth::Register);
    check(report.makeFailure());
    subject.loaded.push_back(std::move(report));
  }
  subject.id = subject.loaded[0].note.id;
  for (const runtime::PluginReport &report : subject.loaded) {
    if (report.note.id == subject.id && report.plugin) {
      subject.compiler = report.plugin->compiler ? report.plugin->compiler : subject.compiler;
      subject.runtime = report.plugin->runtime ? report.plugin->runtime : subject.runtime;
    }
  }
  // The other half, where it is installed beside this one.
  const auto findOther = [&](unsigned half) {
    const tegula_plugin *plugin = nullptr;
    const Status status(runtime::loadPlugin(subject.id, half, &plugin));
    return status ? nullptr : plugin;
  };
  if (!subject.compiler) {
    const tegula_plugin *plugin = findOther(TEGULA_COMPILER);
    subject.compiler = plugin ? plugin->compiler : nullptr;
  }
  if (!subject.runtime) {
    const tegula_plugin *plugin = findOther(TEGULA_RUNTIME);
    subject.runtime = plugin ? plugin->runtime : nullptr;
  }
}

static void findDevice(const std::string &what, Subject &subject) {
  if (!subject.runtime) {
    subject.noDevice = "the plugin has no runtime half";
    return;
  }
  std::string kinds;
  for (const char *const *kind = subject.runtime->device_kinds; *kind; ++kind) {
    tg_device *device = nullptr;
    size_t count = 0;
    const Status status(tg_device_list(*kind, &device, 1, &count));
    if (!status && count > 0 && !subject.device) {
      subject.device = device;
    }
    kinds += (kinds.empty() ? "" : ", ") + std::string(*kind);
  }
  if (!what.empty() && subject.device) {
    // A descriptor chooses among several devices by its rules.
    tg_device *device = nullptr;
    tg_target *target = nullptr;
    const Status status(tg_target_choose(what.c_str(), &device, &target));
    const TargetPtr owned(target);
    subject.device = status || !device ? subject.device : device;
  }
  if (!subject.device) {
    const char *problems = "";
    const Status status(tg_device_problems(&problems));
    subject.noDevice = "no device of kind " + kinds + " on this machine";
  }
}

void tegula::cts::openSubject(const SubjectOptions &options, Subject &subject) {
  subject.toolFolder = programFolder();
  subject.scratchFolder = makeFolder();
  subject.dataFolder = options.dataFolder;
  if (subject.dataFolder.empty()) {
    subject.dataFolder = programFolder().parent_path() / "share/tegula/conformance";
  }
  // Everything is compiled here and now.
  setenv("TEGULA_CACHE", "off", 1);
  addFolders(options.plugins);
  loadPlugins(options, subject);
  findDevice(options.target, subject);
  if (subject.compiler) {
    subject.targetText = options.target.empty() ? subject.id : options.target;
    tg_target *target = nullptr;
    check(tg_target_resolve(subject.targetText.c_str(), &target));
    subject.target.reset(target);
    if (subject.id != tg_target_backend(target)) {
      tools::fail(runtime::status::InvalidValue,
                  "target '" + subject.targetText + "' is of backend '" +
                      tg_target_backend(target) + "', expected one of '" + subject.id + "'");
    }
    if (!subject.isCpu() && subject.runtime) {
      check(tg_target_resolve("cpu", &target));
      subject.cpuTarget.reset(target);
      check(tg_device_get("cpu", 0, &subject.cpuDevice));
    }
    subject.families = readTable(subject.dataFolder, false);
    subject.recorded = readRecorded(subject.dataFolder, subject.families);
  }
}
