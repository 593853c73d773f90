//===- LaunchDependencies.cpp - Kernels that start before others end ------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Threads.h"

using namespace mlir;

namespace tegula::nvidia {

#define GEN_PASS_DEF_NVIDIALAUNCHDEPENDENCIESPASS
#include "NvidiaPasses.h.inc"

/// On a tile.barrier: what else is meant, "wait" or "launch".
static constexpr StringLiteral kDependencyAttr = "tile.launch_dependency";

namespace {
struct LaunchDependencies : impl::NvidiaLaunchDependenciesPassBase<LaunchDependencies> {
  using NvidiaLaunchDependenciesPassBase::NvidiaLaunchDependenciesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto target = module->getAttrOfType<TargetAttr>(tile::kTargetAttr);
    unsigned chip = 0;
    StringRef arch = target ? target.getArch() : StringRef();
    const bool hasThem = arch.consume_front("sm_") && !arch.consumeInteger(10, chip) && chip >= 90;
    SmallVector<std::pair<tile::BarrierOp, bool>> found;
    module.walk([&](tile::BarrierOp barrier) {
      if (auto kind = barrier->getAttrOfType<StringAttr>(kDependencyAttr)) {
        found.emplace_back(barrier, kind.getValue() == "wait");
      }
    });
    for (auto [barrier, isWait] : found) {
      if (hasThem) {
        OpBuilder builder(barrier);
        // The instruction orders memory, which the intrinsic of the same name does not say.
        AsmBuilder(builder, barrier.getLoc())
            .call(isWait ? "griddepcontrol.wait;" : "griddepcontrol.launch_dependents;",
                  "~{memory}", {}, {}, /*hasEffects=*/true);
        if (isWait) {
          module->setAttr(kWaitsForLaunchesAttr, builder.getUnitAttr());
        }
      }
      barrier.erase();
    }
  }
};
} // namespace

} // namespace tegula::nvidia
