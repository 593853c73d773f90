//===- LowerKernel.cpp - The pass cpu-lower-kernel
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tegula::cpu {

#define GEN_PASS_DEF_CPULOWERKERNELPASS
#include "CpuPasses.h.inc"

namespace {
struct LowerKernel : impl::CpuLowerKernelPassBase<LowerKernel> {
  using CpuLowerKernelPassBase::CpuLowerKernelPassBase;

  /// Bytes of an argument in the block, which is its alignment too; 0: not in the ABI.
  static unsigned argumentBytes(Type type) {
    if (isa<LLVM::LLVMPointerType>(type)) {
      return 8;
    }
    if (type.isInteger(1)) {
      return 1;
    }
    if (type.isIntOrFloat()) {
      unsigned bits = type.getIntOrFloatBitWidth();
      return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits / 8 : 0;
    }
    return 0;
  }

  static LogicalResult lower(func::FuncOp kernel) {
    MLIRContext *context = kernel.getContext();
    Type pointer = LLVM::LLVMPointerType::get(context);
    Location loc = kernel.getLoc();
    if (kernel.getNumResults() != 0) {
      return kernel.emitOpError() << "expected a kernel without results, got "
                                  << kernel.getNumResults() << diagID(diag::KernelSignature);
    }
    Block &entry = kernel.getBody().front();
    unsigned count = entry.getNumArguments();
    OpBuilder builder = OpBuilder::atBlockBegin(&entry);
    SmallVector<Value> base;
    for (unsigned i = 0; i < 4; ++i) {
      base.push_back(entry.addArgument(pointer, loc));
    }
    Type i8 = builder.getI8Type();
    auto at = [&](Value from, int64_t offset) -> Value {
      if (offset == 0) {
        return from;
      }
      return LLVM::GEPOp::create(builder, loc, pointer, i8, from,
                                 ArrayRef<LLVM::GEPArg>{int32_t(offset)});
    };
    auto load = [&](Type type, Value address, unsigned align) -> LLVM::LoadOp {
      auto op = LLVM::LoadOp::create(builder, loc, type, address, align);
      op.setInvariant(true); // nobody writes launch data while the program runs
      return op;
    };
    int64_t offset = 0;
    for (unsigned i = 0; i < count; ++i) {
      Value argument = entry.getArgument(i);
      Type type = argument.getType();
      unsigned bytes = argumentBytes(type);
      if (bytes == 0) {
        return kernel.emitOpError()
               << "expected arguments of 8 to 64 bits, i1 or pointers, got " << type
               << " as argument " << i << diagID(diag::KernelSignature);
      }
      offset = llvm::alignTo(offset, bytes);
      bool flag = type.isInteger(1);
      Value value = load(flag ? i8 : type, at(base[0], offset), bytes);
      if (flag) {
        Value none = arith::ConstantOp::create(builder, loc, builder.getI8IntegerAttr(0));
        value = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value, none);
      }
      argument.replaceAllUsesWith(value);
      offset += bytes;
    }
    // Program ids and scratch memory, each read once at the entry.
    Value ids[2][3] = {}, scratch;
    auto launchValue = [&](unsigned which, unsigned axis) {
      Value &value = ids[which][axis];
      if (!value) {
        value = load(builder.getI32Type(), at(base[1 + which], 4 * axis), 4);
      }
      return value;
    };
    SmallVector<Operation *> replaced; // kept for now: `builder` stands before the first op
    kernel.walk([&](Operation *op) {
      Value value;
      if (auto id = dyn_cast<tile::ProgramIdOp>(op)) {
        value = launchValue(0, id.getAxis());
      } else if (auto number = dyn_cast<tile::NumProgramsOp>(op)) {
        value = launchValue(1, number.getAxis());
      } else if (isa<ContextOp>(op)) {
        value = base[3];
      } else if (isa<ProgramOp>(op)) {
        value = base[1];
      } else if (auto place = dyn_cast<ScratchOp>(op)) {
        if (!scratch) {
          scratch = load(pointer, base[3], 8);
        }
        OpBuilder here(op);
        value = place.getOffset() == 0
                    ? scratch
                    : LLVM::GEPOp::create(here, op->getLoc(), pointer, i8, scratch,
                                          ArrayRef<LLVM::GEPArg>{int32_t(place.getOffset())})
                          .getResult();
      } else {
        return;
      }
      op->getResult(0).replaceAllUsesWith(value);
      replaced.push_back(op);
    });
    for (Operation *op : replaced) {
      op->erase();
    }
    entry.eraseArguments(0, count);
    kernel.setFunctionType(FunctionType::get(context, entry.getArgumentTypes(), {}));
    kernel.removeArgAttrsAttr();
    kernel.removeResAttrsAttr();
    return success();
  }

  /// Launch data and scratch memory reach kernels only.
  static LogicalResult checkHelper(func::FuncOp function) {
    WalkResult result = function.walk([&](Operation *op) {
      if (!isa<tile::ProgramIdOp, tile::NumProgramsOp, ScratchOp, ContextOp, ProgramOp>(op)) {
        return WalkResult::advance();
      }
      op->emitOpError() << "expected a function with '" << tile::kKernelAttr << "' around it, got '"
                        << function.getName() << "'" << diagID(diag::HelperFunction);
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function->hasAttr(tile::kKernelAttr) && failed(checkHelper(function))) {
        return signalPassFailure();
      }
      if (function->hasAttr(tile::kKernelAttr) && !function.isExternal() &&
          failed(lower(function))) {
        return signalPassFailure();
      }
    }
  }
};
} // namespace

} // namespace tegula::cpu
