//===- Target.cpp - Resolving targets -----------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Choice.h"
#include "Device.h"
#include "Guard.h"
#include "Json.h"
#include "TargetFile.h"
#include "Variant.h"
#include "tegula/Runtime/Artifact.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

using namespace tegula::runtime;

//===----------------------------------------------------------------------===//
// Devices and whether targets fit them
//===----------------------------------------------------------------------===//

static std::string textOf(const char *text) { return text ? text : ""; }

static DeviceFacts factsOf(tg_device &device) {
  const tg_device_info &info = deviceInfo(device);
  DeviceFacts facts;
  facts.kind = device.kind;
  facts.ordinal = device.ordinal;
  facts.name = textOf(info.name);
  facts.arch = textOf(info.arch);
  facts.id = textOf(info.id);
  facts.memory = info.memory_total;
  facts.device = &device;
  return facts;
}

static std::string describe(const DeviceFacts &device) {
  return device.place() + " (" + device.name + ", " + device.arch + ")";
}

static std::vector<std::string> formatsOf(const tg_target &target, const tg_device &device) {
  if (!target.emit.empty()) {
    return target.emit;
  }
  std::vector<std::string> formats;
  for (const char *const *it = device.table->formats; it && *it; ++it) {
    formats.emplace_back(*it);
  }
  return formats;
}

/// Why code for the target does not run on the device, or "".
static std::string whyNot(const tg_target &target, const DeviceFacts &facts) {
  tg_device &device = *facts.device;
  if (target.backend != device.plugin->id) {
    const std::vector<PluginNote> notes = discoverPlugins();
    const bool isInstalled = !target.plugin.empty() ||
                             std::any_of(notes.begin(), notes.end(), [&](const PluginNote &note) {
                               return note.id == target.backend;
                             });
    return isInstalled ? "backend '" + target.backend + "' does not serve kind '" + facts.kind + "'"
                       : "no plugin of backend '" + target.backend + "' is installed";
  }
  std::string why;
  for (const std::string &format : formatsOf(target, device)) {
    tg_artifact code;
    code.backend = target.backend;
    code.triple = target.triple;
    code.arch = target.arch == "native" ? facts.arch : target.arch;
    code.format = format;
    code.features = target.features;
    code.options = target.options;
    code.manifest = "{}";
    int32_t score = -1;
    if (tg_status *status = scoreVariant(device, Variant(code), score, why)) {
      why = status->message;
      tg_status_free(status);
    } else if (score >= 0) {
      return "";
    }
  }
  return why.empty() ? "its backend runs no format" : why;
}

/// The same for targets that nobody has named: those must compile, too.
static std::string whyNotByDefault(const tg_target &target, const DeviceFacts &facts) {
  if (target.backend != "cpu") {
    const std::vector<std::string> names = builtinTargets();
    if (std::find(names.begin(), names.end(), target.backend) == names.end()) {
      return "backend '" + target.backend + "' has no compiler here";
    }
  }
  return whyNot(target, facts);
}

std::vector<std::string> tegula::runtime::deviceProblems() {
  const char *text = nullptr;
  Json list;
  if (tg_status *status = tg_device_problems(&text)) {
    std::string message = shownMessage(*status);
    tg_status_free(status);
    return {std::move(message)};
  }
  std::vector<std::string> problems;
  if (parseJson(text, list).empty()) {
    for (const Json &entry : std::get<JsonList>(list.value)) {
      const auto &fields = std::get<JsonObject>(entry.value);
      const auto get = [&](const char *key) {
        return std::get<std::string>(fields.find(key)->second.value);
      };
      problems.push_back(withId(get("message"), get("id")));
    }
  }
  return problems;
}

//===----------------------------------------------------------------------===//
// What is asked for
//===----------------------------------------------------------------------===//

namespace {
/// The target that somebody wants, before a device is known.
struct Wanted {
  std::string shown;  ///< for messages: what was named, and where
  std::string origin; ///< "TEGULA_TARGET: ", or ""
  TargetName name;
  Descriptor descriptor;         ///< of a file
  std::optional<tg_target> only; ///< a built-in one, or that of FILE:ID
  bool isDefault() const { return !only && name.path.empty(); }
};
} // namespace

/// An argument outweighs the variable.
static tg_status *readWanted(const char *what, Wanted &wanted) {
  std::string text = textOf(what);
  if (text.empty()) {
    text = textOf(std::getenv("TEGULA_TARGET"));
    wanted.origin = text.empty() ? "" : "TEGULA_TARGET: ";
  }
  wanted.shown = text.empty() ? "built-in targets" : wanted.origin + text;
  if (text.empty()) {
    return nullptr;
  }
  if (tg_status *status = parseTargetName(text, wanted.origin, wanted.name)) {
    return status;
  }
  if (!wanted.name.backend.empty()) {
    wanted.only = builtinTarget(wanted.name.backend, wanted.name.arch);
    return nullptr;
  }
  if (tg_status *status = useDescriptorFile(wanted.name.path, wanted.descriptor)) {
    // Descriptors' own problems start with the file's name and line.
    return status->diagnosticsJson == "[]" ? prefixed(status, wanted.origin) : status;
  }
  if (!wanted.name.id.empty()) {
    if (tg_status *status = findTarget(wanted.descriptor, wanted.name.path, wanted.name.id,
                                       wanted.only.emplace())) {
      return prefixed(status, wanted.origin);
    }
  }
  return nullptr;
}

static Choice choose(const Wanted &wanted, const DeviceFacts &device) {
  if (wanted.isDefault()) {
    const tg_target target = builtinTarget(device.device->plugin->id, "");
    return chooseFor(target, "built-in", device, whyNotByDefault);
  }
  if (wanted.only) {
    return chooseFor(*wanted.only, wanted.name.path.empty() ? "built-in" : "named", device, whyNot);
  }
  const Descriptor &descriptor = wanted.descriptor;
  const bool isAlone = descriptor.targets.size() == 1 && descriptor.select.empty();
  if (isAlone && (device.kind != "cpu" || descriptor.fallback == "none")) {
    return chooseFor(descriptor.targets.front(), "the only target", device, whyNot);
  }
  return chooseFor(descriptor, device, whyNot);
}

/// The whole table; `target` receives that of the chosen device.
static Explanation explain(const Wanted &wanted, std::optional<tg_target> &target) {
  Explanation explanation;
  explanation.what = wanted.shown;
  for (tg_device *device : allDevices(nullptr)) {
    Choice choice = choose(wanted, factsOf(*device));
    if (choice.target && !target) {
      target = std::move(choice.target);
      explanation.chosen = int(explanation.devices.size());
    }
    explanation.devices.push_back(std::move(choice.row));
  }
  return explanation;
}

static std::string tableOf(const Wanted &wanted) {
  std::optional<tg_target> ignored;
  std::string text = toText(explain(wanted, ignored));
  text.pop_back(); // the last line's end
  return "\n" + text;
}

static tg_status *noTarget(const Wanted &wanted, const DeviceFacts &device,
                           const std::vector<RuleVerdict> &verdicts) {
  if (verdicts.empty() || !verdicts.back().matches) {
    return makeStatus(TG_TARGET_ERROR, status::NoRuleMatches,
                      wanted.shown + " gives no target to the device " + describe(device) +
                          tableOf(wanted),
                      device.kind == "cpu" ? "add a rule for it, or `runtime: {fallback: cpu}`"
                                           : "add a rule that matches it");
  }
  const RuleVerdict &last = verdicts.back();
  const bool hasRules = !wanted.only && !wanted.descriptor.select.empty();
  const std::string table = hasRules ? tableOf(wanted) : "";
  return makeStatus(TG_TARGET_ERROR, status::TargetDevice,
                    wanted.origin + "target '" + last.target + "' cannot serve the device " +
                        describe(device) + ": " + last.why + table,
                    "choose a target for devices of kind '" + device.kind + "'");
}

//===----------------------------------------------------------------------===//
// For C++
//===----------------------------------------------------------------------===//

/// The target for whoever has no device: that of the best one here, else the first of
/// the file, since compiling needs no device.
static tg_target preferred(const Wanted &wanted) {
  if (wanted.only) {
    return *wanted.only;
  }
  const std::vector<tg_target> &targets = wanted.descriptor.targets;
  std::optional<tg_target> chosen;
  if (targets.size() != 1) { // one is what it is: no driver needs to be opened
    explain(wanted, chosen);
  }
  return chosen ? *chosen : targets.empty() ? builtinTarget("cpu", "") : targets.front();
}

tg_status *tegula::runtime::parseDescriptor(const std::string &text, const std::string &file,
                                            const std::string &id, tg_target &target) {
  return guarded([&]() -> tg_status * {
    Wanted wanted;
    wanted.shown = wanted.name.path = file;
    if (tg_status *status = readDescriptor(text, file, wanted.descriptor)) {
      return status;
    }
    if (!id.empty()) {
      return findTarget(wanted.descriptor, file, id, target);
    }
    target = preferred(wanted);
    return nullptr;
  });
}

tg_status *tegula::runtime::explainTarget(const char *what, Explanation &explanation) {
  return guarded([&]() -> tg_status * {
    Wanted wanted;
    if (tg_status *status = readWanted(what, wanted)) {
      return status;
    }
    std::optional<tg_target> ignored;
    explanation = explain(wanted, ignored);
    return nullptr;
  });
}

tg_status *tegula::runtime::explainDescriptor(const std::string &text, const std::string &file,
                                              const std::vector<DeviceFacts> &devices,
                                              Explanation &explanation) {
  return guarded([&]() -> tg_status * {
    Descriptor descriptor;
    if (tg_status *status = readDescriptor(text, file, descriptor)) {
      return status;
    }
    explanation.what = file;
    for (const DeviceFacts &device : devices) {
      const auto serve = [](const tg_target &target, const DeviceFacts &on) -> std::string {
        return (target.backend == "cpu") == (on.kind == "cpu")
                   ? ""
                   : "backend '" + target.backend + "' does not serve kind '" + on.kind + "'";
      };
      Choice choice = chooseFor(descriptor, device, serve);
      if (choice.target && explanation.chosen < 0) {
        explanation.chosen = int(explanation.devices.size());
      }
      explanation.devices.push_back(std::move(choice.row));
    }
    return nullptr;
  });
}

//===----------------------------------------------------------------------===//
// The C API
//===----------------------------------------------------------------------===//

tg_status *tg_target_resolve(const char *what, tg_target **target) {
  return guarded([&]() -> tg_status * {
    if (!target) {
      return nullPointer("a place for the target");
    }
    *target = nullptr;
    Wanted wanted;
    if (tg_status *status = readWanted(what, wanted)) {
      return status;
    }
    *target = new tg_target(preferred(wanted));
    return nullptr;
  });
}

tg_status *tg_target_for_device(const char *what, tg_device *device, tg_target **target) {
  return guarded([&]() -> tg_status * {
    if (!device || !target) {
      return nullPointer(device ? "a place for the target" : "a device");
    }
    *target = nullptr;
    Wanted wanted;
    if (tg_status *status = readWanted(what, wanted)) {
      return status;
    }
    const Choice choice = choose(wanted, factsOf(*device));
    if (!choice.target) {
      return noTarget(wanted, choice.row.device, choice.row.rules);
    }
    *target = new tg_target(*choice.target);
    return nullptr;
  });
}

tg_status *tg_target_choose(const char *what, tg_device **device, tg_target **target) {
  return guarded([&]() -> tg_status * {
    if (!device || !target) {
      return nullPointer(device ? "a place for the target" : "a place for the device");
    }
    *device = nullptr;
    *target = nullptr;
    Wanted wanted;
    if (tg_status *status = readWanted(what, wanted)) {
      return status;
    }
    std::optional<tg_target> chosen;
    const Explanation explanation = explain(wanted, chosen);
    tg_device *cpu = nullptr;
    if (explanation.devices.empty()) { // that there is no CPU has reasons
      if (tg_status *status = tg_device_get("cpu", 0, &cpu)) {
        return status;
      }
    }
    if (!chosen) {
      std::string table = toText(explanation);
      table.pop_back();
      return makeStatus(TG_TARGET_ERROR, status::NoRuleMatches,
                        wanted.shown + ": no device of this machine gets a target\n" + table,
                        wanted.only ? "name a target that one of them runs"
                                    : "add a rule for one of them, or `runtime: {fallback: cpu}`");
    }
    *target = new tg_target(*chosen);
    *device = explanation.devices[size_t(explanation.chosen)].device.device;
    return nullptr;
  });
}

tg_status *tg_target_explain(const char *what, const char **text) {
  return guarded([&]() -> tg_status * {
    if (!text) {
      return nullPointer("a place for the text");
    }
    *text = nullptr;
    Explanation explanation;
    if (tg_status *status = explainTarget(what, explanation)) {
      return status;
    }
    static thread_local std::string kept;
    kept = toText(explanation);
    *text = kept.c_str();
    return nullptr;
  });
}

const char *tg_target_id(const tg_target *target) { return target ? target->id.c_str() : ""; }
const char *tg_target_backend(const tg_target *target) {
  return target ? target->backend.c_str() : "";
}
const char *tg_target_arch(const tg_target *target) { return target ? target->arch.c_str() : ""; }
const char *tg_target_yaml(const tg_target *target) { return target ? target->yaml.c_str() : ""; }
void tg_target_free(tg_target *target) { delete target; }
