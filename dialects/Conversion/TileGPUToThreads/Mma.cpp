//===- Mma.cpp - Products by matrix instructions
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread's registers are runs, each of which is what one instruction wants. Which runs
// belong together does not depend on the thread: it follows from where the runs begin in
// lane 0 of warp 0.
//
//===----------------------------------------------------------------------===//

#include "Mma.h"

#include <map>
#include <vector>

using namespace mlir;
using namespace tegula::tilegpu;

namespace {
/// Batch, row and column.
struct Place {
  int64_t batch, row, column;
};
} // namespace

/// Where each run of `length` registers begins.
static std::vector<Place> getRuns(const Layout &layout, unsigned length) {
  std::vector<Place> places;
  for (unsigned r = 0; r < getNumRegisters(layout); r += length) {
    Indices indices = {};
    indices[unsigned(Axis::Register)] = r;
    SmallVector<int64_t> at = layout.apply(indices);
    places.push_back({at.size() == 3 ? at[0] : 0, at[at.size() - 2], at.back()});
  }
  return places;
}

Value tegula::tilegpu::buildMma(ThreadBuilder &out, MmaAttr instruction, const HeldTile &a,
                                const HeldTile &b, const HeldTile &acc) {
  const MmaRegisters counts = getMmaRegisters(instruction, out.machine.warpSize);
  for (auto [tile, count] : {std::pair(&a, counts.a), {&b, counts.b}, {&acc, counts.acc}}) {
    if (count == 0 || getNumRegisters(tile->layout) % count != 0) {
      return {};
    }
  }
  std::map<std::tuple<int64_t, int64_t, int64_t>, unsigned> rowsOfA, columnsOfB;
  for (auto [i, place] : llvm::enumerate(getRuns(a.layout, counts.a))) {
    rowsOfA.insert({{place.batch, place.row, place.column}, unsigned(i)});
  }
  for (auto [i, place] : llvm::enumerate(getRuns(b.layout, counts.b))) {
    columnsOfB.insert({{place.batch, place.column, place.row}, unsigned(i)});
  }
  // Which runs each accumulator adds up, before anything is written.
  const int64_t k = a.layout.getShape().back(), step = instruction.getK();
  const std::vector<Place> places = getRuns(acc.layout, counts.acc);
  std::vector<std::vector<std::pair<unsigned, unsigned>>> products(places.size());
  for (auto [i, place] : llvm::enumerate(places)) {
    for (int64_t at = 0; at < k; at += step) {
      auto row = rowsOfA.find({place.batch, place.row, at});
      auto column = columnsOfB.find({place.batch, place.column, at});
      if (row == rowsOfA.end() || column == columnsOfB.end()) {
        return {};
      }
      products[i].push_back({row->second, column->second});
    }
  }
  auto split = [&](const HeldTile &tile, unsigned count) {
    SmallVector<Value> runs;
    for (unsigned r = 0; r < getNumRegisters(tile.layout); r += count) {
      runs.push_back(out.slice(tile.vector, r, count));
    }
    return runs;
  };
  SmallVector<Value> as = split(a, counts.a), bs = split(b, counts.b),
                     sums = split(acc, counts.acc);
  // K outermost: neighbours in this order add to different accumulators and share operands.
  for (size_t kStep = 0; kStep < size_t(k / step); ++kStep) {
    for (auto [i, sum] : llvm::enumerate(sums)) {
      auto [row, column] = products[i][kStep];
      sum =
          MmaOp::create(out.builder, out.loc, sum.getType(), instruction, as[row], bs[column], sum);
    }
  }
  return out.concat(sums);
}
