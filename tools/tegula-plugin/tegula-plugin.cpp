//===- tegula-plugin.cpp - A close look at backend plugins ------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shows what the load sequence finds, step by step. The tool itself needs no LLVM;
// the steps of compiler halves that do are done by libTegulaCompiler, which is
// opened when they come up.
//
//===----------------------------------------------------------------------===//

#include "../common/ErrorReport.h"
#include "tegula/Runtime/PluginHost.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

using namespace tegula::runtime;
using namespace tegula::tools;
namespace status = tegula::runtime::status;

static const char *const usage =
    R"(usage: tegula-plugin inspect FILE [--file-only | --load] [--json]
       tegula-plugin list [--names | --load] [--json]

Shows how far backend plugins get on their way into this Tegula, and why no further.

  inspect      all checks of one library. Its code runs only when the checks before
               have passed: it is loaded, asked for its table and what it declares
  list         all libraries named libtegula-*.so in the plugin folders: the one of
               this installation, then those of TEGULA_PLUGIN_PATH
  --file-only  inspect stops before any code of the library runs
  --names      list goes as far as inspect does; without it no code runs
  --load       all the way: its dialects, passes and pipelines are registered, too
  --plugin-abi=strict|warn
               whether a library built with another build of LLVM is refused;
               without it TEGULA_PLUGIN_ABI decides
  --json       the answer as JSON on standard output
  -h, --help  --version

Exit codes: 0 right, 1 a file that cannot be read, 2 usage, 3 the plugin is refused
(list: 0, whatever it finds), 4 a fault of Tegula.
)";

namespace {
struct Arguments {
  std::vector<std::string> words;
  PluginDepth depth = PluginDepth::Names;
  const char *depthOption = nullptr;
  bool json = false, done = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// What a report says
//===----------------------------------------------------------------------===//

static const char *stateName(CheckState state) {
  switch (state) {
  case CheckState::NotRun:
    return "not run";
  case CheckState::Passed:
    return "passed";
  case CheckState::Warned:
    return "warning";
  case CheckState::Failed:
    return "failed";
  }
  return "";
}

static std::string componentNames(const PluginNote &note) {
  const bool compiler = note.components & TEGULA_COMPILER;
  const bool runtime = note.components & TEGULA_RUNTIME;
  return compiler && runtime ? "compiler, runtime"
         : compiler          ? "compiler"
         : runtime           ? "runtime"
                             : "";
}

/// One word for the whole library, of `list`.
static const char *pluginState(const PluginReport &report) {
  return report.failure()                                                  ? "refused"
         : !report.hiddenBy.empty()                                        ? "hidden"
         : report.at(PluginStep::Registration).state == CheckState::Passed ? "registered"
         : report.plugin                                                   ? "loaded"
                                                                           : "found";
}

static std::string orNone(const char *text) { return text && *text ? text : "-"; }

/// A list of names of the compiler or runtime table.
static std::vector<std::string> namesOf(const char *const *names) {
  std::vector<std::string> list;
  for (; names && *names; ++names) {
    list.emplace_back(*names);
  }
  return list;
}

static std::vector<std::string> namesOf(const tegula_option *const *options) {
  std::vector<std::string> list;
  for (; options && *options; ++options) {
    list.emplace_back((*options)->name);
  }
  return list;
}

namespace {
struct Declared {
  const char *what;
  std::vector<std::string> names;
};
} // namespace

static std::vector<Declared> declaredNames(const tegula_plugin &plugin) {
  std::vector<Declared> lists;
  if (const tegula_compiler_v1 *table = plugin.compiler) {
    lists.push_back({"dialects", namesOf(table->dialects)});
    lists.push_back({"passes", namesOf(table->passes)});
    lists.push_back({"pipelines", namesOf(table->pipelines)});
    lists.push_back({"compile_options", namesOf(table->options)});
    lists.push_back({"arch_examples", namesOf(table->arch_examples)});
    lists.push_back({"emit_formats", namesOf(table->emit_formats)});
  }
  if (const tegula_runtime_v1 *table = plugin.runtime) {
    lists.push_back({"device_kinds", namesOf(table->device_kinds)});
    lists.push_back({"formats", namesOf(table->formats)});
    lists.push_back({"run_options", namesOf(table->options)});
  }
  return lists;
}

static const char *reportTo(const tegula_plugin &plugin) {
  return TEGULA_HAS_FIELD(tegula_plugin, &plugin, report_to) ? plugin.report_to : nullptr;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void line(const char *what, const std::string &text) {
  if (!text.empty()) {
    std::printf("%-16s%s\n", what, text.c_str());
  }
}

static std::string joined(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text.empty() ? "-" : text;
}

static void print(const PluginReport &report) {
  const PluginNote &note = report.note;
  line("file", note.path);
  if (report.at(PluginStep::Note).state == CheckState::Passed) {
    line("plugin", note.id);
    line("components", componentNames(note));
    line("API version", std::to_string(note.apiMajor) + "." + std::to_string(note.apiMinor));
    line("LLVM", orNone(note.llvm.c_str()));
    line("headers", orNone(note.headers.c_str()));
  }
  if (const tegula_plugin *plugin = report.plugin) {
    line("version", orNone(plugin->version));
    line("vendor", orNone(plugin->vendor));
    line("license", orNone(plugin->license));
    line("faults go to", orNone(reportTo(*plugin)));
    if (const tegula_build_facts *facts = plugin->compiler ? plugin->facts : nullptr) {
      line("C++ ABI", orNone(facts->cxx_abi));
      line("build ids",
           "libMLIR " + orNone(facts->mlir_build_id) + ", libLLVM " + orNone(facts->llvm_build_id));
    }
    for (const Declared &list : declaredNames(*plugin)) {
      std::string what = list.what;
      std::replace(what.begin(), what.end(), '_', ' ');
      line(what.c_str(), joined(list.names));
    }
  }
  std::printf("\n");
  for (const PluginCheck &check : report.checks) {
    std::string text = check.detail;
    if (!check.id.empty()) {
      text += (text.empty() ? "[" : " [") + check.id + "]";
    }
    std::printf("%-16s%s%s%s\n", check.name, stateName(check.state), text.empty() ? "" : ": ",
                text.c_str());
  }
}

/// `width`: of the longest id.
static void printRow(const PluginReport &report, int width) {
  const PluginNote &note = report.note;
  const std::string halves = componentNames(note);
  std::printf("%-11s %-*s %-18s  %s\n", pluginState(report), width, orNone(note.id.c_str()).c_str(),
              orNone(halves.c_str()).c_str(), note.path.c_str());
  if (const PluginCheck *failure = report.failure()) {
    std::printf("  %s [%s]\n", failure->detail.c_str(), failure->id.c_str());
  } else if (!report.hiddenBy.empty()) {
    std::printf("  %s comes first [%s]\n", report.hiddenBy.c_str(), status::HiddenPlugin.name);
  }
  for (const PluginCheck &check : report.checks) {
    if (check.state == CheckState::Warned) {
      std::printf("  warning: %s [%s]\n", check.detail.c_str(), check.id.c_str());
    }
  }
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static std::string key(const char *name, const std::string &text) {
  return quoteJson(name) + ": " + quoteJson(text);
}

static std::string jsonOf(const PluginReport &report) {
  const PluginNote &note = report.note;
  std::string out = "{" + key("path", note.path) + ", " + key("state", pluginState(report));
  if (report.at(PluginStep::Note).state == CheckState::Passed) {
    out += ", " + key("id", note.id) + ", " + key("components", componentNames(note)) + ", " +
           key("api", std::to_string(note.apiMajor) + "." + std::to_string(note.apiMinor)) + ", " +
           key("llvm", note.llvm) + ", " + key("headers", note.headers);
  }
  if (!report.hiddenBy.empty()) {
    out += ", " + key("hidden_by", report.hiddenBy);
  }
  if (const tegula_plugin *plugin = report.plugin) {
    const auto text = [](const char *value) { return std::string(value ? value : ""); };
    out += ", " + key("version", text(plugin->version)) + ", " +
           key("vendor", text(plugin->vendor)) + ", " + key("license", text(plugin->license)) +
           ", " + key("report_to", text(reportTo(*plugin)));
    if (const tegula_build_facts *facts = plugin->compiler ? plugin->facts : nullptr) {
      out += ", \"facts\": {" + key("cxx_abi", text(facts->cxx_abi)) + ", " +
             key("mlir_build_id", text(facts->mlir_build_id)) + ", " +
             key("llvm_build_id", text(facts->llvm_build_id)) + "}";
    }
    std::string lists;
    for (const Declared &list : declaredNames(*plugin)) {
      std::string names;
      for (const std::string &name : list.names) {
        names += (names.empty() ? "" : ", ") + quoteJson(name);
      }
      lists += (lists.empty() ? "" : ", ") + quoteJson(list.what) + ": [" + names + "]";
    }
    out += ", \"declares\": {" + lists + "}";
  }
  std::string checks;
  for (const PluginCheck &check : report.checks) {
    checks += std::string(checks.empty() ? "" : ", ") + "{" + key("name", check.name) + ", " +
              key("state", stateName(check.state)) + ", " + key("id", check.id) + ", " +
              key("detail", check.detail) + ", " + key("hint", check.hint) + "}";
  }
  return out + ", \"checks\": [" + checks + "]}";
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

/// The exit code.
static int inspect(const Arguments &arguments, ErrorReport &errors) {
  const std::string &path = arguments.words[1];
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    fail(status::FileAccess, "cannot read '" + path + "': " +
                                 (error ? error.message() : std::string(std::strerror(ENOENT))));
  }
  const PluginReport report = inspectPlugin(path, arguments.depth);
  if (arguments.json) {
    // The failure is one of the checks; the array of errors would be a second answer.
    std::printf("%s\n", jsonOf(report).c_str());
    return report.failure() ? 3 : 0;
  }
  print(report);
  if (tg_status *failure = report.makeFailure()) {
    errors.add(failure);
  }
  return errors.exitCode();
}

static void list(const Arguments &arguments) {
  std::vector<std::string> problems;
  const std::vector<PluginReport> reports = scanPlugins(arguments.depth, &problems);
  if (arguments.json) {
    std::string plugins, lines;
    for (const PluginReport &report : reports) {
      plugins += (plugins.empty() ? "" : ", ") + jsonOf(report);
    }
    for (const std::string &problem : problems) {
      lines += (lines.empty() ? "" : ", ") + quoteJson(problem);
    }
    std::string folders;
    for (const std::string &folder : pluginFolders()) {
      folders += (folders.empty() ? "" : ", ") + quoteJson(folder);
    }
    std::printf("{\"folders\": [%s], \"plugins\": [%s], \"problems\": [%s]}\n", folders.c_str(),
                plugins.c_str(), lines.c_str());
    return;
  }
  size_t width = 6;
  for (const PluginReport &report : reports) {
    width = std::max(width, report.note.id.size() + 1);
  }
  for (const PluginReport &report : reports) {
    printRow(report, static_cast<int>(width));
  }
  if (reports.empty()) {
    std::printf("no plugins in %s\n", joined(pluginFolders()).c_str());
  }
  std::fflush(stdout);
  for (const std::string &problem : problems) {
    std::fprintf(stderr, "tegula-plugin: warning: %s\n", problem.c_str());
  }
}

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

static Arguments parse(int argc, char **argv) {
  Arguments out;
  const auto setDepth = [&](const char *option, PluginDepth depth) {
    if (out.depthOption && std::strcmp(out.depthOption, option) != 0) {
      failUsage(std::string("expected one of ") + out.depthOption + " and " + option +
                ", got both");
    }
    out.depthOption = option;
    out.depth = depth;
  };
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "-h" || arg == "--help") {
      std::fputs(usage, stdout);
      out.done = true;
      return out;
    }
    if (arg == "--version") {
      std::printf("tegula-plugin %s\n", tg_version());
      out.done = true;
      return out;
    }
    if (arg == "--json") {
      out.json = true;
    } else if (arg == "--file-only") {
      setDepth("--file-only", PluginDepth::File);
    } else if (arg == "--names") {
      setDepth("--names", PluginDepth::Names);
    } else if (arg == "--load") {
      setDepth("--load", PluginDepth::Register);
    } else if (arg == "--plugin-abi=strict" || arg == "--plugin-abi=warn") {
      setPluginAbiStrict(arg == "--plugin-abi=strict");
    } else if (arg.starts_with("-") && arg != "-") {
      failUsage("unknown option '" + arg + "'");
    } else {
      out.words.push_back(arg);
    }
  }
  return out;
}

static int run(int argc, char **argv, ErrorReport &errors) {
  Arguments arguments = parse(argc, argv);
  if (arguments.done) {
    return 0;
  }
  const std::string command = arguments.words.empty() ? "" : arguments.words[0];
  if (command != "inspect" && command != "list") {
    failUsage(command.empty() ? "expected a command: inspect or list"
                              : "unknown command '" + command + "'; expected inspect or list");
  }
  if (arguments.words.size() != (command == "inspect" ? 2 : 1)) {
    failUsage(command == "inspect" ? "expected one file to inspect, got " +
                                         std::to_string(arguments.words.size() - 1)
                                   : "list takes no file, got '" + arguments.words[1] + "'");
  }
  const std::string depth = arguments.depthOption ? arguments.depthOption : "";
  if (depth == (command == "list" ? "--file-only" : "--names")) {
    failUsage(depth + " is what '" + command + "' does without it");
  }
  if (command == "list") {
    arguments.depth = depth.empty() ? PluginDepth::File : arguments.depth;
    list(arguments);
    return 0;
  }
  return inspect(arguments, errors);
}

int main(int argc, char **argv) {
  ErrorReport errors("tegula-plugin", argc, argv);
  int code = 0;
  try {
    code = run(argc, argv, errors);
  } catch (const StatusError &error) {
    errors.add(error.status);
  } catch (const std::exception &error) {
    errors.add(makeStatus(TG_INTERNAL, status::InternalFault, error.what()));
  }
  return std::max(code, errors.exitCode());
}
