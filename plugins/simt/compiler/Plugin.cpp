//===- Plugin.cpp - The simulator's compiler half -------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/plugin.h"
#include "Simt.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "tegula/Compiler/Pipeline.h"
#include "tegula/TileGPU/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Debug.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::compiler;

#include "SimtDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "SimtAttrs.cpp.inc"

namespace tegula::simt {

//===----------------------------------------------------------------------===//
// The target
//===----------------------------------------------------------------------===//

void SimtDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "SimtAttrs.cpp.inc"
      >();
}

llvm::StringRef TargetAttr::getBackendId() const { return "simt"; }
llvm::StringRef TargetAttr::getFeatures() const { return ""; }
llvm::StringRef TargetAttr::getTriple() const { return hostTriple(); }
bool TargetAttr::allowsFmaContraction() const { return false; }

tilegpu::CapabilitiesAttr TargetAttr::getGPUCapabilities() const {
  MLIRContext *context = getContext();
  if (getArch() == "simt-64") {
    return tilegpu::CapabilitiesAttr::get(context, 64, 1024, 65536, 16, false, {},
                                          /*async_copy=*/true);
  }
  Builder b(context);
  llvm::SmallVector<tilegpu::MmaAttr> list;
  const auto add = [&](unsigned m, unsigned k, Type first, Type second, Type acc) {
    list.push_back(
        tilegpu::MmaAttr::get(context, tilegpu::MmaFamily::MmaSync, m, 8, k, first, second, acc));
  };
  if (getMatrices()) {
    const Type f16 = b.getF16Type(), bf16 = b.getBF16Type(), f32 = b.getF32Type();
    const Type tf32 = FloatTF32Type::get(context), f64 = b.getF64Type(), i32 = b.getI32Type();
    const Type si8 = IntegerType::get(context, 8, IntegerType::Signed);
    const Type ui8 = IntegerType::get(context, 8, IntegerType::Unsigned);
    const Type small[2] = {Float8E4M3FNType::get(context), Float8E5M2Type::get(context)};
    add(16, 16, f16, f16, f32);
    add(16, 16, bf16, bf16, f32);
    add(16, 8, tf32, tf32, f32);
    add(16, 32, si8, si8, i32);
    add(16, 32, ui8, ui8, i32);
    add(8, 4, f64, f64, f64);
    for (Type first : small) {
      for (Type second : small) {
        add(16, 32, first, second, f32);
      }
    }
  }
  return tilegpu::CapabilitiesAttr::get(context, 32, 1024, 232448, 16, true, list,
                                        /*async_copy=*/true);
}

//===----------------------------------------------------------------------===//
// The backend
//===----------------------------------------------------------------------===//

static void buildPhase(OpPassManager &pm, Phase phase) {
  switch (phase) {
  case Phase::Tile:
    return tilegpu::buildTilePhase(pm);
  case Phase::Layout:
    return tilegpu::buildLayoutPhase(pm);
  case Phase::Schedule:
    return tilegpu::buildSchedulePhase(pm);
  case Phase::Lower:
    return tilegpu::buildLowerPhase(pm);
  case Phase::LLVM:
    return buildLLVMPhase(pm);
  }
}

class SimtBackend final : public BackendCompiler {
public:
  void registerDialects(DialectRegistry &registry) const override {
    registry.insert<SimtDialect, tile::TileDialect, tilegpu::TileGPUDialect, arith::ArithDialect,
                    cf::ControlFlowDialect, func::FuncDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                    math::MathDialect, scf::SCFDialect, ub::UBDialect, vector::VectorDialect>();
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
  }

  void registerPasses() const override {
    registerSimtPasses();
    registerPhases(*this, "simt", {{Phase::LLVM, "Threads to the LLVM dialect"}});
  }

  Attribute parseTarget(MLIRContext &context, const TargetSpec &spec,
                        const ErrorFn &error) const override {
    const std::string arch = spec.arch == "native" ? "simt-32" : spec.arch;
    if (arch != "simt-32" && arch != "simt-64") {
      error("expected arch simt-32, simt-64 or native, got '" + arch + "'" + diagID(diag::kArch));
      return {};
    }
    if (!spec.features.empty()) {
      error("expected no features, got '" + spec.features.front() + "'" + diagID(diag::kFeature));
      return {};
    }
    bool matrices = true;
    for (const auto &[key, value] : spec.options) {
      if (key == "matrices") {
        matrices = value == "true";
      }
    }
    context.loadDialect<SimtDialect>();
    return TargetAttr::get(&context, arch, matrices);
  }

  Capabilities getCapabilities(Attribute target) const override {
    const tilegpu::CapabilitiesAttr gpu = cast<TargetAttr>(target).getGPUCapabilities();
    Capabilities capabilities;
    capabilities.warpSize = gpu.getWarpSize();
    capabilities.maxThreads = gpu.getMaxThreads();
    capabilities.sharedMemoryBytes = gpu.getSharedBytes();
    return capabilities;
  }

  void buildLowering(OpPassManager &pm, Attribute, Phase phase) const override {
    buildPhase(pm, phase);
  }

  FailureOr<Artifact> emit(ModuleOp module, Attribute target, Stage stage,
                           llvm::StringRef kernelName) const override {
    return emitArtifact(module, cast<TargetAttr>(target), stage, kernelName);
  }

  std::string getCacheKey(Attribute target) const override {
    std::string key;
    llvm::raw_string_ostream(key) << "simt 0.1.0;" << target << ';' << hostTriple();
    return key;
  }
};

//===----------------------------------------------------------------------===//
// The plugin
//===----------------------------------------------------------------------===//

static void *getBackend() {
  static const SimtBackend backend;
  const BackendCompiler *base = &backend;
  return const_cast<BackendCompiler *>(base);
}

static void storeIdentity(const void *ids[4]) {
  ids[0] = TypeID::get<ModuleOp>().getAsOpaquePointer();
  ids[1] = FunctionOpInterface::getInterfaceID().getAsOpaquePointer();
  ids[2] = TypeID::get<OpTrait::IsTerminator>().getAsOpaquePointer();
  ids[3] = &llvm::DebugFlag;
}

static const char *const kDialects[] = {"tile_simt", nullptr};
static const char *const kPasses[] = {"simt-services", "simt-to-llvm", nullptr};
static const char *const kPipelines[] = {"simt-llvm", "simt-all", nullptr};
static const char *const kArchExamples[] = {"simt-32", "simt-64", nullptr};
static const char *const kFormats[] = {"simt-so", nullptr};
static const char *const kDeviceKinds[] = {"simt", nullptr};

static const tegula_option kMatrices = {sizeof(tegula_option),
                                        TEGULA_OPTION_BOOL,
                                        "matrices",
                                        "true",
                                        "whether the device has matrix instructions",
                                        0,
                                        0,
                                        nullptr};
static const tegula_option *const kOptions[] = {&kMatrices, nullptr};

static const tegula_compiler_v1 kCompiler = {sizeof(tegula_compiler_v1),
                                             0,
                                             kDialects,
                                             kPasses,
                                             kPipelines,
                                             kOptions,
                                             kArchExamples,
                                             kFormats,
                                             kDeviceKinds,
                                             getBackend,
                                             storeIdentity};

static const tegula_plugin kPlugin = {sizeof(tegula_plugin),
                                      TEGULA_API_MAJOR,
                                      TEGULA_API_MINOR,
                                      "simt",
                                      "0.1.0",
                                      "Tegula",
                                      "Apache-2.0 WITH LLVM-exception",
                                      TEGULA_COMPILER,
                                      TEGULA_SANITIZERS,
                                      &tegula_plugin_facts,
                                      &kCompiler,
                                      nullptr,
                                      nullptr};

} // namespace tegula::simt

extern "C" const tegula_plugin *tegula_plugin_query(uint32_t hostMajor, uint32_t) {
  return hostMajor == TEGULA_API_MAJOR ? &tegula::simt::kPlugin : nullptr;
}
