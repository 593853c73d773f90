//===- Threads.cpp - Threads of GPUs to the LLVM dialect ------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Conversion/Threads.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tegula/Conversion/Diagnostics.h"
#include "tegula/Conversion/Math/ExpandMath.h"
#include "tegula/Conversion/ToLLVM.h"
#include "tegula/Tile/IR/Diagnostics.h"
#include "tegula/Tile/IR/Tile.h"

using namespace mlir;

namespace tegula::conversion {

using tile::diagID;

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
struct Kernel {
  std::string name;
  SmallVector<int64_t> alignments;
};
} // namespace

static LogicalResult prepareKernels(ModuleOp module, SmallVectorImpl<Kernel> &kernels) {
  for (Operation &op : *module.getBody()) {
    // Control flow needs a function to put its blocks into.
    if (!isa<SymbolOpInterface>(op)) {
      return op.emitOpError() << "expected inside of a function" << diagID(diag::OutsideFunctions);
    }
    auto kernel = dyn_cast<func::FuncOp>(op);
    if (!kernel || !kernel->hasAttr(tile::kKernelAttr) || kernel.isExternal()) {
      continue;
    }
    if (failed(checkSignature(kernel))) {
      return failure();
    }
    passFlagsAsBytes(kernel);
    kernels.push_back({kernel.getName().str(), alignmentsOf(kernel)});
    kernel.removeArgAttrsAttr();
    kernel.removeResAttrsAttr();
  }
  return success();
}

LogicalResult convertThreadsToLLVM(ModuleOp module, StringRef own,
                                   llvm::function_ref<bool(Operation *)> isInstruction,
                                   llvm::function_ref<void(LLVM::LLVMFuncOp)> finish) {
  SmallVector<Kernel> kernels;
  if (failed(prepareKernels(module, kernels))) {
    return failure();
  }
  {
    // Vector ops that only exist above the LLVM dialect.
    RewritePatternSet patterns(module.getContext());
    vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
    vector::populateVectorStepLoweringPatterns(patterns);
    vector::populateVectorInterleaveLoweringPatterns(patterns);
    vector::populateVectorShapeCastLoweringPatterns(patterns);
    if (failed(applyPatternsGreedily(module, std::move(patterns)))) {
      return failure();
    }
  }
  auto extend = [&](const LLVMTypeConverter &converter, RewritePatternSet &patterns,
                    ConversionTarget &target) {
    index::populateIndexToLLVMConversionPatterns(converter, patterns);
    target.addLegalDialect(own);
  };
  if (failed(convertToLLVM(module, extend)) || failed(verifyNoCalls(module, isInstruction))) {
    return failure();
  }
  Builder builder(module.getContext());
  for (const Kernel &kernel : kernels) {
    auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kernel.name);
    for (auto [i, alignment] : llvm::enumerate(kernel.alignments)) {
      if (alignment > 0) {
        function.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                            builder.getI64IntegerAttr(alignment));
      }
    }
    finish(function);
  }
  return success();
}

LogicalResult verifyNoCalls(ModuleOp module, llvm::function_ref<bool(Operation *)> isInstruction) {
  WalkResult result = module.walk([&](Operation *op) {
    auto call = dyn_cast<LLVM::CallOp>(op);
    const bool isUnknown =
        call && (!call.getCallee() ||
                 module.lookupSymbol<LLVM::LLVMFuncOp>(*call.getCallee()).isExternal());
    StringRef name = op->getName().getStringRef();
    const bool callsLibrary =
        name.consume_front("llvm.intr.") && isLibraryIntrinsic(name) && !isInstruction(op);
    if (!isUnknown && !callsLibrary) {
      return WalkResult::advance();
    }
    op->emitError("expected an operation that is instructions on the target, got '")
        << op->getName() << "', which would call a library" << diagID(diag::LibraryCall);
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

} // namespace tegula::conversion
