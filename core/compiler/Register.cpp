//===- Register.cpp - What every tool registers --------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Compiler/Register.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/InlinerInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "tegula/Conversion/Passes.h"
#include "tegula/Tile/IR/Tile.h"
#include "tegula/Tile/Transforms/Passes.h"
#include "tegula/TileGPU/IR/TileGPU.h"
#include "tegula/TileGPU/Transforms/Passes.h"
#include <mutex>

using namespace mlir;

void tegula::compiler::registerDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, gpu::GPUDialect,
                  index::IndexDialect, LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                  scf::SCFDialect, tile::TileDialect, tilegpu::TileGPUDialect, ub::UBDialect,
                  vector::VectorDialect>();
  func::registerInlinerExtension(registry);
  LLVM::registerInlinerInterface(registry);
}

void tegula::compiler::registerPasses() {
  static std::once_flag once;
  std::call_once(once, [] {
    registerAllPasses();
    tile::registerTilePasses();
    tilegpu::registerTileGPUPasses();
    conversion::registerConversionPasses();
    registerPass([] { return tile::createTileInlinerPass(); });
  });
}

void tegula::compiler::registerPipelines() {
  static std::once_flag once;
  std::call_once(once, [] {
    // What every backend runs on tile IR before its own phases.
    PassPipelineRegistration<>("tile-prepare",
                               "Check, inline and simplify tile IR ahead of any backend",
                               [](OpPassManager &pm) {
                                 pm.addPass(tile::createTileVerifyDefinedPass());
                                 pm.addPass(tile::createTileInlinerPass());
                                 pm.addPass(tile::createTileCanonicalizerPass());
                                 pm.addPass(createCSEPass());
                               });
    tilegpu::registerTileGPUPipelines();
  });
}
