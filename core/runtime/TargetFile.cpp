//===- TargetFile.cpp - What users name as a target ---------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TargetFile.h"

#include "Device.h"
#include "Guard.h"
#include "tegula/Runtime/PluginHost.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace fs = std::filesystem;
using namespace tegula::runtime;

//===----------------------------------------------------------------------===//
// Built-in targets
//===----------------------------------------------------------------------===//

std::vector<std::string> tegula::runtime::builtinTargets() {
  // The CPU is always there; others need a plugin that compiles.
  std::vector<std::string> names = {"cpu"};
  for (const PluginNote &note : discoverPlugins()) {
    if ((note.components & TEGULA_COMPILER) &&
        std::find(names.begin(), names.end(), note.id) == names.end()) {
      names.push_back(note.id);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

static bool isBuiltin(const std::string &backend) {
  const std::vector<std::string> names = builtinTargets();
  return std::find(names.begin(), names.end(), backend) != names.end();
}

tg_target tegula::runtime::builtinTarget(const std::string &backend, const std::string &arch) {
  tg_target target;
  target.id = target.backend = backend;
  target.arch = arch.empty() ? "native" : arch;
  if (!arch.empty()) {
    target.id += "-" + arch;
    // Ids have fewer characters than the names of processors may.
    for (char &c : target.id) {
      const bool isFine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '.' || c == '_';
      c = isFine ? c : '-';
    }
  }
  target.yaml = writeTarget(target);
  return target;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

tg_status *tegula::runtime::parseTargetName(const std::string &what, const std::string &origin,
                                            TargetName &name) {
  const char *const hint = "name a built-in target or the path of a YAML descriptor";
  if (what == "cpu") { // the common one, without a look at the plugins
    name.backend = what;
    return nullptr;
  }
  std::error_code error;
  const size_t slash = what.find('/');
  const std::string backend = what.substr(0, slash);
  // A descriptor is a file: folders hide no built-in target.
  if (fs::exists(what, error) && !(fs::is_directory(what, error) && isBuiltin(backend))) {
    name.path = what;
    return nullptr;
  }
  const size_t colon = what.rfind(':');
  if (colon != std::string::npos && colon > 0 && fs::exists(what.substr(0, colon), error)) {
    name.path = what.substr(0, colon);
    name.id = what.substr(colon + 1);
    if (name.id.empty()) {
      return makeStatus(TG_TARGET_ERROR, status::NoSuchTarget,
                        origin + "expected the id of a target after ':', got '" + what + "'");
    }
    return nullptr;
  }
  if (!backend.empty() && isBuiltin(backend)) {
    name.backend = backend;
    name.arch = slash == std::string::npos ? "" : what.substr(slash + 1);
    if (slash == std::string::npos || !name.arch.empty()) {
      return nullptr;
    }
    return makeStatus(TG_TARGET_ERROR, status::NoSuchTarget,
                      origin + "expected an architecture of backend '" + backend +
                          "' after '/', got '" + what + "'");
  }
  if (slash != std::string::npos || what.find(".yaml") != std::string::npos ||
      what.find(".yml") != std::string::npos) {
    return makeStatus(TG_TARGET_ERROR, status::NoSuchTarget,
                      origin + "no descriptor file '" +
                          (colon == std::string::npos ? what : what.substr(0, colon)) + "'",
                      hint);
  }
  std::string names;
  for (const std::string &known : builtinTargets()) {
    names += (names.empty() ? "" : ", ") + known;
  }
  return makeStatus(TG_TARGET_ERROR, status::NoSuchTarget,
                    origin + "no target or file '" + what + "'" +
                        didYouMean(what, builtinTargets()) + "; built-in targets: " + names,
                    hint);
}

tg_status *tegula::runtime::findTarget(const Descriptor &descriptor, const std::string &file,
                                       const std::string &id, tg_target &target) {
  std::vector<std::string> ids;
  std::string list;
  for (const tg_target &candidate : descriptor.targets) {
    if (candidate.id == id) {
      target = candidate;
      return nullptr;
    }
    ids.push_back(candidate.id);
    list += (list.empty() ? "" : ", ") + candidate.id;
  }
  return makeStatus(TG_TARGET_ERROR, status::NoSuchTarget,
                    file + ": no target '" + id + "'" + didYouMean(id, ids) +
                        "; the file has: " + list);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static tg_status *tooLarge(const std::string &path, uintmax_t size) {
  return makeStatus(TG_TARGET_ERROR, status::WrongDescriptor,
                    path + ": expected a target descriptor of at most 1 MiB, got " +
                        std::to_string(size) + " bytes");
}

static tg_status *readFile(const std::string &path, std::string &text) {
  constexpr uintmax_t limit = 1 << 20;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    return makeStatus(TG_TARGET_ERROR, status::FileAccess,
                      path + ": expected a target descriptor, got a folder");
  }
  if (const uintmax_t size = fs::file_size(path, error); !error && size > limit) {
    return tooLarge(path, size);
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  // Pipes have no size; no more than a byte too many is read of one.
  std::string read(limit + 1, '\0');
  if (stream.is_open()) {
    stream.read(read.data(), std::streamsize(read.size()));
  }
  if (!stream.is_open() || stream.bad()) {
    return makeStatus(TG_TARGET_ERROR, status::FileAccess,
                      "cannot read '" + path + "': " + std::strerror(errno));
  }
  read.resize(size_t(stream.gcount()));
  if (read.size() > limit) {
    return tooLarge(path, read.size());
  }
  text = std::move(read);
  return nullptr;
}

tg_status *tegula::runtime::readDescriptorFile(const std::string &path, Descriptor &descriptor) {
  std::string text;
  if (tg_status *status = readFile(path, text)) {
    return status;
  }
  return readDescriptor(text, path, descriptor);
}

tg_status *tegula::runtime::useDescriptorFile(const std::string &path, Descriptor &descriptor) {
  if (tg_status *status = readDescriptorFile(path, descriptor)) {
    return status;
  }
  for (const DriverLibrary &library : descriptor.libraries) {
    if (tg_status *status = setDriverLibrary(library.backend, library.path)) {
      return prefixed(status, path + ": runtime.library." + library.backend + ": ");
    }
  }
  return nullptr;
}

std::string tegula::runtime::libraryOfVariable(const std::string &backend) {
  const char *variable = std::getenv("TEGULA_TARGET");
  TargetName name;
  Descriptor descriptor;
  tg_status *status = variable && *variable ? parseTargetName(variable, "", name) : nullptr;
  if (!status && !name.path.empty()) {
    status = readDescriptorFile(name.path, descriptor);
  }
  // Whoever uses the variable as a target gets to know what is wrong with it.
  tg_status_free(status);
  for (const DriverLibrary &library : descriptor.libraries) {
    if (library.backend == backend) {
      return library.path;
    }
  }
  return "";
}

tg_status *tegula::runtime::checkDescriptorFile(const std::string &path,
                                                std::vector<std::string> &targets,
                                                std::vector<std::string> &unchecked) {
  return guarded([&]() -> tg_status * {
    Descriptor descriptor;
    if (tg_status *status = readDescriptorFile(path, descriptor)) {
      return status;
    }
    for (const tg_target &target : descriptor.targets) {
      targets.push_back(target.id);
    }
    unchecked = descriptor.unchecked;
    return nullptr;
  });
}
