//===- tegula-target.cpp - Devices and target descriptors -------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Runtime/PluginHost.h"
#include "tegula/Runtime/Target.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>

using namespace tegula::runtime;

static const char *const usage =
    R"(usage: tegula-target list
       tegula-target check FILE...
       tegula-target resolve [TARGET]

  list     plugins found, devices present and built-in targets
  check    reads target descriptors and reports what is wrong with them
  resolve  prints a target with its defaults filled in, as a descriptor; TARGET is a
           name, FILE or FILE:ID, and without it TEGULA_TARGET, else the best device

Exit codes: 0 right, 1 an error in the input, 2 usage, 3 a device or tool is
unavailable, 4 a fault of Tegula.
)";

static int report(tg_status *status) {
  const tg_code code = tg_status_code(status);
  // Messages with a place say "error" themselves.
  const bool located = std::strcmp(tg_status_diagnostics_json(status), "[]") != 0;
  std::fprintf(stderr, "%s%s\n",
               located ? "" : "tegula-target: error: ", tg_status_message(status));
  if (*tg_status_hint(status)) {
    std::fprintf(stderr, "hint: %s\n", tg_status_hint(status));
  }
  tg_status_free(status);
  return code == TG_UNAVAILABLE ? 3 : code == TG_INTERNAL ? 4 : 1;
}

static int usageError(const std::string &text) {
  std::fprintf(stderr, "tegula-target: %s\nsee tegula-target --help\n", text.c_str());
  return 2;
}

static int list() {
  std::vector<std::string> problems;
  std::set<std::string> kinds;
  std::puts("plugins:");
  for (const PluginNote &note : discoverPlugins(&problems)) {
    std::printf("  %s (%s%s%s) %s\n", note.id.c_str(),
                note.components & TEGULA_COMPILER ? "compiler" : "",
                note.components == (TEGULA_COMPILER | TEGULA_RUNTIME) ? ", " : "",
                note.components & TEGULA_RUNTIME ? "runtime" : "", note.path.c_str());
    const tegula_plugin *plugin = nullptr;
    if (!(note.components & TEGULA_RUNTIME)) {
      continue;
    }
    if (tg_status *status = loadPlugin(note.id, TEGULA_RUNTIME, &plugin)) {
      problems.push_back(tg_status_message(status));
      tg_status_free(status);
      continue;
    }
    for (const char *const *kind = plugin->runtime->device_kinds; *kind; ++kind) {
      kinds.insert(*kind);
    }
  }
  std::puts("devices:");
  for (const std::string &kind : kinds) {
    for (int ordinal = 0;; ++ordinal) {
      tg_device *device = nullptr;
      if (tg_status *status = tg_device_get(kind.c_str(), ordinal, &device)) {
        if (ordinal == 0) {
          problems.push_back(kind + ": " + tg_status_message(status));
        }
        tg_status_free(status);
        break;
      }
      std::printf("  %s\n", tg_device_describe(device));
    }
  }
  std::puts("built-in targets:");
  for (const std::string &name : builtinTargets()) {
    std::printf("  %s\n", name.c_str());
  }
  for (const std::string &problem : problems) {
    std::fprintf(stderr, "tegula-target: warning: %s\n", problem.c_str());
  }
  return 0;
}

static int check(int count, char **files) {
  int code = 0;
  for (int i = 0; i < count; ++i) {
    std::vector<std::string> targets, unchecked;
    if (tg_status *status = checkDescriptorFile(files[i], targets, unchecked)) {
      code = std::max(code, report(status));
      continue;
    }
    std::string names;
    for (const std::string &target : targets) {
      names += (names.empty() ? "" : ", ") + target;
    }
    std::printf("%s: right; targets: %s\n", files[i], names.c_str());
    for (const std::string &backend : unchecked) {
      std::printf("%s: note: no plugin of backend '%s' is installed, so its options and formats "
                  "were not checked\n",
                  files[i], backend.c_str());
    }
  }
  return code;
}

static int resolve(const char *what) {
  tg_target *target = nullptr;
  if (tg_status *status = tg_target_resolve(what, &target)) {
    return report(status);
  }
  std::fputs(tg_target_yaml(target), stdout);
  tg_target_free(target);
  return 0;
}

int main(int argc, char **argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "--help" || command == "-h") {
    std::fputs(usage, stdout);
    return 0;
  }
  if (command == "--version") {
    std::printf("tegula-target %s\n", tg_version());
    return 0;
  }
  for (int i = 2; i < argc; ++i) {
    if (argv[i][0] == '-') {
      return usageError(std::string("unknown option '") + argv[i] + "'");
    }
  }
  if (command == "list" && argc == 2) {
    return list();
  }
  if (command == "check" && argc > 2) {
    return check(argc - 2, argv + 2);
  }
  if (command == "resolve" && argc <= 3) {
    return resolve(argc == 3 ? argv[2] : nullptr);
  }
  return usageError(command.empty() ? "expected a command" : "wrong use of '" + command + "'");
}
