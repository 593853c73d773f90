//===- TileGPUOps.cpp - Verifiers and folders of the ops ----------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "tegula/Tile/IR/Diagnostics.h"
#include "tegula/TileGPU/IR/TileGPU.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tegula::tilegpu;
using tegula::tile::diagID;

#define GET_OP_CLASSES
#include "tegula/TileGPU/IR/TileGPUOps.cpp.inc"

MmaRegisters tegula::tilegpu::getMmaRegisters(MmaAttr instruction, unsigned warpSize) {
  return {instruction.getM() * instruction.getK() / warpSize,
          instruction.getK() * instruction.getN() / warpSize,
          instruction.getM() * instruction.getN() / warpSize};
}

//===----------------------------------------------------------------------===//
// convert_layout
//===----------------------------------------------------------------------===//

LogicalResult ConvertLayoutOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getType());
  if (source.getShape() != result.getShape() ||
      source.getElementType() != result.getElementType()) {
    return emitOpError("expected equal shapes and element types, got ")
           << source << " and " << result << diagID("tilegpu_convert_layout_c1");
  }
  for (RankedTensorType type : {source, result}) {
    if (!isa_and_present<LinearAttr>(type.getEncoding())) {
      return emitOpError("expected types with a layout, got ")
             << type << diagID("tilegpu_convert_layout_c2");
    }
  }
  return success();
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType()) {
    return getSource();
  }
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource())) {
    return splat.resizeSplat(cast<ShapedType>(getType()));
  }
  // A conversion of a conversion starts at the first.
  if (auto inner = getSource().getDefiningOp<ConvertLayoutOp>()) {
    if (inner.getSource().getType() == getType()) {
      return inner.getSource();
    }
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Memory of threads
//===----------------------------------------------------------------------===//

/// Bytes of an access; 0 for what none can have.
static unsigned getAccessBytes(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  Type element = vector ? vector.getElementType() : type;
  unsigned bits = isa<LLVM::LLVMPointerType>(element) ? 64 : element.getIntOrFloatBitWidth();
  return bits % 8 ? 0 : bits / 8 * (vector ? vector.getNumElements() : 1);
}

LogicalResult ThreadLoadOp::verify() {
  unsigned bytes = getAccessBytes(getType());
  if (!llvm::isPowerOf2_32(bytes) || bytes > 16) {
    return emitOpError("expected 1, 2, 4, 8 or 16 bytes, got ")
           << getType() << diagID("tilegpu_thread_load_c1");
  }
  if (getOther() && (!getMask() || getOther().getType() != getType())) {
    return emitOpError("expected a mask, and 'other' of the result's type ")
           << getType() << diagID("tilegpu_thread_load_c2");
  }
  return success();
}

LogicalResult ThreadStoreOp::verify() {
  unsigned bytes = getAccessBytes(getValue().getType());
  if (!llvm::isPowerOf2_32(bytes) || bytes > 16) {
    return emitOpError("expected 1, 2, 4, 8 or 16 bytes, got ")
           << getValue().getType() << diagID("tilegpu_thread_store_c1");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

LogicalResult MmaOp::verify() {
  // The warp size is the module's: 32 and 64 differ by a factor that all three share.
  MmaRegisters wide = getMmaRegisters(getInstruction(), 32);
  unsigned a = cast<VectorType>(getA().getType()).getNumElements();
  unsigned b = cast<VectorType>(getB().getType()).getNumElements();
  unsigned acc = cast<VectorType>(getType()).getNumElements();
  for (unsigned factor : {1, 2}) {
    if (a * factor == wide.a && b * factor == wide.b && acc * factor == wide.acc) {
      return success();
    }
  }
  return emitOpError("expected vectors of ")
         << wide.a << ", " << wide.b << " and " << wide.acc << " elements (half of it in warps of "
         << "64), got " << a << ", " << b << " and " << acc << diagID("tilegpu_mma_op_c1");
}

LogicalResult LoadMatrixOp::verify() {
  auto type = cast<VectorType>(getType());
  unsigned count = getCount();
  bool isCount = count == 1 || count == 2 || count == 4;
  if (!isCount || !type.getElementType().isIntOrFloat() ||
      type.getNumElements() * type.getElementTypeBitWidth() != count * 32) {
    return emitOpError("expected 1, 2 or 4 matrices and 32 bits of each, got ")
           << count << " and " << type << diagID("tilegpu_load_matrix_c1");
  }
  return success();
}
