//===- PredictLimiter.cpp - What a kernel's loops wait for most -----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A remark for people: the work of one trip, counted in tiles, over what a multiprocessor
// does in a cycle when it does nothing else. Caches, latencies and instructions that only
// move things are left out, so it says what the best schedule would wait for.
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "Passes.h"
#include "Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tegula/Tile/IR/Tile.h"
#include "tegula/TileGPU/Analysis/Scratch.h"
#include "tegula/TileGPU/IR/TileGPU.h"

using namespace mlir;

namespace tegula::nvidia {

#define GEN_PASS_DEF_NVIDIAPREDICTLIMITERPASS
#include "NvidiaPasses.h.inc"

namespace {
/// Of one multiprocessor in one cycle.
struct Rates {
  double memoryBytes;     ///< from the chip's memory, an equal share
  double halfProducts;    ///< multiply-adds of mma.sync of 16 bits; tf32 half, 8 bits twice
  double doubleProducts;  ///< of mma.sync of f64
  double floats, doubles; ///< other instructions on f32 and integers; on f64
  double functions = 16;  ///< exp2, reciprocals, roots
};

/// Work of one program in one trip.
struct Work {
  double memoryBytes = 0, halfProducts = 0, doubleProducts = 0, floats = 0, doubles = 0,
         functions = 0;
  double products = 0; ///< of all kinds
};
} // namespace

/// Peaks from the makers' data sheets, divided by multiprocessors and clock; memory is that
/// of the slowest board of a name. mma.sync reaches five eighths of what sm_90 can do.
static Rates getRates(StringRef arch) {
  unsigned number = 0;
  arch.consume_front("sm_");
  arch.consumeInteger(10, number);
  switch (number) {
  case 80:
    return {10, 1024, 64, 64, 32};
  case 86:
    return {4.5, 512, 2, 128, 2};
  case 87:
    return {9, 512, 2, 128, 2};
  case 89:
    return {2.5, 512, 2, 128, 2};
  case 90:
    return {14, 1280, 128, 128, 64};
  case 100:
  case 103:
    return {28, 1024, 64, 128, 64};
  case 110:
    return {8.5, 1024, 2, 128, 2};
  default:
    return {4.4, 512, 2, 128, 2};
  }
}

static double elementsOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? double(tensor.getNumElements()) : 0;
}

static double bytesOf(Type pointers) {
  auto pointer = cast<tile::PtrType>(getElementTypeOrSelf(pointers));
  return elementsOf(pointers) * tile::getElementBytes(pointer.getPointeeType());
}

static void addProduct(tile::DotOp dot, Work &work) {
  auto left = cast<RankedTensorType>(dot.getA().getType());
  const double count = elementsOf(dot.getResult().getType()) * double(left.getShape().back());
  auto mma = dot->getAttrOfType<tilegpu::MmaAttr>(tilegpu::kMmaAttr);
  if (!mma) {
    (getElementTypeOrSelf(dot.getResult().getType()).isF64() ? work.doubles : work.floats) += count;
    return;
  }
  work.products += count;
  if (mma.getA().isF64()) {
    work.doubleProducts += count;
    return;
  }
  const unsigned bits = mma.getA().isTF32() ? 32 : mma.getA().getIntOrFloatBitWidth();
  work.halfProducts += count * bits / 16;
}

static void addOp(Operation *op, Work &work) {
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    work.memoryBytes += bytesOf(load.getPtr().getType());
  } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
    work.memoryBytes += bytesOf(store.getPtr().getType());
  } else if (auto copy = dyn_cast<tilegpu::AsyncCopyOp>(op)) {
    work.memoryBytes += bytesOf(copy.getPtr().getType());
  } else if (auto dot = dyn_cast<tile::DotOp>(op)) {
    addProduct(dot, work);
  } else if (isa<math::MathDialect>(op->getDialect()) || isa<arith::DivFOp>(op)) {
    if (op->getNumResults() == 1) {
      work.functions += elementsOf(op->getResult(0).getType());
    }
  } else if (isa<arith::ArithDialect>(op->getDialect())) {
    Type type = op->getResult(0).getType();
    // Integers are addresses and masks as a rule, most of which are folded.
    if (isa<FloatType>(getElementTypeOrSelf(type))) {
      (getElementTypeOrSelf(type).isF64() ? work.doubles : work.floats) += elementsOf(type);
    }
  } else if (isa<tile::ReduceOp>(op)) {
    for (Value operand : op->getOperands()) {
      work.floats += elementsOf(operand.getType());
    }
  }
}

/// The work of `op`'s regions, without loops in them. `hasLoops`: there are some.
static Work countWork(Operation *op, bool &hasLoops) {
  Work work;
  hasLoops = false;
  for (Region &region : op->getRegions()) {
    region.walk<WalkOrder::PreOrder>([&](Operation *inner) {
      if (isa<LoopLikeOpInterface>(inner)) {
        hasLoops = true;
        return WalkResult::skip();
      }
      addOp(inner, work);
      // The region of a reduction is of scalars.
      return isa<tile::ReduceOp>(inner) ? WalkResult::skip() : WalkResult::advance();
    });
  }
  return work;
}

static std::string rounded(double number) { return std::to_string(uint64_t(number + 0.5)); }

static void explain(Operation *op, const Work &work, const Rates &rates, StringRef what) {
  struct Part {
    double cycles;
    std::string text;
    const char *name;
  };
  Part parts[] = {
      {work.memoryBytes / rates.memoryBytes, rounded(work.memoryBytes) + " bytes of memory",
       "memory, unless caches have what is read"},
      {work.halfProducts / rates.halfProducts + work.doubleProducts / rates.doubleProducts,
       rounded(work.products) + " multiply-adds of matrix instructions", "matrix instructions"},
      {work.floats / rates.floats + work.doubles / rates.doubles,
       rounded(work.floats + work.doubles) + " operations", "arithmetic"},
      {work.functions / rates.functions,
       rounded(work.functions) + " mathematical functions and divisions",
       "mathematical functions and divisions"}};
  const Part *most =
      llvm::max_element(parts, [](const Part &a, const Part &b) { return a.cycles < b.cycles; });
  if (most->cycles < 1) {
    return;
  }
  std::string text = what.str();
  const char *separator = ": ";
  for (const Part &part : parts) {
    if (part.cycles >= 0.5) {
      text += separator + part.text + " take " + rounded(part.cycles) + " cycles";
      separator = ", ";
    }
  }
  remark::analysis(op->getLoc(), remark::RemarkOpts::name(diag::Limiter).category("nvidia"))
      << StringRef(text + " of a multiprocessor at its best; predicted limiter: " + most->name);
}

namespace {
struct PredictLimiterPass : impl::NvidiaPredictLimiterPassBase<PredictLimiterPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    auto target = getOperation()->getAttrOfType<TargetAttr>(tile::kTargetAttr);
    if (!getContext().getRemarkEngine() || !target) {
      return;
    }
    const Rates rates = getRates(target.getArch());
    getOperation().walk([&](Operation *op) {
      const bool isLoop = isa<LoopLikeOpInterface>(op);
      if (!isLoop && !isa<FunctionOpInterface>(op)) {
        return;
      }
      bool hasLoops = false;
      const Work work = countWork(op, hasLoops);
      if (isLoop ? !hasLoops : true) {
        explain(op, work, rates,
                isLoop     ? "a trip of the loop"
                : hasLoops ? "a program, outside of its loops"
                           : "a program");
      }
    });
  }
};
} // namespace

} // namespace tegula::nvidia
