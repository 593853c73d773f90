//===- Target.cpp - What the NVIDIA backend knows of chips
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Target.h"
#include "Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

using namespace mlir;

namespace tegula::nvidia {

// PTX ISA release notes; shared memory from the tables of compute capabilities.
static constexpr Chip chips[] = {{"sm_80", 70, 163},  {"sm_86", 71, 99},    {"sm_87", 74, 163},
                                 {"sm_89", 78, 99},   {"sm_90", 78, 227},   {"sm_90a", 80, 227},
                                 {"sm_100", 86, 227}, {"sm_100a", 86, 227}, {"sm_100f", 88, 227},
                                 {"sm_103", 88, 227}, {"sm_103a", 88, 227}, {"sm_103f", 88, 227},
                                 {"sm_110", 90, 227}, {"sm_110a", 90, 227}, {"sm_110f", 90, 227},
                                 {"sm_120", 87, 99},  {"sm_120a", 87, 99},  {"sm_120f", 88, 99},
                                 {"sm_121", 88, 99},  {"sm_121a", 88, 99},  {"sm_121f", 88, 99}};

static constexpr unsigned ptxVersions[] = {70, 71, 72, 73, 74, 75, 76, 77, 78, 80,
                                           81, 82, 83, 84, 85, 86, 87, 88, 90};

void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    // Addresses of shared memory in one register; there is no other way to say it.
    auto &options = llvm::cl::getRegisteredOptions();
    if (auto found = options.find("nvptx-short-ptr"); found != options.end()) {
      static_cast<llvm::cl::opt<bool> *>(found->second)->setValue(true);
    }
  });
}

const Chip *findChip(StringRef name) {
  const auto *found = llvm::find_if(chips, [&](const Chip &chip) { return chip.name == name; });
  return found == std::end(chips) ? nullptr : found;
}

tilegpu::CapabilitiesAttr getCapabilities(TargetAttr target) {
  MLIRContext *context = target.getContext();
  Builder builder(context);
  Type f16 = builder.getF16Type(), bf16 = builder.getBF16Type(), f32 = builder.getF32Type(),
       f64 = builder.getF64Type(), tf32 = FloatTF32Type::get(context), i32 = builder.getI32Type();
  SmallVector<tilegpu::MmaAttr> mma;
  auto add = [&](unsigned m, unsigned n, unsigned k, Type a, Type b, Type acc) {
    mma.push_back(tilegpu::MmaAttr::get(context, tilegpu::MmaFamily::MmaSync, m, n, k, a, b, acc));
  };
  add(16, 8, 16, f16, f16, f32);
  add(16, 8, 16, f16, f16, f16);
  add(16, 8, 16, bf16, bf16, f32);
  add(16, 8, 8, tf32, tf32, f32);
  Type si8 = builder.getIntegerType(8, true), ui8 = builder.getIntegerType(8, false);
  add(16, 8, 32, si8, si8, i32);
  add(16, 8, 32, ui8, ui8, i32);
  add(8, 8, 4, f64, f64, f64);
  // No fp8 instructions: they sum with fewer bits than float32 has, and 8-bit floats in
  // f16 lose nothing.
  return tilegpu::CapabilitiesAttr::get(context, /*warp_size=*/32, /*max_threads=*/1024,
                                        findChip(target.getArch())->sharedKiB << 10,
                                        /*max_access_bytes=*/16, /*load_matrix=*/true, mma,
                                        /*async_copy=*/true);
}

/// Closest of the chips' names, when it is close enough to be meant.
static std::string nearest(StringRef wanted) {
  unsigned best = 3;
  std::string found;
  for (const Chip &chip : chips) {
    unsigned distance = wanted.edit_distance(chip.name, true, best);
    if (distance < best) {
      best = distance;
      found = chip.name.str();
    }
  }
  return found.empty() ? found : "; did you mean '" + found + "'?";
}

/// "8.4": 84. 0 after calling `error`.
static unsigned parsePtxVersion(StringRef text, const Chip &chip, const compiler::ErrorFn &error) {
  auto [majorText, minorText] = text.split('.');
  unsigned major, minor;
  const bool isNumber = !majorText.getAsInteger(10, major) && minorText.size() == 1 &&
                        !minorText.getAsInteger(10, minor);
  const unsigned version = isNumber ? major * 10 + minor : 0;
  if (!llvm::is_contained(ptxVersions, version)) {
    error("expected a version of PTX from 7.0 to 9.0 for option 'ptx_version', got '" + text + "'" +
          diagID(diag::TargetOption));
    return 0;
  }
  if (version < chip.ptx) {
    error("expected PTX " + Twine(chip.ptx / 10) + "." + Twine(chip.ptx % 10) +
          " or later for arch '" + chip.name + "', got '" + text + "'" +
          diagID(diag::TargetOption));
    return 0;
  }
  return version;
}

TargetAttr parseTarget(MLIRContext &context, const compiler::TargetSpec &spec,
                       const compiler::ErrorFn &error) {
  initializeTargets();
  if (spec.arch.empty() || spec.arch == "native") {
    error("expected a named arch such as 'sm_90a', got 'native', which needs a device of NVIDIA "
          "on this machine" +
          Twine(diagID(diag::TargetArch)));
    return {};
  }
  const Chip *chip = findChip(spec.arch);
  if (!chip) {
    error("expected the name of a chip from 'sm_80' on, got '" + spec.arch + "'" +
          nearest(spec.arch) + diagID(diag::TargetArch));
    return {};
  }
  const llvm::Triple triple(
      llvm::Triple::normalize(spec.triple.empty() ? "nvptx64-nvidia-cuda" : spec.triple));
  if (triple.getArch() != llvm::Triple::nvptx64 || triple.getOS() != llvm::Triple::CUDA) {
    error("expected triple 'nvptx64-nvidia-cuda', got '" + spec.triple + "'" +
          diagID(diag::TargetTriple));
    return {};
  }
  if (!spec.features.empty()) {
    error("expected no features, got '" + spec.features.front() + "'" +
          diagID(diag::TargetFeature));
    return {};
  }
  // The oldest that has what kernels use, so that older drivers take it too.
  unsigned ptx = std::max(chip->ptx, 78u);
  std::string ptxas;
  for (const auto &[key, value] : spec.options) {
    if (key == "ptx_version") {
      ptx = parsePtxVersion(value, *chip, error);
      if (ptx == 0) {
        return {};
      }
    } else if (key == "ptxas") {
      ptxas = value;
    } else {
      // no test: the host knows the options and has refused others
      error("expected option 'ptxas' or 'ptx_version', got '" + key + "'" +
            diagID(diag::TargetOption));
      return {};
    }
  }
  std::string emit;
  for (const std::string &format : spec.emit) {
    if (format != "cubin" && format != "ptx") {
      error("expected artifact format 'cubin' or 'ptx', got '" + format + "'" +
            diagID(diag::TargetFormat));
      return {};
    }
    emit += (emit.empty() ? "" : ",") + format;
  }
  static_assert(ptxVersions[std::size(ptxVersions) - 1] == 90, "the message above names it");
  return TargetAttr::get(&context, chip->name, "nvptx64-nvidia-cuda", "+ptx" + std::to_string(ptx),
                         ptx, spec.allowFma, ptxas, emit.empty() ? "cubin,ptx" : emit);
}

} // namespace tegula::nvidia
