//===- PluginHost.cpp - Finding and loading backend plugins -----------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/PluginHost.h"

#include "ElfNote.h"
#include "Guard.h"
#include "LibraryPath.h"
#include "PluginCheck.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <memory>
#include <mutex>
#include <sys/stat.h>

namespace fs = std::filesystem;
using namespace tegula::runtime;

//===----------------------------------------------------------------------===//
// Notes
//===----------------------------------------------------------------------===//

static bool isPluginId(const std::string &id) {
  return !id.empty() && id[0] >= 'a' && id[0] <= 'z' &&
         std::all_of(id.begin(), id.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

static bool parseVersion(const std::string &text, unsigned &major, unsigned &minor) {
  const char *end = text.data() + text.size();
  auto first = std::from_chars(text.data(), end, major);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != '.') {
    return false;
  }
  auto second = std::from_chars(first.ptr + 1, end, minor);
  return second.ec == std::errc() && second.ptr == end;
}

static bool parseNote(const std::string &content, PluginNote &note) {
  bool hasVersion = false;
  for (size_t at = 0; at < content.size();) {
    const size_t end = std::min(content.find('\0', at), content.size());
    const std::string entry = content.substr(at, end - at);
    at = end + 1;
    const size_t equals = entry.find('=');
    if (equals == std::string::npos) {
      continue;
    }
    const std::string key = entry.substr(0, equals), value = entry.substr(equals + 1);
    if (key == "id") {
      note.id = value;
    } else if (key == "llvm") {
      note.llvm = value;
    } else if (key == "headers") {
      note.headers = value;
    } else if (key == "api") {
      hasVersion = parseVersion(value, note.apiMajor, note.apiMinor);
    } else if (key == "components") {
      note.components = (value.find("compiler") != std::string::npos ? TEGULA_COMPILER : 0) |
                        (value.find("runtime") != std::string::npos ? TEGULA_RUNTIME : 0);
    }
  }
  return hasVersion && isPluginId(note.id) && note.components != 0;
}

tg_status *tegula::runtime::readPluginNote(const std::string &path, PluginNote &note) {
  note = PluginNote();
  note.path = path;
  ElfFacts facts;
  std::string problem = readElf(path, /*noteOnly=*/true, facts);
  struct stat info;
  if (problem.empty() && stat(path.c_str(), &info) == 0 && (info.st_mode & S_IWOTH)) {
    problem = "may be written by everybody, so its code is not trusted";
  } else if (problem.empty() && facts.note.empty()) {
    problem = "has no note .note.tegula, so it is no plugin";
  } else if (problem.empty() && !parseNote(facts.note, note)) {
    problem = "has a damaged note .note.tegula";
  }
  if (problem.empty()) {
    return nullptr;
  }
  return makeStatus(TG_INCOMPATIBLE, status::NotAPlugin, path + ": " + problem,
                    "a plugin is a shared library built with tegula_add_plugin");
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

std::vector<PluginNote> tegula::runtime::discoverPlugins(std::vector<std::string> *problems) {
  std::vector<PluginNote> notes;
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
    for (const std::string &path : paths) {
      PluginNote note;
      if (tg_status *status = readPluginNote(path, note)) {
        if (problems) {
          problems->push_back(shownMessage(*status));
        }
        tg_status_free(status);
      } else {
        notes.push_back(std::move(note));
      }
    }
  }
  return notes;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

namespace {
struct Loaded {
  std::string realPath;
  const tegula_plugin *plugin;
};
/// Plugins stay for the life of the process: MLIR keeps pointers into them.
struct Host {
  std::mutex lock;
  std::vector<Loaded> loaded;
};
} // namespace

/// Never destroyed, since exit handlers of other libraries may still launch.
static Host &host() {
  static Host *instance = new Host;
  return *instance;
}

/// With the lock held.
static tg_status *loadFile(const std::string &path, const tegula_plugin **plugin) {
  std::error_code error;
  const std::string realPath = fs::canonical(path, error).string();
  for (const Loaded &loaded : host().loaded) {
    if (!error && loaded.realPath == realPath) {
      *plugin = loaded.plugin;
      return nullptr;
    }
  }
  PluginNote note;
  if (tg_status *status = readPluginNote(path, note)) {
    return status;
  }
  if (tg_status *status = checkPluginFile(note)) {
    return status;
  }
  void *library = dlopen(realPath.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    return makeStatus(TG_INCOMPATIBLE, status::PluginNotLoadable,
                      path + ": cannot be loaded: " + loaderError(),
                      "a library it needs is missing or of another version");
  }
  auto query = reinterpret_cast<tegula_plugin_query_fn>(dlsym(library, TEGULA_PLUGIN_QUERY));
  if (!query) {
    return makeStatus(TG_INCOMPATIBLE, status::PluginEntry,
                      path + ": does not export " TEGULA_PLUGIN_QUERY);
  }
  const tegula_plugin *found = query(TEGULA_API_MAJOR, TEGULA_API_MINOR);
  if (tg_status *status = checkPluginTable(note, found)) {
    return status; // the library stays mapped: its constructors have run
  }
  host().loaded.push_back({realPath, found});
  *plugin = found;
  return nullptr;
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
    std::lock_guard<std::mutex> guard(host().lock);
    return loadFile(path, plugin);
  });
}

tg_status *tegula::runtime::loadPlugin(const std::string &id, unsigned component,
                                       const tegula_plugin **plugin) {
  return guarded([&]() -> tg_status * {
    *plugin = nullptr;
    std::lock_guard<std::mutex> guard(host().lock);
    for (const Loaded &loaded : host().loaded) {
      if (id == loaded.plugin->id && (loaded.plugin->components & component)) {
        *plugin = loaded.plugin;
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
