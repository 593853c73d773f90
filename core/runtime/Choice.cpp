//===- Choice.cpp - The rules by which devices get targets --------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Choice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

using namespace tegula::runtime;

static double gigabytesOf(const DeviceFacts &device) { return double(device.memory) / 1e9; }

std::string tegula::runtime::gigabytes(const DeviceFacts &device) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GB", gigabytesOf(device));
  return text;
}

static bool fits(const MemoryBound &bound, double size) {
  return bound.compare == ">="   ? size >= bound.gigabytes
         : bound.compare == "<=" ? size <= bound.gigabytes
         : bound.compare == ">"  ? size > bound.gigabytes
         : bound.compare == "<"  ? size < bound.gigabytes
                                 : std::abs(size - bound.gigabytes) < 0.5;
}

/// What differs between a rule and a device, or "".
static std::string mismatch(const SelectRule &rule, const DeviceFacts &device) {
  if (!rule.kind.empty() && rule.kind != device.kind) {
    return "kind is " + device.kind;
  }
  const struct {
    const std::string &pattern, &text;
    const char *name;
  } texts[] = {{rule.arch, device.arch, "arch"},
               {rule.name, device.name, "name"},
               {rule.id, device.id, "id"}};
  for (const auto &[pattern, text, name] : texts) {
    if (!pattern.empty() && !fitsPattern(pattern, text)) {
      return std::string(name) + " is " + (text.empty() ? "unknown" : text);
    }
  }
  if (!rule.index.empty() &&
      std::find(rule.index.begin(), rule.index.end(), device.ordinal) == rule.index.end()) {
    return "index is " + std::to_string(device.ordinal);
  }
  for (const MemoryBound &bound : rule.memory) {
    if (!fits(bound, gigabytesOf(device))) {
      return "memory is " + gigabytes(device);
    }
  }
  return "";
}

/// Devices tell their architecture, but for the processors of this machine, whose
/// names only the compiler knows.
static tg_target frozenFor(tg_target target, const DeviceFacts &device) {
  if (target.arch == "native" && device.kind != "cpu" && !device.arch.empty()) {
    target.arch = device.arch;
    target.yaml = writeTarget(target);
  }
  return target;
}

/// Adds the last row and takes the target unless it cannot serve the device.
static void settle(Choice &choice, std::string rule, const tg_target &target,
                   const DeviceFacts &device, const ServeFn &serve) {
  std::string why = serve(target, device);
  if (why.empty()) {
    choice.row.target = target.id;
    choice.target = frozenFor(target, device);
  }
  choice.row.rules.push_back({std::move(rule), target.id, true, std::move(why)});
}

/// `fallback: cpu`: the file's own target for the CPU, else the built-in one.
static void fallBack(Choice &choice, const Descriptor &descriptor, const DeviceFacts &device,
                     const ServeFn &serve) {
  if (descriptor.fallback != "cpu") {
    choice.row.rules.push_back({"runtime: {fallback: none}", "", false, "the CPU needs a rule"});
    return;
  }
  for (const tg_target &target : descriptor.targets) {
    if (serve(target, device).empty()) {
      return settle(choice, "runtime: {fallback: cpu}", target, device, serve);
    }
  }
  tg_target target;
  target.id = target.backend = "cpu";
  target.arch = "native";
  target.allowFma = descriptor.targets.front().allowFma;
  target.yaml = writeTarget(target);
  settle(choice, "runtime: {fallback: cpu}", target, device, serve);
}

Choice tegula::runtime::chooseFor(const Descriptor &descriptor, const DeviceFacts &device,
                                  const ServeFn &serve) {
  Choice choice;
  choice.row.device = device;
  for (size_t i = 0; i < descriptor.select.size(); ++i) {
    const SelectRule &rule = descriptor.select[i];
    std::string text = "select[" + std::to_string(i) + "] {" + rule.text + "}";
    std::string why = mismatch(rule, device);
    if (!why.empty()) {
      choice.row.rules.push_back({std::move(text), rule.use, false, std::move(why)});
      continue;
    }
    const auto target =
        std::find_if(descriptor.targets.begin(), descriptor.targets.end(),
                     [&](const tg_target &candidate) { return candidate.id == rule.use; });
    settle(choice, std::move(text), *target, device, serve);
    return choice; // the first match decides, even when its target does not fit
  }
  // Without rules each target is one for what it can serve, in the order of the file.
  for (size_t i = 0; descriptor.select.empty() && i < descriptor.targets.size(); ++i) {
    const tg_target &target = descriptor.targets[i];
    std::string text = "targets[" + std::to_string(i) + "] {backend: " + target.backend + "}";
    if (std::string why = serve(target, device); !why.empty()) {
      choice.row.rules.push_back({std::move(text), target.id, false, std::move(why)});
      continue;
    }
    settle(choice, std::move(text), target, device, serve);
    return choice;
  }
  if (device.kind == "cpu") {
    fallBack(choice, descriptor, device, serve);
  }
  return choice;
}

Choice tegula::runtime::chooseFor(const tg_target &target, const std::string &rule,
                                  const DeviceFacts &device, const ServeFn &serve) {
  Choice choice;
  choice.row.device = device;
  settle(choice, rule, target, device, serve);
  return choice;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static std::string verdictOf(const RuleVerdict &verdict) {
  if (!verdict.matches) {
    return "no: " + verdict.why;
  }
  return verdict.why.empty() ? "matches" : "matches, but the target does not fit: " + verdict.why;
}

std::string tegula::runtime::toText(const Explanation &explanation) {
  if (explanation.devices.empty()) {
    return explanation.what + ": there are no devices\n";
  }
  std::vector<std::array<std::string, 4>> rows = {{"DEVICE", "RULE", "TARGET", "VERDICT"}};
  std::string summary;
  for (const DeviceChoice &choice : explanation.devices) {
    const DeviceFacts &device = choice.device;
    std::string place = device.place();
    for (const RuleVerdict &verdict : choice.rules) {
      rows.push_back(
          {place, verdict.rule, verdict.target.empty() ? "-" : verdict.target, verdictOf(verdict)});
      place.clear();
    }
    summary += "  " + device.place() + " (" + (device.name.empty() ? "unnamed" : device.name) +
               ", " + (device.arch.empty() ? "?" : device.arch) + ", " + gigabytes(device) +
               ") gets " +
               (choice.target.empty() ? "no target" : "target '" + choice.target + "'") + "\n";
  }
  size_t widths[3] = {};
  for (const auto &row : rows) {
    for (size_t i = 0; i < 3; ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text = explanation.what + ": which device gets which target\n";
  for (const auto &row : rows) {
    std::string line = "  ";
    for (size_t i = 0; i < 3; ++i) {
      line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    }
    text += line + row[3] + "\n";
  }
  text += summary + "  work without arrays: ";
  if (explanation.chosen < 0) {
    return text + "no device\n";
  }
  const DeviceChoice &chosen = explanation.devices[size_t(explanation.chosen)];
  return text + chosen.device.place() + " with target '" + chosen.target + "'\n";
}

static std::string orNull(const std::string &text) {
  return text.empty() ? "null" : quoteJson(text);
}

std::string tegula::runtime::toJson(const Explanation &explanation) {
  std::string devices;
  for (const DeviceChoice &choice : explanation.devices) {
    std::string rules;
    for (const RuleVerdict &verdict : choice.rules) {
      rules += (rules.empty() ? "" : ", ") + std::string("{\"rule\": ") + quoteJson(verdict.rule) +
               ", \"target\": " + orNull(verdict.target) +
               ", \"matches\": " + (verdict.matches ? "true" : "false") +
               ", \"why\": " + quoteJson(verdict.why) + "}";
    }
    const DeviceFacts &device = choice.device;
    devices += (devices.empty() ? "" : ",\n  ") + std::string("{\"device\": ") +
               quoteJson(device.place()) + ", \"name\": " + quoteJson(device.name) +
               ", \"arch\": " + quoteJson(device.arch) + ", \"id\": " + quoteJson(device.id) +
               ", \"memory\": " + std::to_string(device.memory) +
               ", \"target\": " + orNull(choice.target) + ",\n   \"rules\": [" + rules + "]}";
  }
  std::string chosen = "null";
  if (explanation.chosen >= 0) {
    const DeviceChoice &choice = explanation.devices[size_t(explanation.chosen)];
    chosen = "{\"device\": " + quoteJson(choice.device.place()) +
             ", \"target\": " + quoteJson(choice.target) + "}";
  }
  return "{\"what\": " + quoteJson(explanation.what) + ",\n \"devices\": [\n  " + devices +
         "],\n \"chosen\": " + chosen + "}\n";
}
