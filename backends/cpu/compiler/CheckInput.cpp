//===- CheckInput.cpp - What cpu-form-loops takes -------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop former trusts the types of values: a tile without elements would
// still run its body once, one of i4 would have no place in memory. IR that the
// frontend makes passes; IR from elsewhere may not.
//
//===----------------------------------------------------------------------===//

#include "CheckInput.h"
#include "Diagnostics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tegula/Tile/IR/Tile.h"

using namespace mlir;

namespace tegula::cpu {

static LogicalResult checkTile(Operation *op, RankedTensorType type) {
  if (type.getRank() > kMaxTileRank) {
    return op->emitOpError() << "expected tiles of at most " << kMaxTileRank << " dimensions, got "
                             << type.getRank() << diagID(diag::TileType);
  }
  if (!tile::countTileElements(type.getShape())) {
    return op->emitOpError() << "expected tiles of 1 to " << tile::kMaxTileElements
                             << " elements, got " << type << diagID(diag::TileType);
  }
  if (tile::getElementBytes(type.getElementType()) == 0) {
    return op->emitOpError() << "expected tiles of i1, i8, i16, i32, i64, f16, bf16, f32, f64 or "
                                "pointers, got "
                             << type << diagID(diag::TileType);
  }
  if (type.getEncoding()) {
    return op->emitOpError() << "expected tiles without an encoding, got " << type
                             << diagID(diag::TileType);
  }
  return success();
}

static bool isScalar(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    return integer.isSignless() && integer.getWidth() > 0 && integer.getWidth() <= 64;
  }
  return isa<IndexType, Float16Type, BFloat16Type, Float32Type, Float64Type, tile::PtrType,
             LLVM::LLVMPointerType>(type);
}

static LogicalResult checkType(Operation *op, Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    return checkTile(op, tensor);
  }
  if (!isScalar(type)) {
    return op->emitOpError() << "expected integers of up to 64 bits, index, f16, bf16, f32, f64, "
                                "pointers or tiles, got "
                             << type << diagID(diag::ValueType);
  }
  return success();
}

/// Combiners are copied into the loops as they are, so that they must be made of
/// what the later passes lower.
static LogicalResult checkCombiner(Region &combiner) {
  Block &block = combiner.front();
  WalkResult result = block.walk([&](Operation *op) {
    bool plain = isa<arith::ArithDialect, math::MathDialect, scf::SCFDialect>(op->getDialect()) ||
                 isa<tile::YieldOp>(op);
    if (!plain) {
      op->emitOpError() << "expected arith, math or scf in a combiner, got '" << op->getName()
                        << "'" << diagID(diag::Combiner);
      return WalkResult::interrupt();
    }
    auto isTile = llvm::IsaPred<ShapedType>;
    if (llvm::any_of(op->getOperandTypes(), isTile) || llvm::any_of(op->getResultTypes(), isTile)) {
      op->emitOpError() << "expected scalars in a combiner, got a tile" << diagID(diag::Combiner);
      return WalkResult::interrupt();
    }
    // Regions are copied with their types.
    bool nested = op->getBlock() != &block || op->getNumRegions() != 0;
    auto isPointer = llvm::IsaPred<tile::PtrType>;
    if (nested && (llvm::any_of(op->getOperandTypes(), isPointer) ||
                   llvm::any_of(op->getResultTypes(), isPointer))) {
      op->emitOpError() << "expected no pointers under control flow in a combiner, got one"
                        << diagID(diag::Combiner);
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Tiles and pointers do not cross a function's boundary but as arguments.
static LogicalResult checkSignature(func::FuncOp function) {
  for (Type type : function.getFunctionType().getInputs()) {
    if (!isScalar(type)) {
      return function.emitOpError()
             << "expected scalar arguments, got " << type << diagID(diag::Function);
    }
  }
  for (Type type : function.getFunctionType().getResults()) {
    if (!isScalar(type)) {
      return function.emitOpError()
             << "expected scalar results, got " << type << diagID(diag::Function);
    }
  }
  if (!function.getBody().hasOneBlock()) {
    return function.emitOpError() << "expected structured control flow, got several blocks"
                                  << diagID(diag::Function);
  }
  return success();
}

LogicalResult checkInput(func::FuncOp function) {
  if (failed(checkSignature(function))) {
    return failure();
  }
  WalkResult result = function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      if (failed(checkType(op, type))) {
        return WalkResult::interrupt();
      }
    }
    for (Region &region : op->getRegions()) {
      for (Type type : region.getArgumentTypes()) {
        if (failed(checkType(op, type))) {
          return WalkResult::interrupt();
        }
      }
    }
    if (isa<tile::ReduceOp, tile::ScanOp>(op) && failed(checkCombiner(op->getRegion(0)))) {
      return WalkResult::interrupt();
    }
    if (auto assembly = dyn_cast<tile::InlineAsmOp>(op)) {
      op->emitOpError() << "expected a target with instructions that this text is of, got a CPU"
                        << diagID(diag::InlineAsm);
      return WalkResult::interrupt();
    }
    if (auto call = dyn_cast<tile::ExternOp>(op)) {
      op->emitOpError() << "expected a target with the library '" << call.getLibrary()
                        << "', got a CPU" << diagID(diag::ExternLibrary);
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

} // namespace tegula::cpu
