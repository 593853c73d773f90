//===- tegula-target.cpp - Devices and target descriptors -------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/ErrorReport.h"
#include "tegula/Runtime/PluginHost.h"
#include "tegula/Runtime/Select.h"

#include <cstdio>
#include <cstring>
#include <memory>

using namespace tegula::runtime;
using namespace tegula::tools;
namespace status = tegula::runtime::status;

static const char *const usage =
    R"(usage: tegula-target list
       tegula-target check FILE...
       tegula-target resolve [TARGET]
       tegula-target explain [TARGET]

  list     plugins found, devices present and built-in targets
  check    reads target descriptors and reports what is wrong with them
  resolve  prints a target as a descriptor, with `native` replaced by the processor that
           it means; the text's SHA-256 is the hash in artifacts
  explain  prints which device of this machine gets which target of a descriptor, and
           why, rule by rule
  --json   answers as JSON, errors as a JSON array of diagnostics, on standard output;
           check prints the array even when it is empty

TARGET is the name of a built-in target (cpu, cpu/x86-64-v3), FILE or FILE:ID; without
it TEGULA_TARGET, else the best device.

Exit codes: 0 right, 1 an error in the input, 2 usage, 3 a device or tool is
unavailable, 4 a fault of Tegula.
)";

//===----------------------------------------------------------------------===//
// list
//===----------------------------------------------------------------------===//

namespace {
struct Device {
  tg_device *device;
  tg_device_info info;
};
} // namespace

static std::vector<Device> devices() {
  size_t count = 0;
  std::vector<tg_device *> list;
  do { // a driver that failed before is asked again, and may have more devices
    list.resize(count);
    tegula::tools::check(tg_device_list(nullptr, list.data(), list.size(), &count));
  } while (count > list.size());
  list.resize(count);
  std::vector<Device> found;
  for (tg_device *device : list) {
    Device entry = {device, {}};
    entry.info.struct_size = sizeof entry.info;
    if (tg_status *status = tg_device_info_get(device, &entry.info)) {
      tg_status_free(status); // lost since it was listed
      continue;
    }
    found.push_back(entry);
  }
  return found;
}

static std::string componentsOf(const PluginNote &note) {
  const bool compiles = note.components & TEGULA_COMPILER, runs = note.components & TEGULA_RUNTIME;
  return std::string(compiles ? "compiler" : "") + (compiles && runs ? ", " : "") +
         (runs ? "runtime" : "");
}

static std::string quoted(const char *text) { return text ? quoteJson(text) : "null"; }

static void listAsJson() {
  std::string plugins, machine, targets, problems;
  const auto add = [](std::string &list, const std::string &entry) {
    list += (list.empty() ? "\n  " : ",\n  ") + entry;
  };
  for (const PluginNote &note : discoverPlugins()) {
    add(plugins, "{\"id\": " + quoteJson(note.id) + ", \"components\": " +
                     quoteJson(componentsOf(note)) + ", \"path\": " + quoteJson(note.path) + "}");
  }
  for (const auto &[device, info] : devices()) {
    add(machine, "{\"device\": " +
                     quoteJson(std::string(tg_device_kind(device)) + ":" +
                               std::to_string(tg_device_ordinal(device))) +
                     ", \"kind\": " + quoted(info.kind) + ", \"name\": " + quoted(info.name) +
                     ", \"arch\": " + quoted(info.arch) + ", \"id\": " + quoted(info.id) +
                     ", \"memory\": " + std::to_string(info.memory_total) +
                     ", \"compute_units\": " + std::to_string(info.compute_units) + "}");
  }
  for (const std::string &name : builtinTargets()) {
    targets += (targets.empty() ? "" : ", ") + quoteJson(name);
  }
  const char *text = nullptr;
  tegula::tools::check(tg_device_problems(&text));
  std::printf("{\"plugins\": [%s],\n \"devices\": [%s],\n \"targets\": [%s],\n \"problems\": %s}\n",
              plugins.c_str(), machine.c_str(), targets.c_str(), text);
}

/// What keeps devices and plugins from being listed.
static void warn() {
  std::fflush(stdout);
  for (const std::string &problem : deviceProblems()) {
    std::fprintf(stderr, "tegula-target: warning: %s\n", problem.c_str());
  }
}

static void list() {
  std::puts("plugins:");
  for (const PluginNote &note : discoverPlugins()) {
    std::printf("  %s (%s) %s\n", note.id.c_str(), componentsOf(note).c_str(), note.path.c_str());
  }
  std::puts("devices:");
  for (const Device &entry : devices()) {
    std::printf("  %s\n", tg_device_describe(entry.device));
  }
  std::puts("built-in targets:");
  for (const std::string &name : builtinTargets()) {
    std::printf("  %s\n", name.c_str());
  }
  warn();
}

//===----------------------------------------------------------------------===//
// The other commands
//===----------------------------------------------------------------------===//

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

static void resolve(const char *what, bool asJson) {
  tg_target *target = nullptr;
  tegula::tools::check(tg_target_resolve(what, &target));
  const std::unique_ptr<tg_target, void (*)(tg_target *)> owned(target, tg_target_free);
  const std::string yaml = tg_target_frozen_yaml(target), hash = tg_target_hash(target);
  if (hash.empty()) {
    tegula::tools::check(freezeTarget(*target)); // says why there is none
  }
  if (asJson) {
    std::printf("{\"id\": %s, \"backend\": %s, \"arch\": %s, \"hash\": %s, \"yaml\": %s}\n",
                quoted(tg_target_id(target)).c_str(), quoted(tg_target_backend(target)).c_str(),
                quoted(tg_target_arch(target)).c_str(), quoteJson(hash).c_str(),
                quoteJson(yaml).c_str());
  } else {
    std::fputs(yaml.c_str(), stdout);
  }
}

static void explain(const char *what, bool asJson) {
  Explanation explanation;
  tegula::tools::check(explainTarget(what, explanation));
  std::fputs((asJson ? toJson(explanation) : toText(explanation)).c_str(), stdout);
  warn();
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
    report.isJson() ? listAsJson() : list();
  } else if (command == "check") {
    if (count < 2) {
      failUsage("expected descriptor files after 'check', got none");
    }
    check(int(count) - 1, const_cast<char **>(arguments.data()) + 1, report);
  } else if (command == "resolve" || command == "explain") {
    if (count > 2) {
      failUsage("expected at most one target after '" + command + "', got '" + arguments[1] +
                "' and '" + arguments[2] + "'");
    }
    (command == "resolve" ? resolve : explain)(count == 2 ? arguments[1] : nullptr,
                                               report.isJson());
  } else {
    failUsage(command.empty()
                  ? "expected a command: list, check, resolve or explain"
                  : "unknown command '" + command + "'; expected list, check, resolve or explain");
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
