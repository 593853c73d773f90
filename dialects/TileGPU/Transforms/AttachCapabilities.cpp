//===- AttachCapabilities.cpp - What the target can do, on the module
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "tegula/Tile/IR/Diagnostics.h"
#include "tegula/TileGPU/Analysis/Scratch.h"
#include "tegula/TileGPU/Transforms/Diagnostics.h"
#include "tegula/TileGPU/Transforms/Passes.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tegula::tilegpu {
#define GEN_PASS_DEF_TILEGPUATTACHCAPABILITIESPASS
#include "tegula/TileGPU/Transforms/TileGPUPasses.h.inc"
} // namespace tegula::tilegpu

using namespace tegula::tilegpu;

/// 32-bit registers that the largest tile of the module needs in all threads together.
static int64_t countLargestTile(ModuleOp module) {
  int64_t largest = 0;
  module.walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      auto tile = dyn_cast<RankedTensorType>(type);
      // A range or a constant is computed where it is used, one element at a time.
      if (tile && tile.hasStaticShape() && !op->hasTrait<OpTrait::ConstantLike>()) {
        Type element = tile.getElementType();
        int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
        largest = std::max(largest, tile.getNumElements() * std::max<int64_t>(bits, 32) / 32);
      }
    }
  });
  return largest;
}

/// Tiles of more registers than threads have would live in memory, one access for each
/// use, and take the assembler minutes: more warps hold them. What a program computes
/// does not depend on it.
static void raiseWarps(ModuleOp module, const Machine &machine) {
  constexpr int64_t kMaxRegisters = 256;
  auto warps = module->getAttrOfType<IntegerAttr>(tegula::tile::kNumWarpsAttr);
  int64_t count = machine.numWarps, largest = countLargestTile(module);
  int64_t limit = machine.capabilities.getMaxThreads() / machine.warpSize;
  while (count * 2 <= limit && largest > kMaxRegisters * count * machine.warpSize) {
    count *= 2;
  }
  if (count != machine.numWarps) {
    module->setAttr(tegula::tile::kNumWarpsAttr, IntegerAttr::get(warps.getType(), count));
    std::string text = llvm::formatv("tiles of {0} registers need {1} warps, not {2}", largest,
                                     count, machine.numWarps);
    remark::passed(
        module.getLoc(),
        remark::RemarkOpts::name("tilegpu-more-warps").category("tilegpu-attach-capabilities"))
        << StringRef(text);
  }
}

namespace {
struct AttachCapabilitiesPass
    : tegula::tilegpu::impl::TileGPUAttachCapabilitiesPassBase<AttachCapabilitiesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    Builder builder(module.getContext());
    if (!module->hasAttr(kCapabilitiesAttr)) {
      auto target = module->getAttrOfType<GPUTargetInterface>(tegula::tile::kTargetAttr);
      if (!target) {
        module.emitError() << "expected the attribute 'tile.target' of a GPU backend, got none"
                           << tegula::tile::diagID(diag::NoCapabilities);
        return signalPassFailure();
      }
      module->setAttr(kCapabilitiesAttr, target.getGPUCapabilities());
    }
    if (!module->hasAttr(tegula::tile::kNumWarpsAttr)) {
      module->setAttr(tegula::tile::kNumWarpsAttr, builder.getI32IntegerAttr(4));
    }
    std::optional<Machine> machine = getMachine(module);
    if (!machine) {
      return signalPassFailure();
    }
    raiseWarps(module, *machine);
  }
};
} // namespace
