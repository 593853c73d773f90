//===- VerifyNoLibraryCalls.cpp - nothing may call a library --------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The object of a kernel is linked without libraries, so that an operation that
// code generation turns into a call is reported here, with its location, and
// not by the linker.
//
//===----------------------------------------------------------------------===//

#include "Rewrites.h"
#include "tegula/Conversion/Diagnostics.h"
#include "tegula/Conversion/Math/ExpandMath.h"
#include "tegula/Tile/IR/Diagnostics.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tegula::conversion {

using tile::diagID;

static bool isHalf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    type = vector.getElementType();
  }
  return type.isF16() || type.isBF16();
}

bool isLibraryIntrinsic(StringRef name) {
  static const llvm::StringSet<> names = {
      "acos", "asin",  "atan", "atan2", "cos", "cosh", "exp", "exp10",  "exp2", "frexp", "ldexp",
      "log",  "log10", "log2", "modf",  "pow", "powi", "sin", "sincos", "sinh", "tan",   "tanh"};
  return names.contains(name);
}

static bool isRoundingName(StringRef name) {
  static const llvm::StringSet<> names = {"ceil",  "floor",     "nearbyint", "rint",
                                          "round", "roundeven", "trunc"};
  return names.contains(name);
}

/// Conversions and arithmetic of half precision, in either dialect.
static bool callsForHalf(Operation *op, const MathOptions &options) {
  if (isa<LLVM::FPExtOp, arith::ExtFOp>(op)) {
    Type source = op->getOperand(0).getType();
    return isHalf(source) && !(options.hasF16C && getElementTypeOrSelf(source).isF16());
  }
  if (isa<LLVM::FPTruncOp, arith::TruncFOp>(op)) {
    Type source = op->getOperand(0).getType(), target = op->getResult(0).getType();
    return isHalf(target) && !(options.hasF16C && getElementTypeOrSelf(target).isF16() &&
                               getElementTypeOrSelf(source).isF32());
  }
  bool computes = isa<LLVM::FAddOp, LLVM::FSubOp, LLVM::FMulOp, LLVM::FDivOp, LLVM::FCmpOp,
                      LLVM::SIToFPOp, LLVM::UIToFPOp, LLVM::FPToSIOp, LLVM::FPToUIOp, arith::AddFOp,
                      arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::CmpFOp, arith::MaximumFOp,
                      arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::SIToFPOp,
                      arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp>(op);
  return computes && (llvm::any_of(op->getOperandTypes(), isHalf) ||
                      llvm::any_of(op->getResultTypes(), isHalf));
}

static bool callsLibrary(Operation *op, const MathOptions &options) {
  if (isa<arith::RemFOp, LLVM::FRemOp>(op) || callsForHalf(op, options)) {
    return true;
  }
  if (isa<math::FmaOp, LLVM::FMAOp>(op)) {
    return !options.hasFma;
  }
  StringRef name = op->getName().getStringRef();
  if (name.consume_front("llvm.intr.")) {
    return isLibraryIntrinsic(name) || (!options.hasSse41 && isRoundingName(name));
  }
  if (!isa_and_nonnull<math::MathDialect>(op->getDialect())) {
    return false;
  }
  if (isa<math::CeilOp, math::FloorOp, math::RoundEvenOp, math::RoundOp, math::TruncOp>(op)) {
    return !options.hasSse41;
  }
  return !isa<math::AbsFOp, math::AbsIOp, math::ClampFOp, math::CopySignOp,
              math::CountLeadingZerosOp, math::CountTrailingZerosOp, math::CtPopOp,
              math::IsFiniteOp, math::IsInfOp, math::IsNaNOp, math::IsNormalOp, math::SqrtOp>(op);
}

LogicalResult verifyNoLibraryCalls(Operation *root, const MathOptions &options) {
  bool failed = false;
  root->walk([&](Operation *op) {
    if (callsLibrary(op, options)) {
      op->emitError("expected an operation that is instructions on the target, got '")
          << op->getName() << "', which would call a library" << diagID(diag::LibraryCall);
      failed = true;
    }
  });
  return failure(failed);
}

} // namespace tegula::conversion
