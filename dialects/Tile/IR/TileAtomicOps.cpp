//===- TileAtomicOps.cpp - Atomic accesses through pointers -----------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/Tile/IR/Diagnostics.h"
#include "tegula/Tile/IR/Tile.h"

using namespace mlir;
using namespace tegula::tile;

bool tegula::tile::isAtomicOn(AtomicKind kind, Type element) {
  if (element.isInteger(1)) {
    return false;
  }
  switch (kind) {
  case AtomicKind::FAdd:
  case AtomicKind::FMax:
  case AtomicKind::FMin:
    return isa<FloatType>(element);
  case AtomicKind::Xchg:
    return true;
  default:
    return isa<IntegerType>(element);
  }
}

/// The value's elements are what the pointers point to.
template <typename OpT> static LogicalResult verifyPointee(OpT op, const char *constraint) {
  Type pointee = cast<PtrType>(getElementTypeOrSelf(op.getPtr().getType())).getPointeeType();
  Type element = getElementTypeOrSelf(op.getValue().getType());
  if (element != pointee) {
    InFlightDiagnostic diag = op.emitOpError()
                              << "expected a value of " << pointee << " elements, got "
                              << op.getValue().getType() << diagID(constraint);
    diag.attachNote(op.getPtr().getLoc()) << "pointer made here";
    return diag;
  }
  return success();
}

LogicalResult AtomicRMWOp::verify() {
  if (failed(verifyPointee(*this, "tile_atomic_rmw_c1"))) {
    return failure();
  }
  Type element = getElementTypeOrSelf(getValue().getType());
  if (!isAtomicOn(getKind(), element)) {
    return emitOpError() << "expected elements that '" << stringifyAtomicKind(getKind())
                         << "' works on, got " << element << diagID("tile_atomic_rmw_c2");
  }
  return success();
}

LogicalResult AtomicCASOp::verify() {
  if (failed(verifyPointee(*this, "tile_atomic_cas_c1"))) {
    return failure();
  }
  if (getElementTypeOrSelf(getValue().getType()).isInteger(1)) {
    return emitOpError() << "expected elements of 8 bits or more, got i1"
                         << diagID("tile_atomic_cas_c1");
  }
  return success();
}
