//===- Dot.cpp - The register-blocked matrix product
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Operands are kept row-major in the type of the computation; their loops fuse
// loads, masks and casts. The kernel holds a block of rows x columns of the
// accumulator in registers over the whole of K.
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "LoopFormer.h"
#include "LoopFormerInlines.h"
#include "tegula/Conversion/Math/FloatFormats.h"

using namespace mlir;

namespace tegula::cpu {

LogicalResult LoopFormer::keepOperand(tile::DotOp op, Value operand, Type compute,
                                      std::optional<tile::Fp8Kind> fp8, Buffer &out) {
  auto type = tileType(operand);
  Type element = type.getElementType();
  if (element == compute && !fp8) {
    if (failed(keep(operand))) {
      return failure();
    }
    out = buffers[operand];
    return success();
  }
  if (failed(prepareOperands(operand, type.getShape(), {}))) {
    return failure();
  }
  Location loc = op.getLoc();
  out = makeBuffer(loc, type.getShape(), compute);
  announceWriteThrough(operand, type.getShape());
  int dim = vectorDim(type.getShape());
  unsigned lanes = dim < 0 ? 1 : lanesFor(operand, type.getDimSize(dim));
  lanes = std::min(lanes, std::max(1u, 2 * options.vectorBits / compute.getIntOrFloatBitWidth()));
  forEachChunk(loc, type.getShape(), lanes, [&](const Chunk &chunk) {
    Pulled value = pull(operand, chunk);
    Pulled wide = at(value.level, [&]() -> Value {
      Type to = withLanes(compute, lanes);
      if (fp8) {
        Value result =
            conversion::buildFp8ToF32(builder, loc, value.value, conversion::Fp8Kind(int(*fp8)));
        return compute.isF32() ? result
                               : arith::ExtFOp::create(builder, loc, to, result).getResult();
      }
      if (isa<FloatType>(compute)) {
        return arith::ExtFOp::create(builder, loc, to, value.value);
      }
      if (element.getIntOrFloatBitWidth() > compute.getIntOrFloatBitWidth()) {
        return arith::TruncIOp::create(builder, loc, to, value.value); // sums wrap alike
      }
      if (op.getSignedness() == tile::Signedness::Unsigned) {
        return arith::ExtUIOp::create(builder, loc, to, value.value);
      }
      return arith::ExtSIOp::create(builder, loc, to, value.value);
    });
    storeBuffer(loc, out, chunk, wide);
  });
  return success();
}

LogicalResult LoopFormer::emitDot(tile::DotOp op) {
  Location loc = op.getLoc();
  auto accType = tileType(op.getAcc());
  Type element = accType.getElementType();
  Type compute = element.isF16() || element.isBF16() ? builder.getF32Type() : element;
  Buffer a, b;
  if (failed(keepOperand(op, op.getA(), compute, op.getAFp8(), a)) ||
      failed(keepOperand(op, op.getB(), compute, op.getBFp8(), b))) {
    return failure();
  }
  // The accumulator is updated in place when nobody else needs it.
  Value acc = op.getAcc();
  Buffer c;
  if (buffers.contains(acc) || wantsBuffer.contains(acc)) {
    if (failed(keep(acc))) {
      return failure();
    }
  }
  bool steal = false;
  auto have = buffers.find(acc);
  if (have == buffers.end() && acc.getDefiningOp() && !hasUniformDim(acc)) {
    if (failed(keep(acc))) {
      return failure();
    }
    have = buffers.find(acc);
  }
  if (have != buffers.end()) {
    steal = !have->second.shared && have->second.pointer != a.pointer &&
            have->second.pointer != b.pointer && diesAt(acc, op);
  }
  if (steal) {
    c = have->second;
  } else {
    c = makeBuffer(loc, accType.getShape(), element);
    if (failed(keep(acc, &c))) {
      return failure();
    }
  }
  emitKernel(op, a, b, c, compute);
  buffers[op.getResult()] = c;
  return success();
}

void LoopFormer::emitKernel(tile::DotOp op, const Buffer &a, const Buffer &b, const Buffer &c,
                            Type compute) {
  Location loc = op.getLoc();
  unsigned rank = c.shape.size(), batch = rank - 2;
  int64_t m = c.shape[batch], n = c.shape[batch + 1], k = a.shape[batch + 1];
  unsigned bits = compute.getIntOrFloatBitWidth();
  int64_t lanes = std::max(1u, options.vectorBits / bits);
  while (lanes > 1 && lanes / 2 >= n) {
    lanes /= 2;
  }
  int64_t rows = options.numRegisters >= 32 ? 8 : 4, width = 2;
  int64_t tail = n % lanes;
  if (explains()) {
    const int64_t columns = std::min(width, (n + lanes - 1) / lanes);
    explain(diag::MicroKernel, loc,
            "dot of " + llvm::Twine(m) + "x" + llvm::Twine(n) + "x" + llvm::Twine(k) +
                ": micro-kernel of " + llvm::Twine(std::min(rows, m)) + " rows x " +
                llvm::Twine(columns) + (columns == 1 ? " vector of " : " vectors of ") +
                llvm::Twine(lanes) + " lanes in registers" +
                (m % rows != 0 && m > rows ? ", " + llvm::Twine(m % rows) + " rows apart"
                                           : llvm::Twine("")) +
                (tail ? ", the last vector masked" : ""));
  }

  // A block of `height` rows from `row` by `columns` vectors from `column`;
  // with `partial`, the last vector ends after that many lanes.
  auto block = [&](const Coord &batchAt, const Coord &row, const Coord &column, int64_t height,
                   int64_t columns, int64_t partial) {
    unsigned level = nest->depth();
    auto at3 = [&](const Coord &i, const Coord &j) {
      Chunk chunk;
      if (batch) {
        chunk.at.push_back(batchAt);
      }
      chunk.at.push_back(i);
      chunk.at.push_back(j);
      return chunk;
    };
    auto address = [&](const Buffer &buffer, const Coord &i, const Coord &j) {
      Chunk chunk = at3(i, j);
      return elementPointer(loc, {buffer.pointer, 0}, linearise(loc, chunk, buffer.shape),
                            memoryElement(buffer.element))
          .value;
    };
    Value partialMask;
    if (partial) {
      SmallVector<bool> flags(lanes, false);
      std::fill(flags.begin(), flags.begin() + partial, true);
      partialMask =
          constant(DenseElementsAttr::get(VectorType::get({lanes}, builder.getI1Type()), flags));
    }
    auto loadVector = [&](Value pointer, Type from, int64_t j) -> Value {
      if (lanes == 1) {
        return LLVM::LoadOp::create(builder, loc, from, pointer, tile::getElementBytes(from));
      }
      bool masked = partial && j == columns - 1;
      Value other = masked ? zero(from, lanes) : Value();
      nest->at(nest->depth());
      if (masked) {
        return emitMaskedLoad(loc, withLanes(from, lanes), pointer, partialMask, other,
                              tile::getElementBytes(from));
      }
      return LLVM::LoadOp::create(builder, loc, withLanes(from, lanes), pointer,
                                  tile::getElementBytes(from));
    };
    // Pointers of the accumulator's rows.
    SmallVector<Value> cRows, aRows;
    for (int64_t i = 0; i < height; ++i) {
      cRows.push_back(address(c, addToCoord(loc, row, i), column));
    }
    for (int64_t i = 0; i < height; ++i) {
      aRows.push_back(address(a, addToCoord(loc, row, i), Coord::get(0)));
    }
    Value bColumn = address(b, Coord::get(0), column);
    nest->at(level);
    Type pointerType = bColumn.getType();
    auto shifted = [&](Value pointer, int64_t elements, Type type) -> Value {
      if (elements == 0) {
        return pointer;
      }
      return LLVM::GEPOp::create(builder, loc, pointerType, type, pointer,
                                 ArrayRef<LLVM::GEPArg>{int32_t(elements)});
    };
    SmallVector<Value> sums;
    for (int64_t i = 0; i < height; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        nest->at(level);
        Value old = loadVector(shifted(cRows[i], j * lanes, c.element), c.element, j);
        if (c.element != compute) {
          old = arith::ExtFOp::create(builder, loc, withLanes(compute, lanes), old);
        }
        sums.push_back(old);
      }
    }
    auto multiply = [&](Value x, Value y, Value sum) -> Value {
      if (!isa<FloatType>(compute)) {
        Value product = arith::MulIOp::create(builder, loc, x, y);
        return arith::AddIOp::create(builder, loc, sum, product);
      }
      auto flags = arith::FastMathFlagsAttr::get(builder.getContext(),
                                                 options.contract ? arith::FastMathFlags::contract
                                                                  : arith::FastMathFlags::none);
      Value product = arith::MulFOp::create(builder, loc, x, y, flags);
      return arith::AddFOp::create(builder, loc, sum, product, flags);
    };
    auto stepK = [&](Value index, int64_t offset, SmallVectorImpl<Value> &acc) {
      Value kOffset = index;
      // Address of row k of b, and of column k of a.
      auto bAt = [&](int64_t j) -> Value {
        Value bn = constantI64(n);
        nest->at(nest->depth());
        Value rowStart =
            index ? arith::MulIOp::create(builder, loc, kOffset, bn).getResult() : Value();
        Value pointer = index ? LLVM::GEPOp::create(builder, loc, pointerType, compute, bColumn,
                                                    ArrayRef<LLVM::GEPArg>{rowStart})
                                    .getResult()
                              : bColumn;
        return shifted(pointer, offset * n + j * lanes, compute);
      };
      SmallVector<Value> bs;
      for (int64_t j = 0; j < columns; ++j) {
        Value pointer = bAt(j);
        bs.push_back(loadVector(pointer, compute, j));
      }
      for (int64_t i = 0; i < height; ++i) {
        Value pointer = aRows[i];
        if (index) {
          pointer = LLVM::GEPOp::create(builder, loc, pointerType, compute, pointer,
                                        ArrayRef<LLVM::GEPArg>{kOffset});
        }
        Value x = LLVM::LoadOp::create(builder, loc, compute, shifted(pointer, offset, compute),
                                       tile::getElementBytes(compute));
        if (lanes > 1) {
          x = vector::BroadcastOp::create(builder, loc, withLanes(compute, lanes), x);
        }
        for (int64_t j = 0; j < columns; ++j) {
          Value &sum = acc[i * columns + j];
          sum = multiply(x, bs[j], sum);
        }
      }
    };
    int64_t unroll = k % 4 == 0 ? 4 : k % 2 == 0 ? 2 : 1;
    if (k > unroll) {
      Coord index;
      scf::ForOp loop = nest->carryingLoop(0, k, unroll, sums, index);
      SmallVector<Value> acc(loop.getRegionIterArgs());
      nest->at(nest->depth());
      for (int64_t u = 0; u < unroll; ++u) {
        stepK(index.value, u, acc);
      }
      builder.setInsertionPointToEnd(loop.getBody());
      scf::YieldOp::create(builder, loc, acc);
      nest->leave();
      sums.assign(loop.getResults().begin(), loop.getResults().end());
    } else {
      for (int64_t u = 0; u < k; ++u) {
        stepK(Value(), u, sums);
      }
    }
    nest->at(level);
    for (int64_t i = 0; i < height; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        Value value = sums[i * columns + j];
        if (c.element != compute) {
          value = arith::TruncFOp::create(builder, loc, withLanes(c.element, lanes), value);
        }
        Value pointer = shifted(cRows[i], j * lanes, c.element);
        if (partial && j == columns - 1 && lanes > 1) {
          emitMaskedStore(loc, value, pointer, partialMask, tile::getElementBytes(c.element));
        } else {
          LLVM::StoreOp::create(builder, loc, value, pointer, tile::getElementBytes(c.element));
        }
      }
    }
  };

  // Column panels outside, so that a panel of b stays in the first-level cache.
  auto panel = [&](int64_t firstColumn, int64_t lastColumn, int64_t columns, int64_t partial) {
    auto rowsOf = [&](int64_t firstRow, int64_t lastRow, int64_t height) {
      openNest(loc);
      Coord batchAt = batch ? nest->loop(0, c.shape[0], 1) : Coord::get(0);
      Coord column = nest->loop(firstColumn, lastColumn, columns * lanes);
      Coord row = nest->loop(firstRow, lastRow, height);
      block(batchAt, row, column, height, columns, partial);
      closeNest();
    };
    int64_t whole = m / rows * rows;
    if (whole) {
      rowsOf(0, whole, rows);
    }
    if (m != whole) {
      rowsOf(whole, m, m - whole);
    }
  };
  int64_t wholePanels = n / (lanes * width) * (lanes * width);
  if (wholePanels) {
    panel(0, wholePanels, width, 0);
  }
  if (n != wholePanels) {
    int64_t columns = (n - wholePanels + lanes - 1) / lanes;
    panel(wholePanels, n, columns, tail);
  }
}

} // namespace tegula::cpu
