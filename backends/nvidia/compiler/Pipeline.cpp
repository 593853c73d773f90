//===- Pipeline.cpp - Phases of the NVIDIA backend
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
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "tegula/Conversion/Passes.h"
#include "tegula/TileGPU/Transforms/Passes.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;

namespace tegula::nvidia {

static void buildPhase(OpPassManager &pm, compiler::Phase phase) {
  switch (phase) {
  case compiler::Phase::Tile:
    return tilegpu::buildTilePhase(pm);
  case compiler::Phase::Layout:
    return tilegpu::buildLayoutPhase(pm);
  case compiler::Phase::Schedule:
    return tilegpu::buildSchedulePhase(pm);
  case compiler::Phase::Lower:
    pm.addPass(createNvidiaPredictLimiterPass());
    pm.addPass(createNvidiaLaunchDependenciesPass());
    tilegpu::buildLowerPhase(pm);
    pm.addPass(conversion::createExpandThreadMathPass({/*exp2=*/true}));
    return;
  case compiler::Phase::LLVM:
    pm.addPass(createNvidiaPackProgramsPass());
    pm.addPass(createNvidiaLowerThreadsPass());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    pm.addPass(createNvidiaToLLVMPass());
    // Lines for profilers and messages; more would make the driver's compiler optimise less.
    pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass({LLVM::DIEmissionKind::DebugDirectivesOnly}));
    return;
  }
}

void NvidiaBackend::registerDialects(DialectRegistry &registry) const {
  registry.insert<TileNVIDIADialect, tilegpu::TileGPUDialect, tile::TileDialect,
                  arith::ArithDialect, math::MathDialect, scf::SCFDialect, func::FuncDialect,
                  vector::VectorDialect, cf::ControlFlowDialect, LLVM::LLVMDialect,
                  NVVM::NVVMDialect, gpu::GPUDialect, index::IndexDialect, ub::UBDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

void NvidiaBackend::registerPasses() const {
  registerPass([] { return createNvidiaLaunchDependenciesPass(); });
  registerPass([] { return createNvidiaPackProgramsPass(); });
  registerPass([] { return createNvidiaPredictLimiterPass(); });
  registerPass([] { return createNvidiaLowerThreadsPass(); });
  registerPass([] { return createNvidiaToLLVMPass(); });
  compiler::registerPhases(*this, "nvidia",
                           {{compiler::Phase::Tile, "Neutral passes on tile IR"},
                            {compiler::Phase::Layout, "Layouts and matrix instructions"},
                            {compiler::Phase::Schedule, "Loads ahead of products"},
                            {compiler::Phase::Lower, "Tiles to threads"},
                            {compiler::Phase::LLVM, "Threads to the LLVM dialect"}});
}

Attribute NvidiaBackend::parseTarget(MLIRContext &context, const compiler::TargetSpec &spec,
                                     const compiler::ErrorFn &error) const {
  context.loadDialect<TileNVIDIADialect>();
  return nvidia::parseTarget(context, spec, error);
}

compiler::Capabilities NvidiaBackend::getCapabilities(Attribute target) const {
  compiler::Capabilities capabilities;
  if (auto own = dyn_cast_or_null<TargetAttr>(target)) {
    capabilities.warpSize = 32;
    capabilities.maxThreads = 1024;
    capabilities.sharedMemoryBytes = findChip(own.getArch())->sharedKiB << 10;
  }
  return capabilities;
}

void NvidiaBackend::buildLowering(OpPassManager &pm, Attribute, compiler::Phase phase) const {
  buildPhase(pm, phase);
}

FailureOr<compiler::Artifact> NvidiaBackend::emit(ModuleOp module, Attribute target,
                                                  compiler::Stage stage,
                                                  StringRef kernelName) const {
  auto own = dyn_cast_or_null<TargetAttr>(target);
  if (!own) {
    return module.emitError() << "expected a target of the NVIDIA backend"
                              << diagID(diag::TargetKind),
           failure();
  }
  return emitArtifact(module, own, stage, kernelName);
}

std::string NvidiaBackend::getCacheKey(Attribute target) const {
  std::string key;
  llvm::raw_string_ostream stream(key);
  stream << "nvidia;" << LLVM_VERSION_STRING << ';';
  auto own = dyn_cast_or_null<TargetAttr>(target);
  if (own) {
    target.print(stream);
    // Another assembler is another file.
    const std::string ptxas = findPtxas(own);
    llvm::sys::fs::file_status status;
    if (!ptxas.empty() && !llvm::sys::fs::status(ptxas, status)) {
      stream << ';' << ptxas << ';' << status.getSize() << ';'
             << status.getLastModificationTime().time_since_epoch().count();
    }
  }
  return key;
}

} // namespace tegula::nvidia
