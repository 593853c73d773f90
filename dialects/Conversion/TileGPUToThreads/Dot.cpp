//===- Dot.cpp - Products by threads
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands go to shared memory in the type that products are formed in, a stretch of K at
// a time. Each thread then reads, for each k, the elements of A and B that its
// accumulators need: neighbours in B's rows at once, and four k of A at once.
//
//===----------------------------------------------------------------------===//

#include "Mma.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tegula/Conversion/TileGPUToThreads/ThreadLowering.h"
#include "tegula/TileGPU/Analysis/DotPlan.h"
#include "tegula/TileGPU/Analysis/Scratch.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tegula;
using namespace tegula::tilegpu;

/// The vector with its elements converted, exactly.
static Value widen(ThreadBuilder &out, Value vector, Type element, bool isUnsigned) {
  auto type = cast<VectorType>(vector.getType());
  if (type.getElementType() == element) {
    return vector;
  }
  auto wide = VectorType::get(type.getShape(), element);
  if (isa<FloatType>(element)) {
    return arith::ExtFOp::create(out.builder, out.loc, wide, vector);
  }
  if (isUnsigned) {
    return arith::ExtUIOp::create(out.builder, out.loc, wide, vector);
  }
  return arith::ExtSIOp::create(out.builder, out.loc, wide, vector);
}

static Value add(ThreadBuilder &out, Value a, Value b) {
  return arith::AddIOp::create(out.builder, out.loc, a, b);
}
static Value mul(ThreadBuilder &out, Value a, int64_t factor) {
  return arith::MulIOp::create(out.builder, out.loc, a, out.constant(a.getType(), factor));
}

/// Whether different threads hold one element.
static bool hasCopies(const Layout &layout) {
  return layout.getInner().getFreeBits(Axis::Lane) || layout.getInner().getFreeBits(Axis::Warp);
}

/// Neighbours along `dim` that registers hold in every thread, aligned: a power of two.
static int64_t getRun(const Layout &layout, unsigned dim, int64_t most) {
  const LinearMap &inner = layout.getInner();
  int64_t run = 1;
  while (run < most) {
    unsigned bit = llvm::Log2_64(run);
    ArrayRef<uint64_t> registers = inner.getImages(Axis::Register);
    if (bit >= registers.size()) {
      break;
    }
    for (Axis axis : {Axis::Register, Axis::Lane, Axis::Warp}) {
      for (auto [i, image] : llvm::enumerate(inner.getImages(axis))) {
        SmallVector<int64_t> coordinates = inner.unpack(image);
        bool isStep = axis == Axis::Register && i == bit;
        if (isStep ? llvm::count_if(coordinates, [](int64_t c) { return c != 0; }) != 1 ||
                         coordinates[dim] != run
                   : (coordinates[dim] & run) != 0) {
          return run;
        }
      }
    }
    run *= 2;
  }
  return run;
}

namespace {

//===----------------------------------------------------------------------===//
// To shared memory
//===----------------------------------------------------------------------===//

/// One operand in shared memory.
struct Matrix {
  Value vector;
  Layout layout;
  unsigned kDim;  ///< which dimension is K
  int64_t rows;   ///< of one batch in a stretch: M, or the stretch
  int64_t stride; ///< elements from row to row
  int64_t start;  ///< bytes from the start of shared memory
};

class FmaLowering {
public:
  FmaLowering(ThreadBuilder &out, const FmaPlan &plan, int64_t scratch)
      : out(out), plan(plan), scratch(scratch) {}

  Value run(Value a, const Layout &aLayout, Value b, const Layout &bLayout, Value acc,
            const Layout &accLayout);

private:
  void store(const Matrix &matrix, int64_t first);
  void planReads(const Layout &accLayout);
  Value multiply(Value acc, int64_t first);
  Value multiplyStep(Value acc, Value aBytes, Value bBytes, int64_t count);
  Value pointer(Value offset, int64_t start) {
    return out.offsetBytes(out.sharedAddress(scratch), add(out, offset, out.i32(start)));
  }
  Type element() { return cast<VectorType>(accType).getElementType(); }

  ThreadBuilder &out;
  const FmaPlan &plan;
  int64_t scratch;
  Type accType;
  /// Where a thread's rows of A and columns of B begin, and which of them (and which
  /// element of a run) each accumulator needs.
  SmallVector<Value> aRows, bColumns;
  SmallVector<unsigned> aOf, bOf, bElement;
  int64_t bRun = 1;
};

} // namespace

void FmaLowering::store(const Matrix &matrix, int64_t first) {
  const Layout &layout = matrix.layout;
  const unsigned rank = layout.getRank(), registers = getNumRegisters(layout);
  const int64_t last = std::min(first + plan.chunk, plan.k);
  // Which registers hold elements of the stretch, in all threads or in some.
  SmallVector<bool> all(registers, true), some(registers, false);
  for (unsigned r = 0; r < registers; ++r) {
    if (plan.getNumChunks() == 1) {
      some[r] = true;
      continue;
    }
    for (unsigned warp = 0; warp < layout.getSize(Axis::Warp); ++warp) {
      for (unsigned lane = 0; lane < layout.getSize(Axis::Lane); ++lane) {
        Indices indices = {};
        indices[unsigned(Axis::Register)] = r;
        indices[unsigned(Axis::Lane)] = lane;
        indices[unsigned(Axis::Warp)] = warp;
        int64_t k = layout.apply(indices)[matrix.kDim];
        bool isIn = k >= first && k < last;
        all[r] = all[r] && isIn;
        some[r] = some[r] || isIn;
      }
    }
  }
  SmallVector<Value> coordinates;
  for (unsigned dim = 0; dim < rank; ++dim) {
    coordinates.push_back(out.coordinates(layout, dim));
  }
  Type indexType = coordinates[0].getType();
  Value k = arith::SubIOp::create(out.builder, out.loc, coordinates[matrix.kDim],
                                  out.constant(indexType, first));
  coordinates[matrix.kDim] = k;
  Value row = coordinates[rank - 2];
  if (rank == 3) {
    row = add(out, row, mul(out, coordinates[0], matrix.rows));
  }
  Value offset = add(out, mul(out, row, matrix.stride), coordinates[rank - 1]);
  offset = add(out, mul(out, offset, plan.elementBytes), out.constant(indexType, matrix.start));

  OpBuilder::InsertionGuard guard(out.builder);
  SmallVector<Value> values = out.unpack(matrix.vector), offsets = out.unpack(offset);
  SmallVector<Value> ks = out.unpack(k);
  Value base = out.sharedAddress(scratch);
  if (hasCopies(layout)) {
    auto branch = scf::IfOp::create(out.builder, out.loc, out.isFirstCopy(layout));
    out.builder.setInsertionPointToStart(branch.thenBlock());
  }
  for (unsigned r = 0; r < registers; ++r) {
    if (!some[r]) {
      continue;
    }
    OpBuilder::InsertionGuard inner(out.builder);
    if (!all[r]) {
      Value isIn = arith::CmpIOp::create(out.builder, out.loc, arith::CmpIPredicate::ult, ks[r],
                                         out.i32(last - first));
      auto branch = scf::IfOp::create(out.builder, out.loc, isIn);
      out.builder.setInsertionPointToStart(branch.thenBlock());
    }
    out.storeShared(out.offsetBytes(base, offsets[r]), values[r]);
  }
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void FmaLowering::planReads(const Layout &layout) {
  const unsigned rank = layout.getRank(), registers = getNumRegisters(layout);
  const int64_t bytes = plan.elementBytes;
  bRun = getRun(layout, rank - 1, plan.unroll); // rows of B are whole runs long
  SmallVector<SmallVector<Value>> coordinates;
  for (unsigned dim = 0; dim < rank; ++dim) {
    coordinates.push_back(out.unpack(out.coordinates(layout, dim)));
  }
  // Registers that agree in a coordinate in thread 0 agree in all threads: what a register
  // adds does not depend on the thread.
  llvm::MapVector<std::pair<int64_t, int64_t>, unsigned> rows, columns;
  for (unsigned r = 0; r < registers; ++r) {
    Indices indices = {};
    indices[unsigned(Axis::Register)] = r;
    SmallVector<int64_t> at = layout.apply(indices);
    const int64_t batch = rank == 3 ? at[0] : 0;
    auto [row, isNewRow] = rows.insert({{batch, at[rank - 2]}, unsigned(aRows.size())});
    if (isNewRow) {
      Value index = coordinates[rank - 2][r];
      if (rank == 3) {
        index = add(out, index, mul(out, coordinates[0][r], plan.m));
      }
      aRows.push_back(pointer(mul(out, index, plan.aRow * bytes), 0));
    }
    aOf.push_back(row->second);
    // The first register of a run comes first.
    auto [column, isNewColumn] =
        columns.insert({{batch, at[rank - 1] / bRun * bRun}, unsigned(bColumns.size())});
    if (isNewColumn) {
      Value index = mul(out, coordinates[rank - 1][r], bytes);
      if (rank == 3) {
        index = add(out, index, mul(out, coordinates[0][r], plan.chunk * plan.bRow * bytes));
      }
      bColumns.push_back(pointer(index, plan.bStart * bytes));
    }
    bOf.push_back(column->second);
    bElement.push_back(at[rank - 1] % bRun);
  }
}

/// `count` steps of K from the byte offsets on.
Value FmaLowering::multiplyStep(Value acc, Value aBytes, Value bBytes, int64_t count) {
  auto many = [&](int64_t elements) -> Type {
    return elements == 1 ? element() : Type(VectorType::get({elements}, element()));
  };
  auto read = [&](Value pointer, int64_t elements) {
    Value value = out.loadShared(pointer, many(elements));
    return elements == 1 ? SmallVector<Value>{value} : out.unpack(value);
  };
  const int64_t bytes = plan.elementBytes;
  const bool isWide = count == plan.unroll; // rows of A are then whole numbers of reads long
  SmallVector<SmallVector<Value>> as;
  for (Value row : aRows) {
    Value at = out.offsetBytes(row, aBytes);
    if (isWide) {
      as.push_back(read(at, count));
      continue;
    }
    as.emplace_back();
    for (int64_t i = 0; i < count; ++i) {
      as.back().push_back(read(out.offsetBytes(at, out.i32(i * bytes)), 1)[0]);
    }
  }
  SmallVector<Value> columns;
  for (Value column : bColumns) {
    columns.push_back(out.offsetBytes(column, bBytes));
  }
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<SmallVector<Value>> bs;
    for (Value column : columns) {
      bs.push_back(read(out.offsetBytes(column, out.i32(i * plan.bRow * bytes)), bRun));
    }
    SmallVector<Value> a, b;
    for (auto [row, column, inRun] : llvm::zip(aOf, bOf, bElement)) {
      a.push_back(as[row][i]);
      b.push_back(bs[column][inRun]);
    }
    Value left = out.pack(a), right = out.pack(b);
    if (isa<FloatType>(element())) {
      acc = math::FmaOp::create(out.builder, out.loc, left, right, acc);
    } else {
      acc = add(out, arith::MulIOp::create(out.builder, out.loc, left, right), acc);
    }
  }
  return acc;
}

/// All of one stretch.
Value FmaLowering::multiply(Value acc, int64_t first) {
  const int64_t length = std::min(plan.chunk, plan.k - first), bytes = plan.elementBytes;
  const int64_t step = plan.unroll, whole = length / step * step;
  auto at = [&](Value acc, Value k, int64_t count) {
    return multiplyStep(acc, mul(out, k, bytes), mul(out, k, plan.bRow * bytes), count);
  };
  if (whole == step) {
    acc = at(acc, out.i32(0), step);
  } else if (whole > 0) {
    auto loop = scf::ForOp::create(out.builder, out.loc, out.i32(0), out.i32(whole), out.i32(step),
                                   ValueRange{acc});
    OpBuilder::InsertionGuard guard(out.builder);
    out.builder.setInsertionPointToStart(loop.getBody());
    Value sum = at(loop.getRegionIterArg(0), loop.getInductionVar(), step);
    scf::YieldOp::create(out.builder, out.loc, sum);
    acc = loop.getResult(0);
  }
  return whole == length ? acc : at(acc, out.i32(whole), length - whole);
}

Value FmaLowering::run(Value a, const Layout &aLayout, Value b, const Layout &bLayout, Value acc,
                       const Layout &accLayout) {
  const unsigned rank = accLayout.getRank();
  accType = acc.getType();
  planReads(accLayout);
  const Matrix left = {a, aLayout, rank - 1, plan.m, plan.aRow, 0};
  const Matrix right = {b,          bLayout,   rank - 2,
                        plan.chunk, plan.bRow, plan.bStart * int64_t(plan.elementBytes)};
  for (int64_t chunk = 0; chunk < plan.getNumChunks(); ++chunk) {
    if (chunk > 0) {
      out.barrier(); // all have read what is overwritten now
    }
    store(left, chunk * plan.chunk);
    store(right, chunk * plan.chunk);
    out.barrier();
    acc = multiply(acc, chunk * plan.chunk);
  }
  return acc;
}

//===----------------------------------------------------------------------===//
// The pattern
//===----------------------------------------------------------------------===//

namespace {
struct LowerDot : ThreadPattern<tile::DotOp> {
  using ThreadPattern::ThreadPattern;
  LogicalResult matchAndRewrite(tile::DotOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder out(rewriter, op.getLoc(), machine);
    const Layout a = layoutOf(op.getA()), b = layoutOf(op.getB()), acc = layoutOf(op.getAcc());
    if (auto instruction = op->getAttrOfType<MmaAttr>(kMmaAttr)) {
      Value result = buildMma(out, instruction, {adaptor.getA(), a}, {adaptor.getB(), b},
                              {adaptor.getAcc(), acc});
      if (!result) {
        return rewriter.notifyMatchFailure(op, "tiles are not made of the instruction's");
      }
      rewriter.replaceOp(op, result);
      return success();
    }
    if (op.getAFp8() || op.getBFp8()) {
      return rewriter.notifyMatchFailure(op, "8-bit floats are widened by tilegpu-select-mma");
    }
    auto type = cast<RankedTensorType>(op.getType());
    const FmaPlan plan = planFmaDot(cast<RankedTensorType>(op.getA().getType()).getShape(),
                                    type.getShape().back(), type.getElementType(), machine);
    Type product = getProductType(type.getElementType());
    const bool isUnsigned = op.getSignedness() == tile::Signedness::Unsigned;
    FmaLowering lowering(out, plan, scratchOf(op));
    Value sum = lowering.run(widen(out, adaptor.getA(), product, isUnsigned), a,
                             widen(out, adaptor.getB(), product, isUnsigned), b,
                             widen(out, adaptor.getAcc(), product, isUnsigned), acc);
    if (product != type.getElementType()) {
      sum = arith::TruncFOp::create(rewriter, op.getLoc(), adaptor.getAcc().getType(), sum);
    }
    rewriter.replaceOp(op, sum);
    return success();
  }
};
} // namespace

void tegula::tilegpu::addDotPatterns(ThreadPatterns &list) { list.add<LowerDot>(); }
