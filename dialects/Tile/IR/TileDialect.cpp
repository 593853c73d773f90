//===- TileDialect.cpp - The tile dialect --------------------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "tegula/Tile/IR/Diagnostics.h"
#include "tegula/Tile/IR/Tile.h"

using namespace mlir;
using namespace tegula::tile;

#include "tegula/Tile/IR/TileDialect.cpp.inc"

#include "tegula/Tile/IR/TileInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "tegula/Tile/IR/TileOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Inlining
//===----------------------------------------------------------------------===//

namespace {
struct TileInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *, Operation *, bool) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};
} // namespace

//===----------------------------------------------------------------------===//
// Dialect
//===----------------------------------------------------------------------===//

void TileDialect::initialize() {
  registerTypes();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "tegula/Tile/IR/TileOps.cpp.inc"
      >();
  addInterfaces<TileInlinerInterface>();
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                            Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

/// Whether `attribute` is an i32 greater than zero.
static bool isPositiveI32(Attribute attribute) {
  auto integer = dyn_cast<IntegerAttr>(attribute);
  return integer && integer.getType().isSignlessInteger(32) && integer.getInt() > 0;
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  Attribute value = attribute.getValue();
  if (name == kKernelAttr) {
    // Lowered kernels keep the mark, so that any function op may carry it.
    if (!isa<FunctionOpInterface>(op)) {
      return op->emitOpError() << "expected '" << name << "' on a function, got it on '"
                               << op->getName() << "'" << diagID("tile_attr_c1");
    }
    if (!isa<UnitAttr>(value)) {
      return op->emitOpError() << "expected '" << name << "' to be a unit attribute, got " << value
                               << diagID("tile_attr_c1");
    }
  } else if (name == kTargetAttr) {
    if (!isa<TargetAttrInterface>(value)) {
      return op->emitOpError() << "expected '" << name << "' to be a backend's target, got "
                               << value << diagID("tile_attr_c2");
    }
  } else if (name == kNumWarpsAttr || name == kNumStagesAttr || name == kNumCtasAttr) {
    if (!isPositiveI32(value)) {
      return op->emitOpError() << "expected '" << name << "' to be a positive i32, got " << value
                               << diagID("tile_attr_c3");
    }
  } else if (name == kDivisibilityAttr || name == kNoAliasAttr || name == kNameAttr) {
    return op->emitOpError() << "expected '" << name << "' on a function argument, got it on '"
                             << op->getName() << "'" << diagID("tile_attr_c4");
  }
  return success();
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned regionIndex,
                                                    unsigned argIndex, NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  Attribute value = attribute.getValue();
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function) {
    return success();
  }
  Type type = function.getArgumentTypes()[argIndex];
  if (name == kDivisibilityAttr) {
    if (!isPositiveI32(value)) {
      return op->emitOpError() << "expected '" << name << "' of argument " << argIndex
                               << " to be a positive i32, got " << value << diagID("tile_attr_c5");
    }
    if (isa<FloatType, ShapedType>(type)) {
      return op->emitOpError() << "expected '" << name << "' on an integer or pointer, got " << type
                               << " for argument " << argIndex << diagID("tile_attr_c6");
    }
  } else if (name == kNoAliasAttr) {
    if (!isa<UnitAttr>(value)) {
      return op->emitOpError() << "expected '" << name << "' of argument " << argIndex
                               << " to be a unit attribute, got " << value
                               << diagID("tile_attr_c7");
    }
    if (isa<FloatType, IndexType, IntegerType>(type)) {
      return op->emitOpError() << "expected '" << name << "' on a pointer, got " << type
                               << " for argument " << argIndex << diagID("tile_attr_c8");
    }
  } else if (name == kNameAttr && !isa<StringAttr>(value)) {
    return op->emitOpError() << "expected '" << name << "' of argument " << argIndex
                             << " to be a string, got " << value << diagID("tile_attr_c9");
  }
  return success();
}
