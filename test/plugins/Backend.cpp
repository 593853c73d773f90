//===- Backend.cpp - A compiler half that registers what it is told --------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "tegula/Compiler/BackendCompiler.h"
#include "llvm/Support/Debug.h"
#include <csignal>

using namespace mlir;
using namespace tegula::compiler;

namespace {

void crashAt(llvm::StringRef place) {
  if (place == fixture_crash) {
    // Not through a null pointer, which the compiler may reason about.
    raise(SIGSEGV);
  }
}

struct NamedDialect : Dialect {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NamedDialect)
  NamedDialect(llvm::StringRef name, MLIRContext *context)
      : Dialect(name, context, TypeID::get<NamedDialect>()) {}
};

struct NamedPass : PassWrapper<NamedPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NamedPass)
  explicit NamedPass(llvm::StringRef name) : name(name) {}
  StringRef getArgument() const override { return name; }
  StringRef getDescription() const override { return "Does nothing"; }
  void runOnOperation() override {}
  llvm::StringRef name;
};

class NamedBackend final : public BackendCompiler {
public:
  void registerDialects(DialectRegistry &registry) const override {
    crashAt("dialects");
    for (const char *const *name = fixture_dialects; *name; ++name) {
      registry.insert(TypeID::get<NamedDialect>(), *name, [name](MLIRContext *context) {
        return context->getOrLoadDialect(*name, TypeID::get<NamedDialect>(), [=] {
          return std::make_unique<NamedDialect>(*name, context);
        });
      });
    }
  }
  void registerPasses() const override {
    for (const char *const *name = fixture_passes; *name; ++name) {
      registerPass([name] { return std::make_unique<NamedPass>(*name); });
    }
    crashAt("passes");
    for (const char *const *name = fixture_pipelines; *name; ++name) {
      PassPipelineRegistration<>(*name, "Nothing", [](OpPassManager &) {});
    }
  }
  Attribute parseTarget(MLIRContext &, const TargetSpec &, const ErrorFn &) const override {
    return {};
  }
  Capabilities getCapabilities(Attribute) const override { return {}; }
  void buildLowering(OpPassManager &, Attribute, Phase) const override {}
  FailureOr<Artifact> emit(ModuleOp, Attribute, Stage, llvm::StringRef) const override {
    return failure();
  }
  std::string getCacheKey(Attribute) const override { return ""; }
};

} // namespace

void *fixture_backend() {
  crashAt("backend");
  static const NamedBackend backend;
  const BackendCompiler *base = &backend;
  return const_cast<BackendCompiler *>(base);
}

void fixture_identity(const void *ids[4]) {
  crashAt("identity");
  ids[0] = TypeID::get<ModuleOp>().getAsOpaquePointer();
  ids[1] = FunctionOpInterface::getInterfaceID().getAsOpaquePointer();
  ids[2] = TypeID::get<OpTrait::IsTerminator>().getAsOpaquePointer();
  ids[3] = &llvm::DebugFlag;
}
