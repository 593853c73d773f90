//===- PluginHost.cpp - Finding and loading backend plugins -----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/PluginHost.h"

#include "ForkLock.h"
#include "Guard.h"
#include "LibraryPath.h"
#include "PluginCheck.h"
#include "tegula/Runtime/CompilerEntry.h"
#include "tegula/Runtime/Log.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>

namespace fs = std::filesystem;
using namespace tegula::runtime;

tg_status *tegula::runtime::readPluginNote(const std::string &path, PluginNote &note) {
  PluginReport report(path);
  checkNote(report);
  note = report.note;
  return report.makeFailure();
}

//===----------------------------------------------------------------------===//
// Discovery
//===----------------------------------------------------------------------===//

std::vector<std::string> tegula::runtime::pluginFolders() {
  std::vector<std::string> folders = {libraryFolder() + "/tegula/plugins"};
  const char *variable = std::getenv("TEGULA_PLUGIN_PATH");
  const std::string list = variable ? variable : "";
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(':', at), list.size());
    if (end > at) {
      folders.push_back(list.substr(at, end - at));
    }
    at = end + 1;
  }
  return folders;
}

/// The files that look like plugins, in the order in which they count.
static std::vector<std::string> listFiles(std::vector<std::string> *problems) {
  std::vector<std::string> all;
  for (const std::string &folder : pluginFolders()) {
    std::vector<std::string> paths;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      const std::string name = it->path().filename().string();
      if (name.starts_with("libtegula-") && name.ends_with(".so")) {
        paths.push_back(it->path().string());
      }
    }
    // The install folder may be absent: then there are only other plugins.
    if (error && problems && folder != pluginFolders().front()) {
      problems->push_back(
          withId("TEGULA_PLUGIN_PATH: cannot read the folder '" + folder + "': " + error.message(),
                 status::FileAccess.name));
    }
    // A folder lists its files in no particular order.
    std::sort(paths.begin(), paths.end());
    all.insert(all.end(), paths.begin(), paths.end());
  }
  return all;
}

/// Whether loadPlugin finds the file by its plugin's id.
static bool isNamedAfterItsId(const PluginNote &note) {
  const std::string name = fs::path(note.path).filename().string(), stem = "libtegula-" + note.id;
  return name == stem + ".so" || name == stem + "-rt.so";
}

/// Reads the note of every file. What cannot serve hides nothing.
static std::vector<PluginReport> readNotes(std::vector<std::string> *problems) {
  std::vector<PluginReport> reports;
  std::set<std::string> seen; // one folder may be named twice, and one file have several names
  for (const std::string &path : listFiles(problems)) {
    std::error_code error;
    const std::string real = fs::canonical(path, error).string();
    if (!error && seen.contains(real)) {
      continue;
    }
    PluginReport report(path);
    unsigned missing = checkNote(report) ? report.note.components : 0;
    if (missing != 0 && !isNamedAfterItsId(report.note)) {
      const std::string stem = "libtegula-" + report.note.id;
      report.refuse(PluginStep::Note, status::NotAPlugin,
                    "is plugin '" + report.note.id + "', which is looked for as " + stem +
                        ".so and " + stem + "-rt.so",
                    "rename the file");
      missing = 0;
    } else if (!error) {
      seen.insert(real);
    }
    for (const PluginReport &earlier : reports) {
      if (missing != 0 && !earlier.failure() && earlier.note.id == report.note.id &&
          (earlier.note.components & missing)) {
        PluginReport whole(earlier.note.path);
        if (checkPluginFile(whole)) {
          missing &= ~earlier.note.components;
          report.hiddenBy = missing == 0 ? earlier.note.path : "";
        }
      }
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

static std::string hiddenLine(const PluginReport &report) {
  return withId(report.note.path + ": is not used: " + report.hiddenBy + " serves as plugin '" +
                    report.note.id + "' already",
                status::HiddenPlugin.name);
}

std::vector<PluginNote> tegula::runtime::discoverPlugins(std::vector<std::string> *problems) {
  std::vector<PluginNote> notes;
  for (PluginReport &report : readNotes(problems)) {
    if (tg_status *status = report.makeFailure()) {
      if (problems) {
        problems->push_back(shownMessage(*status));
      }
      tg_status_free(status);
    } else if (!report.hiddenBy.empty()) {
      if (problems) {
        problems->push_back(hiddenLine(report));
      }
    } else {
      notes.push_back(std::move(report.note));
    }
  }
  return notes;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

namespace {
/// A library that has been opened, whether it was accepted or not.
struct Opened {
  void *library;
  std::string realPath;
  const tegula_plugin *table; ///< null if it is not to be touched
  PluginReport report;
};
/// Libraries stay for the life of the process: MLIR keeps pointers into them, and
/// the constructors of refused ones have run.
struct Host {
  std::vector<Opened> opened;
};
} // namespace

/// Never destroyed, since exit handlers of other libraries may still launch.
static Host &host() {
  static Host *instance = new Host;
  return *instance;
}

/// Steps Load ... BuildIds. With the lock held.
static bool openPlugin(PluginReport &report, const std::string &realPath) {
  const bool isCompiler = report.note.components & TEGULA_COMPILER;
  if (isCompiler) {
    // What the plugin links of Tegula is to be this process's, not a second copy that
    // its rpath leads to. Without one, opening the plugin says what is missing.
    const tegula_compiler_entry_table *compiler = nullptr;
    tg_status_free(loadCompilerTable(compiler));
  }
  const std::vector<MappedLLVM> before = isCompiler ? mappedLLVM() : std::vector<MappedLLVM>();
  void *library = dlopen(realPath.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    return report.refuse(PluginStep::Load, status::PluginNotLoadable,
                         "cannot be loaded: " + loaderError(),
                         "a library it needs is missing or of another version");
  }
  // One file under two names is one library, and is asked once.
  for (Opened &opened : host().opened) {
    if (opened.library == library) {
      if (opened.report.at(PluginStep::BuildIds).state == CheckState::Failed) {
        opened.report.plugin = opened.table; // the mode may be another by now
        if (!checkBuildIds(opened.report)) {
          opened.report.plugin = nullptr;
        }
      }
      report.plugin = opened.report.plugin;
      for (unsigned step = unsigned(PluginStep::Load); step < numPluginSteps; ++step) {
        report.checks[step] = opened.report.checks[step];
      }
      return report.plugin != nullptr;
    }
  }
  bool fits = true;
  if (const std::string second = isCompiler ? secondLLVM(before) : ""; !second.empty()) {
    fits = report.refuse(PluginStep::Load, status::OtherIdentity,
                         "brings a second LLVM into the process: " + second,
                         "link only what uses the LLVM that Tegula uses");
  }
  if (fits) {
    report.pass(PluginStep::Load, "stays for the life of the process");
    const auto query =
        reinterpret_cast<tegula_plugin_query_fn>(dlsym(library, TEGULA_PLUGIN_QUERY));
    // The symbol is there: the file's own table has named it.
    fits = checkPluginTable(report, query ? query(TEGULA_API_MAJOR, TEGULA_API_MINOR) : nullptr);
  }
  if (fits && isCompiler) {
    fits = checkBuildIds(report);
  } else if (fits) {
    report.skip(PluginStep::BuildIds, "only of compiler halves");
  }
  if (isLogged("plugins")) {
    const PluginCheck &ids = report.at(PluginStep::BuildIds);
    const PluginCheck *told = report.failure()                  ? report.failure()
                              : ids.state == CheckState::Warned ? &ids
                                                                : nullptr;
    logLine("plugins", report.note.path + ": " + (fits ? "loaded" : "refused") +
                           (told ? ": " + told->detail + " [" + told->id + "]" : ""));
  }
  const tegula_plugin *table = report.plugin;
  if (!fits) {
    report.plugin = nullptr;
  }
  host().opened.push_back({library, realPath, table, report});
  return fits;
}

/// Steps File ... BuildIds. With the lock held.
static bool loadFile(PluginReport &report) {
  std::error_code error;
  const std::string realPath = fs::canonical(report.note.path, error).string();
  for (const Opened &opened : host().opened) {
    if (!error && opened.realPath == realPath && opened.report.plugin) {
      const std::string path = report.note.path;
      report = opened.report; // also if the file has changed since
      report.note.path = path;
      return true;
    }
  }
  return checkPluginFile(report) && openPlugin(report, error ? report.note.path : realPath);
}

static tg_status *loadFile(const std::string &path, const tegula_plugin **plugin) {
  PluginReport report(path);
  loadFile(report);
  *plugin = report.plugin;
  return report.makeFailure();
}

std::string tegula::runtime::pluginPath(const tegula_plugin *plugin) {
  std::lock_guard<ForkLock> guard(pluginLock());
  for (const Opened &opened : host().opened) {
    if (plugin && opened.report.plugin == plugin) {
      return opened.report.note.path;
    }
  }
  return "";
}

std::vector<std::string> tegula::runtime::pluginWarnings() {
  std::lock_guard<ForkLock> guard(pluginLock());
  std::vector<std::string> lines;
  for (const Opened &opened : host().opened) {
    const PluginCheck &check = opened.report.at(PluginStep::BuildIds);
    if (check.state == CheckState::Warned) {
      lines.push_back(withId(opened.report.note.path + ": " + check.detail, check.id));
    }
  }
  return lines;
}

//===----------------------------------------------------------------------===//
// Looking closely
//===----------------------------------------------------------------------===//

/// Steps Identity ... Registration, which only the compiler library can do.
static void checkWithCompiler(PluginReport &report, bool registerIt) {
  const tegula_compiler_entry_table *compiler = nullptr;
  std::string reason = "only of compiler halves";
  if (report.note.components & TEGULA_COMPILER) {
    tg_status *status = loadCompilerTable(compiler);
    if (!status) {
      compiler->check_plugin(report.plugin, registerIt, report);
      return;
    }
    reason = tg_status_message(status);
    tg_status_free(status);
  }
  for (PluginStep step : {PluginStep::Identity, PluginStep::Names, PluginStep::Registration}) {
    report.skip(step, reason);
  }
}

/// With no lock held.
static void inspect(PluginReport &report, PluginDepth depth) {
  if (depth == PluginDepth::File) {
    checkPluginFile(report);
    return;
  }
  bool fits = false;
  {
    std::lock_guard<ForkLock> guard(pluginLock());
    fits = loadFile(report);
  }
  if (fits) {
    checkWithCompiler(report, depth == PluginDepth::Register);
  }
}

PluginReport tegula::runtime::inspectPlugin(const std::string &path, PluginDepth depth) {
  PluginReport report(path);
  inspect(report, depth);
  return report;
}

std::vector<PluginReport> tegula::runtime::scanPlugins(PluginDepth depth,
                                                       std::vector<std::string> *problems) {
  std::vector<PluginReport> reports = readNotes(problems);
  for (PluginReport &report : reports) {
    if (!report.failure()) {
      inspect(report, report.hiddenBy.empty() ? depth : PluginDepth::File);
    }
  }
  return reports;
}

static std::string joined(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines) {
    text += "\n  " + line;
  }
  return text;
}

tg_status *tegula::runtime::loadPluginFile(const std::string &path, const tegula_plugin **plugin) {
  return guarded([&]() -> tg_status * {
    *plugin = nullptr;
    if (path.empty()) {
      return makeStatus(TG_NOT_FOUND, status::PluginNotFound,
                        "expected the path of a plugin, got nothing");
    }
    std::error_code error;
    if (!fs::exists(path, error)) {
      return makeStatus(TG_NOT_FOUND, status::PluginNotFound, path + ": no such plugin file");
    }
    std::lock_guard<ForkLock> guard(pluginLock());
    return loadFile(path, plugin);
  });
}

tg_status *tegula::runtime::loadPlugin(const std::string &id, unsigned component,
                                       const tegula_plugin **plugin) {
  return guarded([&]() -> tg_status * {
    *plugin = nullptr;
    std::lock_guard<ForkLock> guard(pluginLock());
    for (const Opened &opened : host().opened) {
      const tegula_plugin *known = opened.report.plugin;
      if (known && id == known->id && (known->components & component)) {
        *plugin = known;
        return nullptr;
      }
    }
    std::vector<std::string> tried, refused;
    std::unique_ptr<tg_status, void (*)(tg_status *)> failure(nullptr, tg_status_free);
    const std::string names[] = {"libtegula-" + id + "-rt.so", "libtegula-" + id + ".so"};
    for (const std::string &folder :
         isPluginId(id) ? pluginFolders() : std::vector<std::string>()) {
      for (int i = 0; i < 2; ++i) {
        // Each half looks first for the library named after it.
        const std::string path = folder + "/" + names[component == TEGULA_RUNTIME ? i : 1 - i];
        std::error_code error;
        if (!fs::exists(path, error)) {
          tried.push_back(path + ": no such file");
          continue;
        }
        PluginNote note;
        tg_status *status = readPluginNote(path, note);
        if (!status && note.id != id) {
          tried.push_back(path + ": is the plugin '" + note.id + "'");
          continue;
        }
        if (!status && !(note.components & component)) {
          tried.push_back(path + ": has no " +
                          (component == TEGULA_RUNTIME ? "runtime" : "compiler") + " component");
          continue;
        }
        if (!status) {
          status = loadFile(path, plugin);
        }
        if (!status) {
          return nullptr;
        }
        if (!failure) {
          failure.reset(status);
          continue;
        }
        refused.push_back(shownMessage(*status));
        tg_status_free(status);
      }
    }
    if (failure) {
      // The first library that should have served decides; absent ones do not matter.
      if (!refused.empty()) {
        failure->message += "\nothers of that name:" + joined(refused);
      }
      return failure.release();
    }
    std::string message = "no plugin serves backend '" + id + "' as a " +
                          (component == TEGULA_RUNTIME ? "runtime" : "compiler");
    if (!isPluginId(id)) {
      message += "; expected a name of small letters, digits and '-' that starts with a letter";
    } else {
      message += "\nplaces tried:" + joined(tried);
    }
    return makeStatus(TG_NOT_FOUND, status::PluginNotFound, message,
                      "install the plugin or add its folder to TEGULA_PLUGIN_PATH");
  });
}
