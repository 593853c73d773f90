//===- PlanScratch.cpp - The pass cpu-plan-scratch
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace tegula::cpu {

#define GEN_PASS_DEF_CPUPLANSCRATCHPASS
#include "CpuPasses.h.inc"

namespace {
struct Life {
  AllocOp op;
  unsigned first, last;
  int64_t offset = 0;
};

struct PlanScratch : impl::CpuPlanScratchPassBase<PlanScratch> {
  using CpuPlanScratchPassBase::CpuPlanScratchPassBase;

  /// More than this and 64 threads would take 16 GiB.
  static constexpr int64_t kMaxScratchBytes = 256 << 20;

  /// `order` starts with the largest.
  static LogicalResult tooMuch(int64_t total, ArrayRef<Life *> order) {
    InFlightDiagnostic diag = order.front()->op.emitError()
                              << "expected at most " << kMaxScratchBytes
                              << " bytes of tiles in one program, got " << total << ", of which "
                              << order.front()->op.getBytes() << " here"
                              << diagID(diag::ScratchLimit);
    for (Life *life : order.drop_front().take_front(3)) {
      diag.attachNote(life->op.getLoc())
          << "a tile of " << life->op.getBytes() << " bytes is kept here";
    }
    diag.attachNote() << "hint: use smaller blocks, or hold fewer tiles at the same time";
    return diag;
  }

  static LogicalResult plan(func::FuncOp function) {
    // Positions of a pre-order walk; an op's `end` covers its regions.
    llvm::DenseMap<Operation *, std::pair<unsigned, unsigned>> span;
    unsigned clock = 0;
    SmallVector<AllocOp> allocs;
    bool structured = true;
    std::function<void(Operation *)> number = [&](Operation *op) {
      unsigned begin = clock++;
      for (Region &region : op->getRegions()) {
        structured &= region.empty() || region.hasOneBlock();
        for (Operation &inner : region.getOps()) {
          number(&inner);
        }
      }
      span[op] = {begin, clock};
      if (auto alloc = dyn_cast<AllocOp>(op)) {
        allocs.push_back(alloc);
      }
    };
    number(function);
    if (!structured && !allocs.empty()) {
      return function.emitOpError()
             << "expected structured control flow around scratch memory, got "
                "several blocks"
             << diagID(diag::Function);
    }
    SmallVector<Life> lives;
    for (AllocOp alloc : allocs) {
      // Uses through derived pointers count; a loop inside the block counts as a whole.
      // A life begins with the first use: buffers are made before those that fill them.
      unsigned first = clock, last = span[alloc].second;
      SmallVector<Value> work = {alloc.getResult()};
      llvm::SmallPtrSet<Value, 16> seen;
      while (!work.empty()) {
        Value value = work.pop_back_val();
        for (Operation *user : value.getUsers()) {
          Operation *top = alloc->getBlock()->findAncestorOpInBlock(*user);
          // What control flow passes on may be used anywhere.
          bool escapes = user->hasTrait<OpTrait::IsTerminator>() || user->getNumRegions() != 0;
          auto [begin, end] = span[top && !escapes ? top : function.getOperation()];
          first = std::min(first, begin);
          last = std::max(last, end);
          for (Value result : user->getResults()) {
            Type type = getElementTypeOrSelf(result.getType());
            if (isa<LLVM::LLVMPointerType>(type) && seen.insert(result).second) {
              work.push_back(result);
            }
          }
        }
      }
      lives.push_back({alloc, std::min(first, last), last});
    }
    // First fit, large buffers first.
    SmallVector<Life *> order;
    for (Life &life : lives) {
      order.push_back(&life);
    }
    llvm::stable_sort(order, [](Life *a, Life *b) { return a->op.getBytes() > b->op.getBytes(); });
    int64_t total = 0;
    SmallVector<Life *> placed;
    auto padded = [](Life *life) { return int64_t(llvm::alignTo(life->op.getBytes(), 64)); };
    for (Life *life : order) {
      SmallVector<Life *> rivals;
      llvm::copy_if(placed, std::back_inserter(rivals), [&](Life *other) {
        return other->first < life->last && life->first < other->last;
      });
      llvm::sort(rivals, [](Life *a, Life *b) { return a->offset < b->offset; });
      int64_t offset = 0;
      for (Life *rival : rivals) {
        if (offset + padded(life) <= rival->offset) {
          break;
        }
        offset = std::max(offset, rival->offset + padded(rival));
      }
      life->offset = offset;
      total = std::max(total, offset + padded(life));
      placed.push_back(life);
    }
    if (total > kMaxScratchBytes) {
      return tooMuch(total, order);
    }
    if (!lives.empty() && function->getContext()->getRemarkEngine()) {
      int64_t apart = 0;
      for (Life &life : lives) {
        apart += padded(&life);
      }
      const std::string text =
          ("kernel keeps " + Twine(lives.size()) + (lives.size() == 1 ? " tile" : " tiles") +
           " in " + Twine(total) + " bytes of scratch memory a thread" +
           (apart == total ? Twine("") : ", " + Twine(apart) + " without sharing"))
              .str();
      remark::analysis(function.getLoc(), remark::RemarkOpts::name(diag::ScratchPlan)
                                              .category("cpu-plan-scratch")
                                              .function(function.getName()))
          << StringRef(text);
    }
    for (Life &life : lives) {
      OpBuilder builder(life.op);
      Value address = ScratchOp::create(builder, life.op.getLoc(), life.op.getType(), life.offset);
      life.op.replaceAllUsesWith(address);
      life.op.erase();
    }
    OpBuilder builder(function);
    function->setAttr(kScratchBytesAttr, builder.getI64IntegerAttr(total));
    return success();
  }

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isExternal() && failed(plan(function))) {
        return signalPassFailure();
      }
    }
  }
};
} // namespace

} // namespace tegula::cpu
