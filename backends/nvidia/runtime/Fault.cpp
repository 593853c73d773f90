//===- Fault.cpp - Which kernel a fault is of -----------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fault.h"

#include "CoreFile.h"
#include "Runtime.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace tegula::nvidia {

const KernelNote *keepNote(const std::string &name, const std::string &where) {
  static std::mutex lock;
  static auto *notes = new std::vector<std::unique_ptr<KernelNote>>; // outlives every module
  const std::lock_guard<std::mutex> guard(lock);
  for (const auto &note : *notes) {
    if (note->name == name && note->where == where) {
      return note.get();
    }
  }
  return notes->emplace_back(new KernelNote{name, where}).get();
}

//===----------------------------------------------------------------------===//
// What ran
//===----------------------------------------------------------------------===//

static std::string quoted(const KernelNote &note) {
  return "kernel '" + note.name + "'" + (note.where.empty() ? "" : " (" + note.where + ")");
}

std::string RecentLaunches::describe() const {
  static constexpr size_t most = 4;
  std::vector<const KernelNote *> found; // the latest first
  const unsigned count = next.load(std::memory_order_relaxed);
  for (unsigned back = 1; back <= kSlots; ++back) {
    const KernelNote *note = slots[(count - back) % kSlots].note.load(std::memory_order_relaxed);
    if (note && std::find(found.begin(), found.end(), note) == found.end()) {
      found.push_back(note);
    }
  }
  if (found.size() < 2) {
    return found.empty() ? "" : quoted(*found.front());
  }
  std::string text = "one of ";
  const size_t shown = std::min(found.size(), most);
  for (size_t i = 0; i < shown; ++i) {
    const bool isLast = i + 1 == shown && shown == found.size();
    text += (i == 0 ? "" : isLast ? " and " : ", ") + quoted(*found[i]);
  }
  if (shown < found.size()) {
    text += " and " + std::to_string(found.size() - shown) + " before them";
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Core files
//===----------------------------------------------------------------------===//

static bool isWatchingWanted() {
  const char *text = std::getenv("TEGULA_GPU_FAULTS");
  std::string word = text ? text : "";
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return char(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c); });
  static const char *const off[] = {"", "0", "false", "no", "off"};
  return std::none_of(std::begin(off), std::end(off), [&](const char *no) { return word == no; });
}

static std::string coreFileName() {
  const char *folder = std::getenv("TMPDIR");
  return std::string(folder && *folder ? folder : "/tmp") + "/tegula-fault-" +
         std::to_string(getpid()) + ".core";
}

void watchFaults(tg_driver &driver) {
  const Cuda &cuda = driver.cuda;
  if (!isWatchingWanted()) {
    return;
  }
  driver.notWatched = "the driver is too old for it";
  if (!cuda.coredumpSet) {
    return;
  }
  const auto set = [&](int attribute, void *value, size_t size) {
    return cuda.coredumpSet(attribute, value, &size) == 0;
  };
  std::string file = coreFileName();
  unsigned flags = kCoredumpSmall;
  bool no = false, yes = true;
  // The flags come first: without them the driver ends the process after the dump.
  if (!set(kCoredumpFlags, &flags, sizeof flags) || !set(kCoredumpTriggerHost, &no, sizeof no) ||
      !set(kCoredumpFile, file.data(), file.size() + 1) ||
      !set(kCoredumpOnException, &yes, sizeof yes)) {
    return;
  }
  for (const DeviceFacts &facts : driver.devices) {
    unsigned unused = 0;
    int isActive = 0;
    if (cuda.primaryState && cuda.primaryState(facts.device, &unused, &isActive) == 0 && isActive) {
      driver.notWatched = "the GPU was in use before Tegula was imported";
      return;
    }
  }
  driver.notWatched.clear();
  driver.coreFile = std::move(file);
}

static std::string describe(const CoreFault &fault) {
  std::string text = "in ";
  text += fault.place.function.empty() ? "a kernel" : "kernel '" + fault.place.function + "'";
  if (fault.place.line) {
    text += " at " + fault.place.file + ":" + std::to_string(fault.place.line);
  }
  text += fault.who.empty() ? "" : ", " + fault.who;
  return text + (fault.exception.empty() ? "" : ": " + fault.exception);
}

std::optional<std::string> takeReport(const tg_context &context) {
  const std::string &path = context.driver->coreFile;
  if (path.empty() || access(path.c_str(), F_OK) != 0) {
    return std::nullopt;
  }
  std::ifstream stream(path, std::ios::binary);
  const std::optional<CoreFault> fault =
      readCoreFile(std::string(std::istreambuf_iterator<char>(stream), {}));
  // "0000:00:06.0" is the device 00:06.
  if (!fault || (!fault->device.empty() && !context.facts->pci.empty() &&
                 context.facts->pci.find(":" + fault->device + ".") == std::string::npos)) {
    return std::nullopt;
  }
  unlink(path.c_str());
  return describe(*fault);
}

std::string describeFault(tg_context &context) {
  const tg_driver &driver = *context.driver;
  for (int attempt = 0; attempt < 20 && !driver.coreFile.empty(); ++attempt) {
    if (std::optional<std::string> report = takeReport(context)) {
      return *report;
    }
    usleep(50000);
  }
  std::string text = context.recent.describe();
  text = text.empty() ? "" : "in " + text;
  if (!driver.coreFile.empty() || !driver.notWatched.empty()) {
    text += (text.empty() ? "" : "; ") + std::string("no exact line, though ") +
            "TEGULA_GPU_FAULTS asks for it: " +
            (driver.notWatched.empty() ? "CUDA's report does not tell" : driver.notWatched);
  }
  return text;
}

} // namespace tegula::nvidia
