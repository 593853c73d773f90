//===- SetTarget.cpp - The pass that puts a target on a module ---------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Driver/SetTarget.h"
#include "Targets.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "tegula/Tile/IR/Tile.h"
#include <mutex>

using namespace mlir;
using namespace tegula::compiler;

namespace tegula::driver {

using TargetPtr = std::unique_ptr<tg_target, void (*)(tg_target *)>;

/// The target and the compiler half of its backend.
static tg_status *findTarget(const std::string &what, TargetPtr &target,
                             const BackendCompiler *&backend) {
  tg_target *made = nullptr;
  if (tg_status *status = tg_target_resolve(what.empty() ? nullptr : what.c_str(), &made)) {
    return status;
  }
  target.reset(made);
  return loadTargetBackend(*target, backend);
}

tg_status *resolveTarget(MLIRContext &context, const std::string &what, ResolvedTarget &resolved) {
  TargetPtr target(nullptr, tg_target_free);
  if (tg_status *status = findTarget(what, target, resolved.backend)) {
    return status;
  }
  context.appendDialectRegistry(registryFor(*resolved.backend));
  return parseTarget(context, *resolved.backend, *target, resolved.attr);
}

namespace {
struct SetTarget : PassWrapper<SetTarget, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SetTarget)
  SetTarget() = default;
  SetTarget(const SetTarget &other) : PassWrapper(other) {}
  StringRef getArgument() const override { return "tile-set-target"; }
  StringRef getDescription() const override { return "Put a target on the module"; }

  /// The target's attribute may be of a dialect of its backend.
  void getDependentDialects(DialectRegistry &registry) const override {
    TargetPtr found(nullptr, tg_target_free);
    const BackendCompiler *backend = nullptr;
    tg_status *status = findTarget(target, found, backend);
    if (!status) {
      backend->registerDialects(registry);
    }
    tg_status_free(status); // said when the pass runs
  }

  void runOnOperation() override {
    ResolvedTarget resolved;
    if (tg_status *status = resolveTarget(getContext(), target, resolved)) {
      InFlightDiagnostic error = getOperation().emitError(runtime::shownMessage(*status));
      if (*tg_status_hint(status)) {
        error.attachNote() << "hint: " << tg_status_hint(status);
      }
      tg_status_free(status);
      return signalPassFailure();
    }
    getOperation()->setAttr(tile::kTargetAttr, resolved.attr);
  }

  Option<std::string> target{*this, "target",
                             llvm::cl::desc("A target's name or a descriptor file; without it "
                                            "TEGULA_TARGET, else the best device present"),
                             llvm::cl::init("")};
};
} // namespace

std::unique_ptr<Pass> createSetTargetPass(const std::string &what) {
  auto pass = std::make_unique<SetTarget>();
  pass->target = what;
  return pass;
}

void registerDriverPasses() {
  static std::once_flag once;
  std::call_once(once, [] { registerPass([] { return createSetTargetPass(""); }); });
}

} // namespace tegula::driver
