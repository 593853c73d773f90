//===- TileCollectiveOps.cpp - Reduce, scan, map, sort, histogram -----===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tegula/Tile/IR/Diagnostics.h"
#include "tegula/Tile/IR/Tile.h"

using namespace mlir;
using namespace tegula::tile;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// Appends the number of a constraint to the label of an op: `tile_scan_` and `c1`.
static std::string label(StringRef prefix, StringRef constraint) {
  return diagID((prefix + constraint).str());
}

/// At least one operand, all of one shape, and an axis that exists.
template <typename OpT> static LogicalResult verifyAxis(OpT op, StringRef prefix) {
  if (op.getOperands().empty()) {
    return op.emitOpError() << "expected at least one operand, got none" << label(prefix, "c1");
  }
  auto first = cast<RankedTensorType>(op.getOperands().front().getType());
  for (Value operand : op.getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.getShape() != first.getShape()) {
      InFlightDiagnostic diag = op.emitOpError()
                                << "expected operands of shape [" << first.getShape() << "], got ["
                                << type.getShape() << "]" << label(prefix, "c1");
      diag.attachNote(operand.getLoc()) << "operand made here";
      return diag;
    }
  }
  if (first.getRank() == 0) {
    return op.emitOpError() << "expected operands of rank 1 or more, got rank 0"
                            << label(prefix, "c2");
  }
  int64_t axis = op.getAxisAttr().getInt();
  if (axis < 0 || axis >= first.getRank()) {
    return op.emitOpError() << "expected an axis from 0 to " << first.getRank() - 1 << ", got "
                            << axis << label(prefix, "c2");
  }
  return success();
}

/// A region that takes `arguments` and yields `results`.
template <typename OpT>
static LogicalResult verifyRegion(OpT op, Block &block, ArrayRef<Type> arguments,
                                  ArrayRef<Type> results, const std::string &constraint) {
  if (block.getArgumentTypes() != TypeRange(arguments)) {
    return op.emitOpError() << "expected a region with arguments (" << arguments << "), got ("
                            << block.getArgumentTypes() << ")" << constraint;
  }
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield) {
    return op.emitOpError() << "expected a region that ends in tile.yield, got another"
                            << constraint;
  }
  if (yield.getValues().getTypes() != TypeRange(results)) {
    InFlightDiagnostic diag = op.emitOpError()
                              << "expected a region that yields (" << results << "), got ("
                              << yield.getValues().getTypes() << ")" << constraint;
    diag.attachNote(yield.getLoc()) << "yielded here";
    return diag;
  }
  return success();
}

/// Results of the types of the operands.
template <typename OpT> static LogicalResult verifySameTypes(OpT op, StringRef prefix) {
  if (op->getResultTypes() != op->getOperandTypes()) {
    return op.emitOpError() << "expected results (" << op->getOperandTypes() << "), got ("
                            << op->getResultTypes() << ")" << label(prefix, "c3");
  }
  return success();
}

/// Element types of the operands, twice: what a combiner takes.
static void listCombinerTypes(ValueRange operands, SmallVectorImpl<Type> &arguments,
                              SmallVectorImpl<Type> &elements) {
  for (Value operand : operands) {
    elements.push_back(getElementTypeOrSelf(operand.getType()));
  }
  arguments.append(elements.begin(), elements.end());
  arguments.append(elements.begin(), elements.end());
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  if (failed(verifyAxis(*this, "tile_reduce_"))) {
    return failure();
  }
  if (getNumResults() != getNumOperands()) {
    return emitOpError() << "expected " << getNumOperands() << " results, got " << getNumResults()
                         << diagID("tile_reduce_c3");
  }
  auto first = cast<RankedTensorType>(getOperands().front().getType());
  SmallVector<int64_t> shape(first.getShape());
  shape.erase(shape.begin() + getAxis());
  for (auto [operand, result] : llvm::zip_equal(getOperands(), getResults())) {
    Type element = cast<RankedTensorType>(operand.getType()).getElementType();
    Type expected = shape.empty() ? element : RankedTensorType::get(shape, element);
    auto tensor = dyn_cast<RankedTensorType>(result.getType());
    // Encodings are the business of the dialects that define them.
    bool fits = tensor ? !shape.empty() && tensor.getShape() == ArrayRef(shape) &&
                             tensor.getElementType() == element
                       : result.getType() == expected;
    if (!fits) {
      return emitOpError() << "expected result " << expected << ", got " << result.getType()
                           << diagID("tile_reduce_c3");
    }
  }
  SmallVector<Type> arguments, elements;
  listCombinerTypes(getOperands(), arguments, elements);
  return verifyRegion(*this, getCombiner().front(), arguments, elements,
                      label("tile_reduce_", "c4"));
}

/// What getSimpleCombiner of reductions and scans says.
static Operation *getSimpleOp(unsigned numOperands, Region &combiner) {
  Block &block = combiner.front();
  if (numOperands != 1 || !llvm::hasNItems(block, 2)) {
    return nullptr;
  }
  Operation &op = block.front();
  if (!isa<arith::AddFOp, arith::AddIOp, arith::AndIOp, arith::MaximumFOp, arith::MaxNumFOp,
           arith::MaxSIOp, arith::MaxUIOp, arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp,
           arith::MinUIOp, arith::MulFOp, arith::MulIOp, arith::OrIOp, arith::XOrIOp>(op)) {
    return nullptr;
  }
  Value left = block.getArgument(0), right = block.getArgument(1);
  bool onArguments = (op.getOperand(0) == left && op.getOperand(1) == right) ||
                     (op.getOperand(0) == right && op.getOperand(1) == left);
  return onArguments && block.back().getOperand(0) == op.getResult(0) ? &op : nullptr;
}

Operation *ReduceOp::getSimpleCombiner() { return getSimpleOp(getNumOperands(), getCombiner()); }
Operation *ScanOp::getSimpleCombiner() { return getSimpleOp(getNumOperands(), getCombiner()); }

//===----------------------------------------------------------------------===//
// scan
//===----------------------------------------------------------------------===//

LogicalResult ScanOp::verify() {
  if (failed(verifyAxis(*this, "tile_scan_")) || failed(verifySameTypes(*this, "tile_scan_"))) {
    return failure();
  }
  SmallVector<Type> arguments, elements;
  listCombinerTypes(getOperands(), arguments, elements);
  return verifyRegion(*this, getCombiner().front(), arguments, elements, label("tile_scan_", "c4"));
}

//===----------------------------------------------------------------------===//
// map
//===----------------------------------------------------------------------===//

LogicalResult MapOp::verify() {
  if (getOperands().empty()) {
    return emitOpError() << "expected at least one operand, got none" << diagID("tile_map_c1");
  }
  auto first = cast<RankedTensorType>(getOperands().front().getType());
  int64_t pack = getPackAttr().getInt();
  SmallVector<Type> arguments, results;
  for (auto [types, list] : {std::pair(TypeRange(getOperands()), &arguments),
                             std::pair(TypeRange(getResultTypes()), &results)}) {
    for (Type type : types) {
      auto tensor = cast<RankedTensorType>(type);
      if (tensor.getShape() != first.getShape()) {
        return emitOpError() << "expected operands and results of shape [" << first.getShape()
                             << "], got [" << tensor.getShape() << "]" << diagID("tile_map_c1");
      }
      if (pack > 0 && pack <= first.getNumElements()) {
        list->append(pack, tensor.getElementType());
      }
    }
  }
  if (pack < 1 || pack > first.getNumElements() || first.getNumElements() % pack != 0) {
    return emitOpError() << "expected a 'pack' that divides " << first.getNumElements()
                         << " elements, got " << pack << diagID("tile_map_c2");
  }
  return verifyRegion(*this, getBody().front(), arguments, results, label("tile_map_", "c3"));
}

//===----------------------------------------------------------------------===//
// sort, histogram
//===----------------------------------------------------------------------===//

LogicalResult SortOp::verify() {
  if (failed(verifyAxis(*this, "tile_sort_")) || failed(verifySameTypes(*this, "tile_sort_"))) {
    return failure();
  }
  Type key = getElementTypeOrSelf(getOperands().front().getType());
  if (!isa<IntegerType, Float16Type, BFloat16Type, Float32Type, Float64Type>(key)) {
    return emitOpError() << "expected keys of integers, f16, bf16, f32 or f64, got " << key
                         << diagID("tile_sort_c4");
  }
  return success();
}

LogicalResult HistogramOp::verify() {
  if (getMask() && cast<RankedTensorType>(getMask().getType()).getShape() !=
                       cast<RankedTensorType>(getSource().getType()).getShape()) {
    return emitOpError() << "expected a mask of the source's shape, got " << getMask().getType()
                         << diagID("tile_histogram_c1");
  }
  return success();
}
