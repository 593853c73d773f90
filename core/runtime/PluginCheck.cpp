//===- PluginCheck.cpp - Does a plugin fit this host ------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PluginCheck.h"

#include "ElfNote.h"
#include "TegulaHeaderHash.h"

#include <cstring>

using namespace tegula::runtime;

static const char *const rebuildHint =
    "rebuild the plugin against this Tegula, or install the release it was built for";

static tg_status *refuse(const PluginNote &note, StatusID id, const std::string &message,
                         const char *hint = rebuildHint) {
  return makeStatus(TG_INCOMPATIBLE, id, note.path + ": " + message, hint);
}

static std::string hostLLVM() {
  return std::to_string(TEGULA_LLVM_MAJOR) + "." + std::to_string(TEGULA_LLVM_MINOR);
}

static tg_status *checkMajor(const PluginNote &note, unsigned major, unsigned minor) {
  if (major == TEGULA_API_MAJOR) {
    return nullptr;
  }
  return refuse(note, status::PluginVersion,
                "expected plugin API " + std::to_string(TEGULA_API_MAJOR) + ".x, got " +
                    std::to_string(major) + "." + std::to_string(minor));
}

tg_status *tegula::runtime::checkPluginFile(const PluginNote &note) {
  if (tg_status *status = checkMajor(note, note.apiMajor, note.apiMinor)) {
    return status;
  }
  ElfFacts facts;
  if (const std::string problem = readElf(note.path, /*noteOnly=*/false, facts); !problem.empty()) {
    return refuse(note, status::NotAPlugin, problem, "");
  }
  if (!facts.definesQuery) {
    return refuse(note, status::NotAPlugin, "does not export " TEGULA_PLUGIN_QUERY, "");
  }
  if (!(note.components & TEGULA_COMPILER)) {
    return nullptr;
  }
  const std::string llvm = hostLLVM();
  if (note.llvm != llvm && note.llvm.compare(0, llvm.size() + 1, llvm + ".") != 0) {
    return refuse(note, status::OtherLLVM,
                  "expected a plugin built for LLVM " + llvm + ", got " +
                      (note.llvm.empty() ? "none" : note.llvm));
  }
  if (!facts.foreignSymbol.empty()) {
    return refuse(note, status::OwnLLVM, "carries its own LLVM: it defines " + facts.foreignSymbol,
                  "link only the dylibs MLIR and LLVM, and hide the plugin's symbols");
  }
  const std::string mlir = "libMLIR.so." + llvm;
  for (const std::string &library : facts.needed) {
    if (library.starts_with("libMLIR.so") && library != mlir) {
      return refuse(note, status::OtherLLVM,
                    "expected a plugin linked to " + mlir + ", got " + library);
    }
  }
  if (note.headers != TEGULA_HEADER_HASH) {
    return refuse(note, status::HeaderHash,
                  "expected Tegula headers " TEGULA_HEADER_HASH ", got " + note.headers);
  }
  return nullptr;
}

/// Name of the first slot marked * in plugin.h that is null, or null.
static const char *missingSlot(const tegula_runtime_v1 &table) {
#define NEED(slot)                                                                                 \
  if (!TEGULA_HAS_FIELD(tegula_runtime_v1, &table, slot) || !table.slot) {                         \
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

static std::string nameSanitizers(unsigned sanitizers) {
  return sanitizers == TEGULA_SANITIZER_ADDRESS  ? "with the address sanitizer"
         : sanitizers == TEGULA_SANITIZER_THREAD ? "with the thread sanitizer"
         : sanitizers == TEGULA_SANITIZER_MEMORY ? "with the memory sanitizer"
         : sanitizers == 0                       ? "without sanitizers"
                                                 : "with several sanitizers";
}

static tg_status *checkFacts(const PluginNote &note, const tegula_plugin &plugin) {
  const tegula_build_facts *facts = plugin.facts;
  if (!facts || !TEGULA_HAS_FIELD(tegula_build_facts, facts, cxx_abi)) {
    return refuse(note, status::BuildFacts, "its compiler component has no build facts");
  }
  if (facts->llvm_major != TEGULA_LLVM_MAJOR || facts->llvm_minor != TEGULA_LLVM_MINOR) {
    return refuse(note, status::BuildFacts,
                  "expected LLVM " + hostLLVM() + ", got " + std::to_string(facts->llvm_major) +
                      "." + std::to_string(facts->llvm_minor));
  }
  const char *abi = facts->cxx_abi ? facts->cxx_abi : "";
  if (std::strcmp(abi, TEGULA_CXX_ABI) != 0) {
    return refuse(note, status::CxxABI,
                  std::string("expected C++ ABI " TEGULA_CXX_ABI ", got ") + abi);
  }
  if (plugin.sanitizers != TEGULA_SANITIZERS) {
    return refuse(note, status::CxxABI,
                  "expected a plugin built " + nameSanitizers(TEGULA_SANITIZERS) +
                      ", got one built " + nameSanitizers(plugin.sanitizers));
  }
  return nullptr;
}

tg_status *tegula::runtime::checkPluginTable(const PluginNote &note, const tegula_plugin *plugin) {
  if (!plugin) {
    return refuse(note, status::PluginVersion,
                  "does not serve plugin API " + std::to_string(TEGULA_API_MAJOR) + "." +
                      std::to_string(TEGULA_API_MINOR));
  }
  // Only the version is looked at before it is known to fit.
  if (!TEGULA_HAS_FIELD(tegula_plugin, plugin, api_minor)) {
    return refuse(note, status::PluginEntry, "its table is too small to have a version");
  }
  if (tg_status *status = checkMajor(note, plugin->api_major, plugin->api_minor)) {
    return status;
  }
  if (!TEGULA_HAS_FIELD(tegula_plugin, plugin, runtime) || !plugin->id) {
    return refuse(note, status::PluginEntry, "its table is incomplete");
  }
  if (note.id != plugin->id) {
    return refuse(note, status::PluginEntry,
                  "its note says '" + note.id + "', its table '" + plugin->id + "'", "");
  }
  if (plugin->components & TEGULA_COMPILER) {
    const tegula_compiler_v1 *compiler = plugin->compiler;
    if (!compiler || !TEGULA_HAS_FIELD(tegula_compiler_v1, compiler, identity) ||
        !compiler->backend || !compiler->identity) {
      return refuse(note, status::PluginEntry, "its compiler table lacks 'backend' or 'identity'");
    }
    if (tg_status *status = checkFacts(note, *plugin)) {
      return status;
    }
  }
  if (plugin->components & TEGULA_RUNTIME) {
    if (!plugin->runtime) {
      return refuse(note, status::PluginEntry, "its runtime table is missing");
    }
    if (const char *slot = missingSlot(*plugin->runtime)) {
      return refuse(note, status::PluginEntry,
                    std::string("its runtime table lacks '") + slot + "'");
    }
  }
  return nullptr;
}
