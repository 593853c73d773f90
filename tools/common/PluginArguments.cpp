//===- PluginArguments.cpp - Plugins on a command line -----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PluginArguments.h"

#include "tegula/Compiler/Backends.h"
#include "tegula/Compiler/Register.h"
#include "tegula/Driver/SetTarget.h"
#include "tegula/Runtime/PluginHost.h"
#include "llvm/ADT/STLExtras.h"

using namespace tegula::tools;
namespace status = tegula::runtime::status;

const char *const tegula::tools::pluginOptionsHelp =
    R"(      --plugin PATH        load this backend plugin as well; it must load
      --no-plugins         load no plugins but those
      --plugin-abi MODE    strict: refuse plugins of another build of LLVM; warn (default)
)";

std::optional<PluginArguments> tegula::tools::takePluginArguments(int &argc, char **argv,
                                                                  Report &report) {
  PluginArguments arguments;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    llvm::StringRef name = argument, value;
    if (!name.consume_front("--")) {
      name.consume_front("-");
    }
    std::tie(name, value) = name.split('=');
    const bool takesValue = name == "plugin" || name == "plugin-abi";
    if (!argument.starts_with("-") || (!takesValue && argument.ltrim('-') != "no-plugins")) {
      argv[kept++] = argv[i];
      continue;
    }
    if (!takesValue) {
      arguments.discover = false;
      continue;
    }
    if (!argument.contains('=')) {
      if (i + 1 == argc) {
        report.error(status::Usage, "option '" + argument.str() + "' needs a value");
        return std::nullopt;
      }
      value = argv[++i];
    }
    if (name == "plugin") {
      arguments.paths.push_back(value.str());
    } else if (value == "strict" || value == "warn") {
      runtime::setPluginAbiStrict(value == "strict");
    } else {
      report.error(status::Usage,
                   "option '--plugin-abi': expected strict or warn, got '" + value.str() + "'");
      return std::nullopt;
    }
  }
  argc = kept;
  argv[argc] = nullptr;
  return arguments;
}

bool tegula::tools::registerEverything(const PluginArguments &plugins,
                                       mlir::DialectRegistry &registry, Report &report) {
  compiler::registerDialects(registry);
  compiler::registerPasses();
  compiler::registerPipelines();
  driver::registerDriverPasses();
  if (!plugins.discover && plugins.paths.empty()) {
    return true;
  }
  std::vector<std::string> problems;
  for (const auto *backend : compiler::loadAllBackends(plugins.paths, problems, plugins.discover)) {
    backend->registerDialects(registry);
  }
  bool loaded = true;
  const std::vector<std::string> warnings = runtime::pluginWarnings();
  for (llvm::StringRef problem : problems) {
    const bool isNamed = llvm::any_of(
        plugins.paths, [&](const std::string &path) { return problem.starts_with(path); });
    if (!isNamed) {
      continue; // stops nothing that does not ask for it; --list-plugins tells
    }
    // Another build of LLVM is worth a warning, unless it was refused for that.
    const bool refused = !llvm::is_contained(warnings, problem);
    report.identified(refused ? "error" : "warning", problem.str());
    loaded = loaded && !refused;
  }
  return loaded;
}
