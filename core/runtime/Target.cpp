//===- Target.cpp - Resolving targets -----------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Descriptor.h"
#include "Device.h"
#include "Guard.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fnmatch.h>
#include <fstream>
#include <memory>
#include <sstream>

namespace fs = std::filesystem;
using namespace tegula::runtime;

//===----------------------------------------------------------------------===//
// Built-in targets
//===----------------------------------------------------------------------===//

// Descriptor text, so that built-in targets take the same road as files.
static const char *const cpuDescriptor =
    "schema: tegula.target/v1\n"
    "targets:\n"
    "  - {id: cpu, backend: cpu, arch: native, emit: [elf-so]}\n";

const std::vector<std::string> &tegula::runtime::builtinTargets() {
  static const std::vector<std::string> names = {"cpu"};
  return names;
}

//===----------------------------------------------------------------------===//
// select
//===----------------------------------------------------------------------===//

static bool matches(const SelectRule &rule, const tg_device_info &info, const char *kind,
                    int64_t index) {
  const auto same = [](const std::string &wanted, const char *got) {
    return wanted.empty() || (got && fnmatch(wanted.c_str(), got, 0) == 0);
  };
  if (rule.kind != "" && rule.kind != kind) {
    return false;
  }
  bool isListed = rule.index.empty();
  for (const int64_t listed : rule.index) {
    isListed |= listed == index;
  }
  const double memory = double(info.memory_total) / (1 << 30);
  const std::string &compare = rule.memoryCompare;
  const bool fits = rule.memoryGB == 0 ? true
                    : compare == ">="  ? memory >= rule.memoryGB
                    : compare == "<="  ? memory <= rule.memoryGB
                    : compare == ">"   ? memory > rule.memoryGB
                    : compare == "<"   ? memory < rule.memoryGB
                                       : std::abs(memory - rule.memoryGB) < 0.5;
  return isListed && fits && same(rule.arch, info.arch) && same(rule.name, info.name);
}

/// Whether a device of this machine matches the rule.
static bool matchesAnyDevice(const SelectRule &rule) {
  const std::string kind = rule.kind.empty() ? "cpu" : rule.kind;
  for (int index = 0;; ++index) {
    tg_device *device = nullptr;
    if (tg_status *status = tg_device_get(kind.c_str(), index, &device)) {
      tg_status_free(status);
      return false;
    }
    tg_device_info info = {};
    info.struct_size = sizeof info;
    const tegula_runtime_v1 &table = *device->plugin->runtime;
    if (tg_plugin_status *status = table.device_info(device->driver, index, &info)) {
      table.status_free(status);
      continue;
    }
    if (matches(rule, info, kind.c_str(), index)) {
      return true;
    }
  }
}

/// The target for whoever names none: that of the first rule with a device here,
/// else the first of the file, since compiling needs no device.
static const tg_target &preferred(const Descriptor &descriptor) {
  for (const SelectRule &rule : descriptor.select) {
    if (matchesAnyDevice(rule)) {
      for (const tg_target &target : descriptor.targets) {
        if (target.id == rule.use) {
          return target;
        }
      }
    }
  }
  return descriptor.targets.front();
}

//===----------------------------------------------------------------------===//
// Resolving
//===----------------------------------------------------------------------===//

tg_status *tegula::runtime::parseDescriptor(const std::string &text, const std::string &file,
                                            const std::string &wanted, tg_target &target) {
  return guarded([&]() -> tg_status * {
    Descriptor descriptor;
    if (tg_status *status = readDescriptor(text, file, descriptor)) {
      return status;
    }
    if (wanted.empty()) {
      target = preferred(descriptor);
      return nullptr;
    }
    std::vector<std::string> ids;
    std::string list;
    for (const tg_target &candidate : descriptor.targets) {
      if (candidate.id == wanted) {
        target = candidate;
        return nullptr;
      }
      ids.push_back(candidate.id);
      list += (list.empty() ? "" : ", ") + candidate.id;
    }
    return makeStatus(TG_TARGET_ERROR, status::NoSuchTarget,
                      file + ": no target '" + wanted + "'" + didYouMean(wanted, ids) +
                          "; the file has: " + list);
  });
}

static tg_status *readFile(const std::string &path, std::string &text) {
  constexpr uintmax_t limit = 1 << 20;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    return makeStatus(TG_TARGET_ERROR, status::FileAccess,
                      path + ": expected a target descriptor, got a folder");
  }
  if (const uintmax_t size = fs::file_size(path, error); !error && size > limit) {
    return makeStatus(TG_TARGET_ERROR, status::WrongDescriptor,
                      path + ": expected a target descriptor of at most 1 MiB, got " +
                          std::to_string(size) + " bytes");
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream content;
  // Copying nothing, from an empty file, is a failure to the stream only.
  if (!stream.is_open() || (!(content << stream.rdbuf()) && errno)) {
    return makeStatus(TG_TARGET_ERROR, status::FileAccess,
                      "cannot read '" + path + "': " + std::strerror(errno));
  }
  text = content.str();
  return nullptr;
}

tg_status *tegula::runtime::checkDescriptorFile(const std::string &path,
                                                std::vector<std::string> &targets,
                                                std::vector<std::string> &unchecked) {
  return guarded([&]() -> tg_status * {
    std::error_code error;
    if (!fs::exists(path, error)) {
      return makeStatus(TG_TARGET_ERROR, status::FileAccess,
                        "cannot read '" + path + "': No such file or directory");
    }
    std::string text;
    if (tg_status *status = readFile(path, text)) {
      return status;
    }
    Descriptor descriptor;
    if (tg_status *status = readDescriptor(text, path, descriptor)) {
      return status;
    }
    for (const tg_target &target : descriptor.targets) {
      targets.push_back(target.id);
    }
    unchecked = descriptor.unchecked;
    return nullptr;
  });
}

/// `origin` says in messages where `what` comes from.
static tg_status *resolve(const std::string &what, const std::string &origin, tg_target &target) {
  if (what == "cpu") {
    return parseDescriptor(cpuDescriptor, "<built-in cpu>", "", target);
  }
  std::string path = what, id, text;
  std::error_code error;
  if (!fs::exists(path, error)) {
    const size_t colon = what.rfind(':');
    if (colon != std::string::npos && colon > 0 && fs::exists(what.substr(0, colon), error)) {
      path = what.substr(0, colon);
      id = what.substr(colon + 1);
    } else if (path.find('/') != std::string::npos || path.find(".yaml") != std::string::npos ||
               path.find(".yml") != std::string::npos) {
      return makeStatus(TG_TARGET_ERROR, status::NoSuchTarget,
                        origin + "no descriptor file '" +
                            (colon == std::string::npos ? path : path.substr(0, colon)) + "'",
                        "name a built-in target or the path of a YAML descriptor");
    } else {
      std::string names;
      for (const std::string &name : builtinTargets()) {
        names += (names.empty() ? "" : ", ") + name;
      }
      return makeStatus(TG_TARGET_ERROR, status::NoSuchTarget,
                        origin + "no target or file '" + what + "'" +
                            didYouMean(what, builtinTargets()) + "; built-in targets: " + names,
                        "name a built-in target or the path of a YAML descriptor");
    }
  }
  if (tg_status *status = readFile(path, text)) {
    return prefixed(status, origin);
  }
  if (id.empty() && path.size() < what.size()) {
    return makeStatus(TG_TARGET_ERROR, status::NoSuchTarget,
                      origin + "expected the id of a target after ':', got '" + what + "'");
  }
  tg_status *status = parseDescriptor(text, path, id, target);
  // Descriptors' own problems start with the file's name and line.
  return status && status->diagnosticsJson == "[]" ? prefixed(status, origin) : status;
}

tg_status *tg_target_resolve(const char *what, tg_target **target) {
  return guarded([&]() -> tg_status * {
    if (!target) {
      return nullPointer("a place for the target");
    }
    *target = nullptr;
    auto made = std::make_unique<tg_target>();
    tg_status *status = nullptr;
    const char *variable = what && *what ? nullptr : std::getenv("TEGULA_TARGET");
    if (what && *what) {
      status = resolve(what, "", *made);
    } else if (variable && *variable) {
      status = resolve(variable, "TEGULA_TARGET: ", *made);
    } else {
      status = resolve("cpu", "", *made);
    }
    if (!status) {
      *target = made.release();
    }
    return status;
  });
}

const char *tg_target_id(const tg_target *target) { return target ? target->id.c_str() : ""; }
const char *tg_target_backend(const tg_target *target) {
  return target ? target->backend.c_str() : "";
}
const char *tg_target_arch(const tg_target *target) { return target ? target->arch.c_str() : ""; }
const char *tg_target_yaml(const tg_target *target) { return target ? target->yaml.c_str() : ""; }
void tg_target_free(tg_target *target) { delete target; }
