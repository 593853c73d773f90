//===- TileProgramOps.cpp - Program ids, ranges, hints -------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinAttributes.h"
#include "tegula/Tile/IR/Diagnostics.h"
#include "tegula/Tile/IR/Tile.h"

using namespace mlir;
using namespace tegula::tile;

//===----------------------------------------------------------------------===//
// program_id, num_programs
//===----------------------------------------------------------------------===//

static LogicalResult verifyAxis(Operation *op, IntegerAttr axis, StringRef label) {
  if (axis.getInt() < 0 || axis.getInt() > 2) {
    return op->emitOpError() << "expected an axis from 0 to 2, got " << axis.getInt()
                             << diagID(label);
  }
  return success();
}

LogicalResult ProgramIdOp::verify() {
  return verifyAxis(*this, getAxisAttr(), "tile_program_id_c1");
}

LogicalResult NumProgramsOp::verify() {
  return verifyAxis(*this, getAxisAttr(), "tile_num_programs_c1");
}

//===----------------------------------------------------------------------===//
// range
//===----------------------------------------------------------------------===//

LogicalResult RangeOp::verify() {
  int64_t count = int64_t(getEndAttr().getInt()) - int64_t(getStartAttr().getInt());
  int64_t size = cast<RankedTensorType>(getType()).getDimSize(0);
  if (size != count) {
    return emitOpError() << "expected a tile of " << count << " elements, got " << size
                         << diagID("tile_range_c1");
  }
  return success();
}

OpFoldResult RangeOp::fold(FoldAdaptor) {
  auto type = cast<RankedTensorType>(getType());
  if (type.getNumElements() != 1) {
    return {};
  }
  return DenseElementsAttr::get(type, APInt(32, getStart(), /*isSigned=*/true,
                                            /*implicitTrunc=*/true));
}

//===----------------------------------------------------------------------===//
// hint
//===----------------------------------------------------------------------===//

LogicalResult HintOp::verify() {
  auto tensor = dyn_cast<RankedTensorType>(getType());
  size_t expected = tensor ? std::max<int64_t>(tensor.getRank(), 1) : 1;
  auto check = [&](StringRef name, std::optional<ArrayRef<int64_t>> list) -> LogicalResult {
    if (!list) {
      return success();
    }
    if (list->size() != expected) {
      return emitOpError() << "expected " << expected << " entries in '" << name << "', got "
                           << list->size() << diagID("tile_hint_c1");
    }
    for (int64_t entry : *list) {
      if (entry < 1) {
        return emitOpError() << "expected positive entries in '" << name << "', got " << entry
                             << diagID("tile_hint_c2");
      }
    }
    return success();
  };
  if (failed(check("divisibility", getDivisibility())) ||
      failed(check("contiguity", getContiguity())) || failed(check("constancy", getConstancy()))) {
    return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// print
//===----------------------------------------------------------------------===//

LogicalResult PrintOp::verify() {
  if (getSigns().size() != getOperands().size()) {
    return emitOpError() << "expected " << getOperands().size() << " entries in 'signs', got "
                         << getSigns().size() << diagID("tile_print_c1");
  }
  return success();
}
