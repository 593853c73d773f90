//===- Explain.cpp - Remarks on what kernels take of a multiprocessor -----===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"
#include "Diagnostics.h"
#include "mlir/IR/Remarks.h"
#include "tegula/TileGPU/Analysis/Scratch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::nvidia {

namespace {
/// What one multiprocessor has, by the CUDA programming guide's table.
struct Multiprocessor {
  unsigned registers = 65536, threads = 2048, programs = 32;
};
} // namespace

static Multiprocessor getMultiprocessor(StringRef arch) {
  unsigned number = 0;
  arch.consume_front("sm_");
  arch.consumeInteger(10, number);
  switch (number) {
  case 86:
  case 87:
    return {65536, 1536, 16};
  case 89:
  case 110:
  case 120:
  case 121:
    return {65536, 1536, 24};
  default:
    return {};
  }
}

void explainResources(Operation *kernel, TargetAttr target, const Resources &resources) {
  auto module = kernel->getParentOfType<ModuleOp>();
  auto warps = module->getAttrOfType<IntegerAttr>("tile.num_warps");
  if (!kernel->getContext()->getRemarkEngine() || !warps || resources.registers == 0) {
    return;
  }
  // A program takes a kilobyte of shared memory besides its own.
  constexpr unsigned grain = 8, reserved = 1024;
  const Multiprocessor chip = getMultiprocessor(target.getArch());
  const unsigned threads = unsigned(warps.getInt()) * 32;
  auto shared = module->getAttrOfType<IntegerAttr>(tilegpu::kSharedBytesAttr);
  const uint64_t sharedBytes = shared ? shared.getInt() : 0;
  auto capabilities = module->getAttrOfType<tilegpu::CapabilitiesAttr>(tilegpu::kCapabilitiesAttr);
  // Several programs may be one block to the chip.
  auto packed = module->getAttrOfType<IntegerAttr>(kMostProgramsAttr);
  std::pair<uint64_t, const char *> limits[] = {
      {chip.threads / threads, "its threads"},
      {uint64_t(chip.programs) * (packed ? packed.getInt() : 1), "the number of programs"},
      {chip.registers / (llvm::alignTo(resources.registers, grain) * threads), "registers"},
      {capabilities && sharedBytes
           ? (capabilities.getSharedBytes() + reserved) / (sharedBytes + reserved)
           : UINT64_MAX,
       "shared memory"}};
  const auto &[programs, limiter] = *llvm::min_element(limits);
  std::string text =
      "kernel uses " + std::to_string(resources.registers) + " registers a thread, " +
      (resources.spilled == 0
           ? "none spilled"
           : std::to_string(resources.spilled) + " bytes of registers spilled to memory") +
      ", " + std::to_string(sharedBytes) + " bytes of shared memory; " + std::to_string(programs) +
      (programs == 1 ? " program" : " programs") + " of " + std::to_string(threads) +
      " threads on a multiprocessor of " + target.getArch().str() + ", " +
      std::to_string(programs * threads * 100 / chip.threads) + " % of its threads, limited by " +
      limiter;
  const auto options = remark::RemarkOpts::name(diag::Resources).category("nvidia");
  if (resources.spilled == 0) {
    remark::analysis(kernel->getLoc(), options) << StringRef(text);
  } else {
    remark::missed(kernel->getLoc(), options) << StringRef(text);
  }
}

} // namespace tegula::nvidia
