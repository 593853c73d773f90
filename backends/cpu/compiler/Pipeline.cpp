//===- Pipeline.cpp - Phases of the CPU backend
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Compiler/Pipeline.h"
#include "Backend.h"
#include "Diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "tegula/Tile/Transforms/Passes.h"

using namespace mlir;

namespace tegula::cpu {

void buildPhase(OpPassManager &pm, compiler::Phase phase, TargetAttr target) {
  auto addOptional = [&](StringRef name, std::unique_ptr<Pass> pass) {
    if (!skipsPass(target, name)) {
      pm.addPass(std::move(pass));
    }
  };
  auto addCleanup = [&] {
    addOptional("canonicalize", tile::createTileCanonicalizerPass());
    addOptional("cse", createCSEPass());
  };
  switch (phase) {
  case compiler::Phase::Tile:
    pm.addPass(tile::createTileInlinerPass());
    addCleanup();
    pm.addPass(tile::createTileLowerViewsPass());
    pm.addPass(tile::createTileDecomposeDotScaledPass());
    addOptional("tile-uniform-advance", tile::createTileUniformAdvancePass());
    addOptional("loop-invariant-code-motion", createLoopInvariantCodeMotionPass());
    pm.addPass(tile::createTileVerifyDefinedPass());
    pm.addPass(tile::createTileExpandDefinedPass());
    addCleanup();
    return;
  case compiler::Phase::Layout:
    pm.addPass(createCpuFormLoopsPass());
    return;
  case compiler::Phase::Schedule:
    pm.addPass(createCpuPlanScratchPass());
    return;
  case compiler::Phase::Lower:
    pm.addPass(createCpuLowerKernelPass());
    addOptional("cse", createCSEPass());
    pm.addPass(createCpuExpandMathPass());
    return;
  case compiler::Phase::LLVM:
    pm.addPass(createCpuToLLVMPass());
    pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass());
    return;
  }
}

void CpuBackend::registerDialects(DialectRegistry &registry) const {
  registry.insert<TileCPUDialect, tile::TileDialect, arith::ArithDialect, math::MathDialect,
                  scf::SCFDialect, func::FuncDialect, vector::VectorDialect, cf::ControlFlowDialect,
                  LLVM::LLVMDialect, ub::UBDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

void CpuBackend::registerPasses() const {
  registerPass([] { return createCpuFormLoopsPass(); });
  registerPass([] { return createCpuPlanScratchPass(); });
  registerPass([] { return createCpuLowerKernelPass(); });
  registerPass([] { return createCpuExpandMathPass(); });
  registerPass([] { return createCpuToLLVMPass(); });
  compiler::registerPhases(
      *this, "cpu",
      {{compiler::Phase::Tile, "Neutral passes in the order the CPU backend wants"},
       {compiler::Phase::Layout, "Tile operations to vector loops"},
       {compiler::Phase::Schedule, "Scratch memory"},
       {compiler::Phase::Lower, "Kernel signature, math"},
       {compiler::Phase::LLVM, "To the LLVM dialect"}});
}

Attribute CpuBackend::parseTarget(MLIRContext &context, const compiler::TargetSpec &spec,
                                  const compiler::ErrorFn &error) const {
  context.loadDialect<TileCPUDialect>();
  return cpu::parseTarget(context, spec, error);
}

compiler::Capabilities CpuBackend::getCapabilities(Attribute target) const {
  compiler::Capabilities capabilities;
  if (auto cpuTarget = dyn_cast_or_null<TargetAttr>(target)) {
    capabilities.vectorBits = cpuTarget.getVectorBits();
  }
  return capabilities;
}

void CpuBackend::buildLowering(OpPassManager &pm, Attribute target, compiler::Phase phase) const {
  buildPhase(pm, phase, dyn_cast_or_null<TargetAttr>(target));
}

FailureOr<compiler::Artifact> CpuBackend::emit(ModuleOp module, Attribute target,
                                               compiler::Stage stage, StringRef kernelName) const {
  auto cpuTarget = dyn_cast_or_null<TargetAttr>(target);
  if (!cpuTarget) {
    return module.emitError() << "expected a target of the CPU backend" << diagID(diag::TargetKind),
           failure();
  }
  return emitArtifact(module, cpuTarget, stage, kernelName);
}

std::string CpuBackend::getCacheKey(Attribute target) const {
  std::string key;
  llvm::raw_string_ostream stream(key);
  stream << "cpu;" << LLVM_VERSION_STRING << ';';
  if (target) {
    target.print(stream);
  }
  return key;
}

} // namespace tegula::cpu
