//===- Pipeline.cpp - Phases of the AMD backend
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Compiler/Pipeline.h"
#include "Backend.h"
#include "Diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "tegula/Conversion/Passes.h"
#include "tegula/TileGPU/Transforms/Passes.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tegula::amd {

static void buildPhase(OpPassManager &pm, compiler::Phase phase) {
  switch (phase) {
  case compiler::Phase::Tile:
    return tilegpu::buildTilePhase(pm);
  case compiler::Phase::Layout:
    return tilegpu::buildLayoutPhase(pm);
  case compiler::Phase::Schedule:
    return tilegpu::buildSchedulePhase(pm);
  case compiler::Phase::Lower:
    tilegpu::buildLowerPhase(pm);
    pm.addPass(conversion::createExpandThreadMathPass({/*exp2=*/true}));
    return;
  case compiler::Phase::LLVM:
    pm.addPass(createAmdLowerThreadsPass());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    pm.addPass(createAmdToLLVMPass());
    // Lines for profilers.
    pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass({LLVM::DIEmissionKind::LineTablesOnly}));
    return;
  }
}

void AmdBackend::registerDialects(DialectRegistry &registry) const {
  registry.insert<TileAMDDialect, tilegpu::TileGPUDialect, tile::TileDialect, arith::ArithDialect,
                  math::MathDialect, scf::SCFDialect, func::FuncDialect, vector::VectorDialect,
                  cf::ControlFlowDialect, LLVM::LLVMDialect, ROCDL::ROCDLDialect, gpu::GPUDialect,
                  index::IndexDialect, ub::UBDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerROCDLDialectTranslation(registry);
}

void AmdBackend::registerPasses() const {
  registerPass([] { return createAmdLowerThreadsPass(); });
  registerPass([] { return createAmdToLLVMPass(); });
  compiler::registerPhases(*this, "amd",
                           {{compiler::Phase::Tile, "Neutral passes on tile IR"},
                            {compiler::Phase::Layout, "Layouts and matrix instructions"},
                            {compiler::Phase::Schedule, "Loads ahead of products"},
                            {compiler::Phase::Lower, "Tiles to threads"},
                            {compiler::Phase::LLVM, "Threads to the LLVM dialect"}});
}

Attribute AmdBackend::parseTarget(MLIRContext &context, const compiler::TargetSpec &spec,
                                  const compiler::ErrorFn &error) const {
  context.loadDialect<TileAMDDialect>();
  return amd::parseTarget(context, spec, error);
}

compiler::Capabilities AmdBackend::getCapabilities(Attribute target) const {
  compiler::Capabilities capabilities;
  if (auto own = dyn_cast_or_null<TargetAttr>(target)) {
    const tilegpu::CapabilitiesAttr gpu = own.getGPUCapabilities();
    capabilities.warpSize = gpu.getWarpSize();
    capabilities.maxThreads = gpu.getMaxThreads();
    capabilities.sharedMemoryBytes = gpu.getSharedBytes();
  }
  return capabilities;
}

void AmdBackend::buildLowering(OpPassManager &pm, Attribute, compiler::Phase phase) const {
  buildPhase(pm, phase);
}

FailureOr<compiler::Artifact> AmdBackend::emit(ModuleOp module, Attribute target,
                                               compiler::Stage stage, StringRef kernelName) const {
  auto own = dyn_cast_or_null<TargetAttr>(target);
  if (!own) {
    return module.emitError() << "expected a target of the AMD backend" << diagID(diag::TargetKind),
           failure();
  }
  return emitArtifact(module, own, stage, kernelName);
}

std::string AmdBackend::getCacheKey(Attribute target) const {
  std::string key;
  llvm::raw_string_ostream stream(key);
  stream << "amd;" << LLVM_VERSION_STRING << ';';
  if (target) {
    target.print(stream);
  }
  return key;
}

} // namespace tegula::amd
