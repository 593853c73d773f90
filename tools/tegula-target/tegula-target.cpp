//===- tegula-target.cpp - Devices and target descriptors -------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/ErrorReport.h"
#include "tegula/Runtime/PluginHost.h"
#include "tegula/Runtime/Target.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>

using namespace tegula::runtime;
using namespace tegula::tools;
namespace status = tegula::runtime::status;

static const char *const usage =
    R"(usage: tegula-target list
       tegula-target check FILE...
       tegula-target resolve [TARGET]

  list     plugins found, devices present and built-in targets
  check    reads target descriptors and reports what is wrong with them
  resolve  prints a target with its defaults filled in, as a descriptor; TARGET is a
           name, FILE or FILE:ID, and without it TEGULA_TARGET, else the best device
  --json   errors as a JSON array of diagnostics on standard output; check prints it
           even when it is empty

Exit codes: 0 right, 1 an error in the input, 2 usage, 3 a device or tool is
unavailable, 4 a fault of Tegula.
)";

static void list() {
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
      problems.push_back(shownMessage(*status));
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
          problems.push_back(shownMessage(*status));
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
}

static void check(int count, char **files, ErrorReport &report) {
  report.printAlways();
  for (int i = 0; i < count; ++i) {
    std::vector<std::string> targets, unchecked;
    if (tg_status *status = checkDescriptorFile(files[i], targets, unchecked)) {
      report.add(status);
      continue;
    }
    if (report.isJson()) {
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
}

static void resolve(const char *what) {
  tg_target *target = nullptr;
  tegula::tools::check(tg_target_resolve(what, &target));
  std::fputs(tg_target_yaml(target), stdout);
  tg_target_free(target);
}

/// Arguments without --json; the first is the command.
static void run(const std::vector<char *> &arguments, ErrorReport &report) {
  const std::string command = arguments.empty() ? "" : arguments[0];
  const size_t count = arguments.size();
  if (command == "--help" || command == "-h") {
    std::fputs(usage, stdout);
    return;
  }
  if (command == "--version") {
    std::printf("tegula-target %s\n", tg_version());
    return;
  }
  for (const char *argument : arguments) {
    if (argument[0] == '-') {
      failUsage(std::string("unknown option '") + argument + "'");
    }
  }
  if (command == "list") {
    if (count > 1) {
      failUsage(std::string("expected nothing after 'list', got '") + arguments[1] + "'");
    }
    list();
  } else if (command == "check") {
    if (count < 2) {
      failUsage("expected descriptor files after 'check', got none");
    }
    check(int(count) - 1, const_cast<char **>(arguments.data()) + 1, report);
  } else if (command == "resolve") {
    if (count > 2) {
      failUsage(std::string("expected at most one target after 'resolve', got '") + arguments[1] +
                "' and '" + arguments[2] + "'");
    }
    resolve(count == 2 ? arguments[1] : nullptr);
  } else {
    failUsage(command.empty()
                  ? "expected a command: list, check or resolve"
                  : "unknown command '" + command + "'; expected list, check or resolve");
  }
}

int main(int argc, char **argv) {
  ErrorReport report("tegula-target", argc, argv);
  try {
    std::vector<char *> arguments;
    for (int i = 1; i < argc; ++i) {
      if (std::strcmp(argv[i], "--json") != 0) {
        arguments.push_back(argv[i]);
      }
    }
    run(arguments, report);
  } catch (const StatusError &error) {
    report.add(error.status);
  } catch (const std::exception &error) {
    report.add(makeStatus(TG_INTERNAL, status::InternalFault, error.what()));
  }
  return report.exitCode();
}
