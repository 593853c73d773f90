//===- Target.cpp - What the AMD backend knows of chips
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Target.h"
#include "Diagnostics.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

using namespace mlir;

namespace tegula::amd {

static constexpr Chip chips[] = {{"gfx90a", 64, 64}, {"gfx942", 64, 64}, {"gfx950", 64, 160}};

void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
  });
}

const Chip *findChip(StringRef name) {
  const auto *found = llvm::find_if(chips, [&](const Chip &chip) { return chip.name == name; });
  return found == std::end(chips) ? nullptr : found;
}

tilegpu::CapabilitiesAttr getCapabilities(TargetAttr target) {
  const Chip *chip = findChip(target.getArch());
  // No matrix instructions yet: products are made of fused multiply-adds.
  return tilegpu::CapabilitiesAttr::get(target.getContext(), chip->warpSize, /*max_threads=*/1024,
                                        chip->sharedKiB << 10, /*max_access_bytes=*/16,
                                        /*load_matrix=*/false, /*mma=*/{});
}

TargetAttr parseTarget(MLIRContext &context, const compiler::TargetSpec &spec,
                       const compiler::ErrorFn &error) {
  initializeTargets();
  if (spec.arch.empty() || spec.arch == "native") {
    error("expected a named arch such as 'gfx942', got 'native', which needs a device of AMD on "
          "this machine" +
          Twine(diagID(diag::TargetArch)));
    return {};
  }
  const Chip *chip = findChip(spec.arch);
  if (!chip) {
    error("expected arch 'gfx90a', 'gfx942' or 'gfx950', got '" + spec.arch + "'" +
          diagID(diag::TargetArch));
    return {};
  }
  const llvm::Triple triple(
      llvm::Triple::normalize(spec.triple.empty() ? "amdgcn-amd-amdhsa" : spec.triple));
  if (triple.getArch() != llvm::Triple::amdgcn || triple.getOS() != llvm::Triple::AMDHSA) {
    error("expected triple 'amdgcn-amd-amdhsa', got '" + spec.triple + "'" +
          diagID(diag::TargetTriple));
    return {};
  }
  if (!spec.features.empty()) {
    error("expected no features, got '" + spec.features.front() + "'" +
          diagID(diag::TargetFeature));
    return {};
  }
  if (!spec.options.empty()) {
    error("expected no options, got '" + spec.options.front().first + "'" +
          diagID(diag::TargetOption));
    return {};
  }
  for (const std::string &format : spec.emit) {
    if (format != "hsaco") {
      error("expected artifact format 'hsaco', got '" + format + "'" + diagID(diag::TargetFormat));
      return {};
    }
  }
  return TargetAttr::get(&context, chip->name, "amdgcn-amd-amdhsa", "", spec.allowFma);
}

} // namespace tegula::amd
