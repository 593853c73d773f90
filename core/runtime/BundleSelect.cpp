//===- BundleSelect.cpp - Which variant of a bundle runs where --------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bundle.h"
#include "Device.h"
#include "Guard.h"
#include "Variant.h"

#include <algorithm>
#include <cstring>

using namespace tegula::runtime;

namespace {

/// How well one device runs one variant.
struct Row {
  tg_device *device;
  const BundleVariant *variant;
  int32_t score;
  std::string why;
};

/// All rows, those of one device together, and which of them is taken.
struct Choice {
  std::vector<Row> rows;
  const Row *taken = nullptr;
};

} // namespace

tg_artifact tegula::runtime::toArtifact(const BundleKernel &kernel, const BundleVariant &variant,
                                        bool withCode) {
  const BundleTarget &target = *variant.target;
  tg_artifact out;
  out.kernel = kernel.name;
  out.backend = target.backend;
  out.triple = target.triple;
  out.arch = target.arch;
  out.format = target.format;
  out.features = target.features;
  out.args = kernel.args;
  out.argsSize = kernel.argsSize;
  out.numWarps = variant.numWarps;
  out.numStages = variant.numStages;
  out.numCtas = variant.numCtas;
  out.facts = variant.facts;
  out.options = target.options;
  out.tools = target.tools;
  out.targetHash = target.hash;
  writeManifest(out);
  if (withCode) {
    out.stages["object"] = variant.code;
  }
  return out;
}

static tg_status *findKernel(const tg_bundle &bundle, const char *name,
                             const BundleKernel *&kernel) {
  std::string known;
  for (const BundleKernel &one : bundle.kernels) {
    if (one.name == name) {
      kernel = &one;
      return nullptr;
    }
    known += (known.empty() ? "" : ", ") + one.name;
  }
  return makeStatus(TG_NOT_FOUND, status::BundleKernel,
                    bundle.name + ": no kernel '" + name + "'; its kernels: " + known);
}

/// A device whose driver fails when it is asked runs nothing; the failure is the reason.
static Choice choose(const BundleKernel &kernel, const std::vector<tg_device *> &devices) {
  std::vector<tg_artifact> artifacts;
  for (const BundleVariant &variant : kernel.variants) {
    artifacts.push_back(toArtifact(kernel, variant, false));
  }
  Choice choice;
  size_t best = SIZE_MAX;
  for (tg_device *device : devices) {
    const bool isFirstThatFits = best == SIZE_MAX;
    for (size_t i = 0; i < artifacts.size(); ++i) {
      Row row = {device, &kernel.variants[i], -1, "the device is lost"};
      if (!device->isLost.load()) {
        if (tg_status *status = scoreVariant(*device, Variant(artifacts[i]), row.score, row.why)) {
          row.score = -1;
          row.why = shownMessage(*status);
          tg_status_free(status);
        }
      }
      choice.rows.push_back(std::move(row));
      const int32_t score = choice.rows.back().score;
      if (isFirstThatFits && score >= 0 && (best == SIZE_MAX || score > choice.rows[best].score)) {
        best = choice.rows.size() - 1;
      }
    }
  }
  choice.taken = best == SIZE_MAX ? nullptr : &choice.rows[best];
  return choice;
}

static std::string padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

static std::string drawTable(const Choice &choice) {
  if (choice.rows.empty()) {
    return "no device is present\n";
  }
  size_t deviceWidth = 6, variantWidth = 7;
  for (const Row &row : choice.rows) {
    deviceWidth = std::max(deviceWidth, nameOf(*row.device).size());
    variantWidth = std::max(variantWidth, row.variant->describe().size());
  }
  std::string out = "  " + padded("device", deviceWidth) + "  " + padded("variant", variantWidth) +
                    "  score  reason\n";
  for (const Row &row : choice.rows) {
    const std::string score = row.score < 0 ? "-" : std::to_string(row.score);
    out += (&row == choice.taken ? "* " : "  ") + padded(nameOf(*row.device), deviceWidth) + "  " +
           padded(row.variant->describe(), variantWidth) + "  " +
           std::string(score.size() < 5 ? 5 - score.size() : 0, ' ') + score + "  " + row.why +
           "\n";
  }
  return out;
}

/// The device that was asked for, or all.
static std::vector<tg_device *> candidates(tg_device *device) {
  return device ? std::vector<tg_device *>{device} : allDevices(nullptr);
}

tg_status *tg_bundle_load(const tg_bundle *bundle, const char *kernel, tg_device *device,
                          tg_kernel **loaded) {
  return guarded([&]() -> tg_status * {
    if (!bundle || !kernel || !loaded) {
      return nullPointer(!bundle   ? "a bundle"
                         : !kernel ? "the name of a kernel"
                                   : "a place for the kernel");
    }
    *loaded = nullptr;
    const BundleKernel *found = nullptr;
    if (tg_status *status = findKernel(*bundle, kernel, found)) {
      return status;
    }
    const Choice choice = choose(*found, candidates(device));
    if (!choice.taken) {
      std::string table = drawTable(choice);
      table.pop_back();
      return makeStatus(TG_INCOMPATIBLE, status::NoVariant,
                        bundle->name + ": no variant of kernel '" + found->name + "' runs on " +
                            (device ? nameOf(*device) : "a device of this machine") + "\n" + table,
                        "compile the kernel for a target of this device too");
    }
    const tg_artifact artifact = toArtifact(*found, *choice.taken->variant, true);
    return tg_kernel_load(&artifact, choice.taken->device, loaded);
  });
}

tg_status *tg_bundle_explain(const tg_bundle *bundle, const char *kernel, tg_device *device,
                             const char **text) {
  return guarded([&]() -> tg_status * {
    if (!bundle || !kernel || !text) {
      return nullPointer(!bundle   ? "a bundle"
                         : !kernel ? "the name of a kernel"
                                   : "a place for the text");
    }
    *text = nullptr;
    const BundleKernel *found = nullptr;
    if (tg_status *status = findKernel(*bundle, kernel, found)) {
      return status;
    }
    thread_local std::string table;
    table = drawTable(choose(*found, candidates(device)));
    *text = table.c_str();
    return nullptr;
  });
}
