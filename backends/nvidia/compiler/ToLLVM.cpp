//===- ToLLVM.cpp - The pass nvidia-to-llvm
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Conversion/ToLLVM.h"
#include "Diagnostics.h"
#include "Passes.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tegula/Conversion/Math/ExpandMath.h"

using namespace mlir;

namespace tegula::nvidia {

#define GEN_PASS_DEF_NVIDIATOLLVMPASS
#include "NvidiaPasses.h.inc"

/// What code generation has no instruction for: it would stop the process.
static bool callsLibrary(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (!name.consume_front("llvm.intr.") || !conversion::isLibraryIntrinsic(name)) {
    return false;
  }
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  if (name == "exp2") {
    return element.isF64();
  }
  if (name == "sin" || name == "cos" || name == "tanh") {
    auto fast = dyn_cast<LLVM::FastmathFlagsInterface>(op);
    auto flags = fast ? fast.getFastmathAttr() : LLVM::FastmathFlagsAttr();
    const bool isApproximate =
        flags && bitEnumContainsAll(flags.getValue(), LLVM::FastmathFlags::afn);
    return !(element.isF32() && isApproximate);
  }
  return true;
}

static LogicalResult verifyNoLibraryCalls(ModuleOp module) {
  WalkResult result = module.walk([&](Operation *op) {
    auto call = dyn_cast<LLVM::CallOp>(op);
    const bool isUnknown =
        call && (!call.getCallee() ||
                 module.lookupSymbol<LLVM::LLVMFuncOp>(*call.getCallee()).isExternal());
    if (!isUnknown && !callsLibrary(op)) {
      return WalkResult::advance();
    }
    op->emitError("expected an operation that is instructions on the chip, got '")
        << op->getName() << "', which would call a library" << diagID(diag::LibraryCall);
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult checkSignature(func::FuncOp kernel) {
  if (kernel.getNumResults() != 0) {
    return kernel.emitOpError() << "expected a kernel without results, got "
                                << kernel.getNumResults() << diagID(diag::KernelSignature);
  }
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    const unsigned bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
    if (!isa<LLVM::LLVMPointerType>(type) && bits != 1 && bits != 8 && bits != 16 && bits != 32 &&
        bits != 64) {
      return kernel.emitOpError() << "expected arguments of 8 to 64 bits, i1 or pointers, got "
                                  << type << " as argument " << i << diagID(diag::KernelSignature);
    }
  }
  return success();
}

/// Uses of flags: parameters hold them as bytes.
static void passFlagsAsBytes(func::FuncOp kernel) {
  Block &entry = kernel.front();
  OpBuilder builder = OpBuilder::atBlockBegin(&entry);
  for (BlockArgument argument : entry.getArguments()) {
    if (!argument.getType().isInteger(1)) {
      continue;
    }
    argument.setType(builder.getI8Type());
    Value none = arith::ConstantOp::create(builder, kernel.getLoc(), builder.getI8IntegerAttr(0));
    auto flag =
        arith::CmpIOp::create(builder, kernel.getLoc(), arith::CmpIPredicate::ne, argument, none);
    argument.replaceAllUsesExcept(flag, flag);
  }
  kernel.setFunctionType(
      FunctionType::get(kernel.getContext(), entry.getArgumentTypes(), TypeRange()));
}

/// What launches promise of pointers; 0: nothing.
static SmallVector<int64_t> alignmentsOf(func::FuncOp kernel) {
  SmallVector<int64_t> list;
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    auto known = kernel.getArgAttrOfType<IntegerAttr>(i, "tile.divisibility");
    const int64_t number = known && isa<LLVM::LLVMPointerType>(type) ? known.getInt() : 0;
    list.push_back(llvm::isPowerOf2_64(number) ? std::min<int64_t>(number, 4096) : 0);
  }
  return list;
}

namespace {
struct ToLLVM : impl::NvidiaToLLVMPassBase<ToLLVM> {
  using NvidiaToLLVMPassBase::NvidiaToLLVMPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    SmallVector<std::string> kernels;
    SmallVector<SmallVector<int64_t>> alignments;
    for (Operation &op : *module.getBody()) {
      // Control flow needs a function to put its blocks into.
      if (!isa<SymbolOpInterface>(op)) {
        op.emitOpError() << "is not supported by the NVIDIA backend outside of functions"
                         << diagID(diag::NoLowering);
        return signalPassFailure();
      }
      auto kernel = dyn_cast<func::FuncOp>(op);
      if (!kernel || !kernel->hasAttr(tile::kKernelAttr) || kernel.isExternal()) {
        continue;
      }
      if (failed(checkSignature(kernel))) {
        return signalPassFailure();
      }
      passFlagsAsBytes(kernel);
      alignments.push_back(alignmentsOf(kernel));
      kernel.removeArgAttrsAttr();
      kernel.removeResAttrsAttr();
      kernels.push_back(kernel.getName().str());
    }
    {
      // Vector ops that only exist above the LLVM dialect.
      RewritePatternSet patterns(context);
      vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
      vector::populateVectorStepLoweringPatterns(patterns);
      vector::populateVectorInterleaveLoweringPatterns(patterns);
      vector::populateVectorShapeCastLoweringPatterns(patterns);
      if (failed(applyPatternsGreedily(module, std::move(patterns)))) {
        return signalPassFailure();
      }
    }
    auto extend = [](const LLVMTypeConverter &converter, RewritePatternSet &patterns,
                     ConversionTarget &target) {
      index::populateIndexToLLVMConversionPatterns(converter, patterns);
      target.addLegalDialect<NVVM::NVVMDialect>();
    };
    if (failed(conversion::convertToLLVM(module, extend)) || failed(verifyNoLibraryCalls(module))) {
      return signalPassFailure();
    }
    auto warps = module->getAttrOfType<IntegerAttr>("tile.num_warps");
    const int32_t threads = 32 * (warps ? warps.getInt() : 4);
    Builder builder(context);
    for (const auto &[name, bytes] : llvm::zip_equal(kernels, alignments)) {
      auto kernel = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
      for (auto [i, number] : llvm::enumerate(bytes)) {
        if (number > 0) {
          kernel.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                            builder.getI64IntegerAttr(number));
        }
      }
      kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
      kernel->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                      builder.getDenseI32ArrayAttr({threads}));
      kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), builder.getI32IntegerAttr(1));
    }
  }
};
} // namespace

} // namespace tegula::nvidia
