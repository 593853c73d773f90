//===- PluginProcess.cpp - Which LLVM is in this process --------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PluginCheck.h"

#include "tegula/Runtime/BuildIdentity.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <link.h>

using namespace tegula::runtime;

//===----------------------------------------------------------------------===//
// The process map
//===----------------------------------------------------------------------===//

namespace {
struct Object {
  std::string path;
  const void *address;
};
} // namespace

static std::string fileName(const std::string &path) {
  return path.substr(path.rfind('/') + 1); // npos + 1 is 0
}

static int collect(dl_phdr_info *info, size_t, void *data) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type == PT_LOAD) {
      const ElfW(Addr) address = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
      static_cast<std::vector<Object> *>(data)->push_back(
          {info->dlpi_name ? info->dlpi_name : "", reinterpret_cast<const void *>(address)});
      break;
    }
  }
  return 0;
}

std::vector<MappedLLVM> tegula::runtime::mappedLLVM() {
  std::vector<Object> objects;
  dl_iterate_phdr(collect, &objects);
  std::vector<MappedLLVM> found;
  for (const Object &object : objects) {
    const std::string name = fileName(object.path);
    const bool isMLIR = name.starts_with("libMLIR.so");
    if (isMLIR || name.starts_with("libLLVM.so") || name.starts_with("libLLVM-")) {
      std::string id = buildIdentity(object.address);
      found.push_back({object.path, id.find(' ') == std::string::npos ? id : "", isMLIR});
    }
  }
  return found;
}

static std::string hostName(bool isMLIR) {
  return std::string(isMLIR ? "libMLIR.so." : "libLLVM.so.") + std::to_string(TEGULA_LLVM_MAJOR) +
         "." + std::to_string(TEGULA_LLVM_MINOR);
}

std::string tegula::runtime::secondLLVM(const std::vector<MappedLLVM> &before) {
  const std::vector<MappedLLVM> now = mappedLLVM();
  for (const MappedLLVM &added : now) {
    const auto isSame = [&](const MappedLLVM &other) { return other.path == added.path; };
    if (std::any_of(before.begin(), before.end(), isSame)) {
      continue;
    }
    for (const MappedLLVM &other : now) {
      if (other.isMLIR == added.isMLIR && other.path != added.path) {
        return added.path + " beside " + other.path;
      }
    }
    if (!fileName(added.path).starts_with(hostName(added.isMLIR))) {
      return added.path + ", where Tegula uses " + hostName(added.isMLIR);
    }
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Build ids
//===----------------------------------------------------------------------===//

/// -1: as the environment says.
static std::atomic<int> strictness{-1};

void tegula::runtime::setPluginAbiStrict(bool strict) { strictness = strict ? 1 : 0; }

bool tegula::runtime::checkBuildIds(PluginReport &report) {
  const tegula_build_facts &facts = *report.plugin->facts;
  std::string same, different;
  for (const MappedLLVM &library : mappedLLVM()) {
    if (!fileName(library.path).starts_with(hostName(library.isMLIR))) {
      continue; // some other library of the process has it for itself
    }
    const char *recorded = library.isMLIR ? facts.mlir_build_id : facts.llvm_build_id;
    if (!recorded || !*recorded || library.buildId.empty()) {
      continue;
    }
    const std::string name = library.isMLIR ? "libMLIR" : "libLLVM";
    if (library.buildId == recorded) {
      same += (same.empty() ? "" : ", ") + name + " " + recorded;
    } else {
      different += (different.empty() ? "" : ", and ") + std::string("expected ") + name + " " +
                   library.buildId + ", got " + recorded;
    }
  }
  if (different.empty()) {
    if (same.empty()) {
      report.skip(PluginStep::BuildIds, "nothing to compare");
    } else {
      report.pass(PluginStep::BuildIds, same);
    }
    return true;
  }
  const char *const hint = "rebuild the plugin with the LLVM libraries of this machine";
  const char *variable = std::getenv("TEGULA_PLUGIN_ABI");
  const std::string mode = variable ? variable : "";
  const int told = strictness;
  if (told < 0 && !mode.empty() && mode != "warn" && mode != "strict") {
    return report.refuse(PluginStep::BuildIds, status::OtherBuildID,
                         "TEGULA_PLUGIN_ABI: expected 'warn' or 'strict', got '" + mode + "'", "");
  }
  const std::string message = "was built with another build of LLVM: " + different;
  if (told > 0 || (told < 0 && mode == "strict")) {
    return report.refuse(PluginStep::BuildIds, status::OtherBuildID, message, hint);
  }
  PluginCheck &check = report.at(PluginStep::BuildIds);
  check.state = CheckState::Warned;
  check.id = status::OtherBuildID.name;
  check.detail = message;
  check.hint = hint;
  return true;
}
