//===- PluginCheck.cpp - Does a plugin fit this host ------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PluginCheck.h"

#include "ElfNote.h"
#include "TegulaHeaderHash.h"

#include <algorithm>
#include <charconv>
#include <cstring>

using namespace tegula::runtime;

static const char *const rebuildHint =
    "rebuild the plugin against this Tegula, or install the release it was built for";

//===----------------------------------------------------------------------===//
// The note
//===----------------------------------------------------------------------===//

bool tegula::runtime::isPluginId(const std::string &id) {
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

/// Names between commas; those of later versions are left out.
static unsigned parseComponents(const std::string &list) {
  unsigned components = 0;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    const std::string name = list.substr(at, end - at);
    components |= name == "compiler" ? TEGULA_COMPILER : name == "runtime" ? TEGULA_RUNTIME : 0;
    at = end + 1;
  }
  return components;
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
      note.components = parseComponents(value);
    }
  }
  return hasVersion && isPluginId(note.id) && note.components != 0;
}

/// Steps File and Note, from what was read of the file.
static bool checkContent(PluginReport &report, const std::string &problem, const ElfFacts &facts) {
  const char *const hint = "a plugin is a shared library built with tegula_add_backend_plugin";
  if (!problem.empty()) {
    return report.refuse(PluginStep::File, status::NotAPlugin, problem, hint);
  }
  if (facts.writableByAll) {
    return report.refuse(PluginStep::File, status::WritablePlugin,
                         "may be written by everybody, so its code is not trusted",
                         "chmod o-w " + report.note.path);
  }
  report.pass(PluginStep::File, "a shared library");
  if (facts.note.empty()) {
    return report.refuse(PluginStep::Note, status::NotAPlugin,
                         "has no note .note.tegula, so it is no plugin", hint);
  }
  if (!parseNote(facts.note, report.note)) {
    return report.refuse(PluginStep::Note, status::NotAPlugin, "has a damaged note .note.tegula",
                         hint);
  }
  report.pass(PluginStep::Note, "plugin '" + report.note.id + "'");
  return true;
}

bool tegula::runtime::checkNote(PluginReport &report) {
  ElfFacts facts;
  const std::string problem = readElf(report.note.path, /*noteOnly=*/true, facts);
  return checkContent(report, problem, facts);
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

static std::string hostLLVM() {
  return std::to_string(TEGULA_LLVM_MAJOR) + "." + std::to_string(TEGULA_LLVM_MINOR);
}

static std::string versionText(unsigned major, unsigned minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

static bool checkMajor(PluginReport &report, PluginStep step, unsigned major, unsigned minor) {
  if (major == TEGULA_API_MAJOR) {
    return true;
  }
  return report.refuse(step, status::PluginVersion,
                       "expected plugin API " + std::to_string(TEGULA_API_MAJOR) + ".x, got " +
                           versionText(major, minor),
                       rebuildHint);
}

static std::string nameSanitizers(unsigned sanitizers) {
  return sanitizers == TEGULA_SANITIZER_ADDRESS  ? "with the address sanitizer"
         : sanitizers == TEGULA_SANITIZER_THREAD ? "with the thread sanitizer"
         : sanitizers == TEGULA_SANITIZER_MEMORY ? "with the memory sanitizer"
         : sanitizers == 0                       ? "without sanitizers"
                                                 : "with several sanitizers";
}

static bool refuseSanitizers(PluginReport &report, PluginStep step, unsigned sanitizers) {
  return report.refuse(step, status::Sanitizers,
                       "expected a plugin built " + nameSanitizers(TEGULA_SANITIZERS) +
                           ", got one built " + nameSanitizers(sanitizers),
                       rebuildHint);
}

/// Steps that only matter to libraries that exchange C++ objects with the host.
static bool checkCompilerFile(PluginReport &report, const ElfFacts &facts) {
  const PluginNote &note = report.note;
  const std::string llvm = hostLLVM();
  if (note.llvm != llvm && note.llvm.compare(0, llvm.size() + 1, llvm + ".") != 0) {
    return report.refuse(PluginStep::LLVM, status::OtherLLVM,
                         "expected a plugin built for LLVM " + llvm + ", got " +
                             (note.llvm.empty() ? "none" : note.llvm),
                         rebuildHint);
  }
  for (const std::string &library : facts.needed) {
    // Single libraries of LLVM, libLLVMSupport.so for one, would be a second copy.
    for (const auto &[family, dylib] :
         {std::pair("libMLIR.so", "libMLIR.so."), std::pair("libLLVM", "libLLVM.so.")}) {
      const std::string expected = dylib + llvm;
      if (library.starts_with(family) && library != expected) {
        return report.refuse(PluginStep::LLVM, status::OtherLLVM,
                             "expected a plugin linked to " + expected + ", got " + library,
                             rebuildHint);
      }
    }
  }
  report.pass(PluginStep::LLVM, note.llvm);
  if (!facts.foreignSymbol.empty()) {
    return report.refuse(PluginStep::Symbols, status::OwnLLVM,
                         "carries its own LLVM: it defines " + facts.foreignSymbol,
                         "link only the dylibs MLIR and LLVM, and hide the plugin's symbols");
  }
  report.pass(PluginStep::Symbols, "none of LLVM's");
  if (note.headers != TEGULA_HEADER_HASH) {
    return report.refuse(PluginStep::Headers, status::HeaderHash,
                         "expected Tegula headers " TEGULA_HEADER_HASH ", got " + note.headers,
                         rebuildHint);
  }
  report.pass(PluginStep::Headers, note.headers);
  return true;
}

bool tegula::runtime::checkPluginFile(PluginReport &report) {
  ElfFacts facts;
  const std::string problem = readElf(report.note.path, /*noteOnly=*/false, facts);
  if (!checkContent(report, problem, facts) ||
      !checkMajor(report, PluginStep::Version, report.note.apiMajor, report.note.apiMinor)) {
    return false;
  }
  report.pass(PluginStep::Version, "API " +
                                       versionText(report.note.apiMajor, report.note.apiMinor) +
                                       ", host " + versionText(TEGULA_API_MAJOR, TEGULA_API_MINOR));
  if (!facts.definesQuery) {
    return report.refuse(PluginStep::Entry, status::PluginEntry,
                         "does not export " TEGULA_PLUGIN_QUERY,
                         "declare it with TEGULA_PLUGIN_EXPORT, extern \"C\" in C++");
  }
  report.pass(PluginStep::Entry, TEGULA_PLUGIN_QUERY);
  // Opened in a process without it, a sanitizer's runtime ends the process.
  if (facts.sanitizers & ~TEGULA_SANITIZERS) {
    return refuseSanitizers(report, PluginStep::Load, facts.sanitizers);
  }
  if (report.note.components & TEGULA_COMPILER) {
    return checkCompilerFile(report, facts);
  }
  for (PluginStep step : {PluginStep::LLVM, PluginStep::Symbols, PluginStep::Headers}) {
    report.skip(step, "only of compiler halves");
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// Name of the first slot marked * in plugin.h that is null, or null.
static const char *missingSlot(const tegula_runtime_v1 &table) {
#define NEED(slot)                                                                                 \
  if (!table.slot) {                                                                               \
    return #slot;                                                                                  \
  }
  NEED(device_kinds)
  NEED(formats)
  NEED(open)
  NEED(enumerate)
  NEED(device_info)
  NEED(score)
  NEED(create_context)
  NEED(alloc)
  NEED(release)
  NEED(copy)
  NEED(module_load)
  NEED(kernel_get)
  NEED(launch)
  NEED(stream_sync)
  NEED(status_code)
  NEED(status_text)
  NEED(status_free)
#undef NEED
  return nullptr;
}

/// A table must have at least what version 1.0 had; `least` is where that ends.
static bool checkSize(PluginReport &report, const char *what, uint32_t size, size_t least) {
  if (size >= least) {
    return true;
  }
  return report.refuse(PluginStep::Table, status::TruncatedTable,
                       std::string("its ") + what + " is too small: expected " +
                           std::to_string(least) + " bytes or more, got " + std::to_string(size),
                       rebuildHint);
}

static bool refuseEntry(PluginReport &report, const std::string &message) {
  return report.refuse(PluginStep::Table, status::PluginEntry, message, rebuildHint);
}

static bool refuseSlot(PluginReport &report, const char *half, const char *slot) {
  return report.refuse(PluginStep::Table, status::MissingSlot,
                       std::string("its ") + half + " table lacks '" + slot + "'", rebuildHint);
}

static std::string nameComponents(unsigned components) {
  return components == TEGULA_COMPILER  ? "a compiler"
         : components == TEGULA_RUNTIME ? "a runtime"
         : components == 0              ? "nothing"
                                        : "a compiler and a runtime";
}

/// The end of `field`, which was the last one of version 1.0.
#define LEAST_SIZE(type, field) (offsetof(type, field) + sizeof(type::field))

static bool checkTable(PluginReport &report, const tegula_plugin *plugin) {
  if (!plugin) {
    return report.refuse(PluginStep::Table, status::PluginVersion,
                         "does not serve plugin API " +
                             versionText(TEGULA_API_MAJOR, TEGULA_API_MINOR),
                         rebuildHint);
  }
  // Only the version is looked at before it is known to fit.
  if (!checkSize(report, "table", plugin->struct_size, LEAST_SIZE(tegula_plugin, api_minor)) ||
      !checkMajor(report, PluginStep::Table, plugin->api_major, plugin->api_minor) ||
      !checkSize(report, "table", plugin->struct_size, LEAST_SIZE(tegula_plugin, runtime))) {
    return false;
  }
  if (!plugin->id || report.note.id != plugin->id) {
    return refuseEntry(report, "its note says '" + report.note.id + "', its table " +
                                   (plugin->id ? "'" + std::string(plugin->id) + "'" : "nothing"));
  }
  // The file was checked for what the note says, so the table may offer just that.
  if (const uint32_t known = plugin->components & (TEGULA_COMPILER | TEGULA_RUNTIME);
      known != report.note.components) {
    return refuseEntry(report, "its note offers " + nameComponents(report.note.components) +
                                   ", its table " + nameComponents(known));
  }
  if (plugin->components & TEGULA_COMPILER) {
    const tegula_compiler_v1 *compiler = plugin->compiler;
    if (!compiler) {
      return refuseEntry(report, "its compiler table is missing");
    }
    if (!checkSize(report, "compiler table", compiler->struct_size,
                   LEAST_SIZE(tegula_compiler_v1, identity))) {
      return false;
    }
    if (!compiler->backend || !compiler->identity) {
      return refuseSlot(report, "compiler", compiler->backend ? "identity" : "backend");
    }
  }
  if (plugin->components & TEGULA_RUNTIME) {
    if (!plugin->runtime) {
      return refuseEntry(report, "its runtime table is missing");
    }
    if (!checkSize(report, "runtime table", plugin->runtime->struct_size,
                   LEAST_SIZE(tegula_runtime_v1, status_free))) {
      return false;
    }
    if (const char *slot = missingSlot(*plugin->runtime)) {
      return refuseSlot(report, "runtime", slot);
    }
  }
  report.pass(PluginStep::Table, "version " + std::string(plugin->version ? plugin->version : "?"));
  return true;
}

static bool checkFacts(PluginReport &report, const tegula_plugin &plugin) {
  const tegula_build_facts *facts = plugin.facts;
  const auto refuse = [&](StatusID id, const std::string &message) {
    return report.refuse(PluginStep::Facts, id, message, rebuildHint);
  };
  if (!facts || !TEGULA_HAS_FIELD(tegula_build_facts, facts, cxx_abi)) {
    return refuse(status::BuildFacts, "its compiler component has no build facts");
  }
  if (facts->llvm_major != TEGULA_LLVM_MAJOR || facts->llvm_minor != TEGULA_LLVM_MINOR) {
    return refuse(status::BuildFacts, "expected LLVM " + hostLLVM() + ", got " +
                                          versionText(facts->llvm_major, facts->llvm_minor));
  }
  const char *hash = facts->core_header_hash ? facts->core_header_hash : "";
  if (std::strcmp(hash, TEGULA_HEADER_HASH) != 0) {
    return refuse(status::HeaderHash,
                  std::string("expected facts of Tegula headers " TEGULA_HEADER_HASH ", got ") +
                      hash);
  }
  const char *abi = facts->cxx_abi ? facts->cxx_abi : "";
  if (std::strcmp(abi, TEGULA_CXX_ABI) != 0) {
    return refuse(status::CxxABI, std::string("expected C++ ABI " TEGULA_CXX_ABI ", got ") + abi);
  }
  if (plugin.sanitizers != TEGULA_SANITIZERS) {
    return refuseSanitizers(report, PluginStep::Facts, plugin.sanitizers);
  }
  report.pass(PluginStep::Facts, std::string(abi) + ", " + nameSanitizers(plugin.sanitizers));
  return true;
}

bool tegula::runtime::checkPluginTable(PluginReport &report, const tegula_plugin *plugin) {
  if (!checkTable(report, plugin)) {
    return false;
  }
  if (!(plugin->components & TEGULA_COMPILER)) {
    report.skip(PluginStep::Facts, "only of compiler halves");
  } else if (!checkFacts(report, *plugin)) {
    return false;
  }
  report.plugin = plugin;
  return true;
}
