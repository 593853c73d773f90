//===- FaultyBackend.cpp - A backend that crashes when told to --------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Backend `faulty`: its only pass, `faulty-crash`, or its emission does what the
// target's options `fault` and `where` say. Tests see that the process lives on.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "tegula/Compiler/BackendCompiler.h"
#include "tegula/Tile/IR/Tile.h"
#include "tegula/plugin.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/ErrorHandling.h"
#include <csignal>
#include <cstdlib>

using namespace mlir;
using namespace tegula::compiler;

namespace {

__attribute__((noinline)) int overflow(volatile int *above) {
  volatile int here[4096];
  here[0] = *above + 1;
  return *above < 0 ? 0 : overflow(here) + here[1];
}

LogicalResult fail(llvm::StringRef fault) {
  if (fault == "segv") {
    // Not through a null pointer, which the compiler may reason about.
    raise(SIGSEGV);
  } else if (fault == "abort") {
    std::abort();
  } else if (fault == "fatal") {
    llvm::report_fatal_error("the planted fault");
  } else if (fault == "quiet-fatal") {
    llvm::report_fatal_error("the planted fault that would exit", /*gen_crash_diag=*/false);
  } else if (fault == "trap") {
    __builtin_trap();
  } else if (fault == "overflow") {
    volatile int zero = 0;
    overflow(&zero);
  } else if (fault == "silent") {
    return failure();
  }
  return success();
}

struct CrashPass : PassWrapper<CrashPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CrashPass)
  CrashPass() = default;
  CrashPass(const CrashPass &other) : PassWrapper(other) {}
  explicit CrashPass(llvm::StringRef kind) { fault = kind.str(); }
  StringRef getArgument() const override { return "faulty-crash"; }
  StringRef getDescription() const override { return "Crash as told"; }
  void runOnOperation() override {
    if (fault.getValue() == "only-says-so") {
      getOperation().emitError("the planted error");
    }
    if (failed(fail(fault))) {
      signalPassFailure();
    }
  }
  Option<std::string> fault{*this, "fault", llvm::cl::desc("How to crash"), llvm::cl::init("")};
};

llvm::StringRef entry(Attribute attr, llvm::StringRef name) {
  auto text = cast<DictionaryAttr>(attr).getAs<StringAttr>(name);
  return text ? text.getValue() : "";
}

struct TargetModel : tegula::tile::TargetAttrInterface::ExternalModel<TargetModel, DictionaryAttr> {
  llvm::StringRef getBackendId(Attribute) const { return "faulty"; }
  llvm::StringRef getArch(Attribute) const { return "any"; }
  llvm::StringRef getTriple(Attribute) const { return "unknown"; }
  llvm::StringRef getFeatures(Attribute) const { return ""; }
  bool allowsFmaContraction(Attribute) const { return true; }
};

class FaultyBackend final : public BackendCompiler {
public:
  void registerDialects(DialectRegistry &registry) const override {
    registry.addExtension(+[](MLIRContext *context, BuiltinDialect *) {
      DictionaryAttr::attachInterface<TargetModel>(*context);
    });
  }
  void registerPasses() const override {
    registerPass([] { return std::make_unique<CrashPass>(); });
  }
  Attribute parseTarget(MLIRContext &context, const TargetSpec &spec,
                        const ErrorFn &) const override {
    Builder builder(&context);
    llvm::SmallVector<NamedAttribute> entries;
    for (const auto &[key, value] : spec.options) {
      entries.push_back(builder.getNamedAttr(key, builder.getStringAttr(value)));
    }
    Attribute target = builder.getDictionaryAttr(entries);
    if (entry(target, "where") == "target") {
      (void)fail(entry(target, "fault"));
    }
    return target;
  }
  Capabilities getCapabilities(Attribute) const override { return {}; }
  void buildLowering(OpPassManager &pm, Attribute target, Phase phase) const override {
    if (entry(target, "where") == "list") {
      (void)fail(entry(target, "fault"));
    }
    if (phase == Phase::Layout && entry(target, "where") == "pass") {
      pm.addPass(std::make_unique<CrashPass>(entry(target, "fault")));
    }
  }
  FailureOr<Artifact> emit(ModuleOp, Attribute target, Stage, llvm::StringRef) const override {
    if (entry(target, "where") == "emit" && failed(fail(entry(target, "fault")))) {
      return failure();
    }
    return Artifact{"text", "nothing\n", {}};
  }
  std::string getCacheKey(Attribute target) const override {
    if (entry(target, "where") == "key") {
      (void)fail(entry(target, "fault"));
    }
    return "faulty";
  }
};

const char *const kNone[] = {nullptr};
const char *const kPasses[] = {"faulty-crash", nullptr};
const char *const kArchs[] = {"any", nullptr};
const char *const kFormats[] = {"text", nullptr};
const tegula_option kFault = {
    sizeof(tegula_option), TEGULA_OPTION_STRING, "fault", "", "how to crash", 0, 0, nullptr};
const tegula_option kWhere = {sizeof(tegula_option),
                              TEGULA_OPTION_STRING,
                              "where",
                              "pass",
                              "target, key, list, pass or emit",
                              0,
                              0,
                              nullptr};
const tegula_option *const kOptions[] = {&kFault, &kWhere, nullptr};

void *getBackend() {
  static const FaultyBackend backend;
  const BackendCompiler *base = &backend;
  return const_cast<BackendCompiler *>(base);
}

void storeIdentity(const void *ids[4]) {
  ids[0] = TypeID::get<ModuleOp>().getAsOpaquePointer();
  ids[1] = FunctionOpInterface::getInterfaceID().getAsOpaquePointer();
  ids[2] = TypeID::get<OpTrait::IsTerminator>().getAsOpaquePointer();
  ids[3] = &llvm::DebugFlag;
}

const tegula_compiler_v1 kCompiler = {sizeof(tegula_compiler_v1),
                                      0,
                                      kNone,
                                      kPasses,
                                      kNone,
                                      kOptions,
                                      kArchs,
                                      kFormats,
                                      kNone,
                                      getBackend,
                                      storeIdentity};

const tegula_plugin kPlugin = {sizeof(tegula_plugin),
                               TEGULA_API_MAJOR,
                               TEGULA_API_MINOR,
                               "faulty",
                               "0.1.0",
                               "Tegula's tests",
                               "Apache-2.0 WITH LLVM-exception",
                               TEGULA_COMPILER,
                               TEGULA_SANITIZERS,
                               &tegula_plugin_facts,
                               &kCompiler,
                               nullptr,
                               nullptr};

} // namespace

extern "C" const tegula_plugin *tegula_plugin_query(uint32_t hostMajor, uint32_t hostMinor) {
  return hostMajor == TEGULA_API_MAJOR ? &kPlugin : nullptr;
}
