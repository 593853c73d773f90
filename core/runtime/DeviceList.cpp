//===- DeviceList.cpp - Which devices there are -----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Drivers are opened when something asks for devices of a kind that their plugin
// serves, and stay open. What fails is asked again by the next listing, but for a
// driver that is not there.
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "ForkLock.h"
#include "Guard.h"
#include "TargetFile.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <tuple>

using namespace tegula::runtime;

namespace {

/// Something that is not listed, and why.
struct Problem {
  std::string plugin, kind;
  tg_code code;
  std::string id, message, hint;
};

struct Driver {
  const tegula_plugin *plugin = nullptr;
  tg_driver *driver = nullptr;
  std::string library;                ///< what it was opened with
  std::unique_ptr<Problem> isMissing; ///< opening said UNAVAILABLE
  bool isCounted = false;
  std::vector<std::unique_ptr<tg_device>> devices; ///< null: facts not known yet
};

/// Guarded by deviceLock. Never destroyed: devices live as long as the process.
struct State {
  std::vector<std::unique_ptr<Driver>> drivers;
  std::map<std::string, std::string> libraries; ///< by backend
};

/// Collects problems if somebody wants them.
class Problems {
public:
  explicit Problems(std::vector<Problem> *list) : list(list) {}
  void add(const char *plugin, const char *kind, tg_status *status) {
    if (list) {
      list->push_back({plugin, kind, status->code, status->id, status->message, status->hint});
    }
    tg_status_free(status);
  }
  void add(const Problem &problem) {
    if (list) {
      list->push_back(problem);
    }
  }

private:
  std::vector<Problem> *list;
};

} // namespace

static State &state() {
  static State *instance = new State;
  return *instance;
}

//===----------------------------------------------------------------------===//
// Plugins
//===----------------------------------------------------------------------===//

static bool servesKind(const tegula_plugin &plugin, const std::string &kind) {
  for (const char *const *it = plugin.runtime->device_kinds; *it; ++it) {
    if (kind == *it) {
      return true;
    }
  }
  return false;
}

static const char *firstKind(const tegula_plugin &plugin) {
  const char *kind = plugin.runtime->device_kinds[0];
  return kind ? kind : "";
}

/// The identifier at the end of the first line of a problem as text: "...: why [E110]".
static Problem problemOf(const std::string &line) {
  const std::string first = line.substr(0, line.find('\n'));
  const size_t open = first.rfind(" [");
  Problem problem = {"", "", TG_INCOMPATIBLE, "", line, ""};
  if (open != std::string::npos && first.back() == ']') {
    problem.id = first.substr(open + 2, first.size() - open - 3);
    problem.message = first.substr(0, open) + line.substr(first.size());
  }
  return problem;
}

/// All runtime halves by name, "cpu" last.
static std::vector<const tegula_plugin *> runtimePlugins(std::vector<Problem> *list) {
  std::vector<std::string> lines;
  std::set<std::string> ids;
  for (const PluginNote &note : discoverPlugins(list ? &lines : nullptr)) {
    if (note.components & TEGULA_RUNTIME) {
      ids.insert(note.id);
    }
  }
  Problems problems(list);
  for (const std::string &line : lines) {
    problems.add(problemOf(line));
  }
  std::vector<const tegula_plugin *> plugins;
  for (const std::string &id : ids) {
    const tegula_plugin *plugin = nullptr;
    if (tg_status *status = loadPlugin(id, TEGULA_RUNTIME, &plugin)) {
      problems.add(id.c_str(), "", status);
    } else {
      plugins.push_back(plugin);
    }
  }
  const auto rank = [](const tegula_plugin *plugin) {
    return std::make_tuple(std::strcmp(plugin->id, "cpu") == 0, std::string(plugin->id));
  };
  std::sort(plugins.begin(), plugins.end(),
            [&](const auto *a, const auto *b) { return rank(a) < rank(b); });
  return plugins;
}

/// The plugins that serve `kind`: that of this very name alone if it does, so that
/// no other is loaded for it. Empty is an error, which says what there is.
static tg_status *pluginsFor(const std::string &kind, std::vector<const tegula_plugin *> &plugins) {
  const tegula_plugin *named = nullptr;
  tg_status *status = loadPlugin(kind, TEGULA_RUNTIME, &named);
  if (!status && servesKind(*named, kind)) {
    plugins = {named};
    return nullptr;
  }
  // What went wrong with the plugin of that name matters more than its absence.
  std::string problems;
  if (status && status->id != status::PluginNotFound.name) {
    problems = "\n  " + shownMessage(*status);
  } else if (status) { // the places tried
    problems = status->message.substr(std::min(status->message.find('\n'), status->message.size()));
  }
  tg_status_free(status);
  std::string known;
  std::vector<Problem> list;
  for (const tegula_plugin *plugin : runtimePlugins(&list)) {
    if (servesKind(*plugin, kind)) {
      plugins.push_back(plugin);
    }
    for (const char *const *it = plugin->runtime->device_kinds; *it; ++it) {
      known += (known.empty() ? "" : ", ") + std::string(*it);
    }
  }
  if (!plugins.empty()) {
    return nullptr;
  }
  for (const Problem &problem : list) {
    if (!problem.plugin.empty() && problem.plugin != kind) {
      problems += "\n  " + withId(problem.message, problem.id);
    }
  }
  return makeStatus(TG_UNAVAILABLE, status::NoSuchDevice,
                    "no plugin serves devices of kind '" + kind +
                        "'; kinds served: " + (known.empty() ? "none" : known) + problems,
                    "install the backend's plugin or add its folder to TEGULA_PLUGIN_PATH");
}

//===----------------------------------------------------------------------===//
// Drivers and their devices, with the lock held
//===----------------------------------------------------------------------===//

static std::string describe(const tg_device &device) {
  const tg_device_info &info = device.info;
  std::string text = nameOf(device) + " " + (info.name ? info.name : "unnamed") + ", " +
                     (info.arch ? info.arch : "?") + ", " + std::to_string(info.compute_units) +
                     " compute units, ";
  return text + std::to_string(info.memory_total >> 20) + " MiB";
}

static tg_status *openDriver(Driver &driver) {
  if (driver.driver) {
    return nullptr;
  }
  if (const Problem *missing = driver.isMissing.get()) {
    return makeStatus(missing->code, StatusID{missing->id.c_str()}, missing->message,
                      missing->hint);
  }
  const auto library = state().libraries.find(driver.plugin->id);
  std::vector<tg_kv> options;
  driver.library =
      library != state().libraries.end() ? library->second : libraryOfVariable(driver.plugin->id);
  if (!driver.library.empty()) {
    options.push_back({"path", driver.library.c_str()});
  }
  tg_driver *opened = nullptr;
  if (tg_plugin_status *failure =
          driver.plugin->runtime->open(options.data(), options.size(), &opened)) {
    const std::string prefix = "driver of plugin '" + std::string(driver.plugin->id) + "': ";
    tg_status *status = takePluginStatus(*driver.plugin, failure, "open", Moment::Open, prefix);
    if (status->code == TG_UNAVAILABLE) {
      driver.isMissing = std::make_unique<Problem>(
          Problem{driver.plugin->id, firstKind(*driver.plugin), status->code, status->id,
                  status->message, status->hint});
    }
    return status;
  }
  driver.driver = opened;
  return nullptr;
}

static bool isTaken(const std::string &kind, int ordinal) {
  for (const auto &driver : state().drivers) {
    for (const auto &device : driver->devices) {
      if (device && device->kind == kind && device->ordinal == ordinal) {
        return true;
      }
    }
  }
  return false;
}

/// Devices whose kind is not known yet keep a number of every kind, so that numbers
/// never change.
static int ordinalOf(const Driver &driver, int index, const std::string &kind) {
  int ordinal = 0;
  for (int i = 0; i < index; ++i) {
    ordinal += !driver.devices[i] || driver.devices[i]->kind == kind;
  }
  while (isTaken(kind, ordinal)) { // by another driver of the same kind
    ++ordinal;
  }
  return ordinal;
}

static tg_status *makeDevice(Driver &driver, int index) {
  auto device = std::make_unique<tg_device>();
  device->plugin = driver.plugin;
  device->table = driver.plugin->runtime;
  device->driver = driver.driver;
  device->index = index;
  device->info.struct_size = sizeof device->info;
  if (tg_plugin_status *failure = device->table->device_info(driver.driver, index, &device->info)) {
    return takePluginStatus(*driver.plugin, failure, "device_info", Moment::Open,
                            "device " + std::to_string(index) + " of plugin '" + driver.plugin->id +
                                "': ");
  }
  device->kind = device->info.kind ? device->info.kind : firstKind(*driver.plugin);
  device->ordinal = ordinalOf(driver, index, device->kind);
  device->info.kind = device->kind.c_str();
  device->info.ordinal = device->ordinal;
  device->description = describe(*device);
  driver.devices[index] = std::move(device);
  return nullptr;
}

/// Opens the plugin's driver and makes its devices, as far as that is possible.
static Driver &bringUp(const tegula_plugin *plugin, Problems &problems) {
  auto &drivers = state().drivers;
  auto found = std::find_if(drivers.begin(), drivers.end(),
                            [&](const auto &driver) { return driver->plugin == plugin; });
  if (found == drivers.end()) {
    drivers.push_back(std::make_unique<Driver>());
    drivers.back()->plugin = plugin;
    found = drivers.end() - 1;
  }
  Driver &driver = **found;
  const char *kind = firstKind(*plugin);
  if (tg_status *status = openDriver(driver)) {
    problems.add(plugin->id, kind, status);
    return driver;
  }
  if (!driver.isCounted) {
    size_t count = 0;
    if (tg_plugin_status *failure = plugin->runtime->enumerate(driver.driver, &count)) {
      problems.add(plugin->id, kind,
                   takePluginStatus(*plugin, failure, "enumerate", Moment::Open,
                                    "driver of plugin '" + std::string(plugin->id) + "': "));
      return driver;
    }
    driver.devices.resize(count);
    driver.isCounted = true;
  }
  for (size_t i = 0; i < driver.devices.size(); ++i) {
    if (!driver.devices[i]) {
      if (tg_status *status = makeDevice(driver, int(i))) {
        problems.add(plugin->id, kind, status);
      }
    }
  }
  return driver;
}

/// Null `kind`: all. Nothing that goes wrong ends the listing.
static std::vector<tg_device *> list(const char *kind, std::vector<Problem> *found) {
  std::vector<const tegula_plugin *> plugins;
  if (kind) {
    if (tg_status *status = pluginsFor(kind, plugins)) {
      Problems(found).add("", kind, status);
    }
  } else {
    plugins = runtimePlugins(found);
  }
  std::vector<tg_device *> devices;
  Problems problems(found);
  for (const tegula_plugin *plugin : plugins) {
    for (const auto &device : bringUp(plugin, problems).devices) {
      if (device && (!kind || device->kind == kind)) {
        devices.push_back(device.get());
      }
    }
  }
  return devices;
}

//===----------------------------------------------------------------------===//
// For the runtime
//===----------------------------------------------------------------------===//

std::vector<tg_device *> tegula::runtime::allDevices(const char *kind) {
  const std::lock_guard<ForkLock> guard(deviceLock());
  return list(kind, nullptr);
}

std::string tegula::runtime::namesOf(const std::vector<tg_device *> &devices) {
  std::string names;
  for (const tg_device *device : devices) {
    names += (names.empty() ? "" : ", ") + nameOf(*device);
  }
  return names.empty() ? "none" : names;
}

tg_status *tegula::runtime::setDriverLibrary(const std::string &backend, const std::string &path) {
  const std::lock_guard<ForkLock> guard(deviceLock());
  for (const auto &driver : state().drivers) {
    if (driver->driver && driver->plugin->id == backend && driver->library != path) {
      return makeStatus(
          TG_INVALID, status::ApiArgument,
          "driver of plugin '" + backend + "': expected the library '" + path +
              "', but it is open with " +
              (driver->library.empty() ? "the default one" : "'" + driver->library + "'"),
          "a process uses one library of a driver");
    }
  }
  state().libraries[backend] = path;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// The C API
//===----------------------------------------------------------------------===//

tg_status *tg_device_list(const char *kind, tg_device **devices, size_t capacity, size_t *count) {
  return guarded([&]() -> tg_status * {
    if (!count || (!devices && capacity > 0)) {
      return nullPointer(count ? "a place for the devices" : "a place for the count");
    }
    const std::vector<tg_device *> found = allDevices(kind);
    std::copy_n(found.begin(), std::min(capacity, found.size()), devices);
    *count = found.size();
    return nullptr;
  });
}

tg_status *tg_device_get(const char *kind, int ordinal, tg_device **device) {
  return guarded([&]() -> tg_status * {
    if (!kind || !device) {
      return nullPointer(kind ? "a place for the device" : "a kind of device");
    }
    *device = nullptr;
    const std::lock_guard<ForkLock> guard(deviceLock());
    for (const auto &driver : state().drivers) {
      for (const auto &known : driver->devices) {
        if (known && known->ordinal == ordinal && known->kind == kind) {
          *device = known.get();
          return nullptr;
        }
      }
    }
    std::vector<const tegula_plugin *> plugins;
    if (tg_status *status = pluginsFor(kind, plugins)) {
      return status;
    }
    std::vector<Problem> problems;
    const std::vector<tg_device *> found = list(kind, &problems);
    for (tg_device *known : found) {
      if (known->ordinal == ordinal) {
        *device = known;
        return nullptr;
      }
    }
    const std::string name = std::string(kind) + ":" + std::to_string(ordinal);
    if (!problems.empty()) {
      const Problem &first = problems.front();
      return makeStatus(first.code, StatusID{first.id.c_str()},
                        "device " + name + ": " + first.message, first.hint);
    }
    std::string message = "no device " + name;
    message += found.empty()       ? "; there is none of kind '" + std::string(kind) +
                                         "'; devices here: " + namesOf(list(nullptr, nullptr))
               : found.size() == 1 ? "; the only one of its kind is " + nameOf(*found.front())
                                   : "; they end with " + nameOf(*found.back());
    return makeStatus(TG_UNAVAILABLE, status::NoSuchDevice, message);
  });
}

tg_status *tg_device_problems(const char **json) {
  return guarded([&]() -> tg_status * {
    if (!json) {
      return nullPointer("a place for the text");
    }
    static thread_local std::string text;
    std::vector<Problem> problems;
    {
      const std::lock_guard<ForkLock> guard(deviceLock());
      list(nullptr, &problems);
    }
    text = "[";
    for (const Problem &problem : problems) {
      text += text.size() > 1 ? "," : "";
      text += "{\"plugin\":" + quoteJson(problem.plugin) + ",\"kind\":" + quoteJson(problem.kind) +
              ",\"code\":" + std::to_string(problem.code) + ",\"id\":" + quoteJson(problem.id) +
              ",\"message\":" + quoteJson(problem.message) +
              ",\"hint\":" + quoteJson(problem.hint) + "}";
    }
    text += "]";
    *json = text.c_str();
    return nullptr;
  });
}
