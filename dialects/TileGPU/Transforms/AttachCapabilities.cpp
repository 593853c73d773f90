//===- AttachCapabilities.cpp - What the target can do, on the module
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "tegula/Tile/IR/Diagnostics.h"
#include "tegula/TileGPU/Analysis/Scratch.h"
#include "tegula/TileGPU/Transforms/Diagnostics.h"
#include "tegula/TileGPU/Transforms/Passes.h"

using namespace mlir;

namespace tegula::tilegpu {
#define GEN_PASS_DEF_TILEGPUATTACHCAPABILITIESPASS
#include "tegula/TileGPU/Transforms/TileGPUPasses.h.inc"
} // namespace tegula::tilegpu

using namespace tegula::tilegpu;

namespace {
struct AttachCapabilitiesPass : tegula::tilegpu::impl::TileGPUAttachCapabilitiesPassBase<AttachCapabilitiesPass> {
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
    if (!getMachine(module)) {
      signalPassFailure();
    }
  }
};
} // namespace
