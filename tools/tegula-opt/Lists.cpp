//===- Lists.cpp - --list-passes and --list-plugins --------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "mlir/Pass/PassRegistry.h"
#include "tegula/Runtime/PluginHost.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <sys/mman.h>
#include <unistd.h>

using namespace tegula;
using namespace tegula::opt;
using tegula::runtime::CheckState;
using tegula::runtime::PluginReport;

namespace {
struct Entry {
  std::string owner, summary;
  bool isPipeline = false;
};
} // namespace

/// What MLIR prints about its registry, which has no other way to walk it.
static std::string registryText() {
  const int file = memfd_create("passes", MFD_CLOEXEC);
  const int saved = dup(STDOUT_FILENO);
  llvm::outs().flush();
  dup2(file, STDOUT_FILENO);
  mlir::printRegisteredPasses();
  llvm::outs().flush();
  dup2(saved, STDOUT_FILENO);
  close(saved);
  std::string text;
  char buffer[1 << 14];
  lseek(file, 0, SEEK_SET);
  for (ssize_t got; (got = read(file, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, size_t(got));
  }
  close(file);
  return text;
}

/// Those named first; a library that is named and found counts once.
static std::vector<PluginReport> reportsOf(const tools::PluginArguments &plugins,
                                           std::vector<std::string> *problems) {
  std::vector<PluginReport> reports;
  for (const std::string &path : plugins.paths) {
    reports.push_back(runtime::inspectPlugin(path, runtime::PluginDepth::Names));
  }
  if (plugins.discover) {
    for (PluginReport &report : runtime::scanPlugins(runtime::PluginDepth::Names, problems)) {
      if (!llvm::is_contained(plugins.paths, report.note.path)) {
        reports.push_back(std::move(report));
      }
    }
  }
  return reports;
}

/// The passes and pipelines that loaded plugins have declared.
static void addPlugins(const tools::PluginArguments &plugins,
                       std::map<std::string, Entry> &entries) {
  for (const PluginReport &report : reportsOf(plugins, nullptr)) {
    const tegula_plugin *plugin = report.plugin;
    if (!plugin || !plugin->compiler) {
      continue;
    }
    for (auto [names, isPipeline] : {std::make_pair(plugin->compiler->passes, false),
                                     std::make_pair(plugin->compiler->pipelines, true)}) {
      for (const char *const *name = names; name && *name; ++name) {
        const mlir::PassRegistryEntry *found = isPipeline
                                                   ? static_cast<const mlir::PassRegistryEntry *>(
                                                         mlir::PassPipelineInfo::lookup(*name))
                                                   : mlir::PassInfo::lookup(*name);
        if (found) {
          entries[*name] = {plugin->id, found->getPassDescription().str(), isPipeline};
        }
      }
    }
  }
}

void opt::printPasses(const tools::PluginArguments &plugins, bool all, bool json) {
  std::map<std::string, Entry> entries;
  const std::string text = registryText();
  for (llvm::StringRef line : llvm::split(llvm::StringRef(text), '\n')) {
    // Options of a pass are indented further.
    if (!line.consume_front("  --")) {
      continue;
    }
    auto [name, summary] = line.split(" ");
    const bool isOurs = name.starts_with("tile-");
    if (isOurs || all) {
      entries[name.str()] = {isOurs ? "tegula" : "mlir", summary.ltrim(" -").str()};
    }
  }
  if (const auto *prepare = mlir::PassPipelineInfo::lookup("tile-prepare")) {
    entries["tile-prepare"] = {"tegula", prepare->getPassDescription().str(), true};
  }
  addPlugins(plugins, entries);
  if (json) {
    llvm::json::OStream out(llvm::outs(), 2);
    out.array([&] {
      for (const auto &[name, entry] : entries) {
        out.object([&] {
          out.attribute("name", name);
          out.attribute("kind", entry.isPipeline ? "pipeline" : "pass");
          out.attribute("owner", entry.owner);
          out.attribute("summary", entry.summary);
        });
      }
    });
    llvm::outs() << '\n';
    return;
  }
  size_t width = 0;
  for (const auto &[name, entry] : entries) {
    width = std::max(width, name.size());
  }
  for (const bool isPipeline : {false, true}) {
    llvm::outs() << (isPipeline ? "\nPipelines:\n" : "Passes:\n");
    for (const auto &[name, entry] : entries) {
      if (entry.isPipeline == isPipeline) {
        llvm::outs() << "  " << llvm::left_justify(name, width) << "  "
                     << llvm::left_justify(entry.owner, 8) << "  " << entry.summary << '\n';
      }
    }
  }
}

static const char *stateOf(const PluginReport &report) {
  const bool hasWarning = llvm::any_of(
      report.checks, [](const auto &check) { return check.state == CheckState::Warned; });
  return report.failure()           ? "refused"
         : !report.hiddenBy.empty() ? "hidden"
         : hasWarning               ? "warned"
                                    : "loaded";
}

/// Why a plugin is in that state, empty for one that simply works.
static std::string reasonOf(const PluginReport &report) {
  if (const runtime::PluginCheck *failure = report.failure()) {
    return failure->detail + " [" + failure->id + "]";
  }
  if (!report.hiddenBy.empty()) {
    return "hidden by " + report.hiddenBy;
  }
  for (const runtime::PluginCheck &check : report.checks) {
    if (check.state == CheckState::Warned) {
      return check.detail + " [" + check.id + "]";
    }
  }
  return "";
}

void opt::printPlugins(const tools::PluginArguments &plugins, bool json) {
  std::vector<std::string> problems;
  const std::vector<PluginReport> reports = reportsOf(plugins, &problems);
  auto halves = [](const PluginReport &report) -> std::string {
    const unsigned components = report.note.components;
    const bool compiler = components & TEGULA_COMPILER, runtime = components & TEGULA_RUNTIME;
    return compiler && runtime ? "both" : compiler ? "compiler" : runtime ? "runtime" : "-";
  };
  if (json) {
    llvm::json::OStream out(llvm::outs(), 2);
    out.array([&] {
      for (const PluginReport &report : reports) {
        out.object([&] {
          out.attribute("id", report.note.id);
          out.attribute("half", halves(report));
          out.attribute("state", stateOf(report));
          out.attribute("reason", reasonOf(report));
          out.attribute("path", report.note.path);
        });
      }
    });
    llvm::outs() << '\n';
    return;
  }
  for (const PluginReport &report : reports) {
    llvm::outs() << llvm::left_justify(report.note.id.empty() ? "-" : report.note.id, 10) << ' '
                 << llvm::left_justify(halves(report), 8) << ' '
                 << llvm::left_justify(stateOf(report), 8) << ' ' << report.note.path << '\n';
    if (const std::string reason = reasonOf(report); !reason.empty()) {
      llvm::outs() << "           " << reason << '\n';
    }
  }
  for (const std::string &problem : problems) {
    llvm::outs() << problem << '\n';
  }
}
