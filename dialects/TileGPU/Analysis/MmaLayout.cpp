//===- MmaLayout.cpp - Tiles made of fragments of matrix instructions
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tegula/TileGPU/Analysis/DotPlan.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;
using namespace tegula::tilegpu;

/// The largest power of two that divides `value`.
static int64_t powerOf2In(int64_t value) { return value & -value; }

MmaWarps tegula::tilegpu::chooseMmaWarps(MmaAttr instruction, ArrayRef<int64_t> accShape,
                                         unsigned numWarps, bool alongRows) {
  const unsigned rank = accShape.size();
  const int64_t batch = rank == 3 ? accShape[0] : 1;
  const int64_t m = accShape[rank - 2], n = accShape[rank - 1];
  const int64_t mostM = powerOf2In(m / instruction.getM());
  const int64_t mostN = powerOf2In(n / instruction.getN());
  const int64_t mostBatch = powerOf2In(batch);
  MmaWarps best;
  // What a warp reads for each k; the more warps share the work the better.
  double bestCost = 0;
  bool isFirst = true;
  for (int64_t b = 1; b <= std::min<int64_t>(mostBatch, numWarps); b *= 2) {
    for (int64_t rows = 1; rows <= mostM && b * rows <= numWarps; rows *= 2) {
      for (int64_t columns = 1; columns <= mostN && b * rows * columns <= numWarps; columns *= 2) {
        const double idle = double(numWarps) / double(b * rows * columns);
        double cost = double(batch) / b * (double(m) / rows + double(n) / columns);
        if (alongRows) {
          cost = double(columns);
        }
        cost += idle * 1e9;
        if (isFirst || cost < bestCost) {
          isFirst = false;
          bestCost = cost;
          best = {unsigned(b), unsigned(rows), unsigned(columns)};
        }
      }
    }
  }
  return best;
}

static LinearMap getFragment(MmaAttr instruction, Operand operand) {
  // Widths of the operands' elements; accumulators only tell f64 apart.
  return mmaFragment(operand, instruction.getA().getIntOrFloatBitWidth() == 19
                                  ? 32 // tf32 lies in f32
                                  : instruction.getA().getIntOrFloatBitWidth());
}

Layout tegula::tilegpu::makeMmaLayout(MmaAttr instruction, Operand operand, ArrayRef<int64_t> shape,
                                      const MmaWarps &warps, unsigned numWarps) {
  const unsigned rank = shape.size();
  const unsigned rows = rank - 2, columns = rank - 1;
  LinearMap map = getFragment(instruction, operand);
  if (rank == 3) {
    map = map.expandDims(0);
  }
  auto along = [&](unsigned count, unsigned dim, bool isThere) {
    const unsigned bits = llvm::Log2_32(count);
    map = map * (isThere ? LinearMap::identity(Axis::Warp, bits, dim, rank)
                         : LinearMap::zero(Axis::Warp, bits, rank));
  };
  along(warps.m, rows, operand != Operand::B);
  along(warps.n, columns, operand != Operand::A);
  along(warps.batch, 0, rank == 3);
  along(numWarps / (warps.m * warps.n * warps.batch), 0, false);

  // Registers: the dimension that instructions step through first, batches last.
  SmallVector<unsigned> order = {columns, rows};
  if (operand == Operand::B) {
    order = {rows, columns};
  }
  if (rank == 3) {
    order.push_back(0);
  }
  SmallVector<int64_t> left;
  for (auto [size, have] : llvm::zip(shape, map.getShape())) {
    left.push_back(size / have);
  }
  for (unsigned dim : order) {
    const int64_t count = powerOf2In(left[dim]);
    map = map * LinearMap::identity(Axis::Register, llvm::Log2_64(count), dim, rank);
    left[dim] /= count;
  }
  Layout layout(map);
  for (unsigned dim : order) {
    if (left[dim] > 1) {
      layout = layout.repeat(Axis::Register, dim, unsigned(left[dim]));
    }
  }
  return layout;
}
